/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the program jankd: its output and its exit code. */
#ifndef JANKD_TESTS_PROGRAM_H
#define JANKD_TESTS_PROGRAM_H

#include <stdbool.h>
#include <sys/types.h>

#include "tests/unit/scratch.h"

/* Time limit in seconds for each wait; then the test fails. It is long because machines may be
 * busy. */
#define PROGRAM_S 60

struct program {
	const struct scratch *scratch;
	pid_t pid;
	char name[32]; /* its output is in NAME.out and NAME.err in the scratch folder */
	int status;    /* exit code, or 128 + signal; -1: it had to be killed */
};

/* The path of jankd: the first argument of the test. */
const char *program_jankd(void);

/* Starts jankd in the scratch folder, with NULL-terminated arguments. */
void program_start(struct program *program, const struct scratch *scratch, const char *name,
		   const char *const *arguments);

/* Waits for its end. Returns ->status. */
int program_end(struct program *program);

/* Starts jankd with the arguments up to NULL and waits for its end. Returns ->status. */
int program_run(struct program *program, const struct scratch *scratch, const char *first, ...)
	__attribute__((sentinel));

/* The text that it has printed so far. */
const char *program_out(const struct program *program);
const char *program_err(const struct program *program);

/* Waits until a file of the scratch folder contains @text. Returns false after PROGRAM_S. */
bool program_wait_for(const struct scratch *scratch, const char *file, const char *text);

#endif
