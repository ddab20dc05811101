/* SPDX-License-Identifier: Apache-2.0 */
/* The settings that are to be put back, in a hidden file of the folder: whoever comes after a
 * sudden death puts them back instead. It is there as long as something is changed. */
#ifndef JANKD_DAEMON_TRACE_JOURNAL_H
#define JANKD_DAEMON_TRACE_JOURNAL_H

#include "daemon/base/folder.h"
#include "daemon/trace/settings.h"

/* Writes it, for good on the disk: what was there before us, and what we made of it, as far as that
 * is known yet. Returns 0 or -errno. */
int journal_write(const struct folder *folder, const struct settings *before,
		  const struct settings *set);

enum journal_found {
	JOURNAL_NONE,	/* or one of another boot, which no setting survives */
	JOURNAL_DONE,	/* all is as it was */
	JOURNAL_BUSY,	/* all but instances that another program uses: it is still there */
	JOURNAL_FAILED, /* not all: it is still there; the reason was said on stderr */
};

/**
 * journal_recover() - put back what one that was killed has left
 * @folder: locked: nobody works there
 * @command: its name, for messages
 * @tracefs: where it is mounted, or NULL: the usual places
 * @left: all zeros; what other programs have changed since then stays, and is said on stderr, too
 * @failed: gets the lines that could not be put back
 *
 * Takes some seconds at most. The file goes when all that it names is back. It is taken as if an
 * enemy had written it: only settings named in settings.h are touched, and none where another user
 * can have written it.
 */
enum journal_found journal_recover(const struct folder *folder, const char *command,
				   const char *tracefs, struct settings_left *left,
				   struct settings *failed);

/* The same for the folder at @path, for whoever wants to stop a capture that is dead. Where there
 * is no journal nothing is touched. */
enum journal_found journal_recover_at(const char *command, const char *path);

#endif
