/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/report/made_files.h"

#include <stdint.h>
#include <stdlib.h>

FILE *made_file(const char *folder, const char *name, const char *columns)
{
	char path[4200];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	if (!file) {
		perror(path);
		exit(1);
	}
	if (columns)
		fprintf(file, "%s\n", columns);
	return file;
}

unsigned int random_below(unsigned int n)
{
	static uint64_t state = 88172645463325252;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned int)(state >> 33) % n;
}
