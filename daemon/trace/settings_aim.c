/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/trace/settings_aim.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "rules/surface.h"

/* No phone has as many settings. A journal that does was not written by us: its lines are not
 * compared for hours. */
#define COMPARISONS_MAX 4096

struct aiming {
	struct settings *aim;
	struct settings_left *left;
	struct span before, set, found;
	struct span place;	  /* the line that the lines are below; none at first */
	bool sizes_stay;	  /* in this place */
	unsigned int comparisons; /* so far */
};

/* --- lines --- */

static struct span first_word(struct span line)
{
	const char *blank = line.len ? memchr(line.ptr, ' ', line.len) : NULL;

	return blank ? (struct span){ line.ptr, (size_t)(blank - line.ptr) } : line;
}

static struct span behind_first(struct span line)
{
	return span_skip(line, first_word(line).len + 1);
}

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

/* Are both lines about the same setting? */
static bool same_setting(struct span a, struct span b)
{
	if (!span_equal(first_word(a), first_word(b)))
		return false;
	if (is(a, "event"))
		return span_equal(a, b);
	if (is(a, "option"))
		return span_equal(option_name(behind_first(a)), option_name(behind_first(b)));
	if (is(a, "property"))
		return span_equal(first_word(behind_first(a)), first_word(behind_first(b)));
	return true;
}

static bool is_size(struct span line)
{
	return is(line, "buffer_size_kb") || is(line, "cpu");
}

/* Takes the next line of @text that is below @place. False: there is none any more. @inside: keeps
 * where it is; at the beginning it is !place.ptr. */
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

/* What @text says of the setting of @wanted in the same place. */
static bool find(struct span text, struct span place, struct span wanted, struct span *line)
{
	bool inside = !place.ptr;

	while (next_below(&text, place, &inside, line))
		if (same_setting(*line, wanted))
			return true;
	return false;
}

/* The sizes of a place are one setting, whether they stand in one line or in one for each CPU. 0:
 * @text does not know. */
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

/* --- what stays --- */

/* Of values that another program has set only what can be read is shown. */
static void tell_left(struct aiming *a, const char *what, struct span line)
{
	struct settings_left *left = a->left;
	size_t len = strlen(left->text);
	int n = snprintf(left->text + len, sizeof(left->text) - len, "%s%s%.*s",
			 left->n > 0 ? ", " : "", what, (int)line.len, line.ptr);

	left->n++;
	if (n < 0 || (size_t)n >= sizeof(left->text) - len) {
		left->text[len] = '\0';
		left->more++;
	}
	for (char *c = left->text + len; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
}

static void keep(struct aiming *a, struct span line)
{
	settings_add_line(a->aim, line);
}

/* A line with one value. */
static void aim_value(struct aiming *a, struct span before)
{
	struct span found, set;

	if (++a->comparisons > COMPARISONS_MAX || !find(a->found, a->place, before, &found) ||
	    span_equal(found, before) || !find(a->set, a->place, before, &set) ||
	    span_equal(found, set)) {
		keep(a, before);
		return;
	}
	tell_left(a, "", found);
	keep(a, found);
}

/* The first of the lines with sizes decides on all of them. */
static void aim_sizes(struct aiming *a, struct span before)
{
	uint64_t set = sizes_in(a->set, a->place), found = sizes_in(a->found, a->place);
	struct span text = a->found, line;
	bool inside = !a->place.ptr;

	a->sizes_stay = ++a->comparisons <= COMPARISONS_MAX && set && found && found != set &&
			found != sizes_in(a->before, a->place);
	if (!a->sizes_stay) {
		keep(a, before);
		return;
	}
	while (next_below(&text, a->place, &inside, &line)) {
		if (!is_size(line))
			continue;
		keep(a, line);
		if (!is(line, "cpu"))
			tell_left(a, "", line);
	}
}

/* Those that another program has switched on come first: the list of those that stay on. */
static void aim_events(struct aiming *a, struct span before)
{
	struct span text = a->found, line, other;
	bool inside = !a->place.ptr;

	keep(a, before);
	if (!find(a->set, a->place, before, &other))
		return;
	while (a->comparisons <= COMPARISONS_MAX && next_below(&text, a->place, &inside, &line)) {
		if (!is(line, "event") || find(a->set, a->place, line, &other) ||
		    find(a->before, a->place, line, &other))
			continue;
		a->comparisons++;
		tell_left(a, "", line);
		keep(a, line);
	}
}

/* It was on. */
static void aim_event(struct aiming *a, struct span before)
{
	static const struct span list = SPAN_INIT("events");
	struct span other;

	if (++a->comparisons <= COMPARISONS_MAX && find(a->found, a->place, list, &other) &&
	    !find(a->found, a->place, before, &other) && find(a->set, a->place, before, &other))
		tell_left(a, "no ", before);
	else
		keep(a, before);
}

static void aim_line(struct aiming *a, struct span line)
{
	if (is_place(line)) {
		a->place = line;
		a->sizes_stay = false;
		keep(a, line);
	} else if (is(line, "cpu")) {
		if (!a->sizes_stay)
			keep(a, line);
	} else if (is(line, "buffer_size_kb")) {
		aim_sizes(a, line);
	} else if (is(line, "events")) {
		aim_events(a, line);
	} else if (is(line, "event")) {
		aim_event(a, line);
	} else {
		aim_value(a, line);
	}
}

void settings_aim(struct settings *aim, struct span before, struct span set, struct span found,
		  struct settings_left *left)
{
	struct aiming a = {
		.aim = aim, .left = left, .before = before, .set = set, .found = found
	};
	struct span rest = before, line;

	while (settings_next_line(&rest, &line))
		aim_line(&a, line);
	if (left->more > 0)
		snprintf(left->text + strlen(left->text), sizeof(left->text) - strlen(left->text),
			 " ...");
}

/* No setting has this value. */
#define NOT_OURS "?"

void settings_leave(struct settings *set, const char *instance, const char *name)
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

void settings_aim_now(struct settings *aim, const struct settings *before,
		      const struct settings *set, const char *tracefs,
		      struct property_budget *budget, struct settings_left *left)
{
	struct settings found = { 0 };

	settings_read_again(&found, settings_text(before), tracefs, budget);
	settings_aim(aim, settings_text(before), settings_text(set), settings_text(&found), left);
	settings_free(&found);
}
