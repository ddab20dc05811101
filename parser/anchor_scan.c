/* SPDX-License-Identifier: Apache-2.0 */
/* The loop of anchor_scan(), declared in anchor.h. Compiled once for each kind of processor: with
 * SCAN_AVX2 for 32 bytes at a time, with SCAN_VECTOR for 16 (SSE2, NEON), with neither in portable
 * C.
 *
 * For a block of 64 bytes a mask shows where anchors may be, judged by three bytes: a ':' with a
 * digit before it and 't', 'p', '0' or 'w' two bytes after it, or with 'U' before it. Portable C
 * looks at the ':' only.
 */
#include "parser/anchor.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define BLOCK 64

#if defined(SCAN_AVX2)
#include <immintrin.h>
#define SCAN anchor_scan_avx2
#elif defined(SCAN_VECTOR) && defined(__SSE2__)
#include <emmintrin.h>
#define SCAN anchor_scan_vector
#elif defined(SCAN_VECTOR)
#include <arm_neon.h>
#define SCAN anchor_scan_vector
#else
#define SCAN anchor_scan_portable
#endif

/* --- a bit for each byte of a block --- */

#if defined(SCAN_AVX2)

/* '0' is 'p' without the bit 0x40, so the letters differ in their low four bits. */
static inline __m256i candidates_at(const char *at)
{
	const __m256i letters = _mm256_broadcastsi128_si256(
		_mm_setr_epi8('p', 1, 1, 1, 't', 1, 1, 'w', 1, 1, 1, 1, 1, 1, 1, 1));
	__m256i before = _mm256_loadu_si256((const __m256i *)(at - 1));
	__m256i colon = _mm256_loadu_si256((const __m256i *)at);
	__m256i first = _mm256_loadu_si256((const __m256i *)(at + 2));
	__m256i letter = _mm256_cmpeq_epi8(_mm256_or_si256(first, _mm256_set1_epi8(0x40)),
					   _mm256_shuffle_epi8(letters, first));
	__m256i digit = _mm256_sub_epi8(before, _mm256_set1_epi8('0'));
	__m256i is_digit = _mm256_cmpeq_epi8(_mm256_min_epu8(digit, _mm256_set1_epi8(9)), digit);
	__m256i cpu = _mm256_cmpeq_epi8(before, _mm256_set1_epi8('U'));

	return _mm256_and_si256(_mm256_cmpeq_epi8(colon, _mm256_set1_epi8(':')),
				_mm256_or_si256(_mm256_and_si256(letter, is_digit), cpu));
}

static inline uint64_t bits(__m256i low, __m256i high)
{
	return (uint32_t)_mm256_movemask_epi8(low) | (uint64_t)(uint32_t)_mm256_movemask_epi8(high)
							     << 32;
}

static inline uint64_t anchors(const char *at)
{
	return bits(candidates_at(at), candidates_at(at + 32));
}

#elif defined(SCAN_VECTOR) && defined(__SSE2__)

static inline __m128i candidates_at(const char *at)
{
	__m128i before = _mm_loadu_si128((const __m128i *)(at - 1));
	__m128i colon = _mm_loadu_si128((const __m128i *)at);
	__m128i first = _mm_loadu_si128((const __m128i *)(at + 2));
	/* '0' is 'p' without the bit 0x40. */
	__m128i upper = _mm_or_si128(first, _mm_set1_epi8(0x40));
	__m128i letter = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(upper, _mm_set1_epi8('t')),
						   _mm_cmpeq_epi8(upper, _mm_set1_epi8('p'))),
				      _mm_cmpeq_epi8(upper, _mm_set1_epi8('w')));
	__m128i digit = _mm_sub_epi8(before, _mm_set1_epi8('0'));
	__m128i is_digit = _mm_cmpeq_epi8(_mm_min_epu8(digit, _mm_set1_epi8(9)), digit);
	__m128i cpu = _mm_cmpeq_epi8(before, _mm_set1_epi8('U'));

	return _mm_and_si128(_mm_cmpeq_epi8(colon, _mm_set1_epi8(':')),
			     _mm_or_si128(_mm_and_si128(letter, is_digit), cpu));
}

static inline uint64_t anchors(const char *at)
{
	uint64_t mask = 0;

	for (unsigned int i = 0; i < BLOCK; i += 16)
		mask |= (uint64_t)(uint32_t)_mm_movemask_epi8(candidates_at(at + i)) << i;
	return mask;
}

#elif defined(SCAN_VECTOR)

/* NEON has no instruction for a mask of bytes: bits are set in place and added pair by pair. */
static inline uint64_t bits(uint8x16_t a, uint8x16_t b, uint8x16_t c, uint8x16_t d)
{
	static const uint8_t places[16] = {
		1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128
	};
	uint8x16_t bit = vld1q_u8(places);
	uint8x16_t low = vpaddq_u8(vandq_u8(a, bit), vandq_u8(b, bit));
	uint8x16_t high = vpaddq_u8(vandq_u8(c, bit), vandq_u8(d, bit));
	uint8x16_t sum = vpaddq_u8(low, high);

	sum = vpaddq_u8(sum, sum);
	return vgetq_lane_u64(vreinterpretq_u64_u8(sum), 0);
}

