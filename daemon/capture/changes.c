/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/capture/changes.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/trace/buffer_size.h"
#include "daemon/trace/journal.h"
#include "daemon/base/report.h"
#include "daemon/trace/tracefs.h"

static bool wants_atrace(const struct options *options)
{
	return !options->no_atrace && android_has("atrace");
}

static int write_journal(const struct changes *changes)
{
	int error = changes->settings.incomplete ? -ENOMEM : 0;

	if (error == 0)
		error = journal_write(changes->folder, &changes->settings, &changes->set);
	if (error == 0)
		return 0;
	report("%s: %s: what is to be put back at the end cannot be kept: %s; %s",
	       options_command_name(changes->options->command), changes->folder->path,
	       folder_why(error), folder_advice(error));
	return EXIT_FAILED;
}

int changes_begin(struct changes *changes, const struct options *options,
		  const struct folder *folder)
{
	const char *command = options_command_name(options->command);
	bool atrace = wants_atrace(options);
	enum journal_found found;

	*changes = (struct changes){ .options = options };
	if (folder->hidden.is_open) {
		report("%s: %s: its file system gives all files to one user, and no other place is "
		       "safe for what is to be put back at the end; name another folder with -F",
		       command, folder->path);
		return EXIT_FAILED;
	}
	found = journal_recover(folder, command, options->tracefs, &changes->recovered_left,
				&changes->settings);
	/* A journal of our own would take its place. */
	if (found == JOURNAL_FAILED)
		return EXIT_FAILED;
	changes->recovered = found == JOURNAL_DONE || found == JOURNAL_BUSY;
	changes->folder = folder;
	/* Whoever opens it says what is wrong with it. */
	if (tracefs_find(changes->directory, options->tracefs) < 0)
		return 0;
	if (options->instance)
		settings_read_place(&changes->settings, changes->directory, options->instance,
				    atrace);
	/* atrace knows of no instances. */
	if (atrace || !options->instance)
		settings_read_place(&changes->settings, changes->directory, NULL, atrace);
	return write_journal(changes);
}

static void read_tags(struct changes *changes)
{
	struct android_asking asking = android_ask(true);
	char value[64];

	android_property(&asking, "debug.atrace.tags.enableflags", value, sizeof(value));
	changes->tags = strtoull(value, NULL, 0);
}

int changes_start_atrace(struct changes *changes)
{
	const struct options *options = changes->options;
	struct android_asking asking;

	if (!wants_atrace(options)) {
		if (options->categories_given)
			report("warning: %s: --categories: there is no atrace on this machine that "
			       "could switch them on; switch them on by other means",
			       options_command_name(options->command));
		return 0;
	}
	asking = android_ask(true);
	settings_read_atrace(&changes->settings, &asking);
	if (write_journal(changes) != 0)
		return EXIT_FAILED;
	changes->atrace = true;
	if (android_atrace_start(options->buffer_kb, options->categories, true) < 0) {
		changes->failed = true;
		return EXIT_FAILED;
	}
	changes->answers = !asking.over;
	if (changes->answers)
		read_tags(changes);
	return 0;
}

/* A buffer of that size was not chosen: 7 KB is what a top level has that was never used, and what
 * is left of atrace's 1 KB; sub-buffers of 16 KB make 31 of it. */
#define UNUSED_KB 32

/* 4 s of 1,200 events each second. */
#define ENOUGH_KB 512

static void tell_small(struct changes *changes, const char *path, const char *why,
		       const char *advice)
{
	snprintf(changes->small, sizeof(changes->small),
		 "the trace buffer stays at %" PRIu64
		 " KB for each CPU, which may be too small for what comes between two reads: %s",
		 buffer_size_read(path), why);
	report("warning: %s: %s/buffer_size_kb: %s; %s",
	       options_command_name(changes->options->command), path, changes->small, advice);
}

/* Between two reads a small buffer runs over. The size of an instance was chosen by whoever made it
 * and reads it, too. */
