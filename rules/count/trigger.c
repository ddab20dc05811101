/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/count/trigger.h"

#include <stdio.h>
#include <string.h>

#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_S UINT64_C(1000000000)

/* The largest number: longer than any duration in seconds (11 days), and far more frames than any
 * display shows. */
#define NUMBER_MAX UINT64_C(1000000)

/* A condition while it is parsed. What parses a part of it returns 0, or 1 after fail(). */
struct reader {
	const char *text;
	const char *at;
	struct trigger_error *error;
};

static int fail(const struct reader *reader, const char *message)
{
	reader->error->column = (unsigned int)(reader->at - reader->text) + 1;
	snprintf(reader->error->message, sizeof(reader->error->message), "%s", message);
	return 1;
}

static void skip_blanks(struct reader *reader)
{
	reader->at += strspn(reader->at, " ");
}

static bool accept(struct reader *reader, const char *word)
{
	size_t len = strlen(word);

	if (strncmp(reader->at, word, len) != 0)
		return false;
	reader->at += len;
	return true;
}

/* Accepts a whole word, which must be followed by a blank. */
static bool accept_word(struct reader *reader, const char *word)
{
	const char *at = reader->at;

	if (accept(reader, word) && *reader->at == ' ')
		return true;
	reader->at = at;
	return false;
}

static int parse_condition(struct reader *reader, struct trigger *trigger)
{
	skip_blanks(reader);
	if (accept(reader, "fps"))
		trigger->what = TRIGGER_FPS;
	else if (accept(reader, "interval"))
		trigger->what = TRIGGER_INTERVAL;
	else
		return fail(reader, "expected 'fps' or 'interval'");
	skip_blanks(reader);
	trigger->is_less = *reader->at == '<';
	if (!accept(reader, "<") && !accept(reader, ">"))
		return fail(reader, "expected <, <=, > or >=");
	trigger->or_equal = accept(reader, "=");
	return 0;
}

/* A decimal number above 0, in thousandths. Further digits are ignored. */
static int parse_number(struct reader *reader, uint64_t *thousandths)
{
	const char *begin;
	uint64_t number = 0;

	skip_blanks(reader);
	begin = reader->at;
	for (; is_digit(*reader->at) && number <= NUMBER_MAX; reader->at++)
		number = number * 10 + (uint64_t)(*reader->at - '0');
	number *= 1000;
	if (reader->at > begin && *reader->at == '.' && is_digit(reader->at[1])) {
		reader->at++;
		for (uint64_t unit = 100; is_digit(*reader->at); unit /= 10)
			number += unit * (uint64_t)(*reader->at++ - '0');
	}
	*thousandths = number;
	if (number > 0 && number <= NUMBER_MAX * 1000)
		return 0;
	reader->at = begin;
	return fail(reader, "expected a number above 0 and up to 1000000");
}

static int parse_time(struct reader *reader, uint64_t *ns)
{
	uint64_t thousandths;

	if (parse_number(reader, &thousandths))
		return 1;
	skip_blanks(reader);
	if (accept(reader, "ms"))
		*ns = thousandths * (NS_PER_MS / 1000);
	else if (accept(reader, "s"))
		*ns = thousandths * (NS_PER_S / 1000);
	else
		return fail(reader, "expected a unit, ms or s");
	return 0;
}

static int parse_options(struct reader *reader, struct trigger *trigger)
{
	skip_blanks(reader);
	if (accept_word(reader, "for")) {
		if (parse_time(reader, &trigger->for_ns))
			return 1;
		skip_blanks(reader);
	}
	if (accept_word(reader, "on")) {
		skip_blanks(reader);
		if (*reader->at == '\0')
			return fail(reader, "expected a GLOB after 'on'");
		trigger->glob = span_of(reader->at);
		return 0;
	}
	return *reader->at == '\0' ? 0 : fail(reader, "expected 'for DURATION' or 'on GLOB'");
}

int trigger_parse(struct trigger *trigger, const char *text, struct trigger_error *error)
{
	struct reader reader = { text, text, error };

	*trigger = (struct trigger){ .text = text };
	return parse_condition(&reader, trigger) ||
	       (trigger->what == TRIGGER_FPS ? parse_number(&reader, &trigger->limit)
					     : parse_time(&reader, &trigger->limit)) ||
	       parse_options(&reader, trigger);
}

/* '<' is the opposite of 'at least', '<=' that of 'more than', with the tolerance for @whole. */
static bool compare(const struct trigger *trigger, uint64_t value, uint64_t limit, bool whole)
{
	bool above = trigger->is_less == trigger->or_equal ? threshold_passed(value, limit, whole)
							   : threshold_reached(value, limit, whole);

	return above != trigger->is_less;
}

bool trigger_matches_interval(const struct trigger *trigger, struct interval interval,
			      enum wait_kind wait)
{
	if (interval_is_wait(interval) && !wait_is_stall(wait))
		return false;
	return compare(trigger, (uint64_t)interval.ns, trigger->limit, interval_is_whole(interval));
}

bool trigger_matches_rate(const struct trigger *trigger, uint64_t frames, uint64_t time_ns,
			  bool whole)
{
	/* frames / time compared with mHz, without a division */
	return compare(trigger, frames * 1000 * NS_PER_S, trigger->limit * time_ns, whole);
}