static inline uint8x16_t candidates_at(const char *at)
{
	uint8x16_t before = vld1q_u8((const uint8_t *)at - 1);
	uint8x16_t colon = vld1q_u8((const uint8_t *)at);
	uint8x16_t first = vld1q_u8((const uint8_t *)at + 2);
	/* '0' is 'p' without the bit 0x40. */
	uint8x16_t upper = vorrq_u8(first, vdupq_n_u8(0x40));
	uint8x16_t letter = vorrq_u8(
		vorrq_u8(vceqq_u8(upper, vdupq_n_u8('t')), vceqq_u8(upper, vdupq_n_u8('p'))),
		vceqq_u8(upper, vdupq_n_u8('w')));
	uint8x16_t is_digit = vcleq_u8(vsubq_u8(before, vdupq_n_u8('0')), vdupq_n_u8(9));

	return vandq_u8(vceqq_u8(colon, vdupq_n_u8(':')),
			vorrq_u8(vandq_u8(letter, is_digit), vceqq_u8(before, vdupq_n_u8('U'))));
}

static inline uint64_t anchors(const char *at)
{
	return bits(candidates_at(at), candidates_at(at + 16), candidates_at(at + 32),
		    candidates_at(at + 48));
}

#else

/* The high bit of each byte of @word that is equal to @byte. */
static inline uint64_t bytes_equal(uint64_t word, uint8_t byte)
{
	const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f);
	uint64_t other = word ^ (UINT64_C(0x0101010101010101) * byte);

	return ~(((other & low) + low) | other | low);
}

/* The same as one bit for each byte. */
static inline uint64_t mask_of(const char *at, uint8_t byte)
{
	uint64_t mask = 0;

	for (unsigned int i = 0; i < BLOCK; i += 8) {
		uint64_t word;

		memcpy(&word, at + i, sizeof(word));
		word = bytes_equal(word, byte) >> 7;
		mask |= (word * UINT64_C(0x0102040810204080) >> 56) << i;
	}
	return mask;
}

static inline uint64_t anchors(const char *at)
{
	return mask_of(at, ':');
}

#endif

/* --- the loop --- */

/* True: the ':' at @at is an anchor. Reads one byte before it and three after it. */
static inline bool is_anchor(const char *at)
{
	if (at[0] != ':')
		return false;
	if (at[-1] == 'U')
		return true;
	if (at[1] != ' ' || at[-1] < '0' || at[-1] > '9')
		return false;
	return at[2] == '0' ? at[3] == ':' || at[3] == 'x'
			    : at[3] == 'r' && (at[2] == 't' || at[2] == 'p' || at[2] == 'w');
}

/* Number of blocks that are scanned at a time. */
#define BLOCKS_MAX 64

/* It is unpredictable whether a block contains candidates, so there is no branch: a block without
 * candidates is overwritten by the next one. */
static inline size_t find_candidates(const char *at, size_t n_blocks, const char **blocks,
				     uint64_t *masks)
{
	size_t n = 0;

	for (size_t i = 0; i < n_blocks; i++, at += BLOCK) {
		uint64_t mask = anchors(at);

		blocks[n] = at;
		masks[n] = mask;
		n += mask != 0;
	}
	return n;
}

/* Keeps those candidates of the first @n_blocks blocks that are anchors. Stops before @found can
 * get full: then *@at is moved back to the first block that was not processed. */
static inline size_t keep_anchors(const char *const *blocks, const uint64_t *masks, size_t n_blocks,
				  const char **at, const char **found)
{
	size_t n = 0;

	for (size_t i = 0; i < n_blocks; i++) {
		uint64_t mask = masks[i];

		if (n > ANCHORS_MAX - BLOCK) {
			*at = blocks[i];
			break;
		}
		do {
			const char *candidate = blocks[i] + __builtin_ctzll(mask);

			found[n] = candidate;
			n += is_anchor(candidate);
			mask &= mask - 1;
		} while (mask);
	}
	return n;
}

size_t SCAN(struct anchor_scan *scan, const char **found)
{
	const char *blocks[BLOCKS_MAX];
	uint64_t masks[BLOCKS_MAX];
	const char *at = scan->at, *end = scan->end;
	size_t n = 0;

	if (at == scan->begin && at < end)
		at++;
	/* Blocks, and the bytes that is_anchor() reads after the last byte of each. */
	while (end - at >= BLOCK + 3 && n == 0) {
		size_t n_blocks = (size_t)(end - at - 3) / BLOCK;

		if (n_blocks > BLOCKS_MAX)
			n_blocks = BLOCKS_MAX;
		n = find_candidates(at, n_blocks, blocks, masks);
		at += n_blocks * BLOCK;
		n = keep_anchors(blocks, masks, n, &at, found);
	}
	if (end - at < BLOCK + 3 && n <= ANCHORS_MAX - BLOCK - 3)
		for (; at < end; at++)
			if (end - at >= 4 && is_anchor(at))
				found[n++] = at;
	scan->at = at;
	return n;
}
