/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cli/options_table.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "daemon/android/android.h"
#include "daemon/base/report.h"

/* @why: what is wrong with the value. */
static int refuse_value(const struct option_arg *arg, const char *why)
{
	report("%s %s: %s; see 'jankd %s --help'", arg->name, arg->value[0] ? arg->value : "\"\"",
	       why, arg->command);
	return EXIT_USAGE;
}

static int refuse_number(const struct option_arg *arg)
{
	const struct option_limits *limits = &arg->limits;
	char why[160];

	snprintf(why, sizeof(why), "must be %s from %.15g to %.15g", limits->what, limits->least,
		 limits->most);
	return refuse_value(arg, why);
}

int option_parse_flag(const struct option_arg *arg)
{
	bool *flag = arg->field;

	*flag = true;
	return 0;
}

int option_parse_text(const struct option_arg *arg)
{
	const char **text = arg->field;

	if (arg->value[0] == '\0')
		return refuse_value(arg, "must not be empty");
	*text = arg->value;
	return 0;
}

/* --- numbers --- */

/* Parses a decimal number within the limits. Blanks, hexadecimal and "inf" are refused. */
static bool is_number(const struct option_arg *arg, double *number)
{
	const char *text = arg->value;
	char *end;

	if (text[strspn(text, "0123456789.eE+-")] != '\0')
		return false;
	errno = 0;
	*number = strtod(text, &end);
	return end != text && *end == '\0' && errno == 0 && isfinite(*number) &&
	       *number >= arg->limits.least && *number <= arg->limits.most;
}

int option_parse_number(const struct option_arg *arg)
{
	double *field = arg->field, number;

	if (!is_number(arg, &number))
		return refuse_number(arg);
	*field = number;
	return 0;
}

static int parse_time(const struct option_arg *arg, double unit_ns)
{
	uint64_t *ns = arg->field;
	double number;

	if (!is_number(arg, &number))
		return refuse_number(arg);
	*ns = (uint64_t)(number * unit_ns + 0.5);
	return 0;
}

int option_parse_seconds(const struct option_arg *arg)
{
	return parse_time(arg, 1e9);
}

int option_parse_ms(const struct option_arg *arg)
{
	return parse_time(arg, 1e6);
}

/* Accepts digits only. All limits are below 2^53, so they are exact as a double. */
int option_parse_count(const struct option_arg *arg)
{
	uint64_t *field = arg->field, count;
	const char *text = arg->value;

	errno = 0;
	count = strtoull(text, NULL, 10);
	if (text[0] == '\0' || text[strspn(text, "0123456789")] != '\0' || errno != 0 ||
	    count < (uint64_t)arg->limits.least || count > (uint64_t)arg->limits.most)
		return refuse_number(arg);
	*field = count;
	return 0;
}

int option_parse_small_count(const struct option_arg *arg)
{
	unsigned int *field = arg->field;
	uint64_t count = *field;
	struct option_arg wide = *arg;
	int code;

	wide.field = &count;
	code = option_parse_count(&wide);
	*field = (unsigned int)count;
	return code;
}

int option_parse_bytes(const struct option_arg *arg)
{
	static const char *const units[] = { "", "K", "M", "G" };
	size_t digits = strspn(arg->value, "0123456789"), unit = 0;
	uint64_t least = (uint64_t)arg->limits.least;
	uint64_t *bytes = arg->field;
	char why[160];
	uint64_t value;

	while (unit < 4 && strcasecmp(arg->value + digits, units[unit]) != 0)
		unit++;
	errno = 0;
	value = strtoull(arg->value, NULL, 10);
	if (digits > 0 && unit < 4 && errno == 0 && value <= (uint64_t)INT64_MAX >> 10 * unit &&
	    value << 10 * unit >= least) {
		*bytes = value << 10 * unit;
		return 0;
	}
	snprintf(why, sizeof(why),
		 "must be a number of bytes from %" PRIu64 " to %" PRId64 "; K, M or G may follow",
		 least, INT64_MAX);
	return refuse_value(arg, why);
}

/* --- texts with a syntax --- */

int option_parse_glob(const struct option_arg *arg)
{
	struct option_arg last = *arg;
	const char **globs = arg->field;
	size_t n = 0;

	while (globs[n])
		n++;
	if (n == OPTIONS_GLOBS_MAX)
		return refuse_value(arg, "too many globs, at most 64 are allowed");
	last.field = &globs[n];
	return option_parse_text(&last);
}

/* Accepts a word with a dot, or a word with one slash and text on both sides of it. */
int option_parse_focus(const struct option_arg *arg)
{
	const char **focus = arg->field, *value = arg->value, *slash = strchr(value, '/');
	bool word = value[0] && strpbrk(value, " \t\r\n") == NULL;
	bool both = slash && slash > value && slash[1] && !strchr(slash + 1, '/');

	if (!word || !(both || (!slash && strchr(value, '.'))))
		return refuse_value(arg, "must be APP or APP/ACTIVITY, such as com.game/.Main");
	*focus = value;
	return 0;
}

int option_parse_instance(const struct option_arg *arg)
{
	if (strchr(arg->value, '/') || arg->value[0] == '.')
		return refuse_value(arg,
				    "must be a name without '/', and without '.' at its start");
	return option_parse_text(arg);
}

int option_parse_categories(const struct option_arg *arg)
{
	if (!atrace_are_categories(arg->value))
		return refuse_value(arg, "must be 1 to 32 names of atrace categories");
	return option_parse_text(arg);
}

int option_parse_device_id(const struct option_arg *arg)
{
	size_t length = strlen(arg->value);

	for (size_t i = 0; i < length; i++)
		if ((unsigned char)arg->value[i] < ' ' || arg->value[i] == 0x7f)
			length = 0;
	if (length == 0 || length >= DEVICE_ID_SIZE)
		return refuse_value(arg, "must be 1 to 127 bytes without control characters");
	return option_parse_text(arg);
}

/* The index of @value in @names, whose entries may be NULL; SIZE_MAX: it is not there. */
static size_t index_of(const char *const *names, size_t n, const char *value)
{
	for (size_t i = 0; i < n; i++)
		if (names[i] && strcmp(value, names[i]) == 0)
			return i;
	return SIZE_MAX;
}

int option_parse_source(const struct option_arg *arg)
{
	static const char *const names[] = {
		[OPTIONS_SOURCE_AUTO] = "auto",
		[OPTIONS_SOURCE_TEXT] = "text",
		[OPTIONS_SOURCE_RAW] = "raw",
		[OPTIONS_SOURCE_LATENCY] = "latency",
	};
	size_t i = index_of(names, sizeof(names) / sizeof(names[0]), arg->value);

	if (i == SIZE_MAX)
		return refuse_value(arg, "must be auto, text, raw or latency");
	*(enum options_source *)arg->field = (enum options_source)i;
	return 0;
}

int option_parse_class(const struct option_arg *arg)
{
	size_t i = index_of(app_class_names, APP_CLASSES, arg->value);

	if (i == SIZE_MAX)
		return refuse_value(arg, "must be app, game, map or video");
	*(enum app_class *)arg->field = (enum app_class)i;
	return 0;
}

int option_parse_trigger(const struct option_arg *arg)
{
	struct options *options = arg->options;
	struct trigger_error error;
	char why[160];

	if (trigger_parse(&options->condition, arg->value, &error) != 0) {
		snprintf(why, sizeof(why), "column %u: %s", error.column, error.message);
		return refuse_value(arg, why);
	}
	options->trigger = arg->value;
	options->pipeline.trigger = &options->condition;
	return 0;
}
