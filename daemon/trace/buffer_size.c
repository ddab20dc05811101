/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/trace/buffer_size.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/text.h"

#define FILE_OF_ALL "buffer_size_kb"

static void name_of(char name[static 64], unsigned int cpu)
{
	snprintf(name, 64, "per_cpu/cpu%u/" FILE_OF_ALL, cpu);
}

uint64_t buffer_sizes_read(struct buffer_sizes *sizes, const char *directory, const char *value)
{
	char name[64], of_all[SETTING_SIZE], of_cpu[SETTING_SIZE], *end;
	uint64_t kb, least = 0;

	*sizes = (struct buffer_sizes){ .differ = false };
	if (!value && setting_read(directory, FILE_OF_ALL, of_all) < 0)
		return 0;
	if (!value)
		value = of_all;
	kb = strtoull(value, &end, 10);
	/* The file has "X" if the sizes differ. */
	sizes->differ = end == value;
	sizes->cpus = trace_cpus();
	for (unsigned int cpu = 0; cpu < sizes->cpus; cpu++) {
		name_of(name, cpu);
		sizes->kb[cpu] = kb;
		if (sizes->differ && setting_read(directory, name, of_cpu) == 0)
			sizes->kb[cpu] = strtoull(of_cpu, NULL, 10);
		if (sizes->kb[cpu] > 0 && (least == 0 || sizes->kb[cpu] < least))
			least = sizes->kb[cpu];
	}
	return least;
}

static bool is_smaller(const struct buffer_sizes *now, const struct buffer_sizes *wanted,
		       unsigned int cpu)
{
	return now->kb[cpu] > 0 && now->kb[cpu] < wanted->kb[cpu];
}

bool buffer_sizes_are_smaller(const struct buffer_sizes *now, const struct buffer_sizes *wanted)
{
	for (unsigned int cpu = 0; cpu < now->cpus; cpu++)
		if (is_smaller(now, wanted, cpu))
			return true;
	return false;
}

static int write_size(const char *directory, const char *name, uint64_t kb)
{
	char value[24];

	snprintf(value, sizeof(value), "%" PRIu64, kb);
	return setting_write(directory, name, value);
}

int buffer_sizes_grow(const char *directory, const struct buffer_sizes *now,
		      const struct buffer_sizes *wanted)
{
	char name[64];
	int error = 0;

	if (!wanted->differ && !now->differ)
		return write_size(directory, FILE_OF_ALL, wanted->kb[0]);
	for (unsigned int cpu = 0; error == 0 && cpu < now->cpus; cpu++) {
		name_of(name, cpu);
		if (is_smaller(now, wanted, cpu))
			error = write_size(directory, name, wanted->kb[cpu]);
	}
	return error;
}

void buffer_sizes_print(const struct buffer_sizes *sizes, char text[static SETTING_SIZE])
{
	static const char unit[] = " KB per CPU";

	text[0] = '\0';
	for (unsigned int cpu = 0; cpu < (sizes->differ ? sizes->cpus : 1); cpu++)
		if (!text_append(text, SETTING_SIZE - sizeof(unit) + 1, "%s%" PRIu64,
				 cpu > 0 ? ", " : "", sizes->kb[cpu]))
			break;
	strcat(text, unit);
}

uint64_t buffer_size_read(const char *directory)
{
	struct buffer_sizes now;

	return buffer_sizes_read(&now, directory, NULL);
}

int buffer_size_set(const char *directory, uint64_t kb, bool exactly)
{
	struct buffer_sizes now, wanted = { .cpus = TRACE_CPUS_MAX };
	uint64_t least = buffer_sizes_read(&now, directory, NULL);
	int error = 0;

	for (unsigned int cpu = 0; cpu < wanted.cpus; cpu++)
		wanted.kb[cpu] = kb;
	if (exactly)
		error = write_size(directory, FILE_OF_ALL, kb);
	else if (least < kb)
		error = buffer_sizes_grow(directory, &now, &wanted);
	/* The kernel may allocate less without an error. */
	if (error == 0 && buffer_size_read(directory) < kb)
		error = -ENOMEM;
	return error;
}
