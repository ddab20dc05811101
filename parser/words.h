/* SPDX-License-Identifier: Apache-2.0 */
/* Eight bytes of text at a time, the first of them the lowest. */
#ifndef JANKD_PARSER_WORDS_H
#define JANKD_PARSER_WORDS_H

#include <stdint.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the first byte is the lowest");

#define WORD_ONES UINT64_C(0x0101010101010101)
#define WORD_HIGHS UINT64_C(0x8080808080808080)

static inline uint64_t word_load(const char *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof(word));
	return word;
}

/* Not zero where one of the bytes of @word is @byte; the lowest bit set is in the first that is. */
static inline uint64_t word_find_byte(uint64_t word, uint8_t byte)
{
	word ^= WORD_ONES * byte;
	return (word - WORD_ONES) & ~word & WORD_HIGHS;
}

#endif
