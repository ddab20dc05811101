/* SPDX-License-Identifier: Apache-2.0 */
/* 'status' and 'status --json': each value is in them, where it belongs. */
#include "tests/unit/unit.h"

#include <inttypes.h>

#include "daemon/base/status.h"
#include "daemon/show/show.h"
#include "daemon/version.h"
#include "tests/unit/printed.h"
#include "tests/unit/scratch.h"

#define FIRST 1001

static struct options options;
static struct status status;

/* Sets the numbers from @begin up to @end, each to the one before it plus 1. Returns the next. */
static uint64_t number(void *begin, const void *end, uint64_t next)
{
	for (char *at = begin; at < (const char *)end; at += sizeof(next), next++)
		memcpy(at, &next, sizeof(next));
	return next;
}

/* Returns the first number that is not in status.counters. */
static uint64_t set_up_status(void)
{
	struct pipeline_counters *counters = &status.counters;
	uint64_t next = FIRST;

	options = options_default(OPTIONS_RUN);
	options.frames_log = options.yield = true;
	options.keep = 38;
	options.min_free = 39;
	options.sync_ns = 40;
	options.snapshot_ns = 41;
	options.rotate_size = 42;
	options.rotate_time_ns = 43;
	options.duration_ns = 44;
	options.wait_ns = 45;
	options.pipeline.vsync_ns = 8500000;
	options.include[0] = "a*";
	options.words[0] = (struct option_word){ "keep", "38" };
	options.words[1] = (struct option_word){ "yield", NULL };
	options.word_count = 2;
	status = (struct status){
		.options = &options,
		.folder = "/out\n",
		.live = true,
		.discarding = true,
		.pid = 77,
		.uptime_s = 7384,
		.begin_ns = 5,
		.begin_wall_ns = 1700000000 * (int64_t)SECOND,
		.end_wall_ns = ROW_UNKNOWN,
		.last_report = "low battery",
		.source = "trace_pipe",
		.source_why = "as text",
		.source_path = "/tr",
		.trace_clock = "boot",
		.clock = { true, 9 },
		.device.id = "rack 3",
		.device_start = DEVICE_VALUES_NONE,
		.device_end = { 81, DEVICE_FULL, 1, 120, 255, 3, 31200, 34100, 52400 },
		.bytes = 6000000,
		.markers = 10,
		.malformed_markers = 11,
		.glued_lines = 12,
		.too_long_lines = 13,
		.has_overruns = true,
		.cpus = 2,
		.overruns = { 14, 15 },
		.recoveries = 16,
		.files = 1,
		.rows = { { "fps.csv", 17, 18, 19 } },
		.rows_lost = 20,
		.rotations = 21,
		.segments_removed = 22,
		.disk_busy_ns = 3 * SECOND,
		.snapshots = 23,
		.snapshots_suppressed = 24,
		.snapshots_failed = 25,
		.cost = { 92300, 1500, 20480, 73840 },
		.latency = { true, 4, 26, 27, 80 * MS, 50 * MS, 1500 * MS, 28, 29, 30, 31, 32 },
		.process = { -800, "background", "0-3" }
	};
	next = number(counters, &counters->doframe_worst, next);
	next = number(&counters->timeline, &counters->refresh_mhz, next);
	counters->refresh_mhz = 59940;
	counters->durations = (struct work_durations){ .app_ns = 33, .sf_ns = 34, .period_ns = 35 };
	counters->durations_source = DURATIONS_DUMPSYS;
	counters->sf_pid = 36;
	counters->sf_tid = 37;
	counters->ahead = 38;
	counters->hole_time_ns = 8039 * MS;
	return next;
}

/* The JSON text without blanks and line ends, with ' for ". */
static const char *json(void)
{
	static char packed[16384];
	char *text = status_json(&status, true), *to = packed;

	assert_in_range(strlen(text), 1, sizeof(packed) - 1);
	for (const char *c = text; *c; c++)
		if (!strchr(" \n", *c))
			*to++ = *c == '"' ? '\'' : *c;
	*to = '\0';
	free(text);
	return packed;
}

