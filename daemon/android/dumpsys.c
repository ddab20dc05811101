/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/android/android.h"

/* Displays: 500 Hz to 1 Hz. */
#define PERIOD_MIN_NS UINT64_C(2000000)
#define PERIOD_MAX_NS UINT64_C(1000000000)

/* A character of the name of a package or class. */
static bool is_name(char c)
{
	return is_package_char(c) || c == '$';
}

/* The text after @word; SPAN_NULL if @word does not occur. */
static struct span text_after(struct span text, struct span word)
{
	const char *at = text.len ? memmem(text.ptr, text.len, word.ptr, word.len) : NULL;

	return at ? span_skip(text, (size_t)(at - text.ptr) + word.len) : SPAN_NULL;
}

/* The first name in @text; SPAN_NULL if there is none. */
static struct span find_name(struct span text)
{
	for (size_t at = 0; at < text.len; at++) {
		size_t begin = at, end = at + 1;
		bool has_dot = false;

		if (text.ptr[at] != '/')
			continue;
		while (begin > 0 && is_name(text.ptr[begin - 1]))
			has_dot |= text.ptr[--begin] == '.';
		while (end < text.len && is_name(text.ptr[end]))
			end++;
		/* An activity, not a path: a package has a dot, and one name follows. */
		if (has_dot && text.ptr[begin] != '.' && !is_digit(text.ptr[begin]) &&
		    end > at + 1 && (end == text.len || text.ptr[end] != '/') &&
		    (begin == 0 || text.ptr[begin - 1] != '/'))
			return (struct span){ text.ptr + begin, end - begin };
	}
	return SPAN_NULL;
}

/* Stores the name in a line, if its rank is higher than that of all earlier lines. "app/.Main" is
 * stored as "app/app.Main". */
static void store_name(struct dumpsys_focus *focus, enum dumpsys_rank rank, struct span line)
{
	struct span name = rank > focus->rank ? find_name(line) : SPAN_NULL;
	const char *slash = name.ptr ? memchr(name.ptr, '/', name.len) : NULL;
	size_t package = slash ? (size_t)(slash - name.ptr) : 0;
	size_t again = slash && slash[1] == '.' ? package : 0;

	if (!slash || name.len + again + 1 > sizeof(focus->name))
		return;
	memcpy(focus->name, name.ptr, package + 1);
	memcpy(focus->name + package + 1, name.ptr, again);
	memcpy(focus->name + package + 1 + again, slash + 1, name.len - package - 1);
	focus->name[name.len + again] = '\0';
	focus->rank = rank;
}

/* --- lines --- */

static const struct {
	struct span key; /* start of a line */
	enum dumpsys_rank rank;
	bool is_headline;
} known[] = {
	{ SPAN_INIT("FocusedApplications:"), DUMPSYS_APP, true },
	{ SPAN_INIT("FocusedWindows:"), DUMPSYS_WINDOW, true },
	{ SPAN_INIT("FocusedApplication:"), DUMPSYS_APP, false },
	{ SPAN_INIT("FocusedWindow:"), DUMPSYS_WINDOW, false },
	{ SPAN_INIT("mFocusedApp="), DUMPSYS_APP, false },
	{ SPAN_INIT("mCurrentFocus="), DUMPSYS_WINDOW, false },
};

void dumpsys_focus_line(struct dumpsys_focus *focus, struct span line)
{
	static const struct span display = SPAN_INIT("FocusedDisplayId:");
	static const struct span has_focus = SPAN_INIT(", hasFocus=true,");
	static const struct span dispatcher = SPAN_INIT("Input Dispatcher State");
	static const struct span listed = SPAN_INIT("displayId=");
	struct span rest;
	uint64_t number;

	line = span_skip_blanks(line);
	if (span_starts_with(line, dispatcher))
		focus->is_past = text_after(line, SPAN_LITERAL("last ANR")).ptr != NULL;
	if (focus->is_past)
		return;
	rest = span_skip_blanks(span_skip(line, display.len));
	if (span_starts_with(line, display) && span_take_number(&rest, UINT64_MAX, &number))
		focus->display = number;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (!span_starts_with(line, known[i].key))
			continue;
		if (known[i].is_headline)
			focus->block = known[i].rank;
		else
			store_name(focus, known[i].rank, span_skip(line, known[i].key.len));
		return;
	}
	/* "displayId=0, name='...'" in the list below a headline. */
	rest = span_skip(line, listed.len);
	if (!span_starts_with(line, listed))
		focus->block = DUMPSYS_NOTHING;
	else if (focus->block != DUMPSYS_NOTHING && span_take_number(&rest, UINT64_MAX, &number))
		store_name(focus,
			   focus->block == DUMPSYS_WINDOW && number == focus->display
				   ? DUMPSYS_DISPLAY
				   : focus->block,
			   line);
	rest = text_after(line, has_focus);
	if (rest.ptr)
		store_name(focus, DUMPSYS_WINDOW,
			   (struct span){ line.ptr, (size_t)(rest.ptr - line.ptr) });
}

uint64_t dumpsys_period_ns(struct span line)
{
	uint64_t period_ns;

	line = span_skip_blanks(line);
	if (!span_take_number(&line, PERIOD_MAX_NS, &period_ns))
		return 0;
	while (line.len > 0 && (line.ptr[0] == ' ' || line.ptr[0] == '\r'))
		line = span_skip(line, 1);
	if (line.len > 0)
		return 0;
	return period_ns >= PERIOD_MIN_NS ? period_ns : 0;
}

/* --- rates --- */

/* Displays: 1 to 500 Hz. */
#define RATE_MIN_MHZ 1000
#define RATE_MAX_MHZ 500000

void dumpsys_add_rates(struct dumpsys_rates *rates, struct span text)
{
	/* Not "renderFps=" and the like. */
	while ((text = text_after(text, SPAN_LITERAL(" fps="))).ptr) {
		unsigned int mhz, unit = 1000, i = 0;
		struct span rest = text;
		uint64_t hz;

		/* "60.000004", to the nearest 10 mHz */
		if (!span_take_number(&rest, RATE_MAX_MHZ / 1000, &hz) || text.len - rest.len > 4)
			continue;
		mhz = (unsigned int)hz * 1000;
		rest = rest.len > 0 && rest.ptr[0] == '.' ? span_skip(rest, 1) : SPAN_NULL;
		while (rest.len > 0 && unit > 1 && is_digit(rest.ptr[0])) {
			unit /= 10;
			mhz += (unsigned int)(rest.ptr[0] - '0') * unit;
			rest = span_skip(rest, 1);
		}
		mhz = (mhz + 5) / 10 * 10;
		if (mhz < RATE_MIN_MHZ || mhz > RATE_MAX_MHZ)
			continue;
		while (i < rates->n && rates->mhz[i] != mhz)
			i++;
		if (i == rates->n && i < DUMPSYS_RATES_MAX)
			rates->mhz[rates->n++] = mhz;
	}
}
