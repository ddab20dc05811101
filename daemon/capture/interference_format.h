/* SPDX-License-Identifier: Apache-2.0 */
/* The options of the trace that decide on the format of its lines. With numbers instead of words,
 * other words before a marker, or without a time, lines cannot be parsed. */
#ifndef JANKD_DAEMON_CAPTURE_INTERFERENCE_FORMAT_H
#define JANKD_DAEMON_CAPTURE_INTERFERENCE_FORMAT_H

#include <stdbool.h>

#include "daemon/trace/trace.h"

#define INTERFERENCE_FORMAT_OPTIONS 8

struct interference_format {
	const char *path; /* of the trace, borrowed; NULL: nothing was opened */
	int fds[INTERFERENCE_FORMAT_OPTIONS];
	bool on[INTERFERENCE_FORMAT_OPTIONS]; /* as they are to be */
};

/* Files below the path of a trace; NULL behind the last. */
const char *interference_format_name(unsigned int option);

/* The values of now are those that are to stay. Options that a kernel does not have are left out.
 */
void interference_format_open(struct interference_format *form, const char *path);

/* In any state. */
void interference_format_close(struct interference_format *form);

/* Does one of them differ? */
bool interference_format_is_changed(const struct interference_format *form);

/* Restores those that differ. Returns 0 or -errno. */
int interference_format_write(const struct interference_format *form);

/* For people: "options/raw 1, options/hex 1": those that differ; else "as it was". */
void interference_format_print(const struct interference_format *form,
			       char text[static SETTING_SIZE]);

#endif