TEST(json_has_each_value)
{
	uint64_t next = set_up_status();

	for (uint64_t n = FIRST; n < next; n++)
		assert_contains(json(), formatted("':%" PRIu64, n));
	assert_contains(json(),
			"'command':'run','session_id':null,'began':'2023-11-14T22:13:20.000Z',"
			"'ended':null,'device':{'id':'rack3','model':null,'build':null,'sdk':null,"
			"'kernel':null,'start':null,'end':{'battery_percent':81,"
			"'battery_celsius':31.2,'charging':'full','screen_on':true,"
			"'brightness':120,'brightness_max':255,'skin_celsius':34.1,"
			"'cpu_celsius':52.4,'cpu_cooling':3}},'boot_id':null,"
			"'clock':{'name':'boot','wall_offset_ns':9,'began_ns':5},"
			"'rules':'default','source':{'kind':'trace_pipe','why':'astext',"
			"'path':'/tr'},'work_durations':{'source':'dumpsys','app_ns':33,"
			"'surfaceflinger_ns':34,'period_ns':35}",
			"'vsync_ms':8.5,'focus':null,'include':['a*'],'exclude':[],"
			"'max_surfaces':256,'max_threads':256,'frames_log':true,'stdout':false,"
			"'rotate_size':42,'rotate_time_ns':43,'keep':38,'min_free':39,"
			"'sync_ns':40,'trigger':null,'snapshot_ns':41,"
			"'snapshot_length_ns':10000000000,'tracefs':null,'instance':null,"
			"'buffer_kb':1024,'atrace':true,'frametimeline':false,"
			"'categories':'gfxview','yield':true,'duration_ns':44,'wait_ns':45,"
			"'until_exit':null},'arguments':['--keep=38','--yield']",
			"'seconds_without_events':8.039,",
			"'rows':20},'malformed':36,'late':1080,'ahead':38,'repeated':1081,"
			"'unattributed_presents':1074,'evicted_surfaces':1088,"
			"'queue_high_water':1082,'rotations':21,'restarts':1078,'bytes':6000000,"
			"'markers':10,'malformed_markers':11,'glued_lines':12,'too_long_lines':13,"
			"'rows':{'fps.csv':{'written':17,'lost':18,'left_out':19}},'rows_lost':20,"
			"'disk_wait_ms':3000,'segments_removed':22,'snapshots':23,"
			"'snapshots_suppressed':24,'snapshots_failed':25,'kernel_overrun':[14,15],"
			"'recoveries':16,'records':1001,",
			"'refresh_mhz':59940,'surfaceflinger_pid':36,'surfaceflinger_tid':37},"
			"'process':{'oom_score_adj':-800,'cpuset':'background','cpus':'0-3'},"
			"'cost':{'cpu_ms':92300,'children_cpu_ms':1500,'rss_kb':20480,"
			"'wakeups':73840},'latency':{'polls':4,'failed':26,'scans':27,"
			"'wall_ms':80,'longest_ms':50,'cpu_ms':1500,'frames':28,'overruns':29,"
			"'restarts':30,'out_of_order':31,'refused':32},'running':true,'pid':77,"
			"'uptime_s':7384.0,'folder':'/out\\\\x0A','last_words':'lowbattery'}");
	/* Unknown values. */
	status.clock.known = status.latency.is_on = status.has_overruns = false;
	status.process.oom_score_adj = DEVICE_UNKNOWN;
	status.begin_ns = status.counters.refresh_mhz = ROW_UNKNOWN;
	options.snapshot_ns = 0;
	assert_contains(json(), "'wall_offset_ns':null,'began_ns':null",
			"'snapshot_ns':null,'snapshot_length_ns':null", "'refresh_mhz':null",
			"'oom_score_adj':null", "'latency':null,'running':true");
	assert_lacks(json(), "kernel_overrun");
	assert_contains(json(), "'63':1070,'other':1071}");
	status.begin_ns = 0;
	assert_contains(json(), "'began_ns':0}");
	options.words[1].value = "\x1b";
	assert_contains(json(), "'arguments':null");
	/* A recorded trace. */
	status.live = false;
	options.command = OPTIONS_ANALYZE;
	assert_contains(json(), "'device':null", "'options':{'target':null,'kpi_ms':100.0,",
			"'snapshot_length_ns':null},'counters':");
	assert_lacks(json(), "'process':");
}

static const char *text(void)
{
	printed_begin(1);
	status_text_print(stdout, &status, 80);
	return printed_end();
}

