/* SPDX-License-Identifier: Apache-2.0 */
/* One setting of tracefs: a small file whose value is a word. And the sizes of a trace's buffers,
 * which are one number for all CPUs, or one for each. */
#ifndef JANKD_DAEMON_TRACE_SETTING_FILE_H
#define JANKD_DAEMON_TRACE_SETTING_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "parser/span.h"

#define SETTING_SIZE 128

/* CPUs with higher numbers are ignored, but for events of their buffers: no phone has them. */
#define TRACE_CPUS_MAX 64

/* The number of this machine's CPUs, at most TRACE_CPUS_MAX. */
unsigned int trace_cpus(void);

/* Sets @directory to that of an instance, or of the top level if the name is empty. Returns false,
 * and sets "", if no instance can have such a name, or the path is too long. */
bool setting_place(char directory[static PATH_MAX], const char *tracefs, struct span instance);

/* Reads a value in the form in which it can be written: the current clock, the present size of a
 * buffer that was never used. Returns 0 or -errno. */
int setting_read(const char *directory, const char *name, char value[static SETTING_SIZE]);

/* Opens a setting with @flags of open(), for one that is read more than once: O_RDONLY. Returns the
 * descriptor, which the caller closes, or -errno. */
int setting_open(const char *directory, const char *name, int flags);

/* Reads it as setting_read() does. Returns @fd if that is negative. */
int setting_read_open(int fd, char value[static SETTING_SIZE]);

/* Reads a file of many lines, at most 256 KB. Returns its text, which the caller frees, or NULL
 * with errno. */
char *setting_read_all(const char *directory, const char *name);

/* Checks whether the file can be opened for writing. Returns 0 or -errno. */
int setting_check_write(const char *directory, const char *name);

/* Writes a value. Other values in the file are not changed. Returns 0 or -errno. */
int setting_write(const char *directory, const char *name, const char *value);

/* --- the sizes of buffers ---
 *
 * A new instance has buffers of 7 KB. The kernel enlarges them when an event or a tracer is
 * switched on, but not for markers. atrace enlarges them, too; without atrace, jankd does. */

/* Enough for 4 s of 1,200 events a second. */
#define BUFFER_ENOUGH_KB 512

struct buffer_sizes {
	bool differ; /* the CPUs' sizes */
	unsigned int cpus;
	uint64_t kb[TRACE_CPUS_MAX]; /* of each CPU; 0: unknown */
};

/* @value: of the directory's buffer_size_kb; NULL: it is read. Returns the smallest size of all
 * CPUs, in KB; 0 if none can be read. */
uint64_t buffer_sizes_read(struct buffer_sizes *sizes, const char *directory, const char *value);

/* True: at least one CPU has a smaller buffer in @now than in @wanted. */
bool buffer_sizes_are_smaller(const struct buffer_sizes *now, const struct buffer_sizes *wanted);

/* Sets each buffer that is smaller in @now to its size in @wanted. Returns 0 or -errno. */
int buffer_sizes_grow(const char *directory, const struct buffer_sizes *now,
		      const struct buffer_sizes *wanted);

/* As text: "4099 KB per CPU", or "2000, 4099 KB per CPU" with as many CPUs as fit. */
void buffer_sizes_print(const struct buffer_sizes *sizes, char text[static SETTING_SIZE]);

/* Returns that smallest size. */
uint64_t buffer_size_read(const char *directory);

/* Gives each CPU a buffer of at least @kb. @exactly: also makes larger buffers smaller. Returns 0,
 * or -errno if a buffer is still smaller than @kb. */
int buffer_size_set(const char *directory, uint64_t kb, bool exactly);

#endif