void changes_make_buffer(struct changes *changes, const char *path)
{
	const struct options *options = changes->options;
	uint64_t now_kb = buffer_size_read(path);
	int error = 0;

	if (options->buffer_given || !options->instance || now_kb < UNUSED_KB)
		error = buffer_size_set(path, options->buffer_kb, options->buffer_given);
	else if (now_kb < ENOUGH_KB)
		tell_small(changes, path, "whoever made this instance chose it",
			   "to change it give --buffer-kb 1024");
	if (error < 0)
		tell_small(changes, path, strerror(-error),
			   report_advice(error, "run it as root, ask for less with --buffer-kb, or "
						"give --instance NAME"));
}

/* For questions about properties, where there are any and they were answered before. */
static struct android_asking ask_again(const struct changes *changes)
{
	if (changes->atrace && changes->answers)
		return android_ask(true);
	return (struct android_asking){ .over = true };
}

void changes_note(struct changes *changes)
{
	struct android_asking asking = ask_again(changes);

	settings_read_again(&changes->set, settings_text(&changes->settings), changes->directory,
			    &asking);
	/* Where it cannot be kept the next start puts all back, whoever changed it. */
	journal_write(changes->folder, &changes->settings, &changes->set);
}

void changes_watch(const struct changes *changes)
{
	if (changes->folder && changes->settings.len > 0 && !folder_has_journal(changes->folder))
		journal_write(changes->folder, &changes->settings, &changes->set);
}

/* The journal is written from changes->set, and that by another thread. */
static bool copy_set(struct changes *changes)
{
	const struct settings *set = &changes->set;

	if (!set->text)
		return false;
	changes->kept = *set;
	changes->kept.text = strndup(set->text, set->len);
	return changes->kept.text != NULL;
}

static const struct settings *set_by_us(const struct changes *changes)
{
	return changes->kept.text ? &changes->kept : &changes->set;
}

void changes_leave(struct changes *changes, unsigned int settings)
{
	if (settings == 0 || !copy_set(changes))
		return;
	for (int which = 0; which < TRACE_SETTINGS; which++)
		if (settings & 1u << which)
			settings_leave(&changes->kept, changes->options->instance,
				       trace_files_name(which));
}

/* What is there now is what is not to be touched: it may have changed since the look. Not with
 * atrace, whose end takes longer, and whose properties are slow to read. */
static void look_again(struct changes *changes)
{
	struct android_asking asking = { .over = true };
	struct settings_left left = { .n = 0 };

	if (!changes->looked || changes->atrace)
		return;
	settings_free(&changes->aim);
	settings_aim_now(&changes->aim, &changes->settings, set_by_us(changes), changes->directory,
			 &asking, &left);
}

void changes_look(struct changes *changes)
{
	struct android_asking asking = ask_again(changes);

	if (!changes->folder || changes->looked)
		return;
	changes->looked = true;
	settings_aim_now(&changes->aim, &changes->settings, set_by_us(changes), changes->directory,
			 &asking, &changes->left);
	if (changes->left.n > 0)
		report("warning: %s: %s: another program has changed settings meanwhile: left as "
		       "they are: %s; change them where they are not wanted",
		       options_command_name(changes->options->command), changes->directory,
		       changes->left.text);
}

bool changes_restore(struct changes *changes)
{
	const struct settings_ending ending = {
		.atrace_ms = changes->failed ? 1000 : 5000,
		.quiet = changes->failed,
		.until_signal = true,
	};
	struct settings failed = { 0 };
	const struct settings *aim;
	char words[SETTINGS_WORDS_SIZE];
	bool done;

	if (!changes->folder || changes->restored)
		return false;
	changes->restored = true;
	look_again(changes);
	changes_look(changes);
	aim = changes->aim.incomplete ? &changes->settings : &changes->aim;
	settings_restore(settings_text(aim), changes->directory, &ending, &failed);
	settings_words(words, &failed);
	done = failed.len == 0;
	if (!done)
		report("warning: %s: %s: cannot be put back as they were: %s: %s; the next start "
		       "or stop with the same -F tries again",
		       options_command_name(changes->options->command), changes->directory, words,
		       settings_are_instances(&failed) ? "another program has a file of it open"
						       : strerror(-failed.error));
	settings_free(&failed);
	return done;
}

void changes_end(struct changes *changes)
{
	if (changes_restore(changes))
		folder_remove_journal(changes->folder);
	settings_free(&changes->settings);
	settings_free(&changes->set);
	settings_free(&changes->kept);
	settings_free(&changes->aim);
	changes->folder = NULL;
}
