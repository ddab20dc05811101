/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers in a text, small: columns of rows and frames on the page.
 *
 *     numbers --> 7 bits a byte, the lowest first --> zlib --> base64
 *
 * Browsers unpack it with their DecompressionStream, so the page needs no code for that.
 */
#ifndef JANKD_TOOLS_REPORT_PACK_H
#define JANKD_TOOLS_REPORT_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct pack {
	unsigned char *bytes;
	size_t n, max;
	bool failed; /* out of memory */
};

/* The number 2^53 and more are written as 2^53 - 1: a script could not read them exactly. */
void pack_add(struct pack *pack, uint64_t number);

/* 0, -1, 1, -2 ... as 0, 1, 2, 3 ... */
void pack_add_signed(struct pack *pack, int64_t number);

/* Prints all of it and frees it. Returns 0 or -ENOMEM. */
int pack_print(struct pack *pack, FILE *out);

#endif
