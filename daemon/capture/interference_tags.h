/* SPDX-License-Identifier: Apache-2.0 */
/* The tags that tell apps what to write into the trace are a property of the whole device: whoever
 * ends another trace may switch ours off, and the trace goes silent though it is on. */
#ifndef JANKD_DAEMON_CAPTURE_INTERFERENCE_TAGS_H
#define JANKD_DAEMON_CAPTURE_INTERFERENCE_TAGS_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/android/android.h"
#include "daemon/base/child.h"
#include "daemon/base/options.h"

struct interference_tags {
	const struct options *options;
	struct loop *loop;
	struct child question; /* getprop */
	struct child order;    /* atrace */
	struct atrace_command command;
	bool heard;	    /* the question that runs was answered */
	uint64_t set;	    /* of the last answer */
	uint64_t wanted;    /* those that our own atrace set; 0: nothing is watched */
	bool missing;	    /* some of them are off */
	bool whole;	    /* this atrace cannot set the tags alone */
	unsigned int hangs; /* questions in a row that came to no end */
	/* @missing has changed. */
	void (*changed)(struct interference_tags *tags);
	/* atrace has come to its end; > 0 and < 0: it failed. */
	void (*ordered)(struct interference_tags *tags, int status);
	void *context; /* of both */
};

/* Begins to watch; changed, ordered and context are set. @options: borrowed. */
void interference_tags_begin(struct interference_tags *tags, const struct options *options,
			     struct loop *loop, uint64_t wanted);

/* To be called once a second. */
void interference_tags_tick(struct interference_tags *tags);

/* Switches them on again, beside the capture. Returns 0 or -errno. */
int interference_tags_order(struct interference_tags *tags);

void interference_tags_end(struct interference_tags *tags);

#endif
