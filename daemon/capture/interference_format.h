/* SPDX-License-Identifier: Apache-2.0 */
/* What the lines of a text look like, which options of the trace decide on. Numbers in place of
 * words, other words before a marker, or no time: in another form lines cannot be read, and the
 * text goes on without a frame. */
#ifndef JANKD_DAEMON_CAPTURE_INTERFERENCE_FORMAT_H
#define JANKD_DAEMON_CAPTURE_INTERFERENCE_FORMAT_H

#include <stdbool.h>

#include "daemon/trace/trace.h"

#define INTERFERENCE_FORM_OPTIONS 8

struct interference_format {
	const char *path; /* of the trace, borrowed; NULL: nothing was opened */
	int fds[INTERFERENCE_FORM_OPTIONS];
	bool on[INTERFERENCE_FORM_OPTIONS]; /* as they are to be */
};

/* Files below the path of a trace; NULL behind the last. */
const char *interference_format_name(unsigned int option);

/* What is set now is what is to stay. Options that a kernel does not have are left out. */
void interference_format_open(struct interference_format *form, const char *path);

/* In any state. */
void interference_format_close(struct interference_format *form);

bool interference_format_is_other(const struct interference_format *form);

/* Gives those that differ their values again. Returns 0 or -errno. */
int interference_format_write(const struct interference_format *form);

/* For people: "options/raw 1, options/hex 1": those that differ; else "as it was". */
void interference_format_print(const struct interference_format *form,
			       char text[static SETTING_SIZE]);

#endif