TEST(text_has_each_value)
{
	set_up_status();
	assert_begins(
		text(),
		"jankd    " JANKD_VERSION ", run, pid 77\n"
		"folder   /out\\x0A\n"
		"source   /tr/trace_pipe (as text)\n"
		"rules    default\n"
		"since    2023-11-14T22:13:20.000Z, for 2 h 03 min 04 s\n"
		"waiting  counting begins when --wait is over\n"
		"read     1001 events in 6.0 MB, 1003 presents, 1004 frames, 59.94 Hz\n"
		"lost     1005 events plus 1006 losses of unknown size, 20 rows\n"
		"disk     has not responded for 3 s; rows are kept in memory\n"
		"and      1072 holes, 36 malformed lines, 1080 late events, 38 events far ahead "
		"of all others, ignored, 1074 presents without a frame, 3228 SurfaceFlinger "
		"markers from other processes, 1086 frames refused because tables were full, 1087 "
		"frames counted early because tables were full, 1093 threads evicted, 1100 "
		"callbacks missing in doframe.csv because its table was full, 1094 slices refused "
		"because tables were full, which may hide freezes, 4386 processes, ticks, displays "
		"or holes evicted, 1084 layers evicted because the table was full, 1088 surfaces "
		"evicted, 1091 marks that closed no row, too soon after another, 1089 surfaces in "
		"the row (others), 1092 rows or surfaces without percentiles, 1078 restarts of "
		"SurfaceFlinger, 21 rotations, 23 snapshots, 24 snapshots not taken, too soon "
		"after another, 25 snapshots not saved\n"
		"costs    92.30 s of CPU (1.25 %), 1.50 s in child processes, 20.0 MB of memory, "
		"10.0 wakeups/s\n"
		"fences   4 polls (26 failed) of 20.0 ms on average, 50.0 ms at most, 1.50 s of "
		"CPU; 28 frames, 29 overruns\n"
		"reported low battery\n"
		"\n"
		"presents 1003, frames 1004, ");
	status.latency = (struct status_latency){ .is_on = true };
	assert_contains(text(), "fences   0 polls (0 failed) of 0.0 ms", "8.0 s without events,");
	/* Lines that are not always there. */
	status.discarding = status.latency.is_on = false;
	status.counters.lost_unknown = 1;
	status.counters.refresh_mhz = ROW_UNKNOWN;
	status.disk_busy_ns = SECOND - 1;
	status.last_report[0] = '\0';
	assert_lacks(text(), "waiting ");
	assert_contains(text(), "lost     1005 events plus 1 loss of unknown size, 20 rows\nand ",
			"1003 presents, 1004 frames\n", "10.0 wakeups/s\n\n");
	status.counters = (struct pipeline_counters){ .records = 2 };
	status.malformed_markers = status.glued_lines = status.too_long_lines = 0;
	status.rotations = status.snapshots = 0;
	status.snapshots_suppressed = status.snapshots_failed = 0;
	status.latency = (struct status_latency){ .is_on = true };
	assert_contains(
		text(), "lost     0 events, 20 rows\ncosts ",
		"fences   0 polls (0 failed) of 0.0 ms on average, 0.0 ms at most, 0.00 s ");
}

/* However long the others draw, an app that is not smooth has its sentence. */
TEST(verdict_hides_no_app_that_is_not_smooth)
{
	const char *said;

	set_up_status();
	status.apps_total = 9;
	for (status.n_apps = 0; status.n_apps < 7; status.n_apps++) {
		struct status_app *app = &status.apps[status.n_apps];

		*app = (struct status_app){ .has_activity = true, .fps = -1, .rate_hz = -1 };
		snprintf(app->app, sizeof(app->app), "com.app%u", status.n_apps);
		app->facts.time_ns = (status.n_apps == 4 ? 4 : 60) * SECOND;
		app->facts.frames = 3000;
		app->facts.late_ns = status.n_apps == 5 ? SECOND : 0;
	}
	printed_begin(1);
	verdict_print(stdout, &status, 100);
	said = printed_end();
	assert_contains(said, "POOR: com.app5 was late for 1.7 % of the 60 s it drew:");
	assert_lacks(said, "com.app3");
	assert_contains(said,
			"and 5 more apps in summary.csv: 1 TOO SHORT, 2 GOOD, 2 not listed\n");
}

/* The app is known by its last 15 bytes; a Surface has its whole name. */
TEST(verdict_has_the_frames_that_apps_skipped)
{
	char *verdict;

	set_up_status();
	status.counters.doframes_skipped = 1;
	status.first_ns = 1000 * SECOND;
	status.counters.doframe_worst =
		(struct doframe_skipped){ 31, 1065 * SECOND, 6, 7, "com.example.app" };
	status.n_surfaces = 1;
	status.surfaces[0] = (struct summary_row){ .app = "a.com.example.app", .surface = "" };
	printed_begin(1);
	verdict_print(stdout, &status, 100);
	assert_contains(printed_end(),
			"Skipped 31 frames! a.com.example.app, thread 7, at 1:05 (30 or more: "
			"1 time)\n");
	verdict = verdict_json(&status);
	assert_contains(verdict, "\"skipped_30\":{\"doframes\":1,\"most\":31,\"app\":"
				 "\"a.com.example.app\",\"process\":6,\"thread\":7,"
				 "\"time_s\":1065.000}");
	free(verdict);
}
