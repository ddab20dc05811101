/* SPDX-License-Identifier: Apache-2.0 */
/* atrace enables tracing for a list of categories: it sets properties that apps read (the tags) and
 * settings of tracefs. */
#ifndef JANKD_DAEMON_ANDROID_ATRACE_H
#define JANKD_DAEMON_ANDROID_ATRACE_H

#include <stdbool.h>
#include <stdint.h>

/* Limits of jankd; atrace itself accepts more. */
#define ATRACE_CATEGORIES_MAX 32
#define ATRACE_WORDS_SIZE 1024

/* Deadline of atrace: it clears and resizes the kernel's buffers, and at the end prints them. */
#define ATRACE_TIMEOUT_MS 20000

/* A command line of atrace. It points into itself, so it must not be copied. */
struct atrace_command {
	char *argv[ATRACE_CATEGORIES_MAX + 6]; /* ends with a NULL */
	char words[ATRACE_WORDS_SIZE];
	char size[24];
};

/* Returns true if @categories is a list for atrace: 1 to ATRACE_CATEGORIES_MAX words, separated by
 * blanks or commas. No word may begin with '-', like an option. */
bool atrace_are_categories(const char *categories);

/* Sets @command to atrace -b @buffer_kb -c --async_start @categories. @tags_alone: to the command
 * that sets only the tags; atrace has it since Android 9. */
void atrace_make_command(struct atrace_command *command, uint64_t buffer_kb, const char *categories,
			 bool tags_alone);

/* Runs that command. Returns 0, or -errno after the reason was reported. @until_signal, here and
 * below: see child_run(). */
int atrace_start(uint64_t buffer_kb, const char *categories, bool until_signal);

/**
 * atrace_check() - check that atrace has all @categories
 * @why: set to the first one that it does not have, or to the reason why they cannot be listed
 *
 * Returns 0; 1 if one is missing; or -errno: -ENOENT if this machine has no atrace.
 */
#define ATRACE_WHY_SIZE 160
int atrace_check(const char *categories, char why[static ATRACE_WHY_SIZE]);

/* Ends tracing. A failure is reported as a warning, unless @quiet. */
void atrace_stop(int timeout_ms, bool until_signal, bool quiet);

#endif
