/* SPDX-License-Identifier: Apache-2.0 */
/* What the user is told when something goes wrong: one line on stderr. */
#ifndef JANKD_DAEMON_BASE_REPORT_H
#define JANKD_DAEMON_BASE_REPORT_H

/* Exit codes of the program. */
enum exit_code {
	EXIT_DONE = 0,
	EXIT_FAILED = 1, /* one line on stderr said why */
	EXIT_USAGE = 2,	 /* wrong usage, with the option named */
};

/* Prints "jankd: what: why; what to do" as one line. Bytes that are no text (a file's name may
 * hold any) are escaped. Who finds the reason prints it; callers pass the code on silently. */
void report(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same for what 'run' and 'start' share: their name comes first, as report_name() was told. */
void report_capture(const char *format, ...) __attribute__((format(printf, 1, 2)));
void report_name(const char *command);
const char *report_command(void);

/* What to do about an error, -errno: what helps against it, whatever it happened to; else
 * @otherwise.
 */
const char *report_advice(int error, const char *otherwise);

/* The line that was printed last, without "jankd: "; "" where there was none. For those whose
 * standard error nobody reads. */
const char *report_last(void);

/* The same without the name of the command, for those whose message has another in front. */
const char *report_last_reason(void);

/* What it was about is over. */
void report_forget(void);

#endif
