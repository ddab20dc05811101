/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the entry point of a fuzzer once for each given file, and for each file in a given folder.
 *
 * So the seeds, and inputs that a fuzzer has found, are tested in every build. With --count N it
 * then runs N mutants of them, without the compiler's help: each build can do it, and they are the
 * same ones each time. So are their results: --sum SUM fails if they give others than before. */
#include <dirent.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/fuzz/target.h"

/* The seeds, for mutants. */
#define SEEDS_MAX 4096
#define SEED_SIZE_MAX 65536

struct seed {
	uint8_t *bytes;
	size_t size;
};

static struct seed seeds[SEEDS_MAX];
static size_t n_seeds;
static uint64_t state = 1;

static size_t below(size_t limit)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (size_t)(state >> 33) % limit;
}

/* Removes, doubles or overwrites a part; @size is above 0. Returns the new size. */
static size_t mutate(uint8_t *bytes, size_t size)
{
	static const char *const runs[] = { "\xff\xff\xff\xff\x0f", "\x80\x80\x80\x80\x80",
					    "\x0a\x00\x0a\x00\x0a" };
	size_t at = below(size), len = 1 + below(size - at < 64 ? size - at : 64);

	switch (below(7)) {
	case 0:
		memmove(bytes + at, bytes + at + len, size - at - len);
		return size - len;
	case 1:
		if (size + len > SEED_SIZE_MAX * 2)
			return size;
		memmove(bytes + at + len, bytes + at, size - at);
		return size + len;
	case 2:
		return at;
	case 3:
		memset(bytes + at, (int)below(256), len);
		return size;
	case 4:
		memcpy(bytes + at, runs[below(3)], len < 5 ? len : 5);
		return size;
	case 5:
		bytes[at] ^= (uint8_t)(1 << below(8));
		return size;
	default:
		bytes[at] = (uint8_t)below(256);
		return size;
	}
}

/* Of each the begin of one seed and the end of another one, changed some times. */
static void run_mutants(unsigned long count)
{
	static uint8_t bytes[SEED_SIZE_MAX * 3];

	for (unsigned long n = 0; n_seeds > 0 && n < count; n++) {
		const struct seed *first = &seeds[below(n_seeds)], *second = &seeds[below(n_seeds)];
		size_t size = below(2) ? first->size : below(first->size + 1);
		size_t from = below(second->size);
		uint8_t *exact;

		memcpy(bytes, first->bytes, size);
		if (below(2)) {
			memcpy(bytes + size, second->bytes + from, second->size - from);
			size += second->size - from;
		}
		for (size_t times = below(6); times > 0 && size > 0; times--)
			size = mutate(bytes, size);
		exact = malloc(size ? size : 1);
		if (!exact)
			abort();
		memcpy(exact, bytes, size);
		LLVMFuzzerTestOneInput(exact, size);
		free(exact);
	}
	printf("%lu mutants of %zu seeds\n", count, n_seeds);
}

static int run_file(const char *path)
{
	struct stat status;
	uint8_t *bytes;
	FILE *in = fopen(path, "rb");

	if (!in || fstat(fileno(in), &status) != 0) {
		perror(path);
		return 1;
	}
	bytes = malloc((size_t)status.st_size + 1);
	if (!bytes || fread(bytes, 1, (size_t)status.st_size, in) != (size_t)status.st_size)
		abort();
	fclose(in);
	/* Exactly as long as the file, so that a sanitizer detects each read beyond its end. */
	bytes = realloc(bytes, status.st_size ? (size_t)status.st_size : 1);
	LLVMFuzzerTestOneInput(bytes, (size_t)status.st_size);
	if (n_seeds < SEEDS_MAX && status.st_size > 0 && status.st_size <= SEED_SIZE_MAX)
		seeds[n_seeds++] = (struct seed){ bytes, (size_t)status.st_size };
	else
		free(bytes);
	return 0;
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static int run_folder(const char *folder)
{
	struct dirent **names;
	int n = scandir(folder, &names, is_visible, alphasort);
	int failed = n < 0;

	for (int i = 0; i < n; i++) {
		char *path = NULL;

		if (asprintf(&path, "%s/%s", folder, names[i]->d_name) < 0)
			abort();
		failed |= run_file(path);
		free(path);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
	printf("%s: %d files\n", folder, n);
	return failed;
}

int main(int argc, char **argv)
{
	unsigned long count = 0;
	struct stat status;
	const char *expected = NULL;
	int failed = 0;

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--count") == 0 && i + 1 < argc)
			count = strtoul(argv[++i], NULL, 10);
		else if (strcmp(argv[i], "--sum") == 0 && i + 1 < argc)
			expected = argv[++i];
		else if (stat(argv[i], &status) == 0 && S_ISDIR(status.st_mode))
			failed |= run_folder(argv[i]);
		else
			failed |= run_file(argv[i]);
	}
	run_mutants(count);
	while (n_seeds > 0)
		free(seeds[--n_seeds].bytes);
	if (expected && strtoull(expected, NULL, 16) != fuzz_sum) {
		fprintf(stderr,
			"fuzz: other results than before. If that is meant, the sum is %" PRIx64
			"\n",
			fuzz_sum);
		failed = 1;
	}
	return failed;
}
