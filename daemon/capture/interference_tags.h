/* SPDX-License-Identifier: Apache-2.0 */
/* The atrace tags, which decide on the markers that apps write, are a property of the whole device:
 * another program that ends its trace may switch them off, and apps write nothing though tracing is
 * on. */
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
	struct child getprop; /* reads the tags */
	struct child atrace;  /* sets them */
	struct atrace_command command;
	bool answered;	       /* the getprop that runs has printed its line */
	uint64_t set;	       /* as read last */
	uint64_t wanted;       /* those that this capture's atrace set; 0: nothing is watched */
	bool missing;	       /* some of them are off */
	bool restart;	       /* this atrace cannot set the tags alone: it starts tracing again */
	unsigned int timeouts; /* calls of getprop in a row that did not end in time */
	/* @missing has changed. */
	void (*changed)(struct interference_tags *tags);
	/* atrace has ended; @status not 0: it failed. */
	void (*restored)(struct interference_tags *tags, int status);
	void *context; /* of both */
};

/* Begins to watch. ->changed, ->restored and ->context are set. @options: borrowed. */
void interference_tags_begin(struct interference_tags *tags, const struct options *options,
			     struct loop *loop, uint64_t wanted);

/* To be called once a second. */
void interference_tags_tick(struct interference_tags *tags);

/* Starts atrace to switch them on again. Returns 0 or -errno; ->restored follows. */
int interference_tags_restore(struct interference_tags *tags);

void interference_tags_end(struct interference_tags *tags);

#endif
