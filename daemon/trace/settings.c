/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/trace/settings.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/android/android.h"
#include "daemon/base/child.h"
#include "daemon/base/report.h"
#include "daemon/base/text.h"
#include "daemon/trace/setting_file.h"
#include "daemon/trace/trace_files.h"
#include "parser/span.h"
#include "rules/language/surface.h"

/* Most apps that atrace names in properties. */
#define APPS_MAX 16

/* Files with one value each, in the order in which they are written. current_tracer comes first: a
 * tracer has options of its own. A new clock or size empties the buffer, so tracing_on comes last,
 * also after what else a place has.
 */
#define SIZE "buffer_size_kb"

static const struct {
	const char *name;
	bool always; /* jankd may change it; if false, only atrace does */
} files[] = {
	{ "current_tracer", false },	  { "trace_clock", true },    { SIZE, true },
	{ "saved_cmdlines_size", false }, { "buffer_percent", true }, { "tracing_on", true },
};

#define FILES (sizeof(files) / sizeof(files[0]))

/* The properties that atrace sets begin with it. */
#define PROPERTIES "debug.atrace."

/* --- reading --- */

static struct span first_word(struct span line)
{
	const char *blank = line.len ? memchr(line.ptr, ' ', line.len) : NULL;

	return blank ? (struct span){ line.ptr, (size_t)(blank - line.ptr) } : line;
}

static struct span after_first_word(struct span line)
{
	return span_skip(line, first_word(line).len + 1);
}

/* Returns true if the first word of @line is @key. */
static bool is(struct span line, const char *key)
{
	return span_equal(first_word(line), span_of(key));
}

static bool is_place(struct span line)
{
	return is(line, "place") || is(line, "made");
}

/* Without what says that an option or event is off: "overwrite" of "nooverwrite", "a:b" of "!a:b".
 */
static struct span without(const char *prefix, struct span name)
{
	return span_starts_with(name, span_of(prefix)) ? span_skip(name, strlen(prefix)) : name;
}

/* The same for all lines about one setting of a place, whatever its value. */
static uint64_t hash_of(struct span line)
{
	struct span rest = after_first_word(line);

	if (is(line, "option"))
		rest = without("no", rest);
	else if (is(line, "event"))
		rest = without("!", rest);
	else if (is(line, "property"))
		rest = first_word(rest);
	else if (!is_place(line))
		rest = SPAN_NULL;
	return name_hash(first_word(line)) * 31 + name_hash(rest);
}

/* A line about the setting. There is none if a list that was read again does not have it. */
static struct span any_line(const struct setting *setting)
{
	for (int which = 0; which < SETTINGS_TEXTS; which++)
		if (setting->lines[which])
			return span_of(setting->lines[which]);
	return SPAN_NULL;
}

/* The setting of @line: a place, or in the current place. NULL: there is none. Lines mostly come in
 * the order in which they came before. */
static struct setting *find(struct settings *settings, struct span line)
{
	const uint64_t hash = hash_of(line);
	bool anywhere = is_place(line);

	for (size_t i = 0; i < settings->n; i++) {
		size_t at = settings->next + i;
		struct setting *setting = &settings->list[at < settings->n ? at : at - settings->n];

		if (setting->hash != hash || (setting->place != settings->place && !anywhere))
			continue;
		settings->next = (size_t)(setting - settings->list) + 1;
		return setting;
	}
	return NULL;
}

/* Space is made for as many settings at once. */
#define STEP 256

void settings_put(struct settings *settings, enum settings_text which, struct span line)
{
	size_t at = settings->n, n = at + STEP - at % STEP;
	struct setting *setting, *list;
	char *copy;

	/* Only a hostile journal has that many. */
	if (settings->incomplete && settings->n >= SETTINGS_MOST)
		return;
	setting = find(settings, line);
	copy = strndup(line.ptr, line.len);
	if (setting)
		settings->place = setting->place;
	else if (is_place(line))
		settings->place = ++settings->places;

	/* A new one is added at the end of the current place. */
	list = !setting && copy && at < SETTINGS_MOST ? realloc(settings->list, n * sizeof(*list))
						      : NULL;
	if (list) {
		settings->list = list;
		while (at > 0 && list[at - 1].place > settings->place)
			at--;
		setting = &list[at];
		memmove(setting + 1, setting, (settings->n++ - at) * sizeof(*list));
		*setting = (struct setting){ .hash = hash_of(line), .place = settings->place };
		settings->next = at + 1;
	}
	if (!setting || !copy) {
		free(copy);
		settings->incomplete = true;
		return;
	}
	free(setting->lines[which]);
	setting->lines[which] = copy;
}

