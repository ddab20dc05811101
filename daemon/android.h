/* SPDX-License-Identifier: Apache-2.0 */
/* Programs of Android as child processes, each with a deadline: a hung one must not hang us. */
#ifndef JANKD_DAEMON_ANDROID_H
#define JANKD_DAEMON_ANDROID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Is @program on PATH? */
bool android_has(const char *program);

/* Starts tracing: atrace -b @buffer_kb -c --async_start @categories (words). Returns 0, or
 * -errno after the reason was said on stderr. */
int android_atrace_start(uint64_t buffer_kb, const char *categories);

/* Ends it. What goes wrong is said on stderr as a warning. */
void android_atrace_stop(void);

/* Reads a system property into @value; "" where there is none. */
void android_property(const char *name, char *value, size_t size);

#endif
