/* SPDX-License-Identifier: Apache-2.0 */
/* The program jankd itself, started by a test: what it prints, and how it ends. */
#ifndef JANKD_TESTS_PROGRAM_H
#define JANKD_TESTS_PROGRAM_H

#include <stdbool.h>
#include <sys/types.h>

#include "tests/unit/scratch.h"

/* A program has this many seconds for anything; then the test fails. Machines may be busy. */
#define PROGRAM_S 60

struct program {
	const struct scratch *scratch;
	pid_t pid;
	char name[32]; /* its output is in the files NAME.out and NAME.err of the scratch folder */
	int status;    /* exit code, or 128 + signal; -1: it had to be killed */
};

/* The path of jankd. To be called first, with the test's own arguments. */
void program_is(int argc, char **argv);
const char *program_jankd(void);

/* Starts jankd with those arguments, NULL-terminated, in the scratch folder. */
void program_start(struct program *program, const struct scratch *scratch, const char *name,
		   const char *const *arguments);

/* Waits for its end. Returns ->status. */
int program_end(struct program *program);

/* Both, of the arguments up to NULL. The texts are program_out() and program_err() of it. */
int program_run(struct program *program, const struct scratch *scratch, const char *first, ...)
	__attribute__((sentinel));

/* What it has printed so far. */
const char *program_out(const struct program *program);
const char *program_err(const struct program *program);

/* Waits until a file of the scratch folder holds @text; the program may not have ended. False: it
 * never did. */
bool program_wait_for(const struct scratch *scratch, const char *file, const char *text);

#endif
