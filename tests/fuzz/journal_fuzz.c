/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as the journal of a killed jankd: only the settings that a journal may name are
 * written; the journal is removed when all is restored, and otherwise not changed; and a journal
 * that was written is read back the same.
 *
 * If the first line ends in THIS-BOOT, that word is replaced by the machine's boot id.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/base/boot_id.h"
#include "daemon/android/properties.h"
#include "daemon/trace/journal.h"
#include "tests/fuzz/target.h"
#include "tests/unit/fake_tracefs.h"

#define HEAD "jankd-journal 1 "
#define STATE_SIZE 32768

static struct folder folder;
static char tracefs[256];

static void end(void)
{
	folder_close(&folder);
	scratch_remove();
}

static void begin(void)
{
	setenv("PATH", "/nonexistent", 1); /* no getprop, no atrace */
	scratch_make(access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	scratch_mkdir("outside");
	scratch_put("outside/trace_clock", "untouched\n");
	snprintf(tracefs, sizeof(tracefs), "%s/tr", scratch_root);
	if (folder_open(&folder, "fuzz", scratch_path("out")) != 0)
		abort();
	atexit(end);
}

/* Resets the tracefs: an instance that can be removed, and one with files in it. */
static void reset(void)
{
	fake_tracefs_make();
	scratch_put("tr/set_event", "sched:sched_switch\nsched:sched_waking\n");
	scratch_mkdir("tr/instances/ours");
	scratch_mkdir("tr/instances/kept");
	scratch_put("tr/instances/kept/trace_clock", "local [mono]\n");
	scratch_put("tr/instances/kept/tracing_on", "0\n");
}

/* Returns all that may be changed, as one text. */
static char *read_state(void)
{
	static const char *const names[] = {
		"trace_clock",
		"buffer_size_kb",
		"buffer_percent",
		"current_tracer",
		"tracing_on",
		"saved_cmdlines_size",
		"set_event",
		"trace_options",
		"per_cpu/cpu0/buffer_size_kb",
		"per_cpu/cpu1/buffer_size_kb",
		"instances/kept/trace_clock",
		"instances/kept/tracing_on",
	};
	char *state = malloc(STATE_SIZE), path[256];
	size_t len = 0;

	for (size_t i = 0; state && i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "tr/%s", names[i]);
		len += (size_t)snprintf(state + len, STATE_SIZE - len, "%s: %s", names[i],
					scratch_get(path));
		if (len >= STATE_SIZE)
			wrong("a setting has grown");
	}
	if (!state)
		abort();
	snprintf(state + len, STATE_SIZE - len, "ours: %d\n", scratch_has("tr/instances/ours"));
	return state;
}

/* Checks that the files that no journal may change are unchanged, and that the others have possible
 * values. */
static void check_state(const char *state)
{
	if (strcmp(scratch_get("outside/trace_clock"), "untouched\n") != 0 ||
	    scratch_has("outside/tracing_on"))
		wrong("something outside of tracefs was written");
	if (scratch_get("tr/trace_marker")[0] || scratch_get("tr/trace")[0] ||
	    strcmp(scratch_get("tr/options/overwrite"), "1\n") != 0 ||
	    strcmp(scratch_get("tr/tracing_cpumask"), "3\n") != 0)
		wrong("a file was written that no journal may change");
	for (; *state; state++)
		if (*state != '\n' && ((unsigned char)*state < ' ' || *state > '~'))
			wrong("a value is not a word");
}

/* --- any bytes --- */

static void put_journal(const uint8_t *data, size_t size)
{
	static const char this_boot[] = HEAD "THIS-BOOT\n";
	int fd = folder_create_journal(&folder), error;

	if (fd < 0)
		abort();
	if (size >= strlen(this_boot) && memcmp(data, this_boot, strlen(this_boot)) == 0) {
		char id[BOOT_ID_SIZE], head[96];

		boot_id_read(id);
		snprintf(head, sizeof(head), HEAD "%s\n", id);
		folder_write(fd, head, strlen(head));
		data += strlen(this_boot);
		size -= strlen(this_boot);
	}
	error = folder_write(fd, (const char *)data, size);
	if (folder_replace_journal(&folder, fd, error) != 0)
		abort();
}

