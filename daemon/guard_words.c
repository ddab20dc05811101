/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/guard_words.h"

#include <stdio.h>

#define MINUTE_NS UINT64_C(60000000000)

/* Events of a minute: others can make them happen as often as they like. */
#define EVENTS_MAX 30

static const struct guard_words words[GUARD_TROUBLES] = {
	[GUARD_OFF] = { "tracing was switched off by another program",
			"tracing was switched on again by another program",
			"tracing is switched on again" },
	[GUARD_CLOCK] = { "the trace clock was changed by another program to",
			  "the trace clock was set back by another program to",
			  "the trace clock is set back to" },
	[GUARD_SIZE] = { "the trace buffer was made smaller by another program: KB for each CPU",
			 "the trace buffer was made larger again by another program: KB for each "
			 "CPU",
			 "the trace buffer is made larger again: KB for each CPU" },
	[GUARD_TAGS] = { "the tags that apps look at were switched off by another program: atrace "
			 "tags",
			 "the tags that apps look at were switched on again by another program: "
			 "atrace tags",
			 "the tags that apps look at are switched on again: atrace tags" },
	[GUARD_CPUS] = { "the CPUs that are traced were changed by another program: "
			 "tracing_cpumask",
			 "the CPUs that are traced were set back by another program: "
			 "tracing_cpumask",
			 "the CPUs that are traced are set back: tracing_cpumask" },
	[GUARD_MARKERS] = { "trace markers were switched off by another program: options/markers",
			    "trace markers were switched on again by another program: "
			    "options/markers",
			    "trace markers are switched on again: options/markers" },
	[GUARD_OVERWRITE] = { "another program lets a full buffer drop new events: "
			      "options/overwrite",
			      "another program lets a full buffer drop old events again: "
			      "options/overwrite",
			      "a full buffer drops old events again: options/overwrite" },
	[GUARD_FORM] = { "the form of the lines was changed by another program, and they cannot be "
			 "read:",
			 "the form of the lines was changed back by another program:",
			 "the form of the lines is set back:" },
};

const struct guard_words *guard_words(enum guard_trouble_kind kind)
{
	return &words[kind];
}

void guard_tell(struct guard *guard, const char *text)
{
	uint64_t now = loop_now();
	char longer[256];

	guard->news = true;
	if (now - guard->minute_ns >= MINUTE_NS) {
		guard->minute_ns = now;
		guard->told = 0;
	}
	if (guard->told++ >= EVENTS_MAX) {
		guard->withheld++;
		return;
	}
	if (guard->withheld > 0) {
		snprintf(longer, sizeof(longer), "%s (and %u events of this kind before)", text,
			 guard->withheld);
		guard->withheld = 0;
		text = longer;
	}
	session_event(guard->session, "tracing", text);
	output_flush(&guard->session->output);
}

void guard_tell_value(struct guard *guard, const char *text, const char *value)
{
	char line[200];

	snprintf(line, sizeof(line), "%s %s", text, value);
	guard_tell(guard, line);
}
