/* SPDX-License-Identifier: Apache-2.0 */
/* How tracing was set up before a capture, as text, and how it is restored.
 *
 * A capture changes few settings itself, but the atrace it runs changes many: its end leaves
 * buffers of 1 KB, options and tags of its own, and events switched off. So every setting that one
 * of the two may change is read before, and what differs at the end is written back. The journal
 * holds the same text, for the next start after a crash. It has a line for each setting, in the
 * order in which they can be written:
 *
 *     place                         the top level, or: place INSTANCE
 *     made INSTANCE                 it did not exist: it is to be removed
 *     current_tracer nop            a file of the place and its value
 *     cpu 3 1410                    buffer_size_kb, where CPUs differ
 *     option nooverwrite            a line of trace_options
 *     events                        those that are on follow
 *     event sched:sched_switch
 *     atrace                        it was started: it is to be ended before all else
 *     property debug.atrace.app_number 0
 *
 * Other programs may change settings during a capture. Three such texts show it: what was there
 * before, what we and atrace made of it, and what is there now. A setting that is as we left it is
 * restored. Any other value is another program's choice, made after ours: it stays, and is
 * reported. This is decided before atrace ends, as its end changes all of them again.
 */
#ifndef JANKD_DAEMON_TRACE_SETTINGS_H
#define JANKD_DAEMON_TRACE_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "parser/span.h"

/* Longer texts are refused: a phone has some hundred events on at most. */
#define SETTINGS_MAX 262144

/* A name and a value; a longer line is left out. */
#define SETTINGS_LINE_MAX 512

/* All zeros: nothing was read. */
struct property_budget; /* see daemon/android/ */

struct settings {
	char *text; /* NUL-terminated, or NULL */
	size_t len;
	bool incomplete; /* some are missing, for lack of memory or of space in the text */
	int error;	 /* why the last of them could not be restored, -errno */
};

void settings_free(struct settings *settings);

static inline struct span settings_text(const struct settings *settings)
{
	return (struct span){ settings->text, settings->len };
}

/* --- reading --- */

/* Reads a place below @tracefs, the directory; @instance may be NULL: the top level. One that does
 * not exist yet is noted as made. What cannot be read cannot be changed either, and is left out.
 * @all: what atrace changes, too; else only what we change ourselves. */
void settings_read_place(struct settings *settings, const char *tracefs, const char *instance,
			 bool all);

/* Notes that atrace will be started, before all else, and reads the properties that it sets. */
void settings_read_atrace(struct settings *settings, struct property_budget *budget);

/* Reads all settings of @before as they are now; @budget: for its properties. */
void settings_read_again(struct settings *now, struct span before, const char *tracefs,
			 struct property_budget *budget);

/* Moves @text behind its next line. Returns false at the end. @line: without its line end. */
bool settings_next_line(struct span *text, struct span *line);

/* Adds @line and a line end. */
void settings_add_line(struct settings *settings, struct span line);

/* --- what other programs have changed --- */

/* The settings that stay, as a message has them: "trace_clock mono, buffer_size_kb 2048". All
 * zeros: none. */
struct settings_left {
	char text[200];
	unsigned int n;	   /* of them */
	unsigned int more; /* of these, for which the text has no space */
};

/* Another program has written to the file @name of a place, if only the value that was there. From
 * now on @set does not hold it as set by us, so it stays as it is. */
void settings_leave(struct settings *set, const char *instance, const char *name);

/**
 * settings_merge() - what settings_restore() is to be given
 * @merged: the caller frees it; where it is incomplete, @before is the next best
 * @before: as the journal has it; lines that are none of the above are copied as they are
 * @set: SPAN_NULL: unknown; then all is restored that differs from @before
 * @found: what is there now
 */
void settings_merge(struct settings *merged, struct span before, struct span set, struct span found,
		    struct settings_left *left);

/* The same, and reads what is there now. @budget: for properties. */
void settings_merge_now(struct settings *merged, const struct settings *before,
			const struct settings *set, const char *tracefs,
			struct property_budget *budget, struct settings_left *left);

/* --- restoring --- */

struct settings_ending {
	int atrace_ms;	   /* how long the end of atrace may take; what it leaves is restored */
	bool quiet;	   /* its failure is not reported */
	bool until_signal; /* a signal ends what is waited for at that time */
};

/**
 * settings_restore() - write back what differs
 * @text: what settings_merge() gives; lines that are none of the above are left out
 * @tracefs: directory; nothing outside of it and of the properties above is touched
 * @failed: the lines that could not be written back are added
 *
 * Empties the trace buffers where clocks or sizes differ.
 */
void settings_restore(struct span text, const char *tracefs, const struct settings_ending *ending,
		      struct settings *failed);

/* The first settings, as a message has them: "buffer_size_kb 1408, instance jankd-1". */
#define SETTINGS_WORDS_SIZE 160
void settings_words(char words[static SETTINGS_WORDS_SIZE], const struct settings *settings);

/* Of those that could not be restored: are they only instances that other programs use? */
bool settings_are_instances(const struct settings *settings);

#endif
