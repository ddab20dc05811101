/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/capture/interference_size.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void name_of(char name[static 64], unsigned int cpu)
{
	snprintf(name, 64, "per_cpu/cpu%u/buffer_size_kb", cpu);
}

bool interference_size_read(struct interference_size *size, const struct trace_files *files)
{
	char value[SETTING_SIZE], name[64];
	uint64_t kb;
	char *end;

	if (trace_files_setting(files, TRACE_SETTING_SIZE, value) < 0)
		return false;
	kb = strtoull(value, &end, 10);
	/* The file has "X" if the sizes differ. */
	*size = (struct interference_size){ .differ = end == value,
					    .cpus = cpu_buffer_stats_cpus() };
	for (unsigned int cpu = 0; cpu < size->cpus; cpu++) {
		name_of(name, cpu);
		size->kb[cpu] = kb;
		if (size->differ && setting_read(files->path, name, value) == 0)
			size->kb[cpu] = strtoull(value, NULL, 10);
	}
	return true;
}

static bool is_smaller(const struct interference_size *now, const struct interference_size *wanted,
		       unsigned int cpu)
{
	return now->kb[cpu] > 0 && now->kb[cpu] < wanted->kb[cpu];
}

bool interference_size_is_smaller(const struct interference_size *now,
				  const struct interference_size *wanted)
{
	for (unsigned int cpu = 0; cpu < now->cpus; cpu++)
		if (is_smaller(now, wanted, cpu))
			return true;
	return false;
}

bool interference_size_is_same(const struct interference_size *a, const struct interference_size *b)
{
	return memcmp(a->kb, b->kb, sizeof(a->kb)) == 0;
}

int interference_size_write(const struct interference_size *wanted, const struct trace_files *files)
{
	char name[64], value[24];
	struct interference_size now;
	int error = 0;

	if (!interference_size_read(&now, files))
		return 0;
	snprintf(value, sizeof(value), "%" PRIu64, wanted->kb[0]);
	if (!wanted->differ && !now.differ)
		return setting_write(files->path, trace_files_name(TRACE_SETTING_SIZE), value);
	for (unsigned int cpu = 0; error == 0 && cpu < now.cpus; cpu++) {
		if (!is_smaller(&now, wanted, cpu))
			continue;
		name_of(name, cpu);
		snprintf(value, sizeof(value), "%" PRIu64, wanted->kb[cpu]);
		error = setting_write(files->path, name, value);
	}
	return error;
}

void interference_size_print(const struct interference_size *size, char text[static SETTING_SIZE])
{
	static const char unit[] = " KB per CPU";
	const size_t space = SETTING_SIZE - sizeof(unit) + 1;
	size_t len = 0;

	for (unsigned int cpu = 0; cpu < (size->differ ? size->cpus : 1); cpu++) {
		int n = snprintf(text + len, space - len, "%s%" PRIu64, cpu > 0 ? ", " : "",
				 size->kb[cpu]);

		if (n < 0 || (size_t)n >= space - len)
			break;
		len += (size_t)n;
	}
	memcpy(text + len, unit, sizeof(unit));
}
