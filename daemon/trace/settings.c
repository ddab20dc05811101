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

static void add_text(struct settings *settings, const char *added, size_t len)
{
	char *text = NULL;

	if (len == 0)
		return;
	if (settings->len + len < SETTINGS_MAX)
		text = realloc(settings->text, settings->len + len + 1);
	if (!text) {
		settings->incomplete = true;
		return;
	}
	memcpy(text + settings->len, added, len);
	settings->text = text;
	settings->len += len;
	text[settings->len] = '\0';
}

static void add(struct settings *settings, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Leaves out a line that is longer than any line of the kernel. */
static void add(struct settings *settings, const char *format, ...)
{
	char line[SETTINGS_LINE_MAX];
	va_list arguments;
	int n;

	va_start(arguments, format);
	n = vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	if (n > 0 && (size_t)n < sizeof(line))
		add_text(settings, line, (size_t)n);
}

void settings_add_line(struct settings *settings, struct span line)
{
	if (line.len > 0)
		add_text(settings, line.ptr, line.len);
	add_text(settings, "\n", 1);
}

bool settings_next_line(struct span *text, struct span *line)
{
	const char *end = text->len ? memchr(text->ptr, '\n', text->len) : NULL;

	if (!end)
		return false;
	*line = (struct span){ text->ptr, (size_t)(end - text->ptr) };
	*text = span_skip(*text, line->len + 1);
	return true;
}

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

void settings_free(struct settings *settings)
{
	free(settings->text);
	*settings = (struct settings){ .text = NULL };
}

/* Remembers an error that is not the setting's own: it may be changed soon, all the same. */
static void note_read(struct settings *settings, int error)
{
	if (error == -EIO || error == -EMFILE || error == -ENFILE || error == -ENOMEM)
		settings->error = error;
}

static void read_file(struct settings *settings, const char *directory, const char *name)
{
	char value[SETTING_SIZE];
	int error = setting_read(directory, name, value);

	note_read(settings, error);
	if (error == 0 && value[0])
		add(settings, "%s %s\n", name, value);
}

/* Reads the sizes of CPUs if they differ. Otherwise buffer_size_kb of the place has the size. */
static void read_cpus(struct settings *settings, const char *directory)
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
			add(settings, "cpu %u %s\n", cpu, value);
	}
}

/* Adds each line of a file after @key. */
static void read_lines(struct settings *settings, char *text, const char *key)
{
	char *line;

	while ((line = strsep(&text, "\n")))
		if (*line)
			add(settings, "%s %s\n", key, line);
}

/* Reads options and events. */
static void read_lists(struct settings *settings, const char *directory)
{
	char *text = setting_read_all(directory, "trace_options");

	if (text)
		read_lines(settings, text, "option");
	else
		note_read(settings, -errno);
	free(text);
	text = setting_read_all(directory, "set_event");
	if (text) {
		add(settings, "events\n");
		read_lines(settings, text, "event");
	} else {
		note_read(settings, -errno);
	}
	free(text);
}

void settings_read_place(struct settings *settings, const char *tracefs, const char *instance,
			 bool all)
{
	char directory[PATH_MAX];
	struct stat info;

	if (!setting_place(directory, tracefs, span_of(instance)))
		return;
	if (instance && stat(directory, &info) < 0) {
		if (errno == ENOENT)
			add(settings, "made %s\n", instance);
		else
			note_read(settings, -errno);
		return;
	}
	if (instance)
		add(settings, "place %s\n", instance);
	else
		add(settings, "place\n");
	for (size_t i = 0; i < FILES - 1; i++)
		if (all || files[i].always)
			read_file(settings, directory, files[i].name);
	read_cpus(settings, directory);
	if (all)
		read_lists(settings, directory);
	read_file(settings, directory, files[FILES - 1].name);
}

