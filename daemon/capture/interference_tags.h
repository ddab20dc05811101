/* SPDX-License-Identifier: Apache-2.0 */
/* The atrace tags. They select the markers that apps write, and are a property of the whole device.
 * Another program that ends its trace may switch them off. Then apps write no markers although
 * tracing is on. */
#ifndef JANKD_DAEMON_CAPTURE_INTERFERENCE_TAGS_H
#define JANKD_DAEMON_CAPTURE_INTERFERENCE_TAGS_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/android/android.h"
#include "daemon/base/child.h"
#include "daemon/base/options.h"

/* The functions that are called when something has happened to the tags. */
struct interference_tags_calls {
	/* @missing: at least one tag is off now; false: all are on again. */
	void (*changed)(void *context, bool missing);
	/* atrace has ended. @status: 0: all tags are on; else it failed. */
	void (*restored)(void *context, int status);
	void *context;
};

struct interference_tags {
	const struct options *options;
	struct loop *loop;
	struct child getprop; /* reads the tags */
	struct child atrace;  /* sets them */
	struct atrace_command command;
	struct interference_tags_calls calls;
	bool answered;	 /* the last getprop has printed its line */
	int serial_fd;	 /* of property_serial_open() */
	int64_t serial;	 /* when that getprop was started; -1: unknown */
	uint64_t set;	 /* the value of the last read */
	uint64_t wanted; /* the tags that this capture's atrace set; 0: they are not watched */
	bool missing;	 /* at least one of them is off */
	bool restart;	 /* atrace cannot set only the tags: it is started with tracing */
	unsigned int timeouts; /* in a row, of getprop */
};

/**
 * interference_tags_begin() - start watching
 * @calls: copied
 * @options, @loop: borrowed
 * @wanted: the tags that this capture's atrace set; 0: nothing is watched
 */
void interference_tags_begin(struct interference_tags *tags,
			     const struct interference_tags_calls *calls,
			     const struct options *options, struct loop *loop, uint64_t wanted);

/* Call it with each tick. @query: start getprop, too, if it is not running, and if a property has
 * changed since its last answer. */
void interference_tags_tick(struct interference_tags *tags, bool query);

/* Starts atrace to switch the tags on again. Returns 0 or -errno; restored() is called at the
 * end. */
int interference_tags_restore(struct interference_tags *tags);

void interference_tags_end(struct interference_tags *tags);

#endif
