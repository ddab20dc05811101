/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/trace/setting_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/text.h"
#include "daemon/base/text_file.h"

#define READ_MAX 262144

unsigned int trace_cpus(void)
{
	static long n; /* read once: libc reads a file for it */

	if (n == 0)
		n = sysconf(_SC_NPROCESSORS_CONF);
	return n > 0 && n < TRACE_CPUS_MAX ? (unsigned int)n : TRACE_CPUS_MAX;
}

bool setting_place(char directory[static PATH_MAX], const char *tracefs, struct span instance)
{
	int n = snprintf(directory, PATH_MAX, "%s%s%.*s", tracefs,
			 instance.len ? "/instances/" : "", (int)instance.len,
			 instance.len ? instance.ptr : "");
	bool is_name = instance.len <= NAME_MAX && !span_equal(instance, SPAN_LITERAL(".")) &&
		       !span_equal(instance, SPAN_LITERAL(".."));

	for (size_t i = 0; is_name && i < instance.len; i++)
		is_name = instance.ptr[i] != '/' && (unsigned char)instance.ptr[i] >= ' ';
	if (n > 0 && n < PATH_MAX && is_name)
		return true;
	directory[0] = '\0';
	return false;
}

int setting_open(const char *directory, const char *name, int flags)
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s/%s", directory, name);
	int fd;

	if (directory[0] == '\0' || n < 0 || (size_t)n >= sizeof(path))
		return -ENOENT;
	fd = open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

/* The value is "boot" of "local [boot] mono", else the first word. Of "7 (expanded: 1408)", 7 is
 * the present size; 1408 is the size after the first event. */
int setting_read_open(int fd, char value[static SETTING_SIZE])
{
	char text[1024], *word;
	size_t len;
	ssize_t n;

	value[0] = '\0';
	if (fd < 0)
		return fd;
	n = text_file_read_begin(fd, text, sizeof(text) - 1);
	if (n < 0)
		return -errno;
	text[n] = '\0';
	word = strchr(text, '[');
	word = word ? word + 1 : text;
	len = strcspn(word, word > text ? "]\n" : " \n");
	if (len >= SETTING_SIZE)
		return -EMSGSIZE;
	memcpy(value, word, len);
	value[len] = '\0';
	return 0;
}

int setting_read(const char *directory, const char *name, char value[static SETTING_SIZE])
{
	int fd = setting_open(directory, name, O_RDONLY);
	int error = setting_read_open(fd, value);

	if (fd >= 0)
		close(fd);
	return error;
}

char *setting_read_all(const char *directory, const char *name)
{
	char *text;
	ssize_t n = text_file_read_all(&text, setting_open(directory, name, O_RDONLY), READ_MAX);

	if (n < 0)
		errno = (int)-n;
	return text;
}

int setting_check_write(const char *directory, const char *name)
{
	/* Without O_TRUNC, this changes nothing. */
	int fd = setting_open(directory, name, O_WRONLY);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

int setting_write(const char *directory, const char *name, const char *value)
{
	/* Without O_TRUNC, which would switch off all events of set_event. */
	int fd = setting_open(directory, name, O_WRONLY);
	ssize_t n;
	int error;

	if (fd < 0)
		return fd;
	n = write(fd, value, strlen(value));
	error = n < 0 ? -errno : n < (ssize_t)strlen(value) ? -EIO : 0;
	close(fd);
	return error;
}

/* --- the sizes of buffers --- */

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
