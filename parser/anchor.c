/* SPDX-License-Identifier: Apache-2.0 */
/* Built twice on x86: as it is, and with ANCHOR_WIDE and AVX2 for processors that have it. */
#include "parser/anchor.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Bytes compared at once: what a register of SSE2 or NEON holds, or one of AVX2. Of more the
 * compiler makes single bytes. */
#ifdef ANCHOR_WIDE
#define BLOCK 32
#else
#define BLOCK 16
#endif

typedef uint8_t block __attribute__((vector_size(BLOCK)));
typedef uint8_t half __attribute__((vector_size(BLOCK / 2)));

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the first byte is the lowest");

/* Number of the first of the BLOCK bytes at @at that may begin an anchor, or BLOCK: a ':' with
 * " t", " p", " 0" or " w" behind it, or in "CPU:". Reads one byte before, two behind. */
static inline unsigned int first_candidate(const char *at)
{
	block before, colon, blank, first, hits;
	half low, high, any;
	uint64_t words[BLOCK / 8];
	uint64_t some = 0;

	memcpy(&before, at - 1, BLOCK);
	memcpy(&colon, at, BLOCK);
	memcpy(&blank, at + 1, BLOCK);
	memcpy(&first, at + 2, BLOCK);
	hits = (block)((colon == ':') & (((blank == ' ') & ((first == 't') | (first == 'p') |
							    (first == '0') | (first == 'w'))) |
					 (before == 'U')));
	/* Halves first: it is what takes the fewest steps from a wide register. */
	memcpy(&low, &hits, sizeof(low));
	memcpy(&high, (const char *)&hits + sizeof(low), sizeof(high));
	any = low | high;
	memcpy(words, &any, sizeof(any));
	for (size_t i = 0; i < BLOCK / 16; i++)
		some |= words[i];
	if (!some)
		return BLOCK;
	memcpy(words, &hits, BLOCK);
	for (unsigned int i = 0; i < BLOCK / 8 - 1; i++)
		if (words[i])
			return 8 * i + (unsigned int)__builtin_ctzll(words[i]) / 8;
	return BLOCK - 8 + (unsigned int)__builtin_ctzll(words[BLOCK / 8 - 1]) / 8;
}

/* Does a ':' at @at begin an anchor? Reads one byte before, three behind. */
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

static inline const char *search(const char *begin, const char *at, const char *end)
{
	/* Where a whole block can be looked at; NULL: nowhere. */
	const char *last = end - begin >= BLOCK + 2 ? end - (BLOCK + 2) : NULL;

	if (at == begin)
		at++;
	while (last && at <= last) {
		unsigned int n = first_candidate(at);

		at += n;
		if (n == BLOCK)
			continue;
		if (end - at < 4)
			return NULL;
		if (is_anchor(at))
			return at;
		at++;
	}
	for (; end - at >= 4; at++)
		if (is_anchor(at))
			return at;
	return NULL;
}

#ifdef ANCHOR_WIDE
const char *anchor_find_wide(const char *begin, const char *at, const char *end)
{
	return search(begin, at, end);
}
#else
const char *anchor_find(const char *begin, const char *at, const char *end)
{
#ifdef __x86_64__
	if (__builtin_cpu_supports("avx2"))
		return anchor_find_wide(begin, at, end);
#endif
	return search(begin, at, end);
}
#endif
