/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/trace/settings.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/android/android.h"
#include "daemon/base/child.h"
#include "daemon/base/text.h"
#include "daemon/trace/setting_file.h"
#include "parser/chars.h"
#include "rules/language/surface.h"

/* Most CPUs of Linux. */
#define CPUS_MAX 8192

/* Most apps that atrace names in properties. */
#define APPS_MAX 16

/* Files with one value each, in the order in which they are written. current_tracer comes first: a
 * tracer has options of its own. A new clock or size empties the buffer, so tracing_on comes last,
 * also after what else a place has.
 */
static const struct {
	const char *name;
	bool always; /* jankd may change it; if false, only atrace does */
} files[] = {
	{ "current_tracer", false },	  { "trace_clock", true },    { "buffer_size_kb", true },
	{ "saved_cmdlines_size", false }, { "buffer_percent", true }, { "tracing_on", true },
};

#define FILES (sizeof(files) / sizeof(files[0]))

static const char app_number[] = "debug.atrace.app_number";

static const char *const properties[] = {
	"debug.atrace.user_initiated",
	app_number,
	"debug.atrace.tags.enableflags",
};

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

/* "overwrite" of "nooverwrite". */
static struct span option_name(struct span option)
{
	struct span no = SPAN_LITERAL("no");

	return span_starts_with(option, no) ? span_skip(option, no.len) : option;
}

/* The same for all lines about one setting of a place, whatever its value. */
static uint64_t hash_of(struct span line)
{
	struct span rest = after_first_word(line);

	if (is(line, "option"))
		rest = option_name(rest);
	else if (is(line, "property") || is(line, "cpu"))
		rest = first_word(rest);
	else if (!is(line, "event") && !is_place(line))
		rest = SPAN_NULL;
	return name_hash(first_word(line)) * 31 + name_hash(rest);
}

/* A line about the setting. */
static struct span any_line(const struct setting *setting)
{
	int which = 0;

	while (!setting->lines[which])
		which++;
	return span_of(setting->lines[which]);
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

/* Adds a setting at the end of the current place. Returns NULL if there is no space. */
static struct setting *insert(struct settings *settings, uint64_t hash)
{
	size_t at = settings->n;
	struct setting *list;