/* Leaves out a line that is longer than any line of the kernel. */
static __attribute__((format(printf, 3, 4))) void put(struct settings *settings,
						      enum settings_text which, const char *format,
						      ...)
{
	char line[SETTINGS_LINE_MAX];
	va_list arguments;
	int n;

	va_start(arguments, format);
	n = vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	if (n > 0 && (size_t)n < sizeof(line))
		settings_put(settings, which, span_of(line));
}

void settings_parse(struct settings *settings, enum settings_text which, struct span text,
		    const char *prefix)
{
	const char *end;

	settings->place = 0;
	while (text.len > 0 && (end = memchr(text.ptr, '\n', text.len))) {
		struct span line = { text.ptr, (size_t)(end - text.ptr) };

		text = span_skip(text, line.len + 1);
		if (span_starts_with(line, span_of(prefix)))
			settings_put(settings, which, span_skip(line, strlen(prefix)));
	}
}

/* Forgets a text, and the settings that only it has. */
static void forget(struct settings *settings, enum settings_text which)
{
	size_t n = 0;

	for (size_t i = 0; i < settings->n; i++) {
		struct setting *setting = &settings->list[i];
		bool is_known = false;

		free(setting->lines[which]);
		setting->lines[which] = NULL;
		for (int other = 0; other < SETTINGS_TEXTS; other++)
			is_known |= setting->lines[other] != NULL;
		if (is_known)
			settings->list[n++] = *setting;
	}
	settings->n = n;
	settings->place = settings->next = 0;
	settings->incomplete = false;
}

void settings_free(struct settings *settings)
{
	for (int which = 0; which < SETTINGS_TEXTS; which++)
		forget(settings, (enum settings_text)which);
	free(settings->list);
	*settings = (struct settings){ .list = NULL };
}

/* Remembers an error that is not the setting's own: it may be changed soon, all the same. */
static void note_read(struct settings *settings, int error)
{
	if (error == -EIO || error == -EMFILE || error == -ENFILE || error == -ENOMEM)
		settings->error = error;
}

/* Reads options and events, if they can be read. */
static void read_lists(struct settings *settings, enum settings_text which, const char *directory)
{
	static const char *const lists[][2] = { { "trace_options", "option" },
						{ "set_event", "event" } };

	for (size_t i = 0; i < 2; i++) {
		char *text = setting_read_all(directory, lists[i][0]), *rest = text, *line;

		if (!text)
			note_read(settings, -errno);
		else if (i == 1)
			put(settings, which, "events");
		while ((line = strsep(&rest, "\n")))
			if (*line)
				put(settings, which, "%s %s", lists[i][1], line);
		free(text);
	}
}

/* Events that a list does not have are off, and get a line that says so. */
static void put_events_off(struct settings *settings, enum settings_text which)
{
	bool is_known = false;

	for (size_t i = 0; i < settings->n; i++) {
		struct setting *setting = &settings->list[i];
		struct span line = any_line(setting);

		if (is_place(line) || is(line, "events"))
			is_known = !is_place(line) && setting->lines[which];
		if (!is(line, "event") || !is_known || setting->lines[which])
			continue;
		line = without("!", after_first_word(line));
		if (asprintf(&setting->lines[which], "event !%.*s", (int)line.len, line.ptr) < 0)
			setting->lines[which] = NULL;
	}
}

void settings_read_place(struct settings *settings, enum settings_text which, const char *tracefs,
			 struct span instance, bool all)
{
	char directory[PATH_MAX];
	struct stat info;

	if (!setting_place(directory, tracefs, instance))
		return;
	if (instance.len > 0 && stat(directory, &info) < 0) {
		if (errno == ENOENT)
			put(settings, which, "made %.*s", (int)instance.len, instance.ptr);
		else
			note_read(settings, -errno);
		return;
	}
	put(settings, which, "place%s%.*s", instance.len > 0 ? " " : "", (int)instance.len,
	    instance.ptr);
	for (size_t i = 0; i < FILES; i++) {
		char value[SETTING_SIZE], sizes[SETTINGS_LINE_MAX] = "", name[64];

		if (i == FILES - 1 && all)
			read_lists(settings, which, directory);
		if (!all && !files[i].always)
			continue;
		note_read(settings, setting_read(directory, files[i].name, value));
		if (strcmp(files[i].name, SIZE) != 0 || value[0] != 'X') {
			if (value[0])
				put(settings, which, "%s %s", files[i].name, value);
			continue;
		}
		/* Different sizes of CPUs are one value: "1408,64". */
		for (unsigned int cpu = 0; cpu < trace_cpus(); cpu++) {
			snprintf(name, sizeof(name), "per_cpu/cpu%u/" SIZE, cpu);
			note_read(settings, setting_read(directory, name, value));
			text_append(sizes, sizeof(sizes), "%s%s", cpu > 0 ? "," : "", value);
		}
		put(settings, which, SIZE " %s", sizes);
	}
}

