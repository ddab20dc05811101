/* SPDX-License-Identifier: Apache-2.0 */
/* The last capture of a folder, from its session.json: how it ended, and its options. The file is
 * hostile input: it may be on a memory card, or another user may have written it. */
#ifndef JANKD_DAEMON_BASE_LAST_SESSION_H
#define JANKD_DAEMON_BASE_LAST_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
	bool is_trusted;	  /* no other user can have written the file */
	struct json_object *json; /* the file, or NULL */
};

/* Reads the file; last_session_free() must be called in any case. Returns 0 or -errno: -EPROTO if
 * it is not a session.json of a capture. */
int last_session_read(struct last_session *last, const char *folder);
void last_session_free(struct last_session *last);

/* The number of its options, and one of them as a word of the command line: "--type=2". Borrowed
 * until last_session_free(). Returns false, or NULL, if they are unknown. */
bool last_session_options(const struct last_session *last, size_t *count);
const char *last_session_option(const struct last_session *last, size_t i);

/* The name of its trace clock; "": unknown. Borrowed until last_session_free(). */
const char *last_session_clock(const struct last_session *last);

/* When it began, on that clock, ns; < 0: unknown. */
int64_t last_session_begin_ns(const struct last_session *last);

/* True: by 'jankd start'. */
bool last_session_is_daemon(const struct last_session *last);

/* Says in a sentence how it ended: "the last one was killed ...". Sets "" for the first two of enum
 * last_session_end. */
#define LAST_SESSION_TEXT 192
void last_session_describe(const struct last_session *last, char text[static LAST_SESSION_TEXT]);

#endif