	if (settings->n == settings->capacity) {
		settings->capacity = settings->n ? 2 * settings->n : 64;
		list = settings->n < SETTINGS_MOST
			       ? realloc(settings->list, settings->capacity * sizeof(*list))
			       : NULL;
		if (!list) {
			settings->capacity = settings->n;
			return NULL;
		}
		settings->list = list;
	}
	while (at > 0 && settings->list[at - 1].place > settings->place)
		at--;
	memmove(&settings->list[at + 1], &settings->list[at], (settings->n++ - at) * sizeof(*list));
	settings->list[at] = (struct setting){ .hash = hash, .place = settings->place };
	settings->next = at + 1;
	return &settings->list[at];
}

void settings_put(struct settings *settings, enum settings_text which, struct span line)
{
	struct setting *setting;
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
	if (!setting && copy)
		setting = insert(settings, hash_of(line));
	if (!setting || !copy) {
		free(copy);
		settings->incomplete = true;
		return;
	}
	free(setting->lines[which]);
	setting->lines[which] = copy;
}

static void put(struct settings *settings, enum settings_text which, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Leaves out a line that is longer than any line of the kernel. */
static void put(struct settings *settings, enum settings_text which, const char *format, ...)
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
		setting->aim = NULL;
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

static void read_file(struct settings *settings, enum settings_text which, const char *directory,
		      const char *name)
{
	char value[SETTING_SIZE];
	int error = setting_read(directory, name, value);

	note_read(settings, error);
	if (error == 0 && value[0])
		put(settings, which, "%s %s", name, value);
}

/* Reads the sizes of CPUs if they differ. Otherwise buffer_size_kb of the place has the size. */
static void read_cpus(struct settings *settings, enum settings_text which, const char *directory)
{
	char name[64], value[SETTING_SIZE];
	int error = setting_read(directory, "buffer_size_kb", value);

	note_read(settings, error);
	if (error < 0 || strcmp(value, "X") != 0)
		return;
	for (unsigned int cpu = 0; cpu < CPUS_MAX; cpu++) {
		snprintf(name, sizeof(name), "per_cpu/cpu%u/buffer_size_kb", cpu);
		error = setting_read(directory, name, value);
		note_read(settings, error);
		if (error == 0)
			put(settings, which, "cpu %u %s", cpu, value);
	}
}

/* Adds each line of a file after @key, if it can be read, and before them @head. */
static void read_list(struct settings *settings, enum settings_text which, const char *directory,
		      const char *name, const char *head, const char *key)
{
	char *text = setting_read_all(directory, name), *rest = text, *line;

	if (!text)
		note_read(settings, -errno);
	else if (head)
		put(settings, which, "%s", head);
	while ((line = strsep(&rest, "\n")))
		if (*line)
			put(settings, which, "%s %s", key, line);
	free(text);
}

/* Reads options and events. */
static void read_lists(struct settings *settings, enum settings_text which, const char *directory)
{
	read_list(settings, which, directory, "trace_options", NULL, "option");
	read_list(settings, which, directory, "set_event", "events", "event");
}

void settings_read_place(struct settings *settings, enum settings_text which, const char *tracefs,
			 const char *instance, bool all)
{
	char directory[PATH_MAX];
	struct stat info;

	if (!setting_place(directory, tracefs, span_of(instance)))
		return;
	if (instance && stat(directory, &info) < 0) {
		if (errno == ENOENT)
			put(settings, which, "made %s", instance);
		else
			note_read(settings, -errno);
		return;
	}
	if (instance)
		put(settings, which, "place %s", instance);
	else
		put(settings, which, "place");
	for (size_t i = 0; i < FILES - 1; i++)
		if (all || files[i].always)
			read_file(settings, which, directory, files[i].name);
	read_cpus(settings, which, directory);
	if (all)
		read_lists(settings, which, directory);
	read_file(settings, which, directory, files[FILES - 1].name);
}

static void read_property(struct settings *settings, enum settings_text which,
			  struct property_budget *budget, const char *name)
{
	char value[SETTING_SIZE];

	if (android_getprop(budget, name, value, sizeof(value)))
		put(settings, which, "property %s %s", name, value);
}

/* Reads the names of apps. They come before their number and the tags: a change of those makes all
 * apps read the properties. */
static void read_apps(struct settings *settings, struct property_budget *budget)
{
	char name[64], value[SETTING_SIZE];
	unsigned long apps;

	if (!android_getprop(budget, app_number, value, sizeof(value)))
		return;
	apps = strtoul(value, NULL, 10);
	for (unsigned long i = 0; i < apps && i < APPS_MAX; i++) {
		snprintf(name, sizeof(name), "debug.atrace.app_%lu", i);
		read_property(settings, SETTINGS_BEFORE, budget, name);
	}
}

void settings_read_atrace(struct settings *settings, struct property_budget *budget)
{
	settings->place = 0;
	put(settings, SETTINGS_BEFORE, "atrace");
	read_apps(settings, budget);
	for (size_t i = 0; i < sizeof(properties) / sizeof(properties[0]); i++)
		read_property(settings, SETTINGS_BEFORE, budget, properties[i]);
}

/* --- restoring --- */

struct restoring {
	const char *tracefs;
	char directory[PATH_MAX]; /* of the place; "": no place, or it does not exist */
	struct settings *settings;
	bool has_lists;	 /* options and events of the place were read again */
	bool has_events; /* those of before and of now are known */
	const struct settings_ending *ending;
	struct property_budget budget;
	int error; /* of the current setting, or of a part of it; 0: none */
};

static void note(struct restoring *r, int error)
{
	if (error < 0)
		r->error = error;
}

/* Returns false if @text is not a word as the kernel uses it. Only such words are written to files.
 */
static bool copy_word(char word[static SETTING_SIZE], struct span text)
{
	static const char more[] = "_:.-";

	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];

		if (!(is_letter(c) || is_digit(c) || (c && strchr(more, c))))
			return false;
	}
	if (text.len == 0 || text.len >= SETTING_SIZE)
		return false;
	memcpy(word, text.ptr, text.len);
	word[text.len] = '\0';
	return true;
}

static void enter_place(struct restoring *r, struct span instance)
{
	struct stat info;

	r->has_lists = r->has_events = false;
	/* The settings of an instance are removed with it. */
	if (!setting_place(r->directory, r->tracefs, instance) ||
	    (stat(r->directory, &info) < 0 && errno == ENOENT))
		r->directory[0] = '\0';
}

