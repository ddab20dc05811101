/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/android/android.h"

#include <string.h>

#include "daemon/base/periods.h"

#define DUMPSYS_MS 5000

/* --- the app in the foreground --- */

static void on_focus_line(struct child *child, struct span line)
{
	struct android_probe *probe = child->context;

	dumpsys_focus_line(&probe->found, line);
}

static void query_focus(struct android_probe *probe)
{
	char input[] = "input", window[] = "window";
	char *argv[] = { "dumpsys", probe->use_window ? window : input, NULL };

	probe->found = (struct dumpsys_focus){ .name = "" };
	child_start(&probe->focus, probe->loop, argv, DUMPSYS_MS);
}

/* Passes the name to the pipeline, even if dumpsys hung or failed after it had printed the name. */
static void on_focus_end(struct child *child, int status)
{
	struct android_probe *probe = child->context;
	const char *name = probe->found.name;
	size_t len = strcspn(name, "/");

	(void)status;
	if (!name[0] && !probe->use_window) {
		probe->use_window = true;
		query_focus(probe);
		return;
	}
	if (probe->since_ns == 0) {
		if (name[0] && pipeline_focus(probe->pipeline, name))
			probe->event(probe->context, "focus", name);
		return;
	}
	/* During a transition the app that begins to draw may not be in the foreground yet. So if
	 * the first answer names another app, it is ignored, and the second one counts. */
	if (name[0] && !probe->is_second &&
	    (strlen(probe->new_app) != len || strncmp(probe->new_app, name, len) != 0))
		return;
	pipeline_set_front_app(probe->pipeline, name, probe->since_ns);
}

void android_probe_follow(struct android_probe *probe)
{
	const char *app;
	uint64_t uncertain_ns = pipeline_front_app_uncertain_since(probe->pipeline, &app);

	if (!probe->is_available || uncertain_ns == 0 || child_runs(&probe->focus) ||
	    !rate_limit_allows(&probe->queries, 1, periods.front_app_ns, loop_now()))
		return;
	probe->is_second = uncertain_ns == probe->uncertain_ns;
	probe->uncertain_ns = uncertain_ns;
	probe->since_ns = probe->is_second ? pipeline_now(probe->pipeline) : uncertain_ns;
	name_copy(probe->new_app, sizeof(probe->new_app), span_of(app));
	query_focus(probe);
}

/* --- the display's period, and the durations of frames --- */

static void query_display(struct android_probe *probe, enum display_query query)
{
	/* Android 9 has neither of the last two options, and prints all it has. */
	static const char *const options[] = { "--latency", "--vsync", "--scheduler" };
	char *argv[] = { "dumpsys", "SurfaceFlinger", (char *)options[query], NULL };

	probe->query = query;
	probe->has_line = false;
	probe->dump = SURFACEFLINGER_DUMP_NONE;
	child_start(&probe->display, probe->loop, argv, DUMPSYS_MS);
}

static void on_display_line(struct child *child, struct span line)
{
	struct android_probe *probe = child->context;
	bool is_period = probe->query == DISPLAY_PERIOD && !probe->has_line;
	uint64_t period_ns = is_period ? dumpsys_period_ns(line) : 0;

	probe->has_line = true;
	if (period_ns)
		pipeline_set_dumpsys_period(probe->pipeline, period_ns);
	if (probe->query != DISPLAY_PERIOD)
		surfaceflinger_dump_line(&probe->dump, line);
}

static void on_display_end(struct child *child, int status)
{
	struct android_probe *probe = child->context;
	const struct work_durations durations = work_durations_of(&probe->dump);

	if (probe->query == DISPLAY_PERIOD && probe->wants_durations)
		query_display(probe, DISPLAY_VSYNC);
	else if (work_durations_known(&durations))
		pipeline_set_durations(probe->pipeline, &durations);
	else if (status == 0 && probe->query == DISPLAY_VSYNC)
		query_display(probe, DISPLAY_SCHEDULER);
}

/* --- once --- */

/* More than the output of 'dumpsys display' on a phone. The rest is cut. */
#define OUTPUT_SIZE (512 * 1024)

bool android_display_read(uint64_t *period_ns, struct dumpsys_rates *rates)
{
	char *latency[] = { "dumpsys", "SurfaceFlinger", "--latency", NULL };
	char *display[] = { "dumpsys", "display", NULL };
	static char output[OUTPUT_SIZE];

	*period_ns = 0;
	*rates = (struct dumpsys_rates){ .n = 0 };
	if (!child_program_exists("dumpsys"))
		return false;
	if (child_run(latency, DUMPSYS_MS, 0, false, output, OUTPUT_SIZE) == 0)
		*period_ns = dumpsys_period_ns((struct span){ output, strcspn(output, "\n") });
	if (child_run(display, DUMPSYS_MS, 0, false, output, OUTPUT_SIZE) == 0)
		dumpsys_add_rates(rates, span_of(output));
	return true;
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
	probe->display = (struct child){
		.line = on_display_line,
		.ended = on_display_end,
		.context = probe,
	};
	/* Present fences are judged without them. */
	probe->wants_durations = options->source != OPTIONS_SOURCE_LATENCY;
	probe->is_available = child_program_exists("dumpsys");
	if (!probe->is_available)
		return;
	/* The first call is allowed. The next query is a period later, also with --focus. */
	if (rate_limit_allows(&probe->queries, 1, periods.front_app_ns, loop_now()) &&
	    !options->pipeline.focus)
		query_focus(probe);
	if (!options->pipeline.vsync_ns)
		query_display(probe, DISPLAY_PERIOD);
	else if (probe->wants_durations)
		query_display(probe, DISPLAY_VSYNC);
}

void android_probe_tick(struct android_probe *probe)
{
	child_check(&probe->focus);
	child_check(&probe->display);
}

bool android_probe_runs(const struct android_probe *probe)
{
	return child_runs(&probe->focus) || child_runs(&probe->display);
}

void android_probe_end(struct android_probe *probe)
{
	child_kill(&probe->focus);
	child_kill(&probe->display);
}