static void read_property(struct settings *settings, struct property_budget *budget,
			  const char *name)
{
	char value[SETTING_SIZE];

	if (android_getprop(budget, name, value, sizeof(value)))
		add(settings, "property %s %s\n", name, value);
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
		read_property(settings, budget, name);
	}
}

void settings_read_atrace(struct settings *settings, struct property_budget *budget)
{
	struct settings places = *settings;

	*settings = (struct settings){ .incomplete = places.incomplete, .error = places.error };
	add(settings, "atrace\n");
	read_apps(settings, budget);
	for (size_t i = 0; i < sizeof(properties) / sizeof(properties[0]); i++)
		read_property(settings, budget, properties[i]);
	add_text(settings, places.text, places.len);
	free(places.text);
}

/* --- restoring --- */

struct restoring {
	const char *tracefs;
	char directory[PATH_MAX]; /* of the place; "": no place, or it does not exist */
	struct span rest;	  /* of the text, after the current line */
	char *options, *events;	  /* current values; NULL: not read, or not readable */
	const struct settings_ending *ending;
	struct property_budget budget;
	int error; /* of the current line, or of a part of it; 0: none */
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

/* Returns true if @word is a line of @lines. */
static bool has_line(const char *lines, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = lines; (at = strstr(at, word)); at += len)
		if ((at == lines || at[-1] == '\n') && (at[len] == '\n' || at[len] == '\0'))
			return true;
	return false;
}

static void leave_place(struct restoring *r)
{
	free(r->options);
	free(r->events);
	r->options = r->events = NULL;
	r->directory[0] = '\0';
}

static void enter_place(struct restoring *r, struct span instance)
{
	struct stat info;

	leave_place(r);
	/* The settings of an instance are removed with it. */
	if (!setting_place(r->directory, r->tracefs, instance) ||
	    (stat(r->directory, &info) < 0 && errno == ENOENT))
		r->directory[0] = '\0';
}

