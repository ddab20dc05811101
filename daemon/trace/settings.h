/* SPDX-License-Identifier: Apache-2.0 */
/* The settings of tracing before a capture, as text, and how they are restored.
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
 *     cpu 3 1410                    buffer_size_kb of a CPU, if CPUs differ
 *     option nooverwrite            a line of trace_options
 *     events                        the events that are on follow
 *     event sched:sched_switch
 *     atrace                        atrace was started; restoring ends it before all else
 *     property debug.atrace.app_number 0
 *
 * Other programs may change settings during a capture. Three such texts show that: the settings
 * before the capture, those that jankd and atrace have set, and the current ones. A setting that
 * still has the value from jankd is restored. Any other value was set later by another program: it
 * stays, and is reported. This is decided before atrace ends, because its end changes all settings
 * again.
 */
#ifndef JANKD_DAEMON_TRACE_SETTINGS_H
#define JANKD_DAEMON_TRACE_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parser/span.h"

/* Most bytes of a text. On a phone a few hundred events are on at most. */
#define SETTINGS_MAX 262144

/* Most bytes of a line: a name and a value. Longer lines are left out. */
#define SETTINGS_LINE_MAX 512

struct property_budget; /* see daemon/android/ */

/* All zeros: empty. */
struct settings {
	char *text; /* NUL-terminated, or NULL */
	size_t len;
	bool incomplete; /* settings are missing: no memory, or the text is too long */
	int error;	 /* -errno of the last setting that could not be restored or, of no fault
			    of its own, read; or 0 */
};

void settings_free(struct settings *settings);

static inline struct span settings_text(const struct settings *settings)
{
	return (struct span){ settings->text, settings->len };
}

/* --- reading --- */

/* Reads the settings of an instance, or with NULL of the top level. @tracefs: its directory. If the
 * instance does not exist yet, adds a line "made". Settings that cannot be read are left out: they
 * cannot be changed, either. If that is for lack of memory or descriptors, or the read failed,
 * ->error is set. @all: also those that only atrace changes. */
void settings_read_place(struct settings *settings, const char *tracefs, const char *instance,
			 bool all);

/* Adds the line "atrace" and the properties that atrace sets, before all other lines. */
void settings_read_atrace(struct settings *settings, struct property_budget *budget);

/* Reads the current values of all settings in @before. @budget: for its properties. */
void settings_read_again(struct settings *now, struct span before, const char *tracefs,
			 struct property_budget *budget);

/* Sets @line to the next line of @text, without its line end, and moves @text after it. Returns
 * false at the end. */
bool settings_next_line(struct span *text, struct span *line);

/* Adds @line and a line end. */
void settings_add_line(struct settings *settings, struct span line);

/* --- what other programs have changed --- */

/* The settings of other programs that are kept, as text for a message: "trace_clock mono,
 * buffer_size_kb 2048". All zeros: none. */
struct settings_kept {
	char text[200];
	unsigned int n;	   /* number of settings */
	unsigned int more; /* settings that did not fit in the text */
};

/* Marks the value of @name in @set as not set by jankd, so that the setting is not restored. To be
 * called if another program has written to that file, even if it wrote the same value. */
void settings_disown(struct settings *set, const char *instance, const char *name);

/* The same for all settings that an atrace that was to set a buffer of @buffer_kb has not set: it
 * failed meanwhile. */
void settings_disown_all_but_atraces(struct settings *set, uint64_t buffer_kb);

/**
 * settings_merge() - find the settings to restore
 * @merged: set to the text for settings_restore(); the caller frees it. If it is incomplete, use
 *          @before instead
 * @before: the settings before the capture; unknown lines are copied
 * @set: the settings that jankd and atrace have set; SPAN_NULL: unknown. Then all settings that
 *       differ from @before are restored
 * @found: the current settings
 * @kept: set to the settings that are not restored
 */
void settings_merge(struct settings *merged, struct span before, struct span set, struct span found,
		    struct settings_kept *kept);

/* The same, but reads the current settings first. @budget: for properties. */
void settings_merge_now(struct settings *merged, const struct settings *before,
			const struct settings *set, const char *tracefs,
			struct property_budget *budget, struct settings_kept *kept);

/* --- restoring --- */

struct settings_ending {
	int atrace_ms;	   /* time limit for the end of atrace; then its settings are restored */
	bool quiet;	   /* a failure of atrace is not reported */
	bool until_signal; /* a signal ends the current wait */
};

/**
 * settings_restore() - write back the settings that differ
 * @text: from settings_merge(); unknown lines are ignored
 * @tracefs: its directory; nothing but it and the properties of atrace is changed
 * @failed: the lines that could not be written back are added
 *
 * The kernel empties the trace buffers if clocks or sizes differ.
 */
void settings_restore(struct span text, const char *tracefs, const struct settings_ending *ending,
		      struct settings *failed);

/* The first settings as text for a message: "buffer_size_kb 1408, instance jankd-1". */
#define SETTINGS_TEXT_SIZE 160
void settings_format(char text[static SETTINGS_TEXT_SIZE], const struct settings *settings);

/* Returns true if the settings that could not be restored are only instances that other programs
 * use. */
bool settings_are_instances(const struct settings *settings);

#endif
