/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/capture/interference_tags.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define QUESTION_MS 1000

/* A getprop that hangs so often is asked no more. */
#define HANGS_MAX 5

static void judge(struct interference_tags *tags)
{
	bool missing = (tags->set & tags->wanted) != tags->wanted;

	if (missing == tags->missing || child_runs(&tags->order))
		return;
	tags->missing = missing;
	tags->changed(tags);
}

static void on_answer(struct child *child, struct span line)
{
	struct interference_tags *tags = child->context;
	char text[32];

	if (tags->heard || line.len >= sizeof(text))
		return;
	memcpy(text, line.ptr, line.len);
	text[line.len] = '\0';
	tags->heard = true;
	tags->set = strtoull(text, NULL, 0);
	judge(tags);
}

static void on_answered(struct child *child, int status)
{
	struct interference_tags *tags = child->context;

	tags->hangs = status == -ETIMEDOUT ? tags->hangs + 1 : 0;
}

static int give_order(struct interference_tags *tags)
{
	const struct options *options = tags->options;

	atrace_make_command(&tags->command, options->buffer_kb, options->categories, !tags->whole);
	return child_start(&tags->order, tags->loop, tags->command.argv, ATRACE_TIMEOUT_MS);
}

/* Before Android 9 it knew nothing of tags alone: then it starts all again, which empties the
 * buffers. */
static void on_ordered(struct child *child, int status)
{
	struct interference_tags *tags = child->context;

	if (status > 0 && !tags->whole) {
		tags->whole = true;
		if (give_order(tags) == 0)
			return;
	}
	tags->ordered(tags, status);
}

void interference_tags_begin(struct interference_tags *tags, const struct options *options,
			     struct loop *loop, uint64_t wanted)
{
	tags->options = options;
	tags->loop = loop;
	tags->question = (struct child){
		.brief = true,
		.line = on_answer,
		.ended = on_answered,
		.context = tags,
	};
	tags->order = (struct child){ .ended = on_ordered, .context = tags };
	tags->wanted = wanted;
}

void interference_tags_tick(struct interference_tags *tags)
{
	char *argv[] = { "getprop", "debug.atrace.tags.enableflags", NULL };

	if (tags->wanted == 0)
		return;
	child_check(&tags->question);
	child_check(&tags->order);
	if (child_runs(&tags->question) || child_runs(&tags->order) || tags->hangs >= HANGS_MAX)
		return;
	tags->heard = false;
	child_start(&tags->question, tags->loop, argv, QUESTION_MS);
}

int interference_tags_order(struct interference_tags *tags)
{
	return child_runs(&tags->order) ? 0 : give_order(tags);
}

void interference_tags_end(struct interference_tags *tags)
{
	child_kill(&tags->question);
	child_kill(&tags->order);
}
