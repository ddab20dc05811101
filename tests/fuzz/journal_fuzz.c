/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as the journal of a killed jankd: only the settings that a journal may name are
 * written, and the journal is removed when all is restored, and otherwise not changed.
 *
 * If the first line ends in THIS-BOOT, that word is replaced by the machine's boot id. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/ids.h"
#include "daemon/trace/settings.h"
#include "tests/fuzz/target.h"
#include "tests/unit/fake_tracefs.h"

#define HEAD "jankd-journal 1 "

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
	if (folder_open(&folder, scratch_path("out")) != 0)
		abort();
	atexit(end);
}

/* Checks that the files that no journal may change are unchanged, and that the others have possible
 * values. */
static void check_state(void)
{
	static const char *const names[] = {
		"per_cpu/cpu0/buffer_size_kb", "saved_cmdlines_size", "trace_options",
		"per_cpu/cpu1/buffer_size_kb", "buffer_size_kb",      "trace_clock",
		"instances/kept/trace_clock",  "buffer_percent",      "tracing_on",
		"instances/kept/tracing_on",   "current_tracer",      "set_event",
	};
	char path[256];

	if (strcmp(scratch_get("outside/trace_clock"), "untouched\n") != 0 ||
	    scratch_has("outside/tracing_on"))
		wrong("something outside of tracefs was written");
	if (scratch_get("tr/trace_marker")[0] || scratch_get("tr/trace")[0] ||
	    strcmp(scratch_get("tr/options/overwrite"), "1\n") != 0 ||
	    strcmp(scratch_get("tr/tracing_cpumask"), "3\n") != 0)
		wrong("a file was written that no journal may change");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "tr/%s", names[i]);
		note(scratch_get(path), strlen(scratch_get(path)));
		for (const char *c = scratch_get(path); *c; c++)
			if (*c != '\n' && ((unsigned char)*c < ' ' || *c > '~'))
				wrong("a value is not a word");
	}
}

static void put_journal(const uint8_t *data, size_t size)
{
	static const char this_boot[] = HEAD "THIS-BOOT\n";
	static char text[SETTINGS_MAX + 96];
	size_t len = 0;

	if (size >= strlen(this_boot) && memcmp(data, this_boot, strlen(this_boot)) == 0) {
		char id[BOOT_ID_SIZE];

		boot_id_read(id);
		len = (size_t)sprintf(text, HEAD "%s\n", id);
		data += strlen(this_boot);
		size -= strlen(this_boot);
	}
	memcpy(text + len, data, size);
	if (folder_write_journal(&folder, text, len + size) != 0)
		abort();
}

/* Reads the journal from the disk. Returns its size; SIZE_MAX: there is none. */
static size_t journal_bytes(char *bytes, size_t size)
{
	int fd = folder_open_journal(&folder, &(struct stat){ 0 });
	ssize_t n;

	if (fd < 0)
		return SIZE_MAX;
	n = read(fd, bytes, size);
	close(fd);
	if (n < 0)
		abort();
	return (size_t)n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char before[2 * SETTINGS_MAX], after[2 * SETTINGS_MAX];
	struct settings_kept kept = { .n = 0 };
	struct settings settings = { 0 };
	size_t n_before, n_after;

	if (scratch_root[0] == '\0')
		begin();
	if (size >= SETTINGS_MAX)
		return 0;
	/* An instance that can be removed, and one with files in it. */
	fake_tracefs_make();
	scratch_put("tr/set_event", "sched:sched_switch\nsched:sched_waking\n");
	scratch_mkdir("tr/instances/ours");
	scratch_mkdir("tr/instances/kept");
	scratch_put("tr/instances/kept/trace_clock", "local [mono]\n");
	scratch_put("tr/instances/kept/tracing_on", "0\n");
	put_journal(data, size);
	n_before = journal_bytes(before, sizeof(before));
	switch (journal_recover(&folder, tracefs, &kept, &settings)) {
	case JOURNAL_NONE:
	case JOURNAL_DONE:
		if (folder_has_journal(&folder) || settings.n_failed > 0)
			wrong("a journal that is done is still there");
		break;
	default:
		n_after = journal_bytes(after, sizeof(after));
		if (n_after != n_before || memcmp(before, after, n_after) != 0)
			wrong("a journal that is not done has changed");
		if (settings.n_failed == 0 || settings.error >= 0)
			wrong("it failed, and no line says so");
	}
	if (!memchr(kept.text, '\0', sizeof(kept.text)))
		wrong("a text without an end");
	check_state();
	settings_free(&settings);
	return 0;
}
