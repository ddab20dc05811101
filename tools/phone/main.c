/* SPDX-License-Identifier: Apache-2.0 */
/* jank-phone: a virtual phone that plays frames whose truth is known. */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/phone/error.h"
#include "tools/phone/recorded_truth.h"
#include "tools/phone/instance.h"
#include "tools/phone/plan.h"
#include "tools/phone/play_tracefs.h"
#include "tools/phone/recording.h"
#include "tools/phone/scenario.h"
#include "tools/phone/play_text.h"
#include "tools/phone/truth_csv.h"

#define PERIOD_DEFAULT_MS 16.666667
#define READER_SECONDS 30

static const char help[] =
	"usage: jank-phone [options] TRACE\n"
	"       jank-phone [options] --scenario NAME\n"
	"\n"
	"Plays the markers of a recorded trace (ftrace text, plain or gzip) or a generated\n"
	"scenario into a tracefs instance, by real processes and threads and in real time, and\n"
	"prints the truth as CSV: each layer that had a frame in a present.\n"
	"\n"
	"what:\n"
	"  --scenario NAME     a generated scenario; --list names them\n"
	"  --vocabulary NAME   the Android it speaks: android-9, android-11, android-14 (default)\n"
	"  --seconds S         its length\n"
	"  --seed N            the same seed gives the same marks (1)\n"
	"  --loops N           play it so often (1)\n"
	"  --speed X           2 plays twice as fast; 0 does not wait (with --output only) (1)\n"
	"  --list              list scenarios and vocabularies\n"
	"where:\n"
	"  --tracefs DIR       where tracefs is mounted (found, and mounted if need be)\n"
	"  --instance NAME     its instance to play into (jank-phone); made if it is not there,\n"
	"                      and then removed at the end\n"
	"  --keep-instance     do not remove it\n"
	"  --buffer-kb N       buffer for each CPU of an instance that is made (4096)\n"
	"  --wait-reader       begin when somebody has a trace_pipe of the instance open\n"
	"  --output FILE       write ftrace text instead, with the plan's own times; '-' is\n"
	"                      standard output. Needs no tracefs and no root\n"
	"truth:\n"
	"  --truth FILE        where it goes (standard output, unless text goes there)\n"
	"  --vsync-ms MS       a recorded trace's period, to count vsyncs (16.666667)\n"
	"  -h, --help          this text\n"
	"  --version           the version\n"
	"\n"
	"Columns: present(s),vsync(s),interval(ms),vsyncs,app,Surface,layer. present(s) is when\n"
	"the present slice's begin was written: read from the instance's own clock just before\n"
	"the write (mono, boot, mono_raw, tai; else CLOCK_MONOTONIC), or its time in the text.\n"
	"A scenario knows the display's vsyncs, so vsync(s), the first vsync behind the present,\n"
	"interval(ms) and vsyncs are exact. Of a recording vsync(s) is empty and vsyncs is the\n"
	"interval by --vsync-ms, empty where that is 0.3 and more from a whole number. app is\n"
	"empty where the layer's name holds no package. A recording's truth is the frames.csv\n"
	"beside it, if that begins with 'present_us,layer', else what the trace says it latched.\n"
	"Around a present that the machine played late by more than a quarter of a vsync all "
	"three\n"
	"are empty: what passed there is not what was planned.\n"
	"\n"
	"Exit codes: 0 done; 1 it failed; 2 wrong usage.\n";

struct settings {
	const char *trace;
	struct phone_scenario_options scenario;
	const char *tracefs;
	const char *instance;
	const char *output;
	const char *truth;
	double speed;
	uint64_t loops;
	double vsync_ms;
	int buffer_kb;
	bool keep;
	bool wait_reader;
};

enum long_option {
	OPTION_SCENARIO = 256,
	OPTION_VOCABULARY,
	OPTION_SECONDS,
	OPTION_SEED,
	OPTION_LOOPS,
	OPTION_SPEED,
	OPTION_LIST,
	OPTION_TRACEFS,
	OPTION_INSTANCE,
	OPTION_KEEP,
	OPTION_BUFFER,
	OPTION_WAIT_READER,
	OPTION_OUTPUT,
	OPTION_TRUTH,
	OPTION_VSYNC,
	OPTION_VERSION,
};

