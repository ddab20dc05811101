/* SPDX-License-Identifier: Apache-2.0 */
/* The settings of tracing, a line of text for each, and how they are restored.
 *
 * A capture itself changes few settings, but atrace changes many. At its end, atrace leaves buffers
 * of 1 KB, its own options and tags, and events switched off. So a capture reads every setting that
 * it or atrace may change. At the end it writes back those that differ. The journal has the same
 * text, for the next start after a crash. There is a line for each setting, in the order in which
 * they are written:
 *
 *     place                         the top level, or: place INSTANCE
 *     made INSTANCE                 an instance that did not exist; restoring removes it
 *     current_tracer nop            a file of the place and its value
 *     buffer_size_kb 1410,64        of each CPU, if they differ
 *     option nooverwrite            a line of trace_options
 *     events                        the events that are on follow; others are off:
 *     event sched:sched_switch      event !sched:sched_switch
 *     atrace                        atrace was started; restoring ends it before all else
 *     property debug.atrace.app_number 0
 *
 * There are three lines for a setting: before the capture, as jankd and atrace have set it, and
 * now. A setting that is now as jankd has set it is restored. Any other value was set later by
 * another program: it stays, and is reported. From then on it is the one of before, as atrace
 * changes all settings again when it ends.
 */
#ifndef JANKD_DAEMON_TRACE_SETTINGS_H
#define JANKD_DAEMON_TRACE_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/folder.h"
#include "parser/span.h"

/* Most bytes of the lines of one text. On a phone a few hundred events are on at most. */
#define SETTINGS_MAX 262144

/* Most bytes of a line: a name and a value. Longer lines are left out. */
#define SETTINGS_LINE_MAX 512

/* Most settings. Of more, the settings are incomplete. */
#define SETTINGS_MOST 16384

/* Bytes of the text about those that failed. */
#define SETTINGS_TEXT_SIZE 160

struct property_budget; /* see daemon/android/ */

enum settings_text {
	SETTINGS_BEFORE,
	SETTINGS_OURS,
	SETTINGS_NOW,
	SETTINGS_TEXTS,
};

struct setting {
	uint64_t hash;	    /* of what identifies it in its place */
	unsigned int place; /* number of the line "place" or "made" before it; 0: there is none */
	bool has_failed;    /* it could not be restored */
	char *lines[SETTINGS_TEXTS]; /* NULL: unknown, or an event that is off */
};

/* All zeros: empty. */
struct settings {
	struct setting *list; /* by ->place */
	size_t n;
	unsigned int places;
	unsigned int place; /* of the next line */
	size_t next;	    /* where it is looked for first */
	bool incomplete;    /* of the text that was read last: no memory, or too many */
	/* Of the settings that could not be restored: how many, the first ones as text for a
	 * message ("buffer_size_kb 1408, instance jankd-1"), and whether all are instances that
	 * other programs use. */
	unsigned int n_failed;
	char failed[SETTINGS_TEXT_SIZE];
	bool only_instances_failed;
	int error; /* -errno of the last setting that could not be restored or, of no fault of its
		      own, read; or 0 */
};

void settings_free(struct settings *settings);

/* --- reading --- */

/* Reads the settings of an instance, or with "" of the top level. @tracefs: its directory. If the
 * instance does not exist yet, adds a line "made". Settings that cannot be read are left out: they
 * cannot be changed, either. If that is for lack of memory or descriptors, or the read failed,
 * ->error is set. @all: also those that only atrace changes. */
void settings_read_place(struct settings *settings, enum settings_text which, const char *tracefs,
			 struct span instance, bool all);

/* Adds the line "atrace" and the properties that atrace sets, before all other lines. */
void settings_read_atrace(struct settings *settings, struct property_budget *budget);

/* Reads the current values of all settings that were read before. @budget: for properties. */
void settings_read_again(struct settings *settings, enum settings_text which, const char *tracefs,
			 struct property_budget *budget);

/* Sets a line of a setting, in the place of the last line "place" or "made". Adds the setting if it
 * is a new one. */
void settings_put(struct settings *settings, enum settings_text which, struct span line);

/* Does that with the rest of each line of @text that begins with @prefix. */
void settings_parse(struct settings *settings, enum settings_text which, struct span text,
		    const char *prefix);

/* --- what other programs have changed --- */

/* The settings of other programs that are kept. All zeros: none. */
struct settings_kept {
	char text[200];	   /* for a message: "trace_clock mono, buffer_size_kb 2048" */
	unsigned int n;	   /* number of settings */
	unsigned int more; /* settings that did not fit in the text */
};

/* Marks the value of @name as not set by jankd, so that the setting is not restored. To be called
 * if another program has written to that file, even if it wrote the same value. */
void settings_disown(struct settings *settings, const char *instance, const char *name);

/* The same for all settings that an atrace that was to set a buffer of @buffer_kb has not set: it
 * failed meanwhile. */
void settings_disown_all_but_atraces(struct settings *settings, uint64_t buffer_kb);

/* Finds the settings of other programs: they are added to @kept, and are those of before from now
 * on. If jankd's value is unknown, the setting is restored. */
void settings_aim(struct settings *settings, struct settings_kept *kept);

/* The same, but reads the current settings first. @budget: for properties. */
void settings_find_changes(struct settings *settings, const char *tracefs,
			   struct property_budget *budget, struct settings_kept *kept);

/* --- restoring --- */

struct settings_ending {
	int atrace_ms;	     /* time limit for the end of atrace; then its settings are restored */
	bool quiet;	     /* a failure of atrace is not reported */
	bool until_signal;   /* a signal ends the current wait */
	bool only_instances; /* those that were made are removed, no setting is written */
};

/* Writes the settings that differ from those of before. Nothing but @tracefs, its directory, and
 * the properties of atrace is changed. Those that cannot be written have ->has_failed set. The
 * kernel empties the trace buffers if clocks or sizes differ. */
void settings_restore(struct settings *settings, const char *tracefs,
		      const struct settings_ending *ending);

/* --- journal.c ---
 *
 * A hidden file of the output folder with the settings to restore. After a crash the next jankd
 * restores them. The file exists from before the first change until all settings are restored. */

/* The text of the journal: the settings of before the capture, and what jankd has made of them as
 * far as it is known. To be freed with free(); NULL: no memory, or settings are missing. */
char *journal_text(const struct settings *settings);

enum journal_found {
	JOURNAL_NONE,	/* no journal, or one of another boot: a boot resets all settings */
	JOURNAL_DONE,	/* all is restored */
	JOURNAL_BUSY,	/* all but instances that another program uses; the file is kept */
	JOURNAL_FAILED, /* not all is restored; the file is kept, the reason was reported */
};

/* Restores the settings that a killed jankd has changed, and removes the file when all are
 * restored. Takes a few seconds at most. @folder: locked, so no jankd uses it. @tracefs: where it
 * is mounted, or NULL: the usual places. @kept: all zeros; set to the settings that other programs
 * have changed since then. These are not restored, and are reported. @settings: empty; set to the
 * settings of the journal, some of which may have failed. The caller frees it. The file is hostile
 * input: only settings named above are changed, and none if another user can have written the file.
 */
enum journal_found journal_recover(const struct folder *folder, const char *tracefs,
				   struct settings_kept *kept, struct settings *settings);

#endif
