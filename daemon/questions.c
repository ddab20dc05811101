/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/questions.h"

#include "daemon/android.h"

#define DUMPSYS_MS 5000

/* --- the app in front --- */

static void on_focus_line(struct child *child, struct span line)
{
	struct questions *questions = child->context;

	dumpsys_focus_line(&questions->found, line);
}

static void ask_focus(struct questions *questions, char *service)
{
	char *argv[] = { "dumpsys", service, NULL };

	questions->found = (struct dumpsys_focus){ .name = "" };
	child_start(&questions->focus, questions->loop, argv, DUMPSYS_MS);
}

/* What was told before it hung, or failed, is true all the same. */
static void on_focus_end(struct child *child, int status)
{
	struct questions *questions = child->context;

	(void)status;
	if (questions->found.name[0]) {
		if (pipeline_focus(questions->session->pipeline, questions->found.name))
			session_event(questions->session, "focus", questions->found.name);
		return;
	}
	if (questions->windows)
		return;
	questions->windows = true;
	ask_focus(questions, "window");
}

/* --- the period --- */

static void on_period_line(struct child *child, struct span line)
{
	struct questions *questions = child->context;
	uint64_t period_ns = questions->heard ? 0 : dumpsys_period_ns(line);

	questions->heard = true;
	if (period_ns)
		pipeline_give_period(questions->session->pipeline, period_ns);
}

static void ask_period(struct questions *questions)
{
	char *argv[] = { "dumpsys", "SurfaceFlinger", "--latency", NULL };

	child_start(&questions->period, questions->loop, argv, DUMPSYS_MS);
}

/* --- begin and end --- */

void questions_begin(struct questions *questions, struct session *session, struct loop *loop)
{
	const struct pipeline_options *options = &session->options->pipeline;

	*questions = (struct questions){ .session = session, .loop = loop };
	questions->focus = (struct child){
		.line = on_focus_line,
		.ended = on_focus_end,
		.context = questions,
	};
	questions->period = (struct child){ .line = on_period_line, .context = questions };
	if (!android_has("dumpsys"))
		return;
	if (!options->focus)
		ask_focus(questions, "input");
	if (!options->vsync_ns)
		ask_period(questions);
}

void questions_tick(struct questions *questions)
{
	child_check(&questions->focus);
	child_check(&questions->period);
}

void questions_end(struct questions *questions)
{
	child_kill(&questions->focus);
	child_kill(&questions->period);
}
