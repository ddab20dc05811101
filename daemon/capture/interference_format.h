/* SPDX-License-Identifier: Apache-2.0 */
/* The options of the trace that set the format of its lines. Lines cannot be parsed if they have
 * numbers instead of names, no time, or other words before a marker. */
#ifndef JANKD_DAEMON_CAPTURE_INTERFERENCE_FORMAT_H
#define JANKD_DAEMON_CAPTURE_INTERFERENCE_FORMAT_H

#include <stdbool.h>

#include "daemon/trace/trace.h"

#define INTERFERENCE_FORMAT_OPTIONS 8

struct interference_format {
	const char *path; /* of the trace, borrowed; NULL: nothing was opened */
	int fds[INTERFERENCE_FORMAT_OPTIONS];
	bool on[INTERFERENCE_FORMAT_OPTIONS]; /* the values to keep */
};

/* Names of the files, below the path of a trace. NULL after the last. */
const char *interference_format_name(unsigned int option);

/* The current values are those to keep. Options that a kernel does not have are left out. */
void interference_format_open(struct interference_format *form, const char *path);

/* In any state. */
void interference_format_close(struct interference_format *form);

/* True: an option differs from the value to keep. */
bool interference_format_is_changed(const struct interference_format *form);

/* Restores the options that differ. Returns 0 or -errno. */
int interference_format_write(const struct interference_format *form);

/* The options that differ, as text: "options/raw 1, options/hex 1". If none does: "all options as
 * at the start". */
void interference_format_print(const struct interference_format *form,
			       char text[static SETTING_SIZE]);

#endif
