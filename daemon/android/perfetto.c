/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/android/android.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/child.h"

/* android.os.Build.VERSION_CODES.S: Android 12 */
#define SDK_FRAME_TIMELINE 31

#define FINISH_NS UINT64_C(2000000000)

/* Without write_into_file perfetto passes on nothing before its end (perfetto_cmd.cc). A flush
 * makes SurfaceFlinger give up what it has not passed on yet. */
static const char config[] = "buffers { size_kb: 1024 fill_policy: RING_BUFFER }\n"
			     "data_sources { config {\n"
			     "  name: \"android.surfaceflinger.frametimeline\"\n"
			     "} }\n"
			     "write_into_file: true\n"
			     "file_write_period_ms: 500\n"
			     "flush_period_ms: 1000\n";

struct perfetto {
	struct perfetto_calls calls;
	struct child child;
	bool is_stopped;
};

bool perfetto_is_there(const char *sdk)
{
	return strtol(sdk, NULL, 10) >= SDK_FRAME_TIMELINE && child_program_exists("perfetto");
}

static void on_bytes(struct child *child, struct span bytes)
{
	struct perfetto *perfetto = child->context;

	perfetto->calls.bytes(perfetto->calls.context, bytes);
}

static void on_end(struct child *child, int status)
{
	struct perfetto *perfetto = child->context;
	const char *error = child_last_error(child);
	char why[400];

	if (perfetto->is_stopped)
		return;
	if (status > 128)
		snprintf(why, sizeof(why), "it was killed by signal %d", status - 128);
	else if (status >= 0)
		snprintf(why, sizeof(why), "it ended with exit code %d%s%.300s", status,
			 error[0] ? ": " : "", error);
	else
		snprintf(why, sizeof(why), "%s", strerror(-status));
	perfetto->calls.failed(perfetto->calls.context, why);
}

int perfetto_begin(struct perfetto **out, struct loop *loop, const struct perfetto_calls *calls)
{
	char *argv[] = { "perfetto", "-c", "-", "--txt", "-o", "-", NULL };
	struct perfetto *perfetto = calloc(1, sizeof(*perfetto));

	*out = perfetto;
	if (!perfetto)
		return -ENOMEM;
	perfetto->calls = *calls;
	perfetto->child = (struct child){
		.bytes = on_bytes,
		.ended = on_end,
		.input = config,
		.context = perfetto,
	};
	return child_start(&perfetto->child, loop, argv, -1);
}

void perfetto_tick(struct perfetto *perfetto)
{
	if (perfetto)
		child_check(&perfetto->child);
}

void perfetto_stop(struct perfetto *perfetto)
{
	if (!perfetto)
		return;
	perfetto->is_stopped = true;
	child_signal(&perfetto->child, SIGINT);
}

bool perfetto_finish(struct perfetto *perfetto)
{
	if (!perfetto)
		return true;
	child_wait(&perfetto->child, loop_now() + FINISH_NS);
	if (!child_runs(&perfetto->child))
		return true;
	child_kill(&perfetto->child);
	return false;
}

struct perfetto *perfetto_end(struct perfetto *perfetto)
{
	if (perfetto)
		child_kill(&perfetto->child);
	free(perfetto);
	return NULL;
}
