/* SPDX-License-Identifier: Apache-2.0 */
/* The entry point of each fuzzer, called by libFuzzer or by replay.c, and how it fails. */
#ifndef JANKD_TESTS_FUZZ_TARGET_H
#define JANKD_TESTS_FUZZ_TARGET_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* FNV-1a of what all inputs gave. */
__attribute__((weak)) uint64_t fuzz_sum = UINT64_C(0xcbf29ce484222325);

static inline void note(const void *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		fuzz_sum = (fuzz_sum ^ ((const uint8_t *)bytes)[i]) * UINT64_C(0x100000001b3);
}

#define NOTE(...) note((int64_t[]){ __VA_ARGS__ }, sizeof((int64_t[]){ __VA_ARGS__ }))

static inline void wrong(const char *what)
{
	fprintf(stderr, "fuzz: %s\n", what);
	abort();
}

#endif