static void remove_instance(struct restoring *r, struct span instance)
{
	char directory[PATH_MAX];

	r->directory[0] = '\0';
	r->has_events = false;
	if (instance.len == 0 || !setting_place(directory, r->tracefs, instance))
		return;
	if (rmdir(directory) < 0 && errno != ENOENT)
		note(r, -errno);
}

static void restore_file(struct restoring *r, const char *name, struct span value)
{
	char word[SETTING_SIZE], now[SETTING_SIZE];
	int error;

	if (!r->directory[0] || !copy_word(word, value) || strcmp(word, "X") == 0)
		return;
	error = setting_read(r->directory, name, now);
	if (error == 0 && strcmp(now, word) != 0)
		error = setting_write(r->directory, name, word);
	if (error != -ENOENT)
		note(r, error);
}

static void restore_cpu(struct restoring *r, struct span cpu_and_size)
{
	char word[SETTING_SIZE], name[64];
	unsigned long cpu;
	char *end;

	if (!copy_word(word, first_word(cpu_and_size)))
		return;
	cpu = strtoul(word, &end, 10);
	if (*end || cpu >= CPUS_MAX)
		return;
	snprintf(name, sizeof(name), "per_cpu/cpu%lu/buffer_size_kb", cpu);
	restore_file(r, name, after_first_word(cpu_and_size));
}

/* Writes the option if its current value is the opposite: "x" for "nox". */
static void restore_option(struct restoring *r, const struct setting *setting, struct span option)
{
	const char *now = setting->lines[SETTINGS_LAST];
	char word[SETTING_SIZE];

	if (now && strcmp(now, setting->aim) != 0 && copy_word(word, option))
		note(r, setting_write(r->directory, "trace_options", word));
}

/* One that is neither in the list of before nor in the one of now is off. */
static void restore_event(struct restoring *r, const struct setting *setting, struct span event)
{
	bool is_on = setting->lines[SETTINGS_LAST] != NULL, has_to_be = setting->aim != NULL;
	char word[SETTING_SIZE + 1] = "!";

	if (r->has_events && is_on != has_to_be && copy_word(word + !has_to_be, event))
		note(r, setting_write(r->directory, "set_event", word));
}

static void stop_atrace(struct restoring *r)
{
	if (r->ending->until_signal)
		child_discard_signals();
	if (child_program_exists("atrace"))
		atrace_stop(r->ending->atrace_ms, r->ending->until_signal, r->ending->quiet);
	if (r->ending->until_signal)
		child_discard_signals();
	r->budget = property_budget_begin(r->ending->until_signal);
}

/* Sets @name to that of the property of atrace that @property begins with, before a blank. */
static bool copy_property_name(char name[static SETTING_SIZE], struct span property)
{
	struct span word = first_word(property);
	char app[64];

	if (word.len == property.len || !copy_word(name, word))
		return false;
	for (size_t i = 0; i < sizeof(properties) / sizeof(properties[0]); i++)
		if (strcmp(properties[i], name) == 0)
			return true;
	for (int i = 0; i < APPS_MAX; i++) {
		snprintf(app, sizeof(app), "debug.atrace.app_%d", i);
		if (strcmp(app, name) == 0)
			return true;
	}
	return false;
}

/* A value may be any printable text, such as "com.a*,com.b". But "-x" would be an option of
 * setprop. */
static bool copy_property_value(char word[static SETTING_SIZE], struct span text)
{
	for (size_t i = 0; i < text.len; i++)
		if (text.ptr[i] < ' ' || text.ptr[i] > '~')
			return false;
	if (text.len >= SETTING_SIZE || (text.len > 0 && text.ptr[0] == '-'))
		return false;
	memcpy(word, text.ptr, text.len);
	word[text.len] = '\0';
	return true;
}

static void restore_property(struct restoring *r, struct span name_and_value)
{
	char name[SETTING_SIZE], word[SETTING_SIZE], now[SETTING_SIZE];

	if (!copy_property_name(name, name_and_value) ||
	    !copy_property_value(word, after_first_word(name_and_value)))
		return;
	if (android_getprop(&r->budget, name, now, sizeof(now)) && strcmp(now, word) != 0)
		note(r, android_setprop(&r->budget, name, word));
}

