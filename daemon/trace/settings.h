/* SPDX-License-Identifier: Apache-2.0 */
/* How tracing was set up before we came, as text, and back to that.
 *
 * A capture changes little itself, but the atrace it runs changes much: its end leaves buffers of
 * 1 KB, options and tags as it likes them, and events switched off. So every setting that one of
 * the two may touch is read before, and what differs at the end is written back. The text is what
 * the journal holds as well, for the next start after a sudden death. It is a line for each
 * setting, in the order in which they can be written:
 *
 *     place                         the top level, or: place INSTANCE
 *     made INSTANCE                 it was not there: it is to go
 *     current_tracer nop            a file of the place and its value
 *     cpu 3 1410                    buffer_size_kb, where CPUs differ
 *     option nooverwrite            a line of trace_options
 *     events                        those that are on follow
 *     event sched:sched_switch
 *     atrace                        it was started: to be ended before all else
 *     property debug.atrace.app_number 0
 *
 * Another program may change a setting behind us: settings_aim.h says which are put back.
 */
#ifndef JANKD_DAEMON_TRACE_SETTINGS_H
#define JANKD_DAEMON_TRACE_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "parser/span.h"

/* Longer texts are refused: a phone has some hundred events on at most. */
#define SETTINGS_MAX 262144

/* A name and a value; what is longer is left out. */
#define SETTINGS_LINE_MAX 512

/* All zeros: nothing was read. */
struct property_budget; /* see daemon/android/ */

struct settings {
	char *text; /* NUL-terminated, or NULL */
	size_t len;
	bool incomplete; /* memory or room was short: some are missing */
	int error;	 /* why the last of them could not be put back, -errno */
};

void settings_free(struct settings *settings);

static inline struct span settings_text(const struct settings *settings)
{
	return (struct span){ settings->text, settings->len };
}

/* Reads a place below @tracefs, the directory; @instance may be NULL: the top level. One that is
 * not there yet is noted as made. What cannot be read cannot be changed either: it is left out.
 * @all: for atrace; without it only what we change ourselves, and no other tool's settings. */
void settings_read_place(struct settings *settings, const char *tracefs, const char *instance,
			 bool all);

/* Notes that atrace will be started, before all else, and reads the properties that it sets. */
void settings_read_atrace(struct settings *settings, struct property_budget *budget);

/* Reads all that @before tells of as it is now; @budget: for its properties. */
void settings_read_again(struct settings *now, struct span before, const char *tracefs,
			 struct property_budget *budget);

/* Lines of such a text: takes the next one, without its end; false at the end. Adds one. */
bool settings_next_line(struct span *text, struct span *line);
void settings_add_line(struct settings *settings, struct span line);

struct settings_ending {
	int atrace_ms;	   /* so long its end may take: we put back what it leaves behind */
	bool quiet;	   /* that may fail */
	bool until_signal; /* one that comes ends what is waited for just then */
};

/**
 * settings_restore() - put back what differs
 * @text: what settings_aim() gives; lines that are none of the above are left out
 * @tracefs: directory; nothing outside of it and of the properties above is touched
 *
 * @failed: gets the lines that could not be put back
 *
 * Clears the trace buffers, where clocks or sizes differ.
 */
void settings_restore(struct span text, const char *tracefs, const struct settings_ending *ending,
		      struct settings *failed);

/* Lines of settings for people, the first of them: "buffer_size_kb 1408, instance jankd-1". */
#define SETTINGS_WORDS_SIZE 160
void settings_words(char words[static SETTINGS_WORDS_SIZE], const struct settings *settings);

/* Those that could not be put back: are they nothing but instances that other programs use? */
bool settings_are_instances(const struct settings *settings);

#endif
