/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/capture/beside.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/android/android.h"
#include "daemon/base/child.h"
#include "daemon/base/report.h"

static bool uses_atrace(const struct options *options)
{
	return !options->no_atrace && child_program_exists("atrace");
}

/* Returns 0 or -errno. */
static int save(struct tracing_undo *undo)
{
	free(undo->journal);
	undo->journal = journal_text(&undo->settings);
	return undo->journal
		       ? folder_write_journal(undo->folder, undo->journal, strlen(undo->journal))
		       : -ENOMEM;
}

static int write_journal(struct tracing_undo *undo)
{
	int error = undo->settings.error;

	if (error == 0)
		error = save(undo);
	if (error == 0)
		return 0;
	report("%s: cannot save the tracing settings, so they could not be restored at the end: "
	       "%s; %s",
	       undo->folder->path, folder_why(error), folder_advice(error));
	return EXIT_FAILED;
}

/* Another jankd ends atrace meanwhile, within 5 s, or starts it. */
#define LOCK_MS 9000

/* Restoring comes first: it does not wait for a jankd that hangs. */
#define LOCK_AT_END_MS 2000

void tracing_undo_unlock(struct tracing_undo *undo)
{
	if (undo->lock_fd >= 0)
		close(undo->lock_fd);
	undo->lock_fd = -1;
}

void tracing_undo_lock(struct tracing_undo *undo)
{
	if (undo->folder && !undo->has_restored && undo->lock_fd < 0)
		undo->lock_fd = live_trace_lock(undo->directory, LOCK_AT_END_MS);
}

int tracing_undo_begin(struct tracing_undo *undo, const struct options *options,
		       const struct folder *folder)
{
	bool atrace = uses_atrace(options);
	struct settings *settings = &undo->settings, killed = { 0 };
	enum journal_found found;
	int error;

	*undo = (struct tracing_undo){ .options = options, .lock_fd = -1 };
	if (folder->state_dir.is_world_writable) {
		report("%s: all files in its file system belong to one user, and there is no safe "
		       "place for the saved tracing settings; name another folder with -F",
		       folder->path);
		return EXIT_FAILED;
	}
	error = live_trace_find(undo->directory, options->tracefs);
	if (error == 0)
		undo->lock_fd = live_trace_lock(undo->directory, LOCK_MS);
	if (undo->lock_fd == -EINTR || undo->lock_fd == -EWOULDBLOCK) {
		report("%s: %s", undo->directory,
		       undo->lock_fd == -EINTR
			       ? "interrupted by a signal while another jankd was setting up or "
				 "restoring tracing; nothing was changed"
			       : "another jankd has been setting up or restoring tracing for more "
				 "than 9 s; try again, or end it");
		return EXIT_FAILED;
	}
	found = journal_recover(folder, options->tracefs, &undo->recovered_kept, &killed);
	/* Instances that could not be removed are tried again. */
	for (size_t i = 0; i < killed.n; i++)
		if (killed.list[i].has_failed)
			settings_put(settings, SETTINGS_BEFORE,
				     span_of(killed.list[i].lines[SETTINGS_BEFORE]));
	settings_free(&killed);
	/* A new journal would replace the one with settings that are not restored yet. */
	if (found == JOURNAL_FAILED)
		return EXIT_FAILED;
	undo->recovered = found == JOURNAL_DONE || found == JOURNAL_BUSY;
	undo->folder = folder;
	/* If this fails, live_trace_open() reports the reason, or it fails only once. */
	settings->error = error;
	if (error < 0)
		return 0;
	if (options->instance)
		settings_read_place(settings, SETTINGS_BEFORE, undo->directory,
				    span_of(options->instance), atrace);
	/* atrace changes the top level, even if an instance is read. */
	if (atrace || !options->instance)
		settings_read_place(settings, SETTINGS_BEFORE, undo->directory, SPAN_NULL, atrace);
	return write_journal(undo);
}

int tracing_undo_start_atrace(struct tracing_undo *undo)
{
	const struct options *options = undo->options;
	struct property_budget budget;
	char tags[64];

	undo->writes = true;
	if (undo->settings.error < 0)
		return write_journal(undo);
	if (!uses_atrace(options)) {
		if (options->categories_given)
			report_warning("--categories: not enabled: this machine has no atrace; "
				       "enable them in another way");
		return 0;
	}
	budget = property_budget_begin(true);
	settings_read_atrace(&undo->settings, &budget);
	if (write_journal(undo) != 0)
		return EXIT_FAILED;
	undo->atrace = true;
	if (atrace_start(options->buffer_kb, options->categories) < 0) {
		undo->atrace_failed = true;
		/* What another program has set meanwhile, and will set, stays. */
		budget.is_over = true;
		settings_read_again(&undo->settings, SETTINGS_OURS, undo->directory, &budget);
		settings_disown_all_but_atraces(&undo->settings, options->buffer_kb);
		return EXIT_FAILED;
	}
	undo->has_properties = !budget.is_over;
	if (!undo->has_properties && child_program_exists("getprop"))
		report_warning("getprop: no answer; the tags of apps (debug.atrace.*) "
			       "are disabled at the end, and not restored; if another program had "
			       "enabled some, enable them again");
	if (!undo->has_properties)
		return 0;
	budget = property_budget_begin(true);
	android_getprop(&budget, "debug.atrace.tags.enableflags", tags, sizeof(tags));
	undo->tags = strtoull(tags, NULL, 0);
	return 0;
}

