/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/capture/tracing_undo.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/android/android.h"
#include "daemon/base/child.h"
#include "daemon/trace/trace.h"
#include "daemon/base/report.h"

static bool wants_atrace(const struct options *options)
{
	return !options->no_atrace && child_program_exists("atrace");
}

static int write_journal(const struct tracing_undo *undo)
{
	int error = undo->settings.incomplete ? -ENOMEM : 0;

	if (error == 0)
		error = journal_write(undo->folder, &undo->settings, &undo->set);
	if (error == 0)
		return 0;
	report("%s: %s: what is to be put back at the end cannot be kept: %s; %s",
	       options_command_name(undo->options->command), undo->folder->path, folder_why(error),
	       folder_advice(error));
	return EXIT_FAILED;
}

int tracing_undo_begin(struct tracing_undo *undo, const struct options *options,
		       const struct folder *folder)
{
	const char *command = options_command_name(options->command);
	bool atrace = wants_atrace(options);
	enum journal_found found;

	*undo = (struct tracing_undo){ .options = options };
	if (folder->hidden.is_open) {
		report("%s: %s: its file system gives all files to one user, and no other place is "
		       "safe for what is to be put back at the end; name another folder with -F",
		       command, folder->path);
		return EXIT_FAILED;
	}
	found = journal_recover(folder, command, options->tracefs, &undo->recovered_left,
				&undo->settings);
	/* A journal of our own would take its place. */
	if (found == JOURNAL_FAILED)
		return EXIT_FAILED;
	undo->recovered = found == JOURNAL_DONE || found == JOURNAL_BUSY;
	undo->folder = folder;
	/* Whoever opens it says what is wrong with it. */
	if (tracefs_find(undo->directory, options->tracefs) < 0)
		return 0;
	if (options->instance)
		settings_read_place(&undo->settings, undo->directory, options->instance, atrace);
	/* atrace knows of no instances. */
	if (atrace || !options->instance)
		settings_read_place(&undo->settings, undo->directory, NULL, atrace);
	return write_journal(undo);
}

static void read_tags(struct tracing_undo *undo)
{
	struct property_budget budget = property_budget_begin(true);
	char value[64];

	android_getprop(&budget, "debug.atrace.tags.enableflags", value, sizeof(value));
	undo->tags = strtoull(value, NULL, 0);
}

int tracing_undo_start_atrace(struct tracing_undo *undo)
{
	const struct options *options = undo->options;
	struct property_budget budget;

	if (!wants_atrace(options)) {
		if (options->categories_given)
			report("warning: %s: --categories: there is no atrace on this machine that "
			       "could switch them on; switch them on by other means",
			       options_command_name(options->command));
		return 0;
	}
	budget = property_budget_begin(true);
	settings_read_atrace(&undo->settings, &budget);
	if (write_journal(undo) != 0)
		return EXIT_FAILED;
	undo->atrace = true;
	if (atrace_start(options->buffer_kb, options->categories, true) < 0) {
		undo->failed = true;
		return EXIT_FAILED;
	}
	undo->answers = !budget.is_over;
	if (undo->answers)
		read_tags(undo);
	return 0;
}

/* A buffer of that size was not chosen: 7 KB is what a top level has that was never used, and what
 * is left of atrace's 1 KB; sub-buffers of 16 KB make 31 of it. */
#define UNUSED_KB 32

/* 4 s of 1,200 events each second. */
#define ENOUGH_KB 512

static void tell_small(struct tracing_undo *undo, const char *path, const char *why,
		       const char *advice)
{
	snprintf(undo->small, sizeof(undo->small),
		 "the trace buffer stays at %" PRIu64
		 " KB for each CPU, which may be too small for what comes between two reads: %s",
		 buffer_size_read(path), why);
	report("warning: %s: %s/buffer_size_kb: %s; %s",
	       options_command_name(undo->options->command), path, undo->small, advice);
}

/* Between two reads a small buffer runs over. The size of an instance was chosen by whoever made it
 * and reads it, too. */
void tracing_undo_make_buffer(struct tracing_undo *undo, const char *path)
{
	const struct options *options = undo->options;
	uint64_t now_kb = buffer_size_read(path);
	int error = 0;

	if (options->buffer_given || !options->instance || now_kb < UNUSED_KB)
		error = buffer_size_set(path, options->buffer_kb, options->buffer_given);
	else if (now_kb < ENOUGH_KB)
		tell_small(undo, path, "whoever made this instance chose it",
			   "to change it give --buffer-kb 1024");
	if (error < 0)
		tell_small(undo, path, strerror(-error),
			   report_advice(error, "run it as root, ask for less with --buffer-kb, or "
						"give --instance NAME"));
}

