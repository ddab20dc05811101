/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/count/trigger.h"

#include <stdio.h>
#include <string.h>

#include "rules/language/pattern.h"

/* The largest number: longer than any duration in seconds (11 days), and far more frames than any
 * display shows. */
#define NUMBER_MAX UINT64_C(1000000)

#define RATE_NS UINT64_C(1000000000) /* fps is measured over this much frame time */
/* The gate stays open for this time after the last frame that fulfilled the trigger. */
#define HELD_OPEN_NS UINT64_C(1000000000)
#define IDLE_NS UINT64_C(5000000000) /* without a frame for this time a series fulfils nothing */

/* Bytes of a Surface's name in an event. */
#define NAME_MAX_LENGTH 800

/* --- conditions --- */

/* A condition while it is parsed. What parses a part of it returns 0, or 1 after fail(). */
struct reader {
	const char *text;
	const char *at;
	struct trigger_error *error;
};

static int fail(const struct reader *reader, const char *message)
{
	*reader->error = (struct trigger_error){
		.column = (unsigned int)(reader->at - reader->text) + 1,
		.message = message,
	};
	return 1;
}

/* Goes to the next word. Returns true if it begins with @word, which is behind it then. */
static bool accept(struct reader *reader, const char *word)
{
	size_t len = strlen(word);

	reader->at += strspn(reader->at, " ");
	if (strncmp(reader->at, word, len) != 0)
		return false;
	reader->at += len;
	return true;
}

/* A decimal number above 0, in thousandths. Further digits are ignored. */
static int parse_number(struct reader *reader, uint64_t *thousandths)
{
	const char *begin;
	uint64_t number = 0;

	reader->at += strspn(reader->at, " ");
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
	if (parse_number(reader, ns))
		return 1;
	if (accept(reader, "ms"))
		*ns *= 1000;
	else if (accept(reader, "s"))
		*ns *= 1000000;
	else
		return fail(reader, "expected a unit, ms or s");
	return 0;
}

int trigger_parse(struct trigger *trigger, const char *text, struct trigger_error *error)
{
	struct reader reader = { text, text, error };

	*trigger = (struct trigger){ .text = text };
	if (accept(&reader, "interval"))
		trigger->what = TRIGGER_INTERVAL;
	else if (!accept(&reader, "fps"))
		return fail(&reader, "expected 'fps' or 'interval'");
	trigger->is_less = accept(&reader, "<");
	if (!trigger->is_less && !accept(&reader, ">"))
		return fail(&reader, "expected <, <=, > or >=");
	trigger->or_equal = *reader.at == '=';
	reader.at += trigger->or_equal;
	if (trigger->what == TRIGGER_FPS ? parse_number(&reader, &trigger->limit)
					 : parse_time(&reader, &trigger->limit))
		return 1;
	if (accept(&reader, "for ") && parse_time(&reader, &trigger->for_ns))
		return 1;
	if (!accept(&reader, "on "))
		return *reader.at == '\0' ? 0
					  : fail(&reader, "expected 'for DURATION' or 'on GLOB'");
	reader.at += strspn(reader.at, " ");
	if (*reader.at == '\0')
		return fail(&reader, "expected a GLOB after 'on'");
	trigger->glob = span_of(reader.at);
	return 0;
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
	if (interval.ns < 0 || (interval_is_wait(interval) && !wait_is_stall(wait)))
		return false;
	return compare(trigger, (uint64_t)interval.ns, trigger->limit, interval_is_whole(interval));
}

bool trigger_matches_rate(const struct trigger *trigger, uint64_t frames, uint64_t time_ns,
			  bool whole)
{
	/* frames / time compared with mHz, without a division */
	return compare(trigger, frames * 1000 * UINT64_C(1000000000), trigger->limit * time_ns,
		       whole);
}

/* --- the gate --- */

static void set_gate(struct trigger_state *state, bool open, uint64_t time_ns, const char *text)
{
	state->is_open = open;
	events_write(state->events, time_ns, TRACE_EVENT_TRIGGER, text);
	if (state->events->sink.gate)
		state->events->sink.gate(state->events->sink.context, open, time_ns);
}

void trigger_pass(struct trigger_state *state, uint64_t now_ns)
{
	if (state->is_open && now_ns >= state->close_ns)
		set_gate(state, false, state->close_ns, "ends");
}

/* --- frames --- */