static void read_property(struct settings *settings, enum settings_text which,
			  struct property_budget *budget, const char *name)
{
	char value[SETTING_SIZE];

	if (android_getprop(budget, name, value, sizeof(value)))
		put(settings, which, "property %s %s", name, value);
}

void settings_read_atrace(struct settings *settings, struct property_budget *budget)
{
	static const char *const names[] = { "user_initiated", "app_number", "tags.enableflags" };
	char name[64], value[SETTING_SIZE];
	unsigned long apps = 0;

	settings->place = 0;
	put(settings, SETTINGS_BEFORE, "atrace");
	/* The names of apps come before their number and the tags: a change of those makes all apps
	 * read the properties. */
	if (android_getprop(budget, PROPERTIES "app_number", value, sizeof(value)))
		apps = strtoul(value, NULL, 10);
	for (unsigned long i = 0; i < apps && i < APPS_MAX; i++) {
		snprintf(name, sizeof(name), PROPERTIES "app_%lu", i);
		read_property(settings, SETTINGS_BEFORE, budget, name);
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(name, sizeof(name), PROPERTIES "%s", names[i]);
		read_property(settings, SETTINGS_BEFORE, budget, name);
	}
}

/* --- restoring --- */

struct restoring {
	const char *tracefs;
	char directory[PATH_MAX]; /* of the place; "": no place, or it does not exist */
	bool has_lists;		  /* options and events of the place were read again */
	struct property_budget budget;
};

/* Returns false if @text is not a word as the kernel uses it. Only such words are written to files.
 * @is_property: the value of one may be any printable text, such as "com.a*,com.b". But "-x" would
 * be an option of setprop. */
static bool copy_word(char word[static SETTING_SIZE], struct span text, bool is_property)
{
	static const char more[] = "_:.-!";

	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];
		bool is_word = is_letter(c) || is_digit(c) || (c && strchr(more, c));

		if (is_property ? c < ' ' || c > '~' : !is_word)
			return false;
	}
	if (text.len >= SETTING_SIZE ||
	    (is_property ? text.len > 0 && text.ptr[0] == '-' : text.len == 0))
		return false;
	memcpy(word, text.ptr, text.len);
	word[text.len] = '\0';
	return true;
}

static int restore_file(struct restoring *r, const char *name, struct span value)
{
	char word[SETTING_SIZE], now[SETTING_SIZE];
	int error;

	if (!copy_word(word, value, false))
		return 0;
	error = setting_read(r->directory, name, now);
	if (error == 0 && strcmp(now, word) != 0)
		error = setting_write(r->directory, name, word);
	return error == -ENOENT ? 0 : error;
}

/* Sets @name to that of a property of atrace. Returns false if it is none. */
static bool copy_property_name(char name[static SETTING_SIZE], struct span property)
{
	return span_starts_with(property, SPAN_LITERAL(PROPERTIES)) &&
	       first_word(property).len < property.len &&
	       copy_word(name, first_word(property), false);
}

