/* SPDX-License-Identifier: Apache-2.0 */
/* Values of the command line: each function takes one kind, and refuses what is none.
 *
 * All return 0, or EXIT_USAGE after the reason was said on stderr. */
#ifndef JANKD_DAEMON_CLI_OPTION_ARG_H
#define JANKD_DAEMON_CLI_OPTION_ARG_H

#include <stdint.h>

/* An option while it is read. */
struct option_arg {
	const char *command;
	const char *name; /* as typed */
	const char *value;
};

/* Refuses it. @wanted: what is wrong with the value. */
int option_wrong(const struct option_arg *arg, const char *wanted);

/* A decimal number from @least to @most. @what: "a frame rate"; the message adds the range. */
int option_take_number(const struct option_arg *arg, double least, double most, const char *what,
		       double *number);

/* A whole number from @least to @most. */
int option_take_count(const struct option_arg *arg, uint64_t least, uint64_t most, const char *what,
		      uint64_t *count);

/* A duration given in units of @unit_ns. */
int option_take_time(const struct option_arg *arg, double least, double most, double unit_ns,
		     const char *what, uint64_t *ns);

/* A number of bytes from @least on, with K, M or G behind it or not. */
int option_take_bytes(const struct option_arg *arg, uint64_t least, uint64_t *bytes);

/* Any text but "". */
int option_take_text(const struct option_arg *arg, const char **text);

#endif
