/* SPDX-License-Identifier: Apache-2.0 */
/* SIMD within a register: eight bytes of text at a time, the first one in the lowest byte; 32 bytes
 * with SSE2 or NEON. */
#ifndef JANKD_PARSER_SWAR_H
#define JANKD_PARSER_SWAR_H

#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the first byte is the lowest");

#define WORD_ONES UINT64_C(0x0101010101010101)
#define WORD_HIGHS UINT64_C(0x8080808080808080)

static inline uint64_t word_load(const char *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof(word));
	return word;
}

static inline uint32_t word_load_half(const char *at)
{
	uint32_t word;

	memcpy(&word, at, sizeof(word));
	return word;
}

/* Not zero if a byte of @word is @byte; the lowest set bit is in the first such byte. */
static inline uint64_t word_find_byte(uint64_t word, uint8_t byte)
{
	word ^= WORD_ONES * byte;
	return (word - WORD_ONES) & ~word & WORD_HIGHS;
}

/* The first @len bytes at @at, eight at most; missing bytes are 0. */
static inline uint64_t word_load_some(const char *at, size_t len)
{
	if (len >= sizeof(uint64_t))
		return word_load(at);
	if (len >= sizeof(uint32_t)) {
		uint64_t end = word_load_half(at + len - sizeof(uint32_t));

		return word_load_half(at) | end << (8 * (len - sizeof(uint32_t)));
	}
	if (len == 0)
		return 0;
	return (unsigned char)at[0] | (uint64_t)(unsigned char)at[len / 2] << (8 * (len / 2)) |
	       (uint64_t)(unsigned char)at[len - 1] << (8 * (len - 1));
}

/* @word: eight characters, each minus '0'. Not zero if one of them is no digit; the lowest set bit
 * is in the first such byte. A digit after a byte that is not ASCII may count as no digit. */
static inline uint64_t word_not_digits(uint64_t word)
{
	return ((word + WORD_ONES * 0x76) | word) & WORD_HIGHS;
}

/* The number that eight digits make, each minus '0'. */
static inline uint64_t word_number(uint64_t word)
{
	word = word * 10 + (word >> 8);
	return (((word & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x000f424000000064)) +
		(((word >> 16) & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x0000271000000001))) >>
	       32;
}

#if defined(__SSE2__) || defined(__aarch64__)
#define BLOCK_SIZE 32
typedef uint8_t block_half __attribute__((vector_size(BLOCK_SIZE / 2)));

/* 0xff for each of 16 bytes that is one of @bytes; else 0. */
static inline __attribute__((always_inline)) block_half block_half_find(const char *at,
									const char any[3])
{
	block_half bytes;

	memcpy(&bytes, at, sizeof(bytes));
	return (block_half)(bytes == (uint8_t)any[0]) | (block_half)(bytes == (uint8_t)any[1]) |
	       (block_half)(bytes == (uint8_t)any[2]);
}

/* A mask of 32 bits, the lowest one for the byte at @at: set for each byte that is in @any.
 * BLOCK_SIZE is defined if this function exists. */
static inline __attribute__((always_inline)) uint32_t block_find(const char *at, const char any[3])
{
	block_half low = block_half_find(at, any), high = block_half_find(at + 16, any);
#if defined(__SSE2__)

	return (uint32_t)_mm_movemask_epi8((__m128i)low) |
	       (uint32_t)_mm_movemask_epi8((__m128i)high) << 16;
#else
	const block_half bit = { 1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128 };
	block_half sum = vpaddq_u8(low & bit, high & bit);

	sum = vpaddq_u8(sum, sum);
	sum = vpaddq_u8(sum, sum);
	return vgetq_lane_u32(vreinterpretq_u32_u8(sum), 0);
#endif
}
#endif

/* The first line end or NUL in [@at, @end), or NULL. Most texts end in the first block, and a loop
 * over words would be mispredicted. */
static inline __attribute__((always_inline)) const char *text_end(const char *at, const char *end)
{
#ifdef BLOCK_SIZE
	for (; end - at >= BLOCK_SIZE; at += BLOCK_SIZE) {
		uint32_t ends = block_find(at, "\n\0");

		if (ends)
			return at + (unsigned int)__builtin_ctz(ends);
	}
#endif
	for (; end - at >= 8; at += 8) {
		uint64_t word = word_load(at);
		uint64_t ends = word_find_byte(word, '\n') | word_find_byte(word, '\0');

		if (ends)
			return at + (unsigned int)__builtin_ctzll(ends) / 8;
	}
	for (; at < end; at++)
		if (*at == '\n' || *at == '\0')
			return at;
	return NULL;
}

#endif