/* A setting that does not exist any more is left out, and so are those of such an instance. */
static int restore_setting(struct restoring *r, const struct setting *setting)
{
	struct span line = span_of(setting->lines[SETTINGS_BEFORE]);
	struct span value = after_first_word(line);
	const char *now = setting->lines[SETTINGS_NOW];
	char directory[PATH_MAX], name[SETTING_SIZE], word[SETTING_SIZE], current[SETTING_SIZE];
	bool is_option = is(line, "option"), was_over = r->budget.is_over;
	struct stat info;
	int error = 0;

	if (is(line, "place")) {
		r->has_lists = false;
		if (!setting_place(r->directory, r->tracefs, value) ||
		    (stat(r->directory, &info) < 0 && errno == ENOENT))
			r->directory[0] = '\0';
		return 0;
	}
	if (is(line, "made")) {
		r->directory[0] = '\0';
		if (value.len > 0 && setting_place(directory, r->tracefs, value) &&
		    rmdir(directory) < 0 && errno != ENOENT)
			return -errno;
		return 0;
	}
	if (is(line, "property")) {
		if (copy_property_name(name, value) &&
		    copy_word(word, after_first_word(value), true) &&
		    android_getprop(&r->budget, name, current, sizeof(current)) &&
		    strcmp(current, word) != 0)
			return android_setprop(&r->budget, name, word);
		if (r->budget.is_over && !was_over)
			report_warning("getprop: no answer; the tags of apps (debug.atrace.*) are "
				       "not restored; if another program had enabled some, enable "
				       "them again");
		return 0;
	}
	if (!r->directory[0])
		return 0;
	if (is_option || is(line, "event")) {
		if (!now || span_equal(line, span_of(now)) || !copy_word(word, value, false))
			return 0;
		return setting_write(r->directory, is_option ? "trace_options" : "set_event", word);
	}
	if (is(line, SIZE) && memchr(value.ptr, ',', value.len)) {
		for (unsigned int cpu = 0; value.len > 0 && cpu < TRACE_CPUS_MAX; cpu++) {
			const char *comma = memchr(value.ptr, ',', value.len);
			size_t len = comma ? (size_t)(comma - value.ptr) : value.len;
			int of_cpu;

			snprintf(name, sizeof(name), "per_cpu/cpu%u/" SIZE, cpu);
			of_cpu = restore_file(r, name, (struct span){ value.ptr, len });
			error = of_cpu < 0 ? of_cpu : error;
			value = span_skip(value, len + 1);
		}
		return error;
	}
	/* "X" is of no CPU. */
	if (is(line, SIZE) && value.len > 0 && !is_digit(value.ptr[0]))
		return 0;
	for (size_t i = 0; i < FILES; i++)
		if (is(line, files[i].name))
			return restore_file(r, files[i].name, value);
	return 0;
}

void settings_restore(struct settings *settings, const char *tracefs,
		      const struct settings_ending *ending)
{
	struct restoring r = { .tracefs = tracefs };
	bool gone, has_space = true, has_others = false;
	char path[PATH_MAX];

	/* If tracefs was unmounted, an instance that cannot be found may still exist. */
	snprintf(path, sizeof(path), "%s/trace_pipe", tracefs);
	gone = access(path, F_OK) < 0 && errno == ENOENT;
	r.budget.is_over = true;
	for (size_t i = 0; i < settings->n; i++) {
		struct setting *setting = &settings->list[i];
		struct span line = any_line(setting);
		int error = -ENOENT;
		bool is_made;

		/* Options and events are read again when the tracer of their place is restored: it
		 * has options of its own. Those that are on now, and were not known, are added at
		 * the end of the place. */
		if (!r.has_lists && r.directory[0] && (is(line, "option") || is(line, "events"))) {
			r.has_lists = true;
			settings->place = setting->place;
			for (size_t j = i; j < settings->n; j++) {
				if (settings->list[j].place != settings->place)
					break;
				free(settings->list[j].lines[SETTINGS_NOW]);
				settings->list[j].lines[SETTINGS_NOW] = NULL;
			}
			read_lists(settings, SETTINGS_NOW, r.directory);
			put_events_off(settings, SETTINGS_NOW);
			put_events_off(settings, SETTINGS_BEFORE);
			setting = &settings->list[i];
		}
		line = span_of(setting->lines[SETTINGS_BEFORE]);
		if (line.len == 0 || (ending->only_instances && !is(line, "made")))
			continue;
		if (span_equal(line, SPAN_LITERAL("atrace"))) {
			if (ending->until_signal)
				child_discard_signals();
			if (child_program_exists("atrace"))
				atrace_stop(ending->atrace_ms, ending->until_signal, ending->quiet);
			if (ending->until_signal)
				child_discard_signals();
			r.budget = property_budget_begin(ending->until_signal);
			continue;
		}
		if (!gone || is(line, "property"))
			error = restore_setting(&r, setting);
		if (error == 0)
			continue;
		setting->has_failed = true;
		settings->error = error;
		is_made = is(line, "made");
		has_others |= !is_made;
		line = is_made ? after_first_word(line) : line;
		has_space = has_space &&
			    text_append(settings->failed, sizeof(settings->failed), "%s%s%.*s",
					settings->n_failed > 0 ? ", " : "",
					is_made ? "instance " : "", (int)line.len, line.ptr);
		settings->n_failed++;
	}
	settings->only_instances_failed =
		!has_others && (settings->error == -EBUSY || settings->error == -ENOTEMPTY);
}