/* A smaller buffer was not chosen by a program: a top level that was never used has 7 KB, and so
 * does one that atrace has set to 1 KB. With sub-buffers of 16 KB these are 31 KB. */
#define UNUSED_KB 32

/* A small buffer overflows between two reads. An instance keeps its size: the program that created
 * it chose that size, and reads from it. */
void tracing_undo_resize_buffer(struct tracing_undo *undo, const char *path)
{
	const struct options *options = undo->options;
	uint64_t now_kb = buffer_size_read(path);
	const char *why = "its size was set by the program that created this instance";
	const char *advice = "change it with --buffer-kb 1024";
	int error;

	if (options->buffer_given || !options->instance || now_kb < UNUSED_KB) {
		error = buffer_size_set(path, options->buffer_kb, options->buffer_given);
		if (error >= 0)
			return;
		why = strerror(-error);
		advice = report_advice(error, "run jankd as root, request less with --buffer-kb, "
					      "or use --instance NAME");
	} else if (now_kb >= BUFFER_ENOUGH_KB) {
		return;
	}
	snprintf(undo->small_buffer, sizeof(undo->small_buffer),
		 "the trace buffer stays at %" PRIu64
		 " KB per CPU and may overflow between two reads: %s",
		 buffer_size_read(path), why);
	report_warning("%s/buffer_size_kb: %s; %s", path, undo->small_buffer, advice);
}

/* The time limit for reading properties again: none is left if there are no properties, or if
 * getprop did not answer. */
static struct property_budget next_budget(const struct tracing_undo *undo)
{
	return undo->has_properties ? property_budget_begin(true)
				    : (struct property_budget){ .is_over = true };
}

void tracing_undo_setup_done(struct tracing_undo *undo)
{
	struct property_budget budget = next_budget(undo);

	undo->writes = true;
	settings_read_again(&undo->settings, SETTINGS_OURS, undo->directory, &budget);
	/* If this fails, the next start after a kill restores everything, even settings of other
	 * programs. */
	save(undo);
}

void tracing_undo_keep_journal(void *context)
{
	const struct tracing_undo *undo = context;

	if (undo->journal && !folder_has_journal(undo->folder))
		folder_write_journal(undo->folder, undo->journal, strlen(undo->journal));
}

void tracing_undo_find_changes(struct tracing_undo *undo, unsigned int written)
{
	struct property_budget budget = next_budget(undo);

	for (int which = 0; which < TRACE_SETTINGS; which++)
		if (written & 1u << which)
			settings_disown(&undo->settings, undo->options->instance,
					trace_files_name(which));
	undo->kept = (struct settings_kept){ .n = 0 };
	settings_find_changes(&undo->settings, undo->directory, &budget, &undo->kept);
	if (undo->kept.n > 0)
		report_warning("%s: another program changed settings during the capture: not "
			       "restored: %s; reset them if needed",
			       undo->directory, undo->kept.text);
	undo->has_found_changes = true;
}

bool tracing_undo_restore(struct tracing_undo *undo)
{
	const struct settings_ending ending = {
		.atrace_ms = undo->atrace_failed ? 1000 : 5000,
		.quiet = undo->atrace_failed,
		.until_signal = true,
		/* A start that has failed before it changed a setting restores none: another
		 * program may have changed them since they were read. Instances that could not be
		 * removed are tried again. */
		.only_instances = !undo->writes,
	};
	struct settings *settings = &undo->settings;

	if (!undo->folder || undo->has_restored)
		return false;
	undo->has_restored = true;
	/* Another program may have changed more settings since. Not done again if atrace was used:
	 * to stop it takes longer, and its properties are slow to read. */
	if (undo->writes && !(undo->has_found_changes && undo->atrace))
		tracing_undo_find_changes(undo, 0);
	settings_restore(settings, undo->directory, &ending);
	if (settings->n_failed > 0) {
		report_warning("%s: cannot restore %s: %s; the next start or stop with the same -F "
			       "tries again",
			       undo->directory, settings->failed,
			       settings->only_instances_failed
				       ? "another program has a file of that instance open"
				       : strerror(-settings->error));
		/* For that one, what atrace has left at its end is not another program's. */
		if (undo->atrace) {
			struct property_budget budget = next_budget(undo);

			settings_read_again(settings, SETTINGS_OURS, undo->directory, &budget);
		}
	}
	tracing_undo_unlock(undo);
	return settings->n_failed == 0;
}

void tracing_undo_end(struct tracing_undo *undo)
{
	if (tracing_undo_restore(undo))
		folder_remove_journal(undo->folder);
	else if (undo->atrace && undo->settings.n_failed > 0)
		save(undo);
	if (undo->options)
		tracing_undo_unlock(undo);
	settings_free(&undo->settings);
	free(undo->journal);
}
