/* SPDX-License-Identifier: Apache-2.0 */
/* jank-phone: a virtual phone that plays traces whose frames are known. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/phone/error.h"
#include "tools/phone/instance.h"
#include "tools/phone/plan.h"
#include "tools/phone/play.h"
#include "tools/phone/recording.h"
#include "tools/phone/scenario.h"
#include "tools/phone/truth_csv.h"

#define PERIOD_DEFAULT_MS 16.666667
#define READER_SECONDS 30

static const char help[] =
	"usage: jank-phone [options] TRACE\n"
	"       jank-phone [options] --scenario NAME\n"
	"\n"
	"Plays the markers of a recorded trace (ftrace text, plain or gzip) or of a generated\n"
	"scenario into a tracefs instance, by real processes and threads and in real time.\n"
	"Prints the truth as CSV: a row for each layer that had a frame in a present.\n"
	"\n"
	"what to play:\n"
	"  --scenario NAME     a generated scenario; --list prints their names\n"
	"  --vocabulary NAME   the Android version whose markers it writes: android-9,\n"
	"                      android-11, android-14 (default), android-15\n"
	"  --seconds S         length of the scenario (default: its own, see --list)\n"
	"  --seed N            the same seed gives the same markers (default 1)\n"
	"  --loops N           how many times to play it (default 1)\n"
	"  --speed X           2 plays twice as fast; 0 does not wait, with --output only\n"
	"                      (default 1)\n"
	"  --list              list scenarios and vocabularies\n"
	"where to:\n"
	"  --tracefs DIR       mount point of tracefs (default: found, or mounted)\n"
	"  --instance NAME     tracefs instance (default jank-phone); created if it does not\n"
	"                      exist, and removed at the end if it was created\n"
	"  --keep-instance     do not remove it\n"
	"  --buffer-kb N       buffer per CPU of a created instance, in KiB (default 4096)\n"
	"  --wait-reader       start when a process has a trace_pipe of the instance open\n"
	"  --top-level         play into the top level of tracefs, as on a phone, and leave\n"
	"                      its settings as they are\n"
	"  --output FILE       write ftrace text instead, with the planned times; '-' is\n"
	"                      standard output. Needs no tracefs and no root\n"
	"truth:\n"
	"  --truth FILE        file for the truth (default: standard output, or none if the\n"
	"                      text goes there)\n"
	"  --vsync-ms MS       vsync period of a recorded trace, to count vsyncs\n"
	"                      (default 16.666667)\n"
	"  -h, --help          show this help\n"
	"  --version           show the version\n"
	"\n"
	"Columns: present(s),vsync(s),interval(ms),vsyncs,app,Surface,layer,cause. present(s) is "
	"the\n"
	"time at which the start of the present slice was written: read from the clock of the\n"
	"instance just before the write (mono, boot, mono_raw, tai; else CLOCK_MONOTONIC), or\n"
	"the time in the text. In a scenario the vsyncs of the display are known: vsync(s), the\n"
	"first vsync after the present, interval(ms) and vsyncs are exact. In a recording\n"
	"vsync(s) is empty, and vsyncs is the interval divided by --vsync-ms; it is empty if\n"
	"that is 0.3 or more from a whole number. app is empty if the layer's name has no "
	"package.\n"
	"The truth of a recording is frames.csv in its folder, if that file begins with\n"
	"'present_us,layer'; else it is derived from the latches in the trace.\n"
	"If a present was played more than a quarter of a vsync late, the planned vsyncs were not\n"
	"played: its vsync(s) is empty, and so are interval(ms) and vsyncs before and after it.\n"
	"\n"
	"Exit codes: 0 done; 1 error; 2 wrong usage.\n";

struct settings {
	const char *trace;
	struct scenario_options scenario;
	const char *tracefs;
	const char *instance;
	const char *output;
	const char *truth;
	struct play_options play;
	double vsync_ms;
	int buffer_kb;
	bool top_level;
	bool keep;
	bool wait_reader;
};

enum long_option {
	OPTION_SECONDS = 256,
	OPTION_SEED,
	OPTION_LOOPS,
	OPTION_SPEED,
	OPTION_LIST,
	OPTION_BUFFER,
	OPTION_VSYNC,
	OPTION_VERSION,
	OPTION_FLAG = 1 << 12, /* plus the offset of a bool, which becomes true */
	OPTION_VALUE = 1 << 16 /* plus the offset of a text */
};

