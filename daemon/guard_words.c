/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/guard_words.h"

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
};

const struct guard_words *guard_words(enum guard_trouble_kind kind)
{
	return &words[kind];
}
