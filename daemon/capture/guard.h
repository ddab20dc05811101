/* SPDX-License-Identifier: Apache-2.0 */
/* Other tools trace, too, and the trace is one for all: they switch it off, empty it, give it
 * another clock or size, take the tags away. What happens is told in events.csv, is never counted
 * as jank, and is taken back, unless we are to give way; a tool that insists has its way. Devices
 * that sleep and a time of day that is set are seen here as well. */
#ifndef JANKD_DAEMON_CAPTURE_GUARD_H
#define JANKD_DAEMON_CAPTURE_GUARD_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/capture/clock_watch.h"
#include "daemon/capture/guard_form.h"
#include "daemon/capture/guard_size.h"
#include "daemon/capture/guard_tags.h"
#include "daemon/capture/lost_claims.h"
#include "daemon/trace/ring_stats.h"
#include "daemon/capture/session.h"
#include "daemon/trace/setting_file.h"
#include "daemon/capture/trace_watch.h"

/* More is not taken back within a minute: who insists has its way. */
#define GUARD_TAKES_MAX 4

enum guard_trouble_kind {
	GUARD_OFF,	 /* tracing_on is 0 */
	GUARD_CLOCK,	 /* the trace clock is another */
	GUARD_SIZE,	 /* the buffers are smaller */
	GUARD_TAGS,	 /* apps write nothing */
	GUARD_CPUS,	 /* of some CPUs nothing is taken */
	GUARD_MARKERS,	 /* of apps nothing is taken */
	GUARD_OVERWRITE, /* a full buffer takes nothing more */
	GUARD_FORM,	 /* the lines of a text cannot be read */
	GUARD_TROUBLES,
};

struct guard_trouble {
	bool there;
	bool told_way;	   /* that we give way to it */
	uint64_t since_ns; /* on the clock of loop_now() */
};

struct guard {
	struct session *session;
	struct loop *loop;
	const struct trace_files *files;
	const char *path;
	char clock[SETTING_SIZE]; /* as they are to be */
	struct guard_size size;
	struct guard_form form;			   /* of a text; else nothing is open */
	char others[GUARD_TROUBLES][SETTING_SIZE]; /* "": not known */
	struct guard_trouble troubles[GUARD_TROUBLES];
	struct trace_watch watch;
	struct ring_stats ring;
	struct lost_claims claims; /* of a text; else its files are NULL */
	struct clock_watch clocks;
	struct guard_tags tags;
	uint64_t good_ns;	/* trace time when all was well last */
	uint64_t tags_good_ns;	/* the same of the tags: at the question before the last */
	uint64_t tags_asked_ns; /* at the last one */
	unsigned int theirs;	/* see guard_theirs() */
	bool news;		/* something was told */
	uint64_t news_ns;	/* by the last look that had something to tell */
	uint64_t unsure_ns;	/* when something was seen that has to be looked at again, or 0 */
	unsigned int passing;	/* what was heard then: a bit (1 << enum trace_file) for each */
	bool others_read;	/* the raw trace; it was told */
	bool others_look;	/* at the trace, which pauses it; it was told */
	uint64_t takes_ns[GUARD_TAKES_MAX]; /* when something was taken back */
	unsigned int takes;		    /* ever */
	uint64_t minute_ns;		    /* when this minute began, and its events */
	unsigned int told, withheld;
	bool on; /* guard_begin() was called */
};

/**
 * guard_begin() - what is set now is what is to stay
 * @files: of the trace that is read; borrowed, as @session and @loop
 * @tags: those that were switched on for us, 0: none, or nobody knows
 * @alarm: its ready() is called when something has changed: then guard_drains() is due
 */
void guard_begin(struct guard *guard, struct session *session, struct loop *loop,
		 const struct trace_files *files, uint64_t tags, struct watcher alarm);

/* To be called before each row of reads. False: what is there has no times: it is not to be
 * read. */
bool guard_drains(struct guard *guard);

/* To be called when all was read that was there. */
void guard_dry(struct guard *guard);

/* To be called once a second. */
void guard_tick(struct guard *guard);

/* Does each tick start a program? */
static inline bool guard_asks(const struct guard *guard)
{
	return guard->on && guard->tags.wanted != 0;
}

/* Is the one of the last tick still to answer? */
static inline bool guard_is_asking(const struct guard *guard)
{
	return guard->tags.question.output.fd >= 0 && child_runs(&guard->tags.question);
}

/* Is something to be looked at again? Not long after, then. */
static inline bool guard_is_unsure(const struct guard *guard)
{
	return guard->unsure_ns > 0;
}

/* What another program has written to last, and not we: a bit (1 << enum trace_setting) for each.
 */
static inline unsigned int guard_theirs(const struct guard *guard)
{
	return guard->theirs;
}

/* The last events are read: the kernel's account is complete. In any state. */
void guard_end(struct guard *guard);

#endif
