/* SPDX-License-Identifier: Apache-2.0 */
/* The loop of anchor_scan(), declared in anchor.h. Compiled once for each kind of vectors: with
 * SCAN_AVX2 for 32 bytes at a time, else for 16 (SSE2, NEON).
 *
 * For a block of 64 bytes a mask shows where anchors may be, judged by two bytes: a ':' with 't',
 * 'p', '0' or 'w' two bytes after it, or with 'U' before it. Few of the former have no digit before
 * them, which is looked for later.
 */
#include "parser/anchor.h"

#include <stdint.h>
#include <string.h>

#define BLOCK 64

#if defined(SCAN_AVX2)
#include <immintrin.h>
#define SCAN anchor_scan_avx2
#define WIDTH 32
#define MASK _mm256_movemask_epi8
#define MASK_OF __m256i
#else
#define SCAN anchor_scan_vector
#define WIDTH 16
#if defined(__SSE2__)
#include <emmintrin.h>
#define MASK _mm_movemask_epi8
#define MASK_OF __m128i
#else
#include <arm_neon.h>
#endif
#endif

/* --- a bit for each byte of a block --- */

typedef uint8_t bytes __attribute__((vector_size(WIDTH)));

static inline bytes load(const char *at)
{
	bytes loaded;

	memcpy(&loaded, at, sizeof(loaded));
	return loaded;
}

static inline bytes candidates_at(const char *at)
{
	bytes before = load(at - 1), first = load(at + 2);
	/* '0', 'p' and 't' differ in two bits; '4' is left out later. */
	bytes letter = (bytes)((first & 0xbb) == '0') | (bytes)(first == 'w');
	bytes cpu = (bytes)(before == 'U');

	return (bytes)(load(at) == ':') & (letter | cpu);
}

#if defined(__SSE2__)

static inline uint64_t anchors(const char *at)
{
	uint64_t mask = 0;

	for (unsigned int i = 0; i < BLOCK; i += WIDTH)
		mask |= (uint64_t)(uint32_t)MASK((MASK_OF)candidates_at(at + i)) << i;
	return mask;
}

#else

/* NEON has no instruction for a mask of bytes: bits are set in place and added pair by pair. */
static inline uint64_t anchors(const char *at)
{
	const bytes bit = { 1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128 };
	uint8x16_t low = vpaddq_u8(candidates_at(at) & bit, candidates_at(at + 16) & bit);
	uint8x16_t high = vpaddq_u8(candidates_at(at + 32) & bit, candidates_at(at + 48) & bit);
	uint8x16_t sum = vpaddq_u8(low, high);

	sum = vpaddq_u8(sum, sum);
	return vgetq_lane_u64(vreinterpretq_u64_u8(sum), 0);
}

#endif

/* --- the loop --- */

/* Number of blocks that are scanned at a time. Few, as the anchors of usual lines need no scan: it
 * goes on where they are found without it. */
#define BLOCKS_MAX 16

size_t SCAN(struct anchor_scan *scan, const char **found)
{
	const char *blocks[BLOCKS_MAX];
	uint64_t masks[BLOCKS_MAX];
	const char *at = scan->at, *end = scan->end;
	size_t n = 0;

	if (at == scan->begin && at < end)
		at++;
	/* Blocks, and the bytes that anchor_is() reads after the last byte of each. */
	while (end - at >= BLOCK + 3 && n == 0) {
		size_t n_blocks = (size_t)(end - at - 3) / BLOCK, n_masks = 0;

		if (n_blocks > BLOCKS_MAX)
			n_blocks = BLOCKS_MAX;
		/* It is unpredictable whether a block contains candidates, so there is no branch: a
		 * block without candidates is overwritten by the next one. */
		for (size_t i = 0; i < n_blocks; i++, at += BLOCK) {
			uint64_t mask = anchors(at);

			blocks[n_masks] = at;
			masks[n_masks] = mask;
			n_masks += mask != 0;
		}
		/* Stops before @found can get full: then the scan goes on at the first block that
		 * was not processed. */
		for (size_t i = 0; i < n_masks; i++) {
			if (n > ANCHORS_MAX - BLOCK) {
				at = blocks[i];
				break;
			}
			for (uint64_t mask = masks[i]; mask; mask &= mask - 1) {
				found[n] = blocks[i] + __builtin_ctzll(mask);
				n += anchor_is(found[n]);
			}
		}
	}
	if (end - at < BLOCK + 3 && n <= ANCHORS_MAX - BLOCK - 3)
		for (; at < end; at++)
			if (end - at >= 4 && anchor_is(at))
				found[n++] = at;
	scan->at = at;
	return n;
}
