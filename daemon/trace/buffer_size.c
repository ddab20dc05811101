/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/trace/buffer_size.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/trace/setting_file.h"

/* The value of the file if the CPUs' sizes differ. */
#define DIFFERENT "X"

static bool read_size(const char *directory, const char *name, uint64_t *kb)
{
	char value[SETTING_SIZE];
	char *end;

	if (setting_read(directory, name, value) < 0)
		return false;
	*kb = strtoull(value, &end, 10);
	return end != value;
}

static bool differ(const char *directory)
{
	char value[SETTING_SIZE];

	return setting_read(directory, "buffer_size_kb", value) == 0 &&
	       strcmp(value, DIFFERENT) == 0;
}

static bool read_cpu(const char *directory, unsigned int cpu, char name[static 64], uint64_t *kb)
{
	snprintf(name, 64, "per_cpu/cpu%u/buffer_size_kb", cpu);
	return read_size(directory, name, kb);
}

uint64_t buffer_size_read(const char *directory)
{
	uint64_t kb = 0, least;
	char name[64];

	if (read_size(directory, "buffer_size_kb", &kb))
		return kb;
	if (!differ(directory) || !read_cpu(directory, 0, name, &least))
		return 0;
	for (unsigned int cpu = 1; read_cpu(directory, cpu, name, &kb); cpu++)
		if (kb < least)
			least = kb;
	return least;
}

/* Grows each buffer that is too small. Larger ones keep their size. */
static int grow_each(const char *directory, uint64_t kb, const char *wanted)
{
	uint64_t now;
	char name[64];
	int error = 0;

	for (unsigned int cpu = 0; error == 0 && read_cpu(directory, cpu, name, &now); cpu++)
		if (now < kb)
			error = setting_write(directory, name, wanted);
	return error;
}

int buffer_size_set(const char *directory, uint64_t kb, bool exactly)
{
	bool different = differ(directory);
	char wanted[24];
	int error = 0;

	snprintf(wanted, sizeof(wanted), "%" PRIu64, kb);
	if (different && !exactly)
		error = grow_each(directory, kb, wanted);
	else if (exactly || buffer_size_read(directory) < kb)
		error = setting_write(directory, "buffer_size_kb", wanted);
	/* The kernel may allocate less without an error. */
	if (error == 0 && buffer_size_read(directory) < kb)
		error = -ENOMEM;
	return error;
}
