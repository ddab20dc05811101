/* SPDX-License-Identifier: Apache-2.0 */
/* What the lines of a text look like, which options of the trace decide on. Numbers in place of
 * words, other words before a marker, or no time: in another form lines cannot be read, and the
 * text goes on without a frame. */
#ifndef JANKD_DAEMON_CAPTURE_GUARD_FORM_H
#define JANKD_DAEMON_CAPTURE_GUARD_FORM_H

#include <stdbool.h>

#include "daemon/trace/setting_file.h"

#define GUARD_FORM_OPTIONS 8

struct guard_form {
	const char *path; /* of the trace, borrowed; NULL: nothing was opened */
	int fds[GUARD_FORM_OPTIONS];
	bool on[GUARD_FORM_OPTIONS]; /* as they are to be */
};

/* Files below the path of a trace; NULL behind the last. */
const char *guard_form_name(unsigned int option);

/* What is set now is what is to stay. Options that a kernel does not have are left out. */
void guard_form_open(struct guard_form *form, const char *path);

/* In any state. */
void guard_form_close(struct guard_form *form);

bool guard_form_is_other(const struct guard_form *form);

/* Gives those that differ their values again. Returns 0 or -errno. */
int guard_form_write(const struct guard_form *form);

/* For people: "options/raw 1, options/hex 1": those that differ; else "as it was". */
void guard_form_print(const struct guard_form *form, char text[static SETTING_SIZE]);

#endif
