/* SPDX-License-Identifier: Apache-2.0 */
/* Other tools trace, too, and the trace is one for all: they switch it off, empty it, give it
 * another clock or size, take the tags away. What happens is told in events.csv, is never counted
 * as jank, and is taken back, unless we are to give way; a tool that insists has its way. Devices
 * that sleep and a time of day that is set are seen here as well. */
#ifndef JANKD_DAEMON_CAPTURE_INTERFERENCE_H
#define JANKD_DAEMON_CAPTURE_INTERFERENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/capture/clock_watch.h"
#include "daemon/capture/interference_format.h"
#include "daemon/capture/interference_size.h"
#include "daemon/capture/interference_tags.h"
#include "daemon/trace/trace.h"
#include "daemon/capture/session.h"
#include "daemon/capture/trace_watch.h"
#include "rules/rate_limit.h"

enum interference_trouble_kind {
	INTERFERENCE_OFF,	/* tracing_on is 0 */
	INTERFERENCE_CLOCK,	/* the trace clock is another */
	INTERFERENCE_SIZE,	/* the buffers are smaller */
	INTERFERENCE_TAGS,	/* apps write nothing */
	INTERFERENCE_CPUS,	/* of some CPUs nothing is taken */
	INTERFERENCE_MARKERS,	/* of apps nothing is taken */
	INTERFERENCE_OVERWRITE, /* a full buffer takes nothing more */
	INTERFERENCE_FORM,	/* the lines of a text cannot be read */
	INTERFERENCE_TROUBLES,
};

struct interference_kind_state {
	bool there;
	bool told_way;	   /* that we give way to it */
	uint64_t since_ns; /* on the clock of loop_now() */
};

struct interference {
	struct session *session;
	struct loop *loop;
	const struct trace_files *files;
	const char *path;
	char clock[SETTING_SIZE]; /* as they are to be */
	struct interference_size size;
	struct interference_format form;		  /* of a text; else nothing is open */
	char others[INTERFERENCE_TROUBLES][SETTING_SIZE]; /* "": not known */
	struct interference_kind_state troubles[INTERFERENCE_TROUBLES];
	struct trace_watch watch;
	struct cpu_buffer_stats buffer;
	struct clock_watch clocks;
	struct interference_tags tags;
	uint64_t good_ns;	/* trace time when all was well last */
	uint64_t tags_good_ns;	/* the same of the tags: at the question before the last */
	uint64_t tags_asked_ns; /* at the last one */
	unsigned int theirs;	/* see interference_theirs() */
	bool news;		/* something was told */
	uint64_t news_ns;	/* by the last look that had something to tell */
	uint64_t unsure_ns;	/* when something was seen that has to be looked at again, or 0 */
	unsigned int passing;	/* what was heard then: a bit (1 << enum trace_file) for each */
	bool others_read;	/* the raw trace; it was told */
	bool others_look;	/* at the trace, which pauses it; it was told */
	struct rate_limit restores; /* of settings */
	struct rate_limit events;
	unsigned int withheld; /* events since the last one that was written */
	bool on;	       /* interference_begin() was called */
};

/**
 * interference_begin() - what is set now is what is to stay
 * @files: of the trace that is read; borrowed, as @session and @loop
 * @tags: those that were switched on for us, 0: none, or nobody knows
 * @alarm: its ready() is called when something has changed: then interference_drains() is due
 */
void interference_begin(struct interference *interference, struct session *session,
			struct loop *loop, const struct trace_files *files, uint64_t tags,
			struct watcher alarm);

/* To be called before each row of reads. False: what is there has no times: it is not to be
 * read. */
bool interference_drains(struct interference *interference);

/* To be called when all was read that was there. */
void interference_drained(struct interference *interference);

/* To be called once a second. */
void interference_tick(struct interference *interference);

/* Does each tick start a program? */
static inline bool interference_asks(const struct interference *interference)
{
	return interference->on && interference->tags.wanted != 0;
}

/* Is the one of the last tick still to answer? */
static inline bool interference_is_asking(const struct interference *interference)
{
	return interference->tags.question.output.fd >= 0 &&
	       child_runs(&interference->tags.question);
}

/* Is something to be looked at again? Not long after, then. */
static inline bool interference_is_unsure(const struct interference *interference)
{
	return interference->unsure_ns > 0;
}

/* What another program has written to last, and not we: a bit (1 << enum trace_setting) for each.
 */
static inline unsigned int interference_theirs(const struct interference *interference)
{
	return interference->theirs;
}

/* The last events are read: the kernel's account is complete. In any state. */
void interference_end(struct interference *interference);

#endif
