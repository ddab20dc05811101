/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/capture/interference.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GETPROP_MS 1000

/* After this many timeouts in a row getprop is not started again. */
#define TIMEOUTS_MAX 5

static void on_getprop_line(struct child *child, struct span line)
{
	struct interference_tags *tags = child->context;
	char text[32];
	bool missing;

	if (tags->answered || line.len >= sizeof(text))
		return;
	memcpy(text, line.ptr, line.len);
	text[line.len] = '\0';
	tags->answered = true;
	tags->set = strtoull(text, NULL, 0);
	missing = (tags->set & tags->wanted) != tags->wanted;
	if (missing == tags->missing || child_runs(&tags->atrace))
		return;
	tags->missing = missing;
	tags->changed(tags->context, missing);
}

static void on_getprop_end(struct child *child, int status)
{
	struct interference_tags *tags = child->context;

	tags->timeouts = status == -ETIMEDOUT ? tags->timeouts + 1 : 0;
}

static int start_atrace(struct interference_tags *tags)
{
	const struct options *options = tags->options;

	atrace_make_command(&tags->command, options->buffer_kb, options->categories,
			    !tags->restart);
	return child_start(&tags->atrace, tags->loop, tags->command.argv, ATRACE_TIMEOUT_MS);
}

/* Before Android 9 atrace cannot set only the tags. Then it is started again, with tracing, which
 * empties the buffers. */
static void on_atrace_end(struct child *child, int status)
{
	struct interference_tags *tags = child->context;

	if (status > 0 && !tags->restart) {
		tags->restart = true;
		if (start_atrace(tags) == 0)
			return;
	}
	if (status == 0) {
		tags->missing = false;
		tags->set = tags->wanted;
	}
	tags->restored(tags->context, status);
}

void interference_tags_begin(struct interference_tags *tags)
{
	tags->getprop = (struct child){
		.brief = true,
		.line = on_getprop_line,
		.ended = on_getprop_end,
		.context = tags,
	};
	tags->atrace = (struct child){ .ended = on_atrace_end, .context = tags };
	tags->serial_fd = -1;
	if (tags->wanted != 0 && tags->options->device_root)
		tags->serial_fd = property_serial_open(tags->options->device_root);
}

void interference_tags_tick(struct interference_tags *tags, bool query)
{
	char *argv[] = { "getprop", "debug.atrace.tags.enableflags", NULL };
	int64_t serial;

	if (tags->wanted == 0)
		return;
	child_check(&tags->getprop);
	child_check(&tags->atrace);
	if (!query || child_runs(&tags->getprop) || child_runs(&tags->atrace) ||
	    tags->timeouts >= TIMEOUTS_MAX)
		return;
	/* Before getprop is started: what changes meanwhile is read again. */
	serial = property_serial_read(tags->serial_fd);
	/* A program that runs with every tick costs more than all else. */
	if (tags->answered && serial >= 0 && serial == tags->serial)
		return;
	tags->serial = serial;
	tags->answered = false;
	child_start(&tags->getprop, tags->loop, argv, GETPROP_MS);
}

int interference_tags_restore(struct interference_tags *tags)
{
	return child_runs(&tags->atrace) ? 0 : start_atrace(tags);
}

void interference_tags_end(struct interference_tags *tags)
{
	child_kill(&tags->getprop);
	child_kill(&tags->atrace);
	if (tags->serial_fd >= 0)
		close(tags->serial_fd);
	tags->serial_fd = -1;
}