static void drop_oldest(struct trigger_series *series)
{
	series->time_ns -= series->intervals[series->first].ns;
	series->plain -= series->intervals[series->first].plain;
	series->first = (series->first + 1) % TRIGGER_INTERVALS;
	series->n--;
}

void trigger_frame(struct trigger_state *state, int place, const struct layer *layer,
		   uint64_t present_ns, struct interval interval, enum wait_kind wait)
{
	const struct trigger *trigger = state->trigger;
	struct trigger_series *series;
	bool held, fulfilled = false, is_plain = !interval_is_whole(interval);
	char text[NAME_MAX_LENGTH + 100];
	unsigned int last;

	if (!trigger)
		return;
	series = &state->series[place];
	if (place >= state->used)
		state->used = place + 1;
	if (series->owner != layer->id) {
		*series = (struct trigger_series){ .owner = layer->id };
		series->matches = !trigger->glob.ptr ||
				  pattern_glob(trigger->glob, span_of(layer->surface)) ||
				  (layer->has_app && pattern_glob(trigger->glob, layer_app(layer)));
		state->matched |= series->matches;
	}
	if (!series->matches)
		return;
	if (trigger->what == TRIGGER_INTERVAL) {
		fulfilled = trigger_matches_interval(trigger, interval, wait);
	} else if (interval_is_frame_time(interval)) {
		if (series->n == TRIGGER_INTERVALS)
			drop_oldest(series);
		last = (series->first + series->n++) % TRIGGER_INTERVALS;
		series->intervals[last].ns = (uint32_t)interval.ns & INT32_MAX;
		series->intervals[last].plain = is_plain;
		series->time_ns += (uint64_t)interval.ns;
		series->plain += is_plain;
		/* There is a full second even without the oldest interval. */
		while (threshold_reached(series->time_ns - series->intervals[series->first].ns,
					 RATE_NS, series->plain == 0))
			drop_oldest(series);
		fulfilled = (threshold_reached(series->time_ns, RATE_NS, series->plain == 0) ||
			     series->n == TRIGGER_INTERVALS) &&
			    trigger_matches_rate(trigger, series->n, series->time_ns,
						 series->plain == 0);
	} else {
		series->n = series->first = series->plain = 0;
		series->time_ns = 0;
	}
	if (fulfilled && !series->fulfilled)
		series->since_ns = present_ns;
	series->fulfilled = fulfilled;
	series->frame_ns = present_ns;
	held = series->holds;
	series->holds = fulfilled && present_ns - series->since_ns >= trigger->for_ns;
	if (series->holds) {
		state->held_ns = present_ns;
		state->close_ns = later(state->close_ns, present_ns + IDLE_NS);
		if (state->is_open)
			return;
		if (trigger->what == TRIGGER_FPS)
			snprintf(text, sizeof(text), "begins: %.1f fps on %.*s",
				 (double)series->n * 1e9 / (double)series->time_ns, NAME_MAX_LENGTH,
				 layer->surface);
		else
			snprintf(text, sizeof(text), "begins: %.1f ms on %.*s",
				 (double)interval.ns / 1e6, NAME_MAX_LENGTH, layer->surface);
		set_gate(state, true, present_ns, text);
	} else if (held) {
		/* The series no longer holds the gate open. Others may, while they are not idle. */
		state->close_ns = later(state->held_ns + HELD_OPEN_NS, present_ns);
		for (int i = 0; i < state->used; i++)
			if (state->series[i].owner && state->series[i].holds)
				state->close_ns =
					later(state->close_ns, state->series[i].frame_ns + IDLE_NS);
	}
}

void trigger_end(struct trigger_state *state, uint64_t now_ns)
{
	trigger_forget_surfaces(state);
	state->held_ns = state->close_ns = 0;
	if (state->is_open)
		set_gate(state, false, now_ns, "ends");
}

void trigger_finish(struct trigger_state *state, uint64_t now_ns)
{
	char text[NAME_MAX_LENGTH + 100];

	if (!state->trigger || !state->trigger->glob.ptr || state->matched)
		return;
	snprintf(text, sizeof(text), "no surface or app matched: %.*s",
		 state->trigger->glob.len < NAME_MAX_LENGTH ? (int)state->trigger->glob.len
							    : NAME_MAX_LENGTH,
		 state->trigger->glob.ptr);
	events_write(state->events, now_ns, TRACE_EVENT_TRIGGER, text);
}

void trigger_forget_surfaces(struct trigger_state *state)
{
	for (int i = 0; i < state->used; i++)
		state->series[i].owner = 0;
}