static void remove_instance(struct restoring *r, struct span instance)
{
	char directory[PATH_MAX];

	leave_place(r);
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
static void restore_option(struct restoring *r, struct span option)
{
	char word[SETTING_SIZE], other[SETTING_SIZE + 2];

	if (!r->directory[0] || !copy_word(word, option))
		return;
	if (!r->options)
		r->options = setting_read_all(r->directory, "trace_options");
	if (!r->options || has_line(r->options, word))
		return;
	snprintf(other, sizeof(other), "no%s", word);
	if (has_line(r->options, other) ||
	    (strncmp(word, "no", 2) == 0 && has_line(r->options, word + 2)))
		note(r, setting_write(r->directory, "trace_options", word));
}

/* Switches off the events that are on but not in the list that follows this line. */
static void restore_events(struct restoring *r)
{
	char *at, *line, *now;

	if (!r->directory[0])
		return;
	/* A journal may name the list more than once. */
	free(r->events);
	r->events = setting_read_all(r->directory, "set_event");
	now = at = r->events ? strdup(r->events) : NULL;
	while ((line = strsep(&at, "\n"))) {
		char wanted[SETTING_SIZE + 8], off[SETTING_SIZE + 1];

		if (!*line || strlen(line) >= SETTING_SIZE)
			continue;
		snprintf(wanted, sizeof(wanted), "event %s\n", line);
		snprintf(off, sizeof(off), "!%s", line);
		if (!memmem(r->rest.ptr, r->rest.len, wanted, strlen(wanted)))
			note(r, setting_write(r->directory, "set_event", off));
	}
	free(now);
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

static void restore_line(struct restoring *r, struct span line)
{
	struct span value = after_first_word(line);
	char word[SETTING_SIZE];

	if (is(line, "place"))
		enter_place(r, value);
	else if (is(line, "made"))
		remove_instance(r, value);
	else if (is(line, "cpu"))
		restore_cpu(r, value);
	else if (is(line, "option"))
		restore_option(r, value);
	else if (is(line, "events"))
		restore_events(r);
	else if (is(line, "event") && r->events && copy_word(word, value) &&
		 !has_line(r->events, word))
		note(r, setting_write(r->directory, "set_event", word));
	else if (is(line, "property"))
		restore_property(r, value);
	else
		for (size_t i = 0; i < FILES; i++)
			if (is(line, files[i].name))
				restore_file(r, files[i].name, value);
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

void settings_restore(struct span text, const char *tracefs, const struct settings_ending *ending,
		      struct settings *failed)
{
	struct restoring r = { .tracefs = tracefs, .rest = text, .ending = ending };
	bool gone = is_gone(tracefs);
	struct span line;

	r.budget.is_over = true;
	while (settings_next_line(&r.rest, &line)) {
		r.error = 0;
		if (span_equal(line, SPAN_LITERAL("atrace")))
			stop_atrace(&r);
		else if (gone && !is(line, "property"))
			note(&r, -ENOENT);
		else
			restore_line(&r, line);
		if (r.error == 0)
			continue;
		settings_add_line(failed, line);
		failed->error = r.error;
	}
	leave_place(&r);
}

bool settings_are_instances(const struct settings *settings)
{
	struct span rest = settings_text(settings), line;

	while (settings_next_line(&rest, &line))
		if (!is(line, "made"))
			return false;
	return settings->error == -EBUSY || settings->error == -ENOTEMPTY;
}

void settings_format(char text[static SETTINGS_TEXT_SIZE], const struct settings *settings)
{
	struct span rest = settings_text(settings), line;
	size_t len = 0;

	text[0] = '\0';
	while (settings_next_line(&rest, &line)) {
		bool instance = is(line, "made");
		struct span shown = instance ? after_first_word(line) : line;
		int n = snprintf(text + len, SETTINGS_TEXT_SIZE - len, "%s%s%.*s",
				 len > 0 ? ", " : "", instance ? "instance " : "", (int)shown.len,
				 shown.ptr);

		if (n < 0 || (size_t)n >= SETTINGS_TEXT_SIZE - len) {
			text[len] = '\0';
			break;
		}
		len += (size_t)n;
	}
}

/* --- reading again --- */

/* Most places of a capture. */
#define PLACES_MAX 2

void settings_read_again(struct settings *now, struct span before, const char *tracefs,
			 struct property_budget *budget)
{
	unsigned int places = 0;
	bool all = false;
	struct span line;

	while (settings_next_line(&before, &line)) {
		struct span value = after_first_word(line);
		char instance[NAME_MAX + 1], name[SETTING_SIZE];

		if (span_equal(line, SPAN_LITERAL("atrace")))
			all = true;
		else if (is(line, "property") && copy_property_name(name, value))
			read_property(now, budget, name);
		if (!is(line, "place") || value.len > NAME_MAX || places++ == PLACES_MAX)
			continue;
		snprintf(instance, sizeof(instance), "%.*s", (int)value.len, value.ptr);
		settings_read_place(now, tracefs, value.len > 0 ? instance : NULL, all);
	}
}

/* --- what other programs have changed --- */

/* No phone has this many settings. A journal with more was not written by jankd, and comparing its
 * lines could take hours. */
#define COMPARISONS_MAX 4096

struct merge {
	struct settings *merged;
	struct settings_kept *kept;
	struct span before, set, found;
	struct span place;	  /* the last "place" line; SPAN_NULL before the first one */
	bool sizes_stay;	  /* buffer sizes of this place are not restored */
	unsigned int comparisons; /* so far */
};

/* "overwrite" of "nooverwrite". */
static struct span option_name(struct span option)
{
	struct span no = SPAN_LITERAL("no");

	return span_starts_with(option, no) ? span_skip(option, no.len) : option;
}

/* Returns true if both lines are about the same setting. */
static bool same_setting(struct span a, struct span b)
{
	if (!span_equal(first_word(a), first_word(b)))
		return false;
	if (is(a, "event"))
		return span_equal(a, b);
	if (is(a, "option"))
		return span_equal(option_name(after_first_word(a)),
				  option_name(after_first_word(b)));
	if (is(a, "property"))
		return span_equal(first_word(after_first_word(a)), first_word(after_first_word(b)));
	return true;
}

static bool is_size(struct span line)
{
	return is(line, "buffer_size_kb") || is(line, "cpu");
}

/* Finds the next line of @place and moves @text after it. Returns false if there is none. *inside:
 * whether @text is within @place; at the start of the text, the caller sets it to !place.ptr. */
static bool next_below(struct span *text, struct span place, bool *inside, struct span *line)
{
	while (settings_next_line(text, line)) {
		if (is_place(*line))
			*inside = place.ptr && span_equal(*line, place);
		else if (*inside)
			return true;
	}
	return false;
}

/* Finds the line in @place of @text that is about the same setting as @wanted. */
static bool find(struct span text, struct span place, struct span wanted, struct span *line)
{
	bool inside = !place.ptr;

	while (next_below(&text, place, &inside, line))
		if (same_setting(*line, wanted))
			return true;
	return false;
}

/* A hash of all buffer sizes of a place; 0: @text has none. They are one setting, in one line or in
 * one line for each CPU. */
static uint64_t sizes_in(struct span text, struct span place)
{
	bool inside = !place.ptr;
	uint64_t sum = 0;
	struct span line;

	while (next_below(&text, place, &inside, &line))
		if (is_size(line))
			sum = sum * 31 + name_hash(line);
	return sum;
}

/* Adds a setting to the text of those that are kept. Replaces characters that are not printable:
 * other programs can set any value. */
static void add_kept(struct merge *m, const char *what, struct span line)
{
	struct settings_kept *kept = m->kept;
	size_t len = strlen(kept->text);
	int n = snprintf(kept->text + len, sizeof(kept->text) - len, "%s%s%.*s",
			 kept->n > 0 ? ", " : "", what, (int)line.len, line.ptr);

	kept->n++;
	if (n < 0 || (size_t)n >= sizeof(kept->text) - len) {
		kept->text[len] = '\0';
		kept->more++;
	}
	for (char *c = kept->text + len; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
}

/* Merges a line with one value. */
static void merge_value(struct merge *m, struct span before)
{
	struct span found, set;

	if (++m->comparisons > COMPARISONS_MAX || !find(m->found, m->place, before, &found) ||
	    span_equal(found, before) || !find(m->set, m->place, before, &set) ||
	    span_equal(found, set)) {
		settings_add_line(m->merged, before);
		return;
	}
	add_kept(m, "", found);
	settings_add_line(m->merged, found);
}

/* Merges the sizes, at the line of buffer_size_kb. The lines of CPUs follow it. */
static void merge_sizes(struct merge *m, struct span before)
{
	uint64_t set = sizes_in(m->set, m->place), found = sizes_in(m->found, m->place);
	struct span text = m->found, line;
	bool inside = !m->place.ptr;

	m->sizes_stay = ++m->comparisons <= COMPARISONS_MAX && set && found && found != set &&
			found != sizes_in(m->before, m->place);
	if (!m->sizes_stay) {
		settings_add_line(m->merged, before);
		return;
	}
	while (next_below(&text, m->place, &inside, &line)) {
		if (!is_size(line))
			continue;
		settings_add_line(m->merged, line);
		if (!is(line, "cpu"))
			add_kept(m, "", line);
	}
}

/* Adds the events that another program has switched on, so that they are not switched off. */
static void merge_events(struct merge *m, struct span before)
{
	struct span text = m->found, line, other;
	bool inside = !m->place.ptr;

	settings_add_line(m->merged, before);
	if (!find(m->set, m->place, before, &other))
		return;
	while (m->comparisons <= COMPARISONS_MAX && next_below(&text, m->place, &inside, &line)) {
		if (!is(line, "event") || find(m->set, m->place, line, &other) ||
		    find(m->before, m->place, line, &other))
			continue;
		m->comparisons++;
		add_kept(m, "", line);
		settings_add_line(m->merged, line);
	}
}

/* Merges an event that was on. */
static void merge_event(struct merge *m, struct span before)
{
	static const struct span list = SPAN_INIT("events");
	struct span other;

	if (++m->comparisons <= COMPARISONS_MAX && find(m->found, m->place, list, &other) &&
	    !find(m->found, m->place, before, &other) && find(m->set, m->place, before, &other))
		add_kept(m, "no ", before);
	else
		settings_add_line(m->merged, before);
}

static void merge_line(struct merge *m, struct span line)
{
	if (is_place(line)) {
		m->place = line;
		m->sizes_stay = false;
		settings_add_line(m->merged, line);
	} else if (is(line, "cpu")) {
		if (!m->sizes_stay)
			settings_add_line(m->merged, line);
	} else if (is(line, "buffer_size_kb")) {
		merge_sizes(m, line);
	} else if (is(line, "events")) {
		merge_events(m, line);
	} else if (is(line, "event")) {
		merge_event(m, line);
	} else {
		merge_value(m, line);
	}
}

void settings_merge(struct settings *merged, struct span before, struct span set, struct span found,
		    struct settings_kept *kept)
{
	struct merge m = {
		.merged = merged, .kept = kept, .before = before, .set = set, .found = found
	};
	struct span rest = before, line;

	while (settings_next_line(&rest, &line))
		merge_line(&m, line);
	if (kept->more > 0)
		snprintf(kept->text + strlen(kept->text), sizeof(kept->text) - strlen(kept->text),
			 " ...");
}

/* A value that no setting can have. */
#define NOT_OURS "?"

void settings_disown(struct settings *set, const char *instance, const char *name)
{
	struct settings changed = { .incomplete = set->incomplete };
	struct span rest = settings_text(set), line;
	char place[NAME_MAX + 8], other[SETTINGS_LINE_MAX];
	bool inside = false;

	snprintf(place, sizeof(place), "place%s%s", instance ? " " : "", instance ? instance : "");
	snprintf(other, sizeof(other), "%s " NOT_OURS, name);
	while (settings_next_line(&rest, &line)) {
		if (is_place(line))
			inside = span_equal(line, span_of(place));
		settings_add_line(&changed, inside && is(line, name) ? span_of(other) : line);
	}
	settings_free(set);
	*set = changed;
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

void settings_disown_all_but_atraces(struct settings *set, uint64_t buffer_kb)
{
	struct settings changed = { .incomplete = set->incomplete };
	struct span rest = settings_text(set), line;

	while (settings_next_line(&rest, &line)) {
		struct span value = after_first_word(line), name = option_name(value);
		char other[SETTINGS_LINE_MAX];

		/* Another option is the opposite of it. */
		if (is(line, "option"))
			snprintf(other, sizeof(other), "option %s%.*s",
				 name.len == value.len ? "no" : "", (int)name.len, name.ptr);
		else
			snprintf(other, sizeof(other), "%.*s " NOT_OURS, (int)first_word(line).len,
				 line.ptr);
		settings_add_line(&changed,
				  may_be_atraces(line, buffer_kb) ? line : span_of(other));
	}
	settings_free(set);
	*set = changed;
}

void settings_merge_now(struct settings *merged, const struct settings *before,
			const struct settings *set, const char *tracefs,
			struct property_budget *budget, struct settings_kept *kept)
{
	struct settings found = { 0 };

	settings_read_again(&found, settings_text(before), tracefs, budget);
	settings_merge(merged, settings_text(before), settings_text(set), settings_text(&found),
		       kept);
	settings_free(&found);
}
