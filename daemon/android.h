/* SPDX-License-Identifier: Apache-2.0 */
/* Programs of Android as child processes, each with a deadline: a hung one must not hang us. */
#ifndef JANKD_DAEMON_ANDROID_H
#define JANKD_DAEMON_ANDROID_H

#include <stdbool.h>
#include <stdint.h>

/* atrace takes more, but nobody asks for more. */
#define ANDROID_CATEGORIES_MAX 32

/* Is @program on PATH? */
bool android_has(const char *program);

/* Is @categories a list of words that atrace can take, separated by blanks or commas? At least
 * one, at most ANDROID_CATEGORIES_MAX, and none that it would take for an option. */
bool android_are_categories(const char *categories);

/* Starts tracing: atrace -b @buffer_kb -c --async_start @categories. Returns 0, or -errno after
 * the reason was said on stderr. */
int android_atrace_start(uint64_t buffer_kb, const char *categories);

/* Ends it. What goes wrong is said on stderr as a warning, unless @quiet. */
void android_atrace_stop(bool quiet);

/* What the device says of itself; "" where it does not. */
struct android_device {
	char model[128], build[256], sdk[16];
};

/* Asks getprop, where there is one, two seconds at most. */
void android_read_device(struct android_device *device);

#endif