#define FLAG(field) OPTION_FLAG + (int)offsetof(struct settings, field)
#define VALUE(field) OPTION_VALUE + (int)offsetof(struct settings, field)

static const struct option options[] = {
	{ "scenario", required_argument, NULL, VALUE(scenario.name) },
	{ "vocabulary", required_argument, NULL, VALUE(scenario.vocabulary) },
	{ "seconds", required_argument, NULL, OPTION_SECONDS },
	{ "seed", required_argument, NULL, OPTION_SEED },
	{ "loops", required_argument, NULL, OPTION_LOOPS },
	{ "speed", required_argument, NULL, OPTION_SPEED },
	{ "list", no_argument, NULL, OPTION_LIST },
	{ "tracefs", required_argument, NULL, VALUE(tracefs) },
	{ "instance", required_argument, NULL, VALUE(instance) },
	{ "top-level", no_argument, NULL, FLAG(top_level) },
	{ "keep-instance", no_argument, NULL, FLAG(keep) },
	{ "buffer-kb", required_argument, NULL, OPTION_BUFFER },
	{ "wait-reader", no_argument, NULL, FLAG(wait_reader) },
	{ "output", required_argument, NULL, VALUE(output) },
	{ "truth", required_argument, NULL, VALUE(truth) },
	{ "vsync-ms", required_argument, NULL, OPTION_VSYNC },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, OPTION_VERSION },
	{ NULL, 0, NULL, 0 },
};

static volatile sig_atomic_t stop;
static struct instance *instance;

static void on_signal(int signal_number)
{
	stop = signal_number;
}

static void close_instance(void)
{
	instance_close(instance);
	instance = NULL;
}

static _Noreturn void wrong_usage(const char *what, const char *why)
{
	fprintf(stderr, "jank-phone: %s: %s; see jank-phone --help\n", what, why);
	exit(2);
}

static uint64_t parse_integer(const char *option, const char *text, uint64_t low, uint64_t high)
{
	char *end = NULL, why[100];
	uint64_t value;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || *end || errno || value < low || value > high) {
		snprintf(why, sizeof(why), "must be a whole number from %" PRIu64 " to %" PRIu64,
			 low, high);
		wrong_usage(option, why);
	}
	return value;
}

static double parse_number(const char *option, const char *text, double low, double high)
{
	char *end = NULL, why[100];
	double value = strtod(text, &end);

	if (end == text || *end || !(value >= low && value <= high)) {
		snprintf(why, sizeof(why), "must be a number from %g to %g", low, high);
		wrong_usage(option, why);
	}
	return value;
}

static void read_options(struct settings *s, int argc, char **argv)
{
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		switch (option) {
		case '?':
			wrong_usage(argv[optind - 1], "unknown option, or its value is missing");
		case OPTION_SECONDS:
			s->scenario.seconds =
				(unsigned int)parse_integer("--seconds", optarg, 1, 86400);
			break;
		case OPTION_SEED:
			s->scenario.seed = parse_integer("--seed", optarg, 0, UINT64_MAX);
			break;
		case OPTION_LOOPS:
			s->play.loops = parse_integer("--loops", optarg, 1, 1000000000);
			break;
		case OPTION_SPEED:
			s->play.speed = parse_number("--speed", optarg, 0, 1000);
			break;
		case OPTION_LIST:
		case OPTION_VERSION:
		case 'h':
			if (option == OPTION_LIST)
				scenario_print_list(stdout);
			else
				fputs(option == 'h' ? help : "jank-phone " JANKD_VERSION "\n",
				      stdout);
			exit(fflush(stdout) ? 1 : 0);
		case OPTION_BUFFER:
			s->buffer_kb = (int)parse_integer("--buffer-kb", optarg, 4, 4194304);
			break;
		case OPTION_VSYNC:
			s->vsync_ms = parse_number("--vsync-ms", optarg, 1, 1000);
			break;
		default:
			if (option >= OPTION_VALUE)
				*(const char **)((char *)s + option - OPTION_VALUE) = optarg;
			else
				*(bool *)((char *)s + option - OPTION_FLAG) = true;
		}
	}
	if (optind < argc)
		s->trace = argv[optind++];
	if (optind < argc)
		wrong_usage(argv[optind], "more than one TRACE");
	if (!s->trace && !s->scenario.name)
		wrong_usage("TRACE", "neither a file nor --scenario NAME is given");
	if (s->trace && s->scenario.name)
		wrong_usage("--scenario", "cannot be combined with a TRACE");
	if (s->trace && s->scenario.seconds)
		wrong_usage("--seconds", "needs --scenario");
	if (s->output && (s->tracefs || s->instance || s->top_level || s->keep || s->wait_reader ||
			  s->buffer_kb))
		wrong_usage("--output", "cannot be combined with options of an instance");
	if (s->top_level && (s->instance || s->keep || s->buffer_kb))
		wrong_usage("--top-level", "cannot be combined with options of an instance");
	if (!s->output && s->play.speed <= 0)
		wrong_usage("--speed", "0 needs --output");
	if (s->output && s->truth && strcmp(s->output, "-") == 0 && strcmp(s->truth, "-") == 0)
		wrong_usage("--truth", "--output already uses standard output");
	if (s->instance && (strchr(s->instance, '/') || s->instance[0] == '.' || !*s->instance))
		wrong_usage("--instance",
			    "the name must not be empty, begin with '.' or contain '/'");
}

