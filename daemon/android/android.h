/* SPDX-License-Identifier: Apache-2.0 */
/* Programs of Android as child processes, each with a deadline: a hung one must not hang us. */
#ifndef JANKD_DAEMON_ANDROID_ANDROID_H
#define JANKD_DAEMON_ANDROID_ANDROID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* atrace takes more, but nobody asks for more. */
#define ANDROID_CATEGORIES_MAX 32

/* Is @program on PATH? */
bool android_has(const char *program);

/* Is @categories a list of words that atrace can take, separated by blanks or commas? At least
 * one, at most ANDROID_CATEGORIES_MAX, and none that it would take for an option. */
bool android_are_categories(const char *categories);

/* atrace clears and resizes the kernel's buffers, and at the end prints them. */
#define ANDROID_ATRACE_MS 20000

#define ATRACE_WORDS_MAX (ANDROID_CATEGORIES_MAX + 5)
#define ATRACE_WORDS_SIZE 1024 /* longer lists of categories are refused */

/* A command line of atrace, which points into itself. */
struct atrace_command {
	char *argv[ATRACE_WORDS_MAX + 1];
	char words[ATRACE_WORDS_SIZE];
	char size[24];
};

/* How tracing is started: atrace -b @buffer_kb -c --async_start @categories. @tags_alone: only
 * what apps look at, which atrace knows from Android 9 on. */
void android_atrace_command(struct atrace_command *command, uint64_t buffer_kb,
			    const char *categories, bool tags_alone);

/* @until_signal of all below: see child_run(). */

/* Starts tracing. Returns 0, or -errno after the reason was said on stderr. */
int android_atrace_start(uint64_t buffer_kb, const char *categories, bool until_signal);

/* Ends it. What goes wrong is said on stderr as a warning, unless @quiet. */
void android_atrace_stop(int timeout_ms, bool until_signal, bool quiet);

/* Questions and orders that have some time together. */
struct android_asking {
	int64_t deadline_ms; /* CLOCK_MONOTONIC */
	bool until_signal;
	bool over; /* there is nobody to ask, or it hangs: ask no more */
};

/* Two seconds from now on. */
struct android_asking android_ask(bool until_signal);

/* Reads a property; "" is one that is not set. False: nobody knows. */
bool android_property(struct android_asking *asking, const char *name, char *value, size_t size);

/* Sets a property. Returns 0 or -errno. */
int android_set_property(struct android_asking *asking, const char *name, const char *value);

/* What the device says of itself; "" where it does not. */
struct android_device {
	char model[128], build[256], sdk[16];
};

void android_read_device(struct android_asking *asking, struct android_device *device);

#endif