/* Reads the journal from the disk. Returns its size; SIZE_MAX: there is none. */
static size_t journal_bytes(char *bytes, size_t size)
{
	int fd = folder_open_journal(&folder);
	ssize_t n;

	if (fd < 0)
		return SIZE_MAX;
	n = read(fd, bytes, size);
	close(fd);
	if (n < 0)
		abort();
	return (size_t)n;
}

static void check_any(const uint8_t *data, size_t size)
{
	static char before[2 * SETTINGS_MAX], after[2 * SETTINGS_MAX];
	struct settings_kept kept = { .n = 0 };
	struct settings failed = { 0 };
	size_t n_before, n_after;
	char *state;

	reset();
	put_journal(data, size);
	n_before = journal_bytes(before, sizeof(before));
	switch (journal_recover(&folder, "fuzz", tracefs, &kept, &failed)) {
	case JOURNAL_NONE:
	case JOURNAL_DONE:
		if (folder_has_journal(&folder) || failed.len > 0)
			wrong("a journal that is done is still there");
		break;
	default:
		n_after = journal_bytes(after, sizeof(after));
		if (n_after != n_before || memcmp(before, after, n_after) != 0)
			wrong("a journal that is not done has changed");
		if (failed.len == 0 || failed.error >= 0)
			wrong("it failed, and no line says so");
	}
	if (!memchr(kept.text, '\0', sizeof(kept.text)) || failed.len > SETTINGS_MAX)
		wrong("a text without an end");
	state = read_state();
	check_state(state);
	free(state);
	settings_free(&failed);
}

/* --- a journal that jankd writes --- */

/* Separates lines with "set ", the settings that jankd has set, from the others, the settings
 * before. jankd never writes a NUL, because the lines were C strings. */
static void split(struct settings *before, struct settings *set, struct span text)
{
	static const struct span mark = SPAN_INIT("set ");
	struct span line;

	while (settings_next_line(&text, &line)) {
		bool is_set = span_starts_with(line, mark);

		if (line.len < SETTINGS_LINE_MAX - mark.len && !memchr(line.ptr, '\0', line.len))
			settings_add_line(is_set ? set : before,
					  is_set ? span_skip(line, mark.len) : line);
	}
}

static bool same_text(const struct settings *a, const struct settings *b)
{
	return a->len == b->len && (a->len == 0 || memcmp(a->text, b->text, a->len) == 0);
}

/* Restoring from the journal has the same effect as restoring from memory. */
static void check_written(struct span text)
{
	const struct settings_ending ending = { .atrace_ms = 1 };
	struct property_budget budget = { .is_over = true };
	struct settings before = { 0 }, set = { 0 }, aim = { 0 }, failed = { 0 },
			failed_now = { 0 };
	struct settings_kept kept = { .n = 0 }, kept_now = { .n = 0 };
	char *state, *state_now;

	split(&before, &set, text);
	reset();
	if (journal_write(&folder, &before, &set) != 0)
		wrong("a journal cannot be written");
	journal_recover(&folder, "fuzz", tracefs, &kept, &failed);
	state = read_state();

	reset();
	settings_merge_now(&aim, &before, &set, tracefs, &budget, &kept_now);
	settings_restore(settings_text(aim.incomplete ? &before : &aim), tracefs, &ending,
			 &failed_now);
	state_now = read_state();
	if (strcmp(state, state_now) != 0 || !same_text(&failed, &failed_now) ||
	    kept.n != kept_now.n || strcmp(kept.text, kept_now.text) != 0)
		wrong("what was read back is not what was written");

	free(state);
	free(state_now);
	settings_free(&before);
	settings_free(&set);
	settings_free(&aim);
	settings_free(&failed);
	settings_free(&failed_now);
	folder_remove_journal(&folder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *newline = size ? memchr(data, '\n', size) : NULL;
	size_t head = newline ? (size_t)(newline - data) + 1 : 0;

	if (scratch_root[0] == '\0')
		begin();
	if (size >= SETTINGS_MAX)
		return 0;
	check_any(data, size);
	check_written((struct span){ (const char *)data + head, size - head });
	return 0;
}