/* --- reading again --- */

/* Most places of a capture. */
#define PLACES_MAX 2

void settings_read_again(struct settings *settings, enum settings_text which, const char *tracefs,
			 struct property_budget *budget)
{
	unsigned int places = 0;
	bool all = false;

	forget(settings, which);
	/* What is new in a place follows its line, and has no line of before. */
	for (size_t i = 0; i < settings->n; i++) {
		struct span line = span_of(settings->list[i].lines[SETTINGS_BEFORE]);
		struct span value = after_first_word(line);
		char name[SETTING_SIZE];

		settings->place = settings->list[i].place;
		if (is(line, "atrace"))
			all = true;
		else if (is(line, "property") && copy_property_name(name, value))
			read_property(settings, which, budget, name);
		if (is(line, "place") && value.len <= NAME_MAX && places++ < PLACES_MAX)
			settings_read_place(settings, which, tracefs, value, all);
	}
}

/* --- what other programs have changed --- */

void settings_aim(struct settings *settings, struct settings_kept *kept)
{
	for (int which = 0; which < SETTINGS_TEXTS; which++)
		put_events_off(settings, (enum settings_text)which);
	for (size_t i = 0; i < settings->n && !settings->incomplete; i++) {
		char **lines = settings->list[i].lines;
		size_t len = strlen(kept->text);

		if (!lines[SETTINGS_BEFORE] || !lines[SETTINGS_OURS] || !lines[SETTINGS_NOW] ||
		    strcmp(lines[SETTINGS_NOW], lines[SETTINGS_OURS]) == 0 ||
		    strcmp(lines[SETTINGS_NOW], lines[SETTINGS_BEFORE]) == 0)
			continue;
		free(lines[SETTINGS_BEFORE]);
		lines[SETTINGS_BEFORE] = lines[SETTINGS_NOW];
		lines[SETTINGS_NOW] = NULL;
		kept->more += !text_append(kept->text, sizeof(kept->text) - strlen(" ..."), "%s%s",
					   kept->n++ > 0 ? ", " : "", lines[SETTINGS_BEFORE]);
		/* Other programs can set any value. */
		for (char *c = kept->text + len; *c; c++)
			if (*c < ' ' || *c > '~')
				*c = '?';
	}
	if (kept->more > 0)
		text_append(kept->text, sizeof(kept->text), " ...");
}

void settings_find_changes(struct settings *settings, const char *tracefs,
			   struct property_budget *budget, struct settings_kept *kept)
{
	settings_read_again(settings, SETTINGS_NOW, tracefs, budget);
	settings_aim(settings, kept);
}

/* As if jankd had left it as it was: any other value is another program's. */
static void disown(struct setting *setting)
{
	const char *before = setting->lines[SETTINGS_BEFORE];

	free(setting->lines[SETTINGS_OURS]);
	setting->lines[SETTINGS_OURS] = before ? strdup(before) : NULL;
}

void settings_disown(struct settings *settings, const char *instance, const char *name)
{
	char place[NAME_MAX + 8];
	struct setting *setting;

	snprintf(place, sizeof(place), "place%s%s", instance ? " " : "", instance ? instance : "");
	setting = find(settings, span_of(place));
	if (!setting)
		return;
	settings->place = setting->place;
	setting = find(settings, span_of(name));
	if (setting)
		disown(setting);
}

/* atrace may have set the rest. The kernel rounds sizes up. */
void settings_disown_all_but_atraces(struct settings *settings, uint64_t buffer_kb)
{
	static const char *const options[] = { "overwrite", "print-tgid", "record-tgid",
					       "context-info", "irq-info" };

	for (size_t i = 0; i < settings->n; i++) {
		struct setting *setting = &settings->list[i];
		struct span line = span_of(setting->lines[SETTINGS_OURS]);
		struct span value = after_first_word(line);
		bool is_atraces = !is(line, "option") && !is(line, "buffer_percent");

		for (size_t j = 0; j < sizeof(options) / sizeof(options[0]); j++)
			is_atraces |= is(line, "option") &&
				      span_equal(without("no", value), span_of(options[j]));
		if (is(line, "current_tracer"))
			is_atraces = span_equal(value, SPAN_LITERAL("nop"));
		if (is(line, SIZE)) {
			uint64_t size_kb = strtoull(value.ptr, NULL, 10);

			is_atraces = size_kb >= buffer_kb && size_kb < buffer_kb + 64;
		}
		if (line.len > 0 && !is_atraces)
			disown(setting);
	}
}
