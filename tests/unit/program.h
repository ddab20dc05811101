/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the program jankd: its output and its exit code. */
#ifndef JANKD_TESTS_PROGRAM_H
#define JANKD_TESTS_PROGRAM_H

#include <sys/types.h>

#include "tests/unit/printed.h"
#include "tests/unit/scratch.h"

/* Time limit in seconds for each wait; then the test fails. It is long: machines may be busy. */
#define PROGRAM_S 60

/* The path of jankd: the first argument of the test. */
const char *program_jankd(void);

/* Starts jankd in the scratch folder, with NULL-terminated arguments. What it prints is in the
 * files NAME.out and NAME.err there; NAME is the first argument. */
pid_t program_start(const char *const *arguments);

/* The same with a terminal, of which it leads the session: keys send it signals. */
pid_t program_start_on(int terminal, const char *const *arguments);

/* Waits for its end. Returns its exit code, or 128 + signal; -1: it had to be killed. */
int program_end(pid_t pid);

/* Starts jankd with the arguments up to NULL and waits for its end. */
int program_run(const char *first, ...) __attribute__((sentinel));

/* What the last program_run() has printed. */
const char *program_out(void);
const char *program_err(void);

/* Waits until the expression is true. */
#define wait_until(condition)                                                                      \
	do {                                                                                       \
		double wait_begin = program_seconds();                                             \
		while (!(condition))                                                               \
			program_pause(wait_begin, #condition, __FILE__, __LINE__);                 \
	} while (0)
double program_seconds(void);
void program_pause(double begin, const char *condition, const char *file, int line);

/* Waits until a file of the scratch folder contains @text. */
#define wait_for_text(file, text) wait_until(strstr(scratch_get(file), text))

#endif
