/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cli/option_arg.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/report.h"

int option_wrong(const struct option_arg *arg, const char *wanted)
{
	report("%s: %s %s: %s; see 'jankd %s --help'", arg->command, arg->name, arg->value, wanted,
	       arg->command);
	return EXIT_USAGE;
}

/* A decimal number and nothing else: no blanks, no hex, no "inf". */
static bool parse_number(const char *text, double *number)
{
	char *end;

	if (text[strspn(text, "0123456789.eE+-")] != '\0' || isspace((unsigned char)text[0]))
		return false;
	errno = 0;
	*number = strtod(text, &end);
	return end != text && *end == '\0' && errno == 0 && isfinite(*number);
}

int option_take_number(const struct option_arg *arg, double least, double most, const char *what,
		       double *number)
{
	char wanted[160];
	double value;

	if (parse_number(arg->value, &value) && value >= least && value <= most) {
		*number = value;
		return 0;
	}
	snprintf(wanted, sizeof(wanted), "not %s from %.15g to %.15g", what, least, most);
	return option_wrong(arg, wanted);
}

/* Digits alone. */
static bool parse_count(const char *text, uint64_t *count)
{
	if (text[0] == '\0' || text[strspn(text, "0123456789")] != '\0')
		return false;
	errno = 0;
	*count = strtoull(text, NULL, 10);
	return errno == 0;
}

int option_take_count(const struct option_arg *arg, uint64_t least, uint64_t most, const char *what,
		      uint64_t *count)
{
	char wanted[160];
	uint64_t value;

	if (parse_count(arg->value, &value) && value >= least && value <= most) {
		*count = value;
		return 0;
	}
	snprintf(wanted, sizeof(wanted), "not %s from %" PRIu64 " to %" PRIu64, what, least, most);
	return option_wrong(arg, wanted);
}

/* A duration given in units of @unit_ns. */
int option_take_time(const struct option_arg *arg, double least, double most, double unit_ns,
		     const char *what, uint64_t *ns)
{
	double value = 0;
	int code = option_take_number(arg, least, most, what, &value);

	if (code == 0)
		*ns = (uint64_t)(value * unit_ns + 0.5);
	return code;
}

/* What a unit multiplies a number of bytes by; 0: there is none of that name. */
static uint64_t unit_of(const char *unit)
{
	static const struct {
		const char *name;
		uint64_t bytes;
	} units[] = { { "", 1 },
		      { "K", UINT64_C(1) << 10 },
		      { "M", UINT64_C(1) << 20 },
		      { "G", UINT64_C(1) << 30 } };

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strcasecmp(unit, units[i].name) == 0)
			return units[i].bytes;
	return 0;
}

int option_take_bytes(const struct option_arg *arg, uint64_t least, uint64_t *bytes)
{
	size_t digits = strspn(arg->value, "0123456789");
	uint64_t unit = unit_of(arg->value + digits);
	char wanted[160];
	uint64_t value;

	errno = 0;
	value = strtoull(arg->value, NULL, 10);
	if (digits > 0 && unit > 0 && errno == 0 && value <= INT64_MAX / unit &&
	    value * unit >= least) {
		*bytes = value * unit;
		return 0;
	}
	snprintf(wanted, sizeof(wanted),
		 "not a number of bytes from %" PRIu64 " to %" PRId64 "; K, M or G may follow",
		 least, INT64_MAX);
	return option_wrong(arg, wanted);
}

int option_take_text(const struct option_arg *arg, const char **text)
{
	if (arg->value[0] == '\0')
		return option_wrong(arg, "an empty value");
	*text = arg->value;
	return 0;
}