static void restore_setting(struct restoring *r, const struct setting *setting)
{
	struct span line = any_line(setting), value = after_first_word(line);

	if (is(line, "event")) {
		restore_event(r, setting, value);
		return;
	}
	value = after_first_word(span_of(setting->aim));
	if (is(line, "place"))
		enter_place(r, value);
	else if (is(line, "made"))
		remove_instance(r, value);
	else if (is(line, "cpu"))
		restore_cpu(r, value);
	else if (is(line, "option"))
		restore_option(r, setting, value);
	else if (is(line, "events"))
		r->has_events = setting->lines[SETTINGS_LAST] != NULL;
	else if (is(line, "property"))
		restore_property(r, value);
	else
		for (size_t i = 0; i < FILES; i++)
			if (is(line, files[i].name))
				restore_file(r, files[i].name, value);
}

/* Options and events are read when the tracer is restored: it has options of its own. */
static void read_lists_if_needed(struct restoring *r, const struct setting *setting)
{
	struct span line = any_line(setting);

	if (r->has_lists || !r->directory[0] || (!is(line, "option") && !is(line, "events")))
		return;
	r->has_lists = true;
	r->settings->place = setting->place;
	read_lists(r->settings, SETTINGS_LAST, r->directory);
}

/* Returns true if tracefs was unmounted. Then an instance that cannot be found may still exist. */
static bool is_gone(const char *tracefs)
{
	static const char *const always_there[] = { "instances", "tracing_on" };
	char path[PATH_MAX];

	for (size_t i = 0; i < sizeof(always_there) / sizeof(always_there[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", tracefs, always_there[i]);
		if (access(path, F_OK) == 0 || errno != ENOENT)
			return false;
	}
	return true;
}

void settings_restore(struct settings *settings, const char *tracefs,
		      const struct settings_ending *ending)
{
	struct restoring r = { .tracefs = tracefs, .settings = settings, .ending = ending };
	bool gone = is_gone(tracefs);

	r.budget.is_over = true;
	for (size_t i = 0; i < settings->n; i++) {
		struct setting *setting;
		struct span line;

		/* Adds the events that are on now at the end of the place. */
		read_lists_if_needed(&r, &settings->list[i]);
		setting = &settings->list[i];
		line = any_line(setting);
		r.error = 0;
		if (!setting->aim && (gone || !is(line, "event")))
			continue;
		if (span_equal(line, SPAN_LITERAL("atrace")))
			stop_atrace(&r);
		else if (gone && !is(line, "property"))
			note(&r, -ENOENT);
		else
			restore_setting(&r, setting);
		if (r.error == 0)
			continue;
		setting->has_failed = true;
		settings->n_failed++;
		settings->error = r.error;
	}
}

bool settings_are_instances(const struct settings *settings)
{
	for (size_t i = 0; i < settings->n; i++)
		if (settings->list[i].has_failed && !is(any_line(&settings->list[i]), "made"))
			return false;
	return settings->error == -EBUSY || settings->error == -ENOTEMPTY;
}

void settings_format_failed(char text[static SETTINGS_TEXT_SIZE], const struct settings *settings)
{
	text[0] = '\0';
	for (size_t i = 0; i < settings->n; i++) {
		const struct setting *setting = &settings->list[i];
		struct span line = setting->aim ? span_of(setting->aim) : any_line(setting);
		bool instance = is(line, "made");
		struct span shown = instance ? after_first_word(line) : line;

		if (setting->has_failed &&
		    !text_append(text, SETTINGS_TEXT_SIZE, "%s%s%.*s", text[0] ? ", " : "",
				 instance ? "instance " : "", (int)shown.len, shown.ptr))
			break;
	}
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
		char instance[NAME_MAX + 1], name[SETTING_SIZE];

		settings->place = settings->list[i].place;
		if (is(line, "atrace"))
			all = true;
		else if (is(line, "property") && copy_property_name(name, value))
			read_property(settings, which, budget, name);
		if (!is(line, "place") || value.len > NAME_MAX || places++ == PLACES_MAX)
			continue;
		snprintf(instance, sizeof(instance), "%.*s", (int)value.len, value.ptr);
		settings_read_place(settings, which, tracefs, value.len > 0 ? instance : NULL, all);
	}
}

/* --- what other programs have changed --- */

static bool is_size(struct span line)
{
	return is(line, "buffer_size_kb") || is(line, "cpu");
}

static bool is_same(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

/* Sizes of all CPU buffers of a place are one setting, in one line or in one line for each CPU. */
static bool are_sizes_same(const struct settings *settings, unsigned int place,
			   enum settings_text a, enum settings_text b)
{
	for (size_t i = 0; i < settings->n; i++) {
		const struct setting *setting = &settings->list[i];

		if (setting->place == place && is_size(any_line(setting)) &&
		    !is_same(setting->lines[a], setting->lines[b]))
			return false;
	}
	return true;
}

/* Adds a setting to the text of those that are kept. Replaces characters that are not printable:
 * other programs can set any value. */
static void add_kept(struct settings_kept *kept, const char *what, const char *line)
{
	size_t len = strlen(kept->text);

	kept->more += !text_append(kept->text, sizeof(kept->text) - strlen(" ..."), "%s%s%s",
				   kept->n++ > 0 ? ", " : "", what, line);
	for (char *c = kept->text + len; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
}

/* Returns true if another program has set the value of now. @events: the line of the events before
 * this one, if it is an event: one that is not in a known list is off. */
static bool is_of_another(const struct settings *settings, const struct setting *setting,
			  const struct setting *events)
{
	const char *lines[SETTINGS_LAST];

	for (int which = 0; which < SETTINGS_LAST; which++) {
		lines[which] = setting->lines[which];
		if (events && events->lines[which] && !lines[which])
			lines[which] = "";
		if (!lines[which])
			return false;
	}
	if (is_size(span_of(lines[0])))
		return !are_sizes_same(settings, setting->place, SETTINGS_FOUND, SETTINGS_OURS) &&
		       !are_sizes_same(settings, setting->place, SETTINGS_FOUND, SETTINGS_BEFORE);
	return !is_same(lines[SETTINGS_FOUND], lines[SETTINGS_OURS]) &&
	       !is_same(lines[SETTINGS_FOUND], lines[SETTINGS_BEFORE]);
}

void settings_aim(struct settings *settings, struct settings_kept *kept)
{
	const struct setting *events = NULL; /* the line of the place */
	bool sizes_stay = false;	     /* those of the place */

	for (size_t i = 0; i < settings->n; i++) {
		struct setting *setting = &settings->list[i];
		struct span line = any_line(setting);
		const char *now = setting->lines[SETTINGS_FOUND];
		bool stays;

		if (is_place(line)) {
			events = NULL;
			sizes_stay = false;
		}
		if (is(line, "cpu"))
			stays = sizes_stay;
		else
			stays = !settings->incomplete &&
				is_of_another(settings, setting, is(line, "event") ? events : NULL);
		setting->aim = stays ? now : setting->lines[SETTINGS_BEFORE];
		if (is(line, "events"))
			events = setting;
		else if (is_size(line))
			sizes_stay = stays;
		if (stays && !is(line, "cpu"))
			add_kept(kept, now ? "" : "no ",
				 now ? now : setting->lines[SETTINGS_BEFORE]);
	}
	if (kept->more > 0)
		text_append(kept->text, sizeof(kept->text), " ...");
}

void settings_find_changes(struct settings *settings, const char *tracefs,
			   struct property_budget *budget, struct settings_kept *kept)
{
	settings_read_again(settings, SETTINGS_FOUND, tracefs, budget);
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

/* True: atrace may have given the setting of @line that value. */
static bool may_be_atraces(struct span line, uint64_t buffer_kb)
{
	static const char *const options[] = { "overwrite", "print-tgid", "record-tgid",
					       "context-info", "irq-info" };
	struct span value = after_first_word(line);
	uint64_t size_kb;

	if (is(line, "buffer_percent"))
		return false;
	if (is(line, "current_tracer"))
		return span_equal(value, SPAN_LITERAL("nop"));
	/* The kernel rounds up. */
	if (is_size(line)) {
		value = is(line, "cpu") ? after_first_word(value) : value;
		size_kb = value.len ? strtoull(value.ptr, NULL, 10) : 0;
		return span_equal(value, SPAN_LITERAL("X")) ||
		       (size_kb >= buffer_kb && size_kb < buffer_kb + 64);
	}
	if (!is(line, "option"))
		return true;
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (span_equal(option_name(value), span_of(options[i])))
			return true;
	return false;
}

void settings_disown_all_but_atraces(struct settings *settings, uint64_t buffer_kb)
{
	for (size_t i = 0; i < settings->n; i++) {
		struct setting *setting = &settings->list[i];
		const char *ours = setting->lines[SETTINGS_OURS];

		if (ours && !may_be_atraces(span_of(ours), buffer_kb))
			disown(setting);
	}
}
