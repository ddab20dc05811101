/* SPDX-License-Identifier: Apache-2.0 */
/* The entry point of each fuzzer, called by libFuzzer or by replay.c, and how it fails. */
#ifndef JANKD_TESTS_FUZZ_TARGET_H
#define JANKD_TESTS_FUZZ_TARGET_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void wrong(const char *what)
{
	fprintf(stderr, "fuzz: %s\n", what);
	abort();
}

#endif
