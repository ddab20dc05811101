/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the entry point of a fuzzer once for each given file, and for each file in a given folder.
 *
 * So the seeds, and inputs that a fuzzer has found, are tested in every build.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "tests/fuzz/target.h"

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
	struct stat status;
	int failed = 0;

	for (int i = 1; i < argc; i++) {
		if (stat(argv[i], &status) == 0 && S_ISDIR(status.st_mode))
			failed |= run_folder(argv[i]);
		else
			failed |= run_file(argv[i]);
	}
	return failed;
}
