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

/* Not zero if a byte of @word is @byte; the lowest set bit is in the first such byte. */
static inline uint64_t word_find_byte(uint64_t word, uint8_t byte)
{
	word ^= WORD_ONES * byte;
	return (word - WORD_ONES) & ~word & WORD_HIGHS;
}

/* The first @len bytes at @at, eight at most; missing bytes are 0. */
static inline uint64_t word_load_some(const char *at, size_t len)
{
	uint32_t front, end;
	uint64_t word = 0;

	if (len >= sizeof(word))
		return word_load(at);
	if (len >= sizeof(front)) {
		memcpy(&front, at, sizeof(front));
		memcpy(&end, at + len - sizeof(end), sizeof(end));
		return front | (uint64_t)end << (8 * (len - sizeof(end)));
	}
	while (len > 0)
		word = word << 8 | (unsigned char)at[--len];
	return word;
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

/* The halves of a block of BLOCK_SIZE bytes. */
#if defined(__SSE2__)
#define BLOCK_SIZE 32
typedef __m128i block_half;

static inline uint32_t block_mask(block_half low, block_half high)
{
	return (uint32_t)_mm_movemask_epi8(low) | (uint32_t)_mm_movemask_epi8(high) << 16;
}

static inline block_half block_equal(const char *at, char byte)
{
	return _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)at), _mm_set1_epi8(byte));
}

static inline block_half block_either(block_half one, block_half other)
{
	return _mm_or_si128(one, other);
}
#elif defined(__aarch64__)
#define BLOCK_SIZE 32
typedef uint8x16_t block_half;

static inline uint32_t block_mask(block_half low, block_half high)
{
	static const uint8_t places[16] = {
		1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128
	};
	uint8x16_t bit = vld1q_u8(places);
	uint8x16_t sum = vpaddq_u8(vandq_u8(low, bit), vandq_u8(high, bit));

	sum = vpaddq_u8(sum, sum);
	sum = vpaddq_u8(sum, sum);
	return vgetq_lane_u32(vreinterpretq_u32_u8(sum), 0);
}

static inline block_half block_equal(const char *at, char byte)
{
	return vceqq_u8(vld1q_u8((const uint8_t *)at), vdupq_n_u8((uint8_t)byte));
}

static inline block_half block_either(block_half one, block_half other)
{
	return vorrq_u8(one, other);
}
#endif

#ifdef BLOCK_SIZE
/* A mask of 32 bits, the lowest one for the byte at @at: set for each byte that is @one or @other.
 * BLOCK_SIZE is defined if this function exists. */
static inline uint32_t block_find_either(const char *at, char one, char other)
{
	return block_mask(block_either(block_equal(at, one), block_equal(at, other)),
			  block_either(block_equal(at + 16, one), block_equal(at + 16, other)));
}
#endif

#endif
