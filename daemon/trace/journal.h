/* SPDX-License-Identifier: Apache-2.0 */
/* A hidden file of the output folder with the settings to restore. After a crash the next jankd
 * restores them. The file exists from before the first change until all settings are restored. */
#ifndef JANKD_DAEMON_TRACE_JOURNAL_H
#define JANKD_DAEMON_TRACE_JOURNAL_H

#include "daemon/base/folder.h"
#include "daemon/trace/settings.h"

/* The text of the journal: the settings of before the capture, and what jankd has made of them as
 * far as it is known. To be freed with free(); NULL: no memory, or settings are missing. */
char *journal_text(const struct settings *settings);

enum journal_found {
	JOURNAL_NONE,	/* no journal, or one of another boot: a boot resets all settings */
	JOURNAL_DONE,	/* all is restored */
	JOURNAL_BUSY,	/* all but instances that another program uses; the file is kept */
	JOURNAL_FAILED, /* not all is restored; the file is kept, the reason was reported */
};

/**
 * journal_recover() - restore the settings that a killed jankd has changed
 * @folder: locked, so no jankd uses it
 * @tracefs: where it is mounted, or NULL: the usual places
 * @kept: all zeros; set to the settings that other programs have changed since then. These are not
 *        restored, and are reported
 * @settings: empty; set to the settings of the journal, some of which may have failed. The caller
 *            frees it
 *
 * Takes a few seconds at most. Removes the file when all is restored. The file is hostile input:
 * only settings named in settings.h are changed, and none if another user can have written the
 * file.
 */
enum journal_found journal_recover(const struct folder *folder, const char *tracefs,
				   struct settings_kept *kept, struct settings *settings);

#endif