static const struct option options[] = {
	{ "scenario", required_argument, NULL, OPTION_SCENARIO },
	{ "vocabulary", required_argument, NULL, OPTION_VOCABULARY },
	{ "seconds", required_argument, NULL, OPTION_SECONDS },
	{ "seed", required_argument, NULL, OPTION_SEED },
	{ "loops", required_argument, NULL, OPTION_LOOPS },
	{ "speed", required_argument, NULL, OPTION_SPEED },
	{ "list", no_argument, NULL, OPTION_LIST },
	{ "tracefs", required_argument, NULL, OPTION_TRACEFS },
	{ "instance", required_argument, NULL, OPTION_INSTANCE },
	{ "keep-instance", no_argument, NULL, OPTION_KEEP },
	{ "buffer-kb", required_argument, NULL, OPTION_BUFFER },
	{ "wait-reader", no_argument, NULL, OPTION_WAIT_READER },
	{ "output", required_argument, NULL, OPTION_OUTPUT },
	{ "truth", required_argument, NULL, OPTION_TRUTH },
	{ "vsync-ms", required_argument, NULL, OPTION_VSYNC },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, OPTION_VERSION },
	{ NULL, 0, NULL, 0 },
};

static volatile sig_atomic_t stop;
static struct phone_instance *instance;

static void on_signal(int signal_number)
{
	stop = signal_number;
}

static void close_instance(void)
{
	phone_instance_close(instance);
	instance = NULL;
}

static _Noreturn void wrong_usage(const char *what, const char *why)
{
	fprintf(stderr, "jank-phone: %s: %s; see jank-phone --help\n", what, why);
	exit(2);
}

static uint64_t whole(const char *option, const char *text, uint64_t low, uint64_t high)
{
	char *end = NULL;
	uint64_t value;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || *end || errno || value < low || value > high)
		wrong_usage(option, "not a number that is possible here");
	return value;
}

static double number(const char *option, const char *text, double low, double high)
{
	char *end = NULL;
	double value = strtod(text, &end);

	if (end == text || *end || !(value >= low && value <= high))
		wrong_usage(option, "not a number that is possible here");
	return value;
}

static _Noreturn void say_and_end(const char *text)
{
	fputs(text, stdout);
	exit(fflush(stdout) ? 1 : 0);
}

static void take_what(struct settings *s, int option, const char *argument)
{
	switch (option) {
	case OPTION_SCENARIO:
		s->scenario.name = argument;
		break;
	case OPTION_VOCABULARY:
		s->scenario.vocabulary = argument;
		break;
	case OPTION_SECONDS:
		s->scenario.seconds = (unsigned int)whole("--seconds", argument, 1, 86400);
		break;
	case OPTION_SEED:
		s->scenario.seed = whole("--seed", argument, 0, UINT64_MAX);
		break;
	case OPTION_LOOPS:
		s->loops = whole("--loops", argument, 1, 1000000000);
		break;
	case OPTION_SPEED:
		s->speed = number("--speed", argument, 0, 1000);
		break;
	default:
		wrong_usage("options", "one of them is wrong");
	}
}

static void take_where(struct settings *s, int option, const char *argument)
{
	switch (option) {
	case OPTION_TRACEFS:
		s->tracefs = argument;
		break;
	case OPTION_INSTANCE:
		s->instance = argument;
		break;
	case OPTION_KEEP:
		s->keep = true;
		break;
	case OPTION_BUFFER:
		s->buffer_kb = (int)whole("--buffer-kb", argument, 4, 4194304);
		break;
	case OPTION_WAIT_READER:
		s->wait_reader = true;
		break;
	case OPTION_OUTPUT:
		s->output = argument;
		break;
	case OPTION_TRUTH:
		s->truth = argument;
		break;
	case OPTION_VSYNC:
		s->vsync_ms = number("--vsync-ms", argument, 1, 1000);
		break;
	default:
		take_what(s, option, argument);
	}
}

static void check_settings(const struct settings *s)
{
	if (!s->trace && !s->scenario.name)
		wrong_usage("what to play", "give a TRACE or --scenario NAME");
	if (s->trace && s->scenario.name)
		wrong_usage("--scenario", "not together with a TRACE");
	if (s->trace && s->scenario.seconds)
		wrong_usage("--seconds", "for scenarios only");
	if (s->output && (s->tracefs || s->instance || s->keep || s->wait_reader || s->buffer_kb))
		wrong_usage("--output", "not together with options of an instance");
	if (!s->output && s->speed <= 0)
		wrong_usage("--speed", "0 goes with --output only");
	if (s->output && s->truth && strcmp(s->output, "-") == 0 && strcmp(s->truth, "-") == 0)
		wrong_usage("--truth", "text and truth cannot both go to standard output");
	if (s->instance && (strchr(s->instance, '/') || s->instance[0] == '.' || !*s->instance))
		wrong_usage("--instance", "give a plain name");
}

