/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/android/android_probe.h"

#include <string.h>

#include "daemon/android/android.h"

#define DUMPSYS_MS 5000

/* A question costs Android some tens of milliseconds of CPU. */
#define ASK_PERIOD_NS UINT64_C(2000000000)

/* --- the app in front --- */

static void on_focus_line(struct child *child, struct span line)
{
	struct android_probe *probe = child->context;

	dumpsys_focus_line(&probe->found, line);
}

static void ask_focus(struct android_probe *probe)
{
	char input[] = "input", window[] = "window";
	char *argv[] = { "dumpsys", probe->windows ? window : input, NULL };

	probe->found = (struct dumpsys_focus){ .name = "" };
	child_start(&probe->focus, probe->loop, argv, DUMPSYS_MS);
}

static bool is_doubted(const struct android_probe *probe)
{
	size_t len = strcspn(probe->found.name, "/");

	return strlen(probe->doubted) == len &&
	       strncmp(probe->doubted, probe->found.name, len) == 0;
}

static void answer_begin(struct android_probe *probe)
{
	if (probe->found.name[0] && pipeline_focus(*probe->pipeline, probe->found.name))
		probe->found_focus(probe->context, probe->found.name);
}

/* In a transition the app that begins to draw may not be in front yet: where it is not, the answer
 * is that of the second question. */
static void answer_doubt(struct android_probe *probe)
{
	if (probe->found.name[0] && !probe->second && !is_doubted(probe))
		return;
	pipeline_set_front(*probe->pipeline, probe->found.name, probe->since_ns);
	probe->since_ns = 0;
}

/* What was told before it hung, or failed, is true all the same. */
static void on_focus_end(struct child *child, int status)
{
	struct android_probe *probe = child->context;

	(void)status;
	if (!probe->found.name[0] && !probe->windows) {
		probe->windows = true;
		ask_focus(probe);
	} else if (probe->since_ns == 0) {
		answer_begin(probe);
	} else {
		answer_doubt(probe);
	}
}

void android_probe_follow(struct android_probe *probe)
{
	const char *app;
	uint64_t since_ns = pipeline_front_uncertain_since(*probe->pipeline, &app);

	if (!probe->can_ask || since_ns == 0 || child_runs(&probe->focus) ||
	    loop_now() < probe->next_ns)
		return;
	probe->second = since_ns == probe->doubt_ns;
	probe->doubt_ns = since_ns;
	probe->since_ns = probe->second ? pipeline_now(*probe->pipeline) : since_ns;
	name_copy(probe->doubted, sizeof(probe->doubted), span_of(app));
	probe->next_ns = loop_now() + ASK_PERIOD_NS;
	ask_focus(probe);
}

/* --- the period --- */

static void on_period_line(struct child *child, struct span line)
{
	struct android_probe *probe = child->context;
	uint64_t period_ns = probe->heard ? 0 : dumpsys_period_ns(line);

	probe->heard = true;
	if (period_ns)
		pipeline_set_dumpsys_period(*probe->pipeline, period_ns);
}

static void ask_period(struct android_probe *probe)
{
	char *argv[] = { "dumpsys", "SurfaceFlinger", "--latency", NULL };

	child_start(&probe->period, probe->loop, argv, DUMPSYS_MS);
}

/* --- begin and end --- */

void android_probe_begin(struct android_probe *probe, const struct options *options,
			 struct loop *loop)
{
	probe->loop = loop;
	probe->focus = (struct child){
		.line = on_focus_line,
		.ended = on_focus_end,
		.context = probe,
	};
	probe->period = (struct child){ .line = on_period_line, .context = probe };
	probe->can_ask = android_has("dumpsys");
	if (!probe->can_ask)
		return;
	probe->next_ns = loop_now() + ASK_PERIOD_NS;
	if (!options->pipeline.focus)
		ask_focus(probe);
	if (!options->pipeline.vsync_ns)
		ask_period(probe);
}

void android_probe_tick(struct android_probe *probe)
{
	child_check(&probe->focus);
	child_check(&probe->period);
}

void android_probe_end(struct android_probe *probe)
{
	child_kill(&probe->focus);
	child_kill(&probe->period);
}
