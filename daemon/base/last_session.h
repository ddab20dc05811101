/* SPDX-License-Identifier: Apache-2.0 */
/* The last capture of a folder, from its session.json: how it ended, and its options. The file is
 * hostile input: it may be on a memory card, or another user may have written it. */
#ifndef JANKD_DAEMON_BASE_LAST_SESSION_H
#define JANKD_DAEMON_BASE_LAST_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon/base/ids.h"

enum last_session_end {
	LAST_SESSION_NONE,     /* unknown */
	LAST_SESSION_ENDED,    /* by a request, a signal or an option */
	LAST_SESSION_KILLED,   /* without its last writes */
	LAST_SESSION_REBOOTED, /* the same, by a reboot */
};

struct last_session {
	char id[SESSION_ID_SIZE];     /* "": unknown */
	char device[SESSION_ID_SIZE]; /* the random id of its device; "": it has another one */
	enum last_session_end end;    /* only if no capture runs in the folder now */
	/* ns since 1970, or ROW_UNKNOWN: the last write to a file of the folder, and the last boot
	 * of this machine. */
	int64_t last_ns, booted_ns;
	bool is_daemon;	   /* by 'jankd start' */
	const char *clock; /* the name of its trace clock; "": unknown. Borrowed from ->json */
	int64_t begin_ns;  /* when it began, on that clock; ROW_UNKNOWN: unknown */
	ssize_t n_options; /* -1: unknown */
	bool is_trusted;   /* no other user can have written the file */
	struct json_object *json; /* the file, or NULL */
};

/* Reads the file; last_session_free() must be called in any case. Returns 0 or -errno: -EPROTO if
 * it is not a session.json of a capture. */
int last_session_read(struct last_session *last, const char *folder);
void last_session_free(struct last_session *last);

/* One of its ->n_options as a word of the command line: "--type=2"; NULL: it is unknown. Borrowed
 * until last_session_free(). */
const char *last_session_option(const struct last_session *last, size_t i);

/* Says in a sentence how the last capture of a folder ended: "the last one was killed ...". Sets ""
 * if it is unknown, or ended on purpose. Returns how it ended. */
#define LAST_SESSION_TEXT 192
enum last_session_end last_session_describe(char text[static LAST_SESSION_TEXT],
					    const char *folder);

#endif