static void read_options(struct settings *s, int argc, char **argv)
{
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		if (option == 'h')
			say_and_end(help);
		if (option == OPTION_VERSION)
			say_and_end("jank-phone " JANKD_VERSION "\n");
		if (option == OPTION_LIST) {
			phone_scenario_list(stdout);
			say_and_end("");
		}
		if (option == '?')
			wrong_usage(argv[optind - 1], "unknown, or its value is missing");
		take_where(s, option, optarg);
	}
	if (optind < argc)
		s->trace = argv[optind++];
	if (optind < argc)
		wrong_usage(argv[optind], "one TRACE is enough");
	check_settings(s);
}

static void make_plan(struct phone_plan *plan, const struct settings *s)
{
	if (s->trace) {
		phone_record_load(plan, s->trace);
		if (phone_evidence_read(plan, s->trace) != 0)
			phone_evidence_find(plan);
		return;
	}
	switch (phone_scenario_make(plan, &s->scenario)) {
	case 1:
		wrong_usage(s->scenario.name, "no such scenario (--list names them)");
	case 2:
		wrong_usage(s->scenario.vocabulary, "no such vocabulary (--list names them)");
	}
}

/* "-" is standard output. */
static FILE *open_output(const char *path)
{
	FILE *file = strcmp(path, "-") == 0 ? stdout : fopen(path, "w");

	if (!file)
		phone_fail(path, strerror(errno), "name a file that can be written");
	return file;
}

static FILE *open_truth(const struct settings *s)
{
	if (s->truth)
		return open_output(s->truth);
	return s->output && strcmp(s->output, "-") == 0 ? NULL : stdout;
}

static void close_output(FILE *file, const char *name)
{
	if (file && (ferror(file) || fclose(file) != 0))
		phone_fail(name, "could not be written", "look at the disk or the pipe");
}

static void summarize(const struct phone_truth_writer *truth)
{
	fprintf(stderr, "jank-phone: %s%llu frames\n", stop ? "interrupted; " : "",
		(unsigned long long)truth->frames);
	phone_truth_summary(truth);
}

static void play_text(const struct phone_plan *plan, const struct settings *s, FILE *truth_file)
{
	struct phone_truth_writer truth;
	FILE *out = open_output(s->output);
	int result;

	phone_truth_open(&truth, plan, truth_file, (uint64_t)(s->vsync_ms * 1e6), 1);
	result = phone_text_play(plan, out, s->speed, s->loops, &truth, &stop);
	if (result < 0)
		phone_fail(s->output, strerror(-result), "look at the disk or the pipe");
	summarize(&truth);
	phone_truth_close(&truth);
	close_output(out, s->output);
}

static void say_result(const struct phone_play_result *result)
{
	fprintf(stderr, "jank-phone: %llu marks, late by %.3f ms at most, %.3f ms in the mean\n",
		(unsigned long long)result->marks, (double)result->max_late_ns / 1e6,
		(double)result->mean_late_ns / 1e6);
	if (result->refused > 0) {
		fprintf(stderr, "jank-phone: the kernel refused %llu of them",
			(unsigned long long)result->refused);
		phone_fail("", "tracing was off", "look who else uses the instance");
	}
}

static void play_tracefs(const struct phone_plan *plan, const struct settings *s, FILE *truth_file)
{
	struct phone_truth_writer truth;
	struct phone_play_result result;

	atexit(close_instance);
	instance = phone_instance_open(s->tracefs, s->instance ? s->instance : "jank-phone",
				       s->buffer_kb ? s->buffer_kb : 4096, s->keep);
	struct phone_play_options play = {
		.marker = phone_instance_marker(instance),
		.clock = phone_instance_clock(instance),
		.speed = s->speed,
		.loops = s->loops,
		.stop = &stop,
	};

	if (s->wait_reader)
		phone_instance_wait_reader(instance, READER_SECONDS, &stop);
	phone_truth_open(&truth, plan, truth_file, (uint64_t)(s->vsync_ms * 1e6), s->speed);
	phone_play(plan, &play, &truth, &result);
	summarize(&truth);
	phone_truth_close(&truth);
	say_result(&result);
}

static void catch_signals(void)
{
	struct sigaction action = { .sa_handler = on_signal };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
}

int main(int argc, char **argv)
{
	struct phone_plan plan = { 0 };
	struct settings settings = {
		.scenario = { .vocabulary = "android-14", .seed = 1 },
		.speed = 1,
		.loops = 1,
		.vsync_ms = PERIOD_DEFAULT_MS,
	};

	read_options(&settings, argc, argv);
	make_plan(&plan, &settings);
	catch_signals();
	FILE *truth = open_truth(&settings);

	if (settings.output)
		play_text(&plan, &settings, truth);
	else
		play_tracefs(&plan, &settings, truth);
	close_output(truth, settings.truth ? settings.truth : "standard output");
	phone_plan_free(&plan);
	return 0;
}