/* Opens a file to write; "-" is standard output. */
static FILE *open_output(const char *path)
{
	FILE *file = strcmp(path, "-") == 0 ? stdout : fopen(path, "w");

	if (!file)
		fail(path, strerror(errno), "name a file that can be written");
	return file;
}

static void close_output(FILE *file, const char *name)
{
	if (file && (ferror(file) || fclose(file) != 0))
		fail(name, "cannot write", "check the disk, or the reader of the pipe");
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_signal };
	struct plan plan = { 0 };
	struct settings settings = {
		.scenario = { .vocabulary = "android-14", .seed = 1 },
		.play = { .speed = 1, .loops = 1, .stop = &stop },
		.vsync_ms = PERIOD_DEFAULT_MS,
	};
	struct play_result result = { 0 };
	struct truth_csv truth;
	FILE *truth_file = stdout, *out = NULL;
	int error;

	read_options(&settings, argc, argv);
	if (settings.trace) {
		recording_load(&plan, settings.trace);
		recorded_truth_add(&plan, settings.trace);
	} else {
		error = scenario_generate(&plan, &settings.scenario);
		if (error == 1)
			wrong_usage(settings.scenario.name, "unknown scenario: --list prints all");
		if (error == 2)
			wrong_usage(settings.scenario.vocabulary,
				    "unknown vocabulary: --list prints all");
	}
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
	if (settings.truth)
		truth_file = open_output(settings.truth);
	else if (settings.output && strcmp(settings.output, "-") == 0)
		truth_file = NULL;
	if (settings.output) {
		out = open_output(settings.output);
	} else {
		atexit(close_instance);
		instance_open(&instance, settings.tracefs,
			      settings.top_level  ? NULL
			      : settings.instance ? settings.instance
						  : "jank-phone",
			      settings.buffer_kb ? settings.buffer_kb : 4096, settings.keep);
		settings.play.marker_path = instance_marker_path(instance);
		settings.play.clock = instance_clock(instance);
		if (settings.wait_reader)
			instance_wait_reader(instance, READER_SECONDS, &stop);
	}

	truth_csv_open(&truth, &plan, truth_file, (uint64_t)(settings.vsync_ms * 1e6),
		       out ? 1 : settings.play.speed);
	if (out) {
		error = play_text(&plan, &settings.play, &truth, out);
		if (error < 0)
			fail(settings.output, strerror(-error),
			     "check the disk, or the reader of the pipe");
	} else {
		play_tracefs(&plan, &settings.play, &truth, &result);
	}
	truth_csv_close(&truth, stop);
	if (out)
		close_output(out, settings.output);
	else
		fprintf(stderr,
			"jank-phone: %llu markers, late by %.3f ms at most, %.3f ms on average\n",
			(unsigned long long)result.markers, (double)result.max_late_ns / 1e6,
			(double)result.mean_late_ns / 1e6);
	if (result.refused > 0) {
		char what[64];

		snprintf(what, sizeof(what), "%llu markers were not recorded",
			 (unsigned long long)result.refused);
		fail(what, "tracing was off", "check which other program uses the instance");
	}
	close_output(truth_file, settings.truth ? settings.truth : "standard output");
	plan_free(&plan);
	return 0;
}
