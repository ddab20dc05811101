/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/trace/settings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/android/android.h"
#include "daemon/base/ids.h"
#include "daemon/base/report.h"
#include "daemon/base/text_file.h"
#include "daemon/trace/tracefs.h"

/* Time limit for the end of atrace: a capture waits for it before it starts. */
#define ATRACE_MS 2000

/* Prefix of the lines with the settings that jankd has set. */
#define SET "set "

_Static_assert(JOURNAL_MAX == 3 * SETTINGS_MAX, "enough for two texts of settings");

/* The first line, with the boot id, and the last line. Without the last line, the file was cut. */
#define HEAD "jankd-journal 1 "
#define END "end\n"

static void head_line(char line[static 96])
{
	char id[BOOT_ID_SIZE];

	boot_id_read(id);
	snprintf(line, 96, HEAD "%s\n", id);
}

char *journal_text(const struct settings *settings)
{
	char *text = NULL, head[96];
	size_t len = 0;
	FILE *file = settings->incomplete ? NULL : open_memstream(&text, &len);
	bool is_whole;

	if (!file)
		return NULL;
	head_line(head);
	fputs(head, file);
	for (int which = SETTINGS_BEFORE; which <= SETTINGS_OURS; which++)
		for (size_t i = 0; i < settings->n; i++)
			if (settings->list[i].lines[which])
				fprintf(file, "%s%s\n", which == SETTINGS_OURS ? SET : "",
					settings->list[i].lines[which]);
	fputs(END, file);
	is_whole = !ferror(file);
	is_whole &= fclose(file) == 0;
	if (is_whole && len < JOURNAL_MAX)
		return text;
	free(text);
	return NULL;
}

/* Reports why the settings cannot be restored. The journal is kept. */
static enum journal_found keep(const struct folder *folder, const char *why_and_advice)
{
	report("%s/.journal: cannot undo the changes that a killed jankd made to tracing: %s",
	       folder->path, why_and_advice);
	return JOURNAL_FAILED;
}

static enum journal_found restore_settings(const struct folder *folder, struct span journal,
					   const char *tracefs, struct settings_kept *kept,
					   struct settings *settings)
{
	const struct settings_ending ending = { .atrace_ms = ATRACE_MS };
	struct property_budget budget;
	char directory[LIVE_TRACE_DIRECTORY_SIZE];
	char why[SETTINGS_TEXT_SIZE + 192];
	char refusal[LIVE_TRACE_REFUSAL_SIZE];
	int error = live_trace_find(directory, tracefs);

	if (error == -EACCES || error == -EPERM) {
		live_trace_refusal_of_mount(refusal, directory, tracefs, error);
		return keep(folder, refusal);
	}
	if (error < 0)
		return keep(folder,
			    "no tracefs found; mount it, or name it with --tracefs; to keep the "
			    "changes, remove .journal");
	budget = property_budget_begin(false);
	settings_parse(settings, SETTINGS_BEFORE, journal, "");
	settings_parse(settings, SETTINGS_OURS, journal, SET);
	settings_find_changes(settings, directory, &budget, kept);
	settings_restore(settings, directory, &ending);
	if (kept->n > 0)
		report_warning("%s: another program has changed settings since a jankd was killed: "
			       "not restored: %s; reset them if needed",
			       directory, kept->text);
	if (settings->n_failed == 0)
		return JOURNAL_DONE;
	if (settings->only_instances_failed) {
		report_warning("%s: cannot remove %s, which an earlier jankd created: another "
			       "program has a file of that instance open; the next start or stop "
			       "with the same -F tries again",
			       directory, settings->failed);
		return JOURNAL_BUSY;
	}
	snprintf(
		why, sizeof(why),
		"these settings cannot be written: %s: %s; run 'jankd stop' as root or as the user "
		"who ran that jankd, or set them yourself and remove .journal",
		settings->failed, strerror(-settings->error));
	return keep(folder, why);
}

enum journal_found journal_recover(const struct folder *folder, const char *tracefs,
				   struct settings_kept *kept, struct settings *settings)
{
	enum journal_found found = JOURNAL_NONE;
	char *text, head[96], why[192];
	struct span journal;
	struct stat info;
	ssize_t len;
	int fd = folder_open_journal(folder, &info);

	/* Its lines change the tracing of the whole machine. */
	if (fd >= 0 && (info.st_uid != geteuid() || (info.st_mode & 022))) {
		close(fd);
		fd = -EPERM;
	}
	/* Less than JOURNAL_MAX: as journal_text() writes it. */
	len = text_file_read_all(&text, fd, JOURNAL_MAX - 1);
	if (len == -ENOENT) {
		/* That of another user is not restored, even by root: that user may have written
		 * anything into it. */
		fd = folder->state_dir.is_apart
			     ? state_dir_find_others(folder->path, STATE_DIR_JOURNAL)
			     : -1;
		if (fd < 0)
			return JOURNAL_NONE;
		close(fd);
		len = -EPERM;
	}
	if (len < 0) {
		snprintf(why, sizeof(why),
			 "%s; run 'jankd stop' as the user who ran that jankd; or remove the file "
			 "to keep the changes",
			 len == -EPERM ? "another user may have written it" : folder_why((int)len));
		return keep(folder, why);
	}
	head_line(head);
	journal = (struct span){ text, (size_t)len };
	/* A journal of another boot changes nothing: that has reset all settings. */
	if (span_starts_with(journal, span_of(head))) {
		const char *end = text + len - strlen(END);

		journal = span_skip(journal, strlen(head));
		journal.len -= strlen(END);
		if (end >= journal.ptr && strcmp(end, END) == 0)
			found = restore_settings(folder, journal, tracefs, kept, settings);
		else
			report_warning("%s/.journal: damaged: what a killed jankd has changed is "
				       "unknown; check buffer_size_kb and tracing_on",
				       folder->path);
	}
	free(text);
	if (found == JOURNAL_NONE || found == JOURNAL_DONE)
		folder_remove_journal(folder);
	return found;
}
