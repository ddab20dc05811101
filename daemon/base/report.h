/* SPDX-License-Identifier: Apache-2.0 */
/* Messages to the user when something fails: one line on stderr each. */
#ifndef JANKD_DAEMON_BASE_REPORT_H
#define JANKD_DAEMON_BASE_REPORT_H

#include <stdbool.h>

/* Exit codes of the program. */
enum exit_code {
	EXIT_DONE = 0,
	EXIT_FAILED = 1, /* with one line on stderr */
	EXIT_USAGE = 2,	 /* wrong usage, with the option named */
};

/* The name of the command, with which all messages begin; "" before the first call. Borrowed. */
void report_name(const char *command);

/* Prints "jankd: COMMAND: what: why; what to do" as one line. Bytes that are not text are escaped:
 * a file's name may have any. The function that finds the error reports it; its callers only pass
 * on the exit code. */
void report(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same with "warning: " before the command: what was to be done is done. */
void report_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* What to do about @error (-errno), if that is the same for all operations; else @otherwise. */
const char *report_advice(int error, const char *otherwise);

/* After a failed allocation. @file: that was being read, or NULL. Returns -ENOMEM. */
int report_no_memory(const char *file);

/* @also: called with @context and each line that is printed, without "jankd: "; NULL: none. */
void report_also_to(void (*also)(void *context, const char *line), void *context);

/* The last line, without "jankd: "; "" without one. For the status: standard error of a daemon is
 * /dev/null. */
const char *report_last(void);

/* The same without the command's name. */
const char *report_last_reason(void);

/* While @is_quiet, reports are dropped: for text that may be wrong and is then not used. */
void report_quiet(bool is_quiet);

/* Clears the last line, because its cause is gone. */
void report_forget(void);

#endif
