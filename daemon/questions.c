/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/questions.h"

#include <string.h>

#include "daemon/android.h"

#define DUMPSYS_MS 5000

/* A question costs Android some tens of milliseconds of CPU. */
#define ASK_PERIOD_NS UINT64_C(2000000000)

/* --- the app in front --- */

static void on_focus_line(struct child *child, struct span line)
{
	struct questions *questions = child->context;

	dumpsys_focus_line(&questions->found, line);
}

static void ask_focus(struct questions *questions)
{
	char input[] = "input", window[] = "window";
	char *argv[] = { "dumpsys", questions->windows ? window : input, NULL };

	questions->found = (struct dumpsys_focus){ .name = "" };
	child_start(&questions->focus, questions->loop, argv, DUMPSYS_MS);
}

static bool is_doubted(const struct questions *questions)
{
	size_t len = strcspn(questions->found.name, "/");

	return strlen(questions->doubted) == len &&
	       strncmp(questions->doubted, questions->found.name, len) == 0;
}

static void answer_begin(struct questions *questions)
{
	if (questions->found.name[0] &&
	    pipeline_focus(questions->session->pipeline, questions->found.name))
		session_event(questions->session, "focus", questions->found.name);
}

/* In a transition the app that begins to draw may not be in front yet: where it is not, the answer
 * is that of the second question. */
static void answer_doubt(struct questions *questions)
{
	if (questions->found.name[0] && !questions->second && !is_doubted(questions))
		return;
	pipeline_front(questions->session->pipeline, questions->found.name, questions->since_ns);
	questions->since_ns = 0;
}

/* What was told before it hung, or failed, is true all the same. */
static void on_focus_end(struct child *child, int status)
{
	struct questions *questions = child->context;

	(void)status;
	if (!questions->found.name[0] && !questions->windows) {
		questions->windows = true;
		ask_focus(questions);
	} else if (questions->since_ns == 0) {
		answer_begin(questions);
	} else {
		answer_doubt(questions);
	}
}

void questions_follow(struct questions *questions)
{
	const char *app;
	uint64_t since_ns = pipeline_front_doubt(questions->session->pipeline, &app);

	if (!questions->can_ask || since_ns == 0 || child_runs(&questions->focus) ||
	    loop_now() < questions->next_ns)
		return;
	questions->second = since_ns == questions->doubt_ns;
	questions->doubt_ns = since_ns;
	questions->since_ns =
		questions->second ? pipeline_now(questions->session->pipeline) : since_ns;
	name_copy(questions->doubted, sizeof(questions->doubted), span_of(app));
	questions->next_ns = loop_now() + ASK_PERIOD_NS;
	ask_focus(questions);
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
	questions->can_ask = android_has("dumpsys");
	if (!questions->can_ask)
		return;
	questions->next_ns = loop_now() + ASK_PERIOD_NS;
	if (!options->focus)
		ask_focus(questions);
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
