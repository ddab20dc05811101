/* SPDX-License-Identifier: Apache-2.0 */
/* The settings that are to be restored, in a hidden file of the output folder: after a crash the
 * next jankd restores them. The file exists as long as a setting is changed. */
#ifndef JANKD_DAEMON_TRACE_JOURNAL_H
#define JANKD_DAEMON_TRACE_JOURNAL_H

#include "daemon/base/folder.h"
#include "daemon/trace/settings.h"

/* Writes and syncs it: what was there before, and what we made of it, as far as that is known yet.
 * Returns 0 or -errno. */
int journal_write(const struct folder *folder, const struct settings *before,
		  const struct settings *set);

enum journal_found {
	JOURNAL_NONE,	/* or one of another boot, which no setting survives */
	JOURNAL_DONE,	/* all is restored */
	JOURNAL_BUSY,	/* all but instances that another program uses: the file stays */
	JOURNAL_FAILED, /* not all: the file stays; the reason was reported */
};

/**
 * journal_recover() - restore what a killed jankd has left changed
 * @folder: locked, so no jankd uses it
 * @command: the command's name, for messages
 * @tracefs: where it is mounted, or NULL: the usual places
 * @left: all zeros; gets what other programs have changed since then, which stays and is reported
 * @failed: the lines that could not be restored are added
 *
 * Takes some seconds at most, and removes the file when all is restored. The file is handled as
 * hostile input: only settings named in settings.h are changed, and none where another user can
 * have written it.
 */
enum journal_found journal_recover(const struct folder *folder, const char *command,
				   const char *tracefs, struct settings_left *left,
				   struct settings *failed);

/* The same for the folder at @path, to stop a capture that was killed. Without a journal nothing is
 * changed. */
enum journal_found journal_recover_at(const char *command, const char *path);

#endif