/* For questions about properties, where there are any and they were answered before. */
static struct property_budget ask_again(const struct tracing_undo *undo)
{
	if (undo->atrace && undo->answers)
		return property_budget_begin(true);
	return (struct property_budget){ .is_over = true };
}

void tracing_undo_note(struct tracing_undo *undo)
{
	struct property_budget budget = ask_again(undo);

	settings_read_again(&undo->set, settings_text(&undo->settings), undo->directory, &budget);
	/* Where it cannot be kept the next start puts all back, whoever changed it. */
	journal_write(undo->folder, &undo->settings, &undo->set);
}

void tracing_undo_watch(const struct tracing_undo *undo)
{
	if (undo->folder && undo->settings.len > 0 && !folder_has_journal(undo->folder))
		journal_write(undo->folder, &undo->settings, &undo->set);
}

/* The journal is written from changes->set, and that by another thread. */
static bool copy_set(struct tracing_undo *undo)
{
	const struct settings *set = &undo->set;

	if (!set->text)
		return false;
	undo->kept = *set;
	undo->kept.text = strndup(set->text, set->len);
	return undo->kept.text != NULL;
}

static const struct settings *set_by_us(const struct tracing_undo *undo)
{
	return undo->kept.text ? &undo->kept : &undo->set;
}

void tracing_undo_leave(struct tracing_undo *undo, unsigned int settings)
{
	if (settings == 0 || !copy_set(undo))
		return;
	for (int which = 0; which < TRACE_SETTINGS; which++)
		if (settings & 1u << which)
			settings_leave(&undo->kept, undo->options->instance,
				       trace_files_name(which));
}

/* What is there now is what is not to be touched: it may have changed since the look. Not with
 * atrace, whose end takes longer, and whose properties are slow to read. */
static void look_again(struct tracing_undo *undo)
{
	struct property_budget budget = { .is_over = true };
	struct settings_left left = { .n = 0 };

	if (!undo->looked || undo->atrace)
		return;
	settings_free(&undo->aim);
	settings_merge_now(&undo->aim, &undo->settings, set_by_us(undo), undo->directory, &budget,
			   &left);
}

void tracing_undo_look(struct tracing_undo *undo)
{
	struct property_budget budget = ask_again(undo);

	if (!undo->folder || undo->looked)
		return;
	undo->looked = true;
	settings_merge_now(&undo->aim, &undo->settings, set_by_us(undo), undo->directory, &budget,
			   &undo->left);
	if (undo->left.n > 0)
		report("warning: %s: %s: another program has changed settings meanwhile: left as "
		       "they are: %s; change them where they are not wanted",
		       options_command_name(undo->options->command), undo->directory,
		       undo->left.text);
}

bool tracing_undo_restore(struct tracing_undo *undo)
{
	const struct settings_ending ending = {
		.atrace_ms = undo->failed ? 1000 : 5000,
		.quiet = undo->failed,
		.until_signal = true,
	};
	struct settings failed = { 0 };
	const struct settings *aim;
	char words[SETTINGS_WORDS_SIZE];
	bool done;

	if (!undo->folder || undo->restored)
		return false;
	undo->restored = true;
	look_again(undo);
	tracing_undo_look(undo);
	aim = undo->aim.incomplete ? &undo->settings : &undo->aim;
	settings_restore(settings_text(aim), undo->directory, &ending, &failed);
	settings_words(words, &failed);
	done = failed.len == 0;
	if (!done)
		report("warning: %s: %s: cannot be put back as they were: %s: %s; the next start "
		       "or stop with the same -F tries again",
		       options_command_name(undo->options->command), undo->directory, words,
		       settings_are_instances(&failed) ? "another program has a file of it open"
						       : strerror(-failed.error));
	settings_free(&failed);
	return done;
}

void tracing_undo_end(struct tracing_undo *undo)
{
	if (tracing_undo_restore(undo))
		folder_remove_journal(undo->folder);
	settings_free(&undo->settings);
	settings_free(&undo->set);
	settings_free(&undo->kept);
	settings_free(&undo->aim);
	undo->folder = NULL;
}
