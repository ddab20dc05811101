/* SPDX-License-Identifier: Apache-2.0 */
/* jank-report: answers from the folders of CSV files that jankd writes. */
#include <errno.h>
#include <getopt.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/text.h"
#include "tools/report/compare.h"
#include "tools/report/csv_reader.h"
#include "tools/report/judge.h"
#include "tools/report/model.h"
#include "tools/report/session.h"
#include "tools/report/os.h"
#include "tools/report/page.h"

#define CONDITIONS_MAX 32
#define NEWS_MAX 16

/* Folders within folders: DIR/SERIAL-SESSION/NAME. */
#define DEPTH_MAX 3

/* Columns if the output is no terminal: enough for every line but those with the longest names. */
#define COLUMNS_ELSE 240

enum { EXIT_HOLDS = 3, EXIT_UNKNOWN = 4 };

static const char help[] =
	"usage: jank-report [options] DIR...\n"
	"       jank-report --compare [options] BASE... --new NEW...\n"
	"\n"
	"Reads the CSV files that jankd wrote to each DIR: all segments, plain or gzip, also\n"
	"incomplete folders and files of the 2019 program. Prints the grade of each app with a\n"
	"sentence, and what is missing and why. If a DIR has no such files, the folders in it\n"
	"are read.\n"
	"\n"
	"what to print:\n"
	"  --text              grades, sections and notes as text (default)\n"
	"  --json              all numbers as JSON\n"
	"  --info              with --json: late frames include the counters of dropFrames.csv\n"
	"  --markdown          grades and sentences for a pull request or a chat\n"
	"  --grades            grades, sentences and facts as JSON; if DIR is '-', the\n"
	"                      facts are read from standard input, as a JSON array\n"
	"  --csv               all numbers as CSV, a row for each Surface and section\n"
	"  --openmetrics       numbers of the sessions for Prometheus\n"
	"  -o, --output FILE   a page for a browser: one HTML file that needs no network\n"
	"  --watch             rebuild the page every 5 s while data arrives, until Ctrl-C; the\n"
	"                      browser reloads it. Without -o the page is report.html\n"
	"what to read:\n"
	"  --surface GLOB      only Surfaces that match; '*' is any text, '?' any one character\n"
	"  --app GLOB          only apps that match\n"
	"  --section GLOB      only sections that match; a section lasts from a mark to the next\n"
	"  --from SECONDS      with -o: a page with every frame from this time of the trace clock\n"
	"  --to SECONDS        with -o: a page with every frame up to this time\n"
	"conditions:\n"
	"  --fail-if CONDITION\n"
	"                      exit with 3 if CONDITION is true, such as 'FPS < 55'; with\n"
	"                      --compare also a change, such as 'jank(/10min) > +10%'; may be\n"
	"                      repeated\n"
	"  --allow-freezes N   with --fail-if: fail on more than N freezes (0 if no condition\n"
	"                      counts freezes)\n"
	"  --strict            exit with 4 if there is not enough data for a condition\n"
	"  --junit FILE        write the results of the conditions as JUnit XML\n"
	"two groups of runs:\n"
	"  --compare           compare the folders BASE with the folders NEW\n"
	"  --new               the folders after it are NEW; repeat it for each build\n"
	"  -h, --help          show this help\n"
	"  --version           show the version\n"
	"\n"
	"A condition is a column of summary.csv, one of < <= > >=, and a number. With --compare a\n"
	"change counts only if it is beyond the noise of both groups.\n"
	"\n"
	"Exit codes: 0 done; 1 error; 2 wrong usage; 3 a condition of --fail-if is true; 4 not "
	"enough\n"
	"data for a condition, with --strict.\n";

/* What is printed of sessions, and of a comparison; NULL: it has none. */
struct format {
	int (*print)(FILE *out, const struct report *report);
	int (*compare)(FILE *out, const struct compare_report *report);
};

/* The default is the first. */
#define FORMATS(X)                                                                                 \
	X(text, output_text, output_compare_text)                                                  \
	X(json, output_json, output_compare_json)                                                  \
	X(markdown, output_markdown, output_compare_markdown)                                      \
	X(csv, output_csv, NULL)                                                                   \
	X(openmetrics, output_openmetrics, NULL)                                                   \
	X(grades, output_grades, NULL)

#define FORMAT_NUMBER(name, print, compare) FORMAT_##name,
#define FORMAT_INFO(name, print, compare) { print, compare },
#define FORMAT_OPTION(name, print, compare)                                                        \
	{ #name, no_argument, NULL, OPTION_FORMAT + FORMAT_##name },

enum format_number { FORMATS(FORMAT_NUMBER) };
static const struct format formats[] = { FORMATS(FORMAT_INFO) };

enum long_option {
	OPTION_OPERAND = 1,
	OPTION_FROM = 256,
	OPTION_TO,
	OPTION_FAIL_IF,
	OPTION_NEW,
	OPTION_VERSION,
	OPTION_FORMAT,	       /* plus an enum format_number */
	OPTION_FLAG = 1 << 12, /* plus the offset of a bool, which becomes true */
	OPTION_VALUE = 1 << 24 /* plus the offset of a text */
};

struct settings {
	const struct format *format; /* NULL: a page */
	struct selection selection;
	struct condition conditions[CONDITIONS_MAX];
	unsigned int n_conditions;
	const char *allow_freezes;
	bool strict, compare, watch, has_new;
	unsigned int n_news, new_from[NEWS_MAX]; /* groups NEW: the first operand of each */
	const char *junit, *output;
	const char **operands[2]; /* by enum group; without --compare all are BASE */
	unsigned int n_operands[2];
};

#define FLAG(field) OPTION_FLAG + (int)offsetof(struct settings, field)
#define VALUE(field) OPTION_VALUE + (int)offsetof(struct settings, field)

static const struct option options[] = {
	FORMATS(FORMAT_OPTION) /* each with its comma */
	{ "output", required_argument, NULL, 'o' },
	{ "surface", required_argument, NULL, VALUE(selection.surface) },
	{ "app", required_argument, NULL, VALUE(selection.app) },
	{ "section", required_argument, NULL, VALUE(selection.section) },
	{ "from", required_argument, NULL, OPTION_FROM },
	{ "to", required_argument, NULL, OPTION_TO },
	{ "fail-if", required_argument, NULL, OPTION_FAIL_IF },
	{ "allow-freezes", required_argument, NULL, VALUE(allow_freezes) },
	{ "strict", no_argument, NULL, FLAG(strict) },
	{ "junit", required_argument, NULL, VALUE(junit) },
	{ "compare", no_argument, NULL, FLAG(compare) },
	{ "new", no_argument, NULL, OPTION_NEW },
	{ "watch", no_argument, NULL, FLAG(watch) },
	{ "info", no_argument, NULL, FLAG(selection.with_info) },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, OPTION_VERSION },
	{ NULL, 0, NULL, 0 },
};

/* --- errors --- */

/* With --watch each round has the same failures again. Those of the round before are not printed.
 */
static struct {
	char *before, *now;
} failures;

/* Prints one line; @what may be a name with any bytes. */
static void complain(const char *what, const char *why, const char *advice)
{
	char shown[1024], line[2048], *joined;

	text_shorten(shown, sizeof(shown), what, 200);
	snprintf(line, sizeof(line), "jank-report: %s: %s; %s\n", shown, why, advice);
	if (!failures.before || !strstr(failures.before, line))
		fputs(line, stderr);
	fflush(stderr); /* Windows buffers it. */
	if (asprintf(&joined, "%s%s", failures.now ? failures.now : "", line) < 0)
		return;
	free(failures.now);
	failures.now = joined;
}

static _Noreturn void fail(const char *what, const char *why, const char *advice)
{
	complain(what, why, advice);
	exit(1);
}

static _Noreturn void wrong_usage(const char *what, const char *why)
{
	complain(what, why, "see jank-report --help");
	exit(2);
}

static _Noreturn void out_of_memory(void)
{
	fail("memory", strerror(ENOMEM), "close other programs");
}

/* All that was printed has arrived. */
static void end_stdout(void)
{
	if (fflush(stdout) != 0 || ferror(stdout))
		fail("standard output", strerror(errno),
		     "check the disk, or the reader of the pipe");
}

/* --- options --- */

static _Noreturn void print_and_exit(const char *text)
{
	fputs(text, stdout);
	exit(fflush(stdout) ? 1 : 0);
}

static void add_operand(struct settings *settings, const char *operand)
{
	enum group group = settings->has_new ? NEW : BASE;
	const char ***all = &settings->operands[group];
	unsigned int *n = &settings->n_operands[group];

	if (!*operand)
		wrong_usage("DIR", "an empty name");
	*all = realloc(*all, (*n + 1) * sizeof(**all));
	if (!*all)
		out_of_memory();
	(*all)[(*n)++] = operand;
}

static void set_time(struct settings *settings, int64_t *time_us, const char *option,
		     const char *text)
{
	settings->selection.has_range = true;
	if (!csv_number(span_of(text), 6, time_us))
		wrong_usage(option, "needs seconds of the trace clock, such as 1002.5");
}

static void set_option(struct settings *settings, int option, const char *argument)
{
	char what[256];
	const char *wrong;

	switch (option) {
	case OPTION_OPERAND:
		add_operand(settings, argument);
		break;
	case 'o':
		settings->output = argument;
		break;
	case OPTION_FROM:
		set_time(settings, &settings->selection.from_us, "--from", argument);
		break;
	case OPTION_TO:
		set_time(settings, &settings->selection.to_us, "--to", argument);
		break;
	case OPTION_FAIL_IF:
		if (settings->n_conditions == CONDITIONS_MAX)
			wrong_usage("--fail-if", "more than 32 conditions");
		wrong = condition_parse(&settings->conditions[settings->n_conditions++], argument);
		snprintf(what, sizeof(what), "--fail-if '%s'", argument);
		if (wrong)
			wrong_usage(what, wrong);
		break;
	case OPTION_NEW:
		if (settings->n_news == NEWS_MAX)
			wrong_usage("--new", "more than 16 groups");
		settings->has_new = true;
		settings->new_from[settings->n_news++] = settings->n_operands[NEW];
		break;
	case OPTION_VERSION:
		print_and_exit("jank-report " JANKD_VERSION "\n");
	case 'h':
		print_and_exit(help);
	default:
		if (option >= OPTION_VALUE) {
			*(const char **)((char *)settings + option - OPTION_VALUE) = argument;
		} else if (option >= OPTION_FLAG) {
			*(bool *)((char *)settings + option - OPTION_FLAG) = true;
		} else {
			const struct format *format = &formats[option - OPTION_FORMAT];

			if (settings->format && settings->format != format)
				wrong_usage("--text, --json, --markdown, --grades, --csv, "
					    "--openmetrics",
					    "choose one of them");
			settings->format = format;
		}
	}
}

static void check_settings(struct settings *settings)
{
	const struct format *format = settings->format;
	bool compare = settings->compare, watch = settings->watch;
	bool has_output = settings->output || watch, has_range = settings->selection.has_range;
	bool has_conditions = settings->n_conditions > 0, lacks_news = false;
	bool counts = !has_conditions, has_limit = false;

	for (unsigned int i = 0; i < settings->n_news; i++)
		lacks_news |= settings->new_from[i] == settings->n_operands[NEW] ||
			      (i > 0 && settings->new_from[i] == settings->new_from[i - 1]);
	const struct {
		bool is_wrong;
		const char *what, *why;
	} rules[] = {
		{ settings->output && !*settings->output, "--output", "an empty name" },
		{ settings->junit && !*settings->junit, "--junit", "an empty name" },
		{ settings->has_new && !compare, "--new", "needs --compare" },
		{ compare && (settings->n_operands[BASE] == 0 || settings->n_operands[NEW] == 0),
		  "--compare", "needs folders BASE, then --new and folders NEW" },
		{ lacks_news, "--new", "needs folders after it" },
		{ watch && (compare || has_conditions), "--watch",
		  "cannot be combined with --compare or --fail-if" },
		{ settings->n_operands[BASE] == 0, "DIR", "no folder is named" },
		{ compare && format && !format->compare, "--compare",
		  "cannot be combined with --grades, --csv, --openmetrics" },
		{ settings->selection.with_info && (!format || format->print != output_json),
		  "--info", "needs --json" },
		{ has_output && format, "--output",
		  "cannot be combined with --text, --json, --markdown, --grades, --csv, "
		  "--openmetrics" },
		{ has_range && (!has_output || compare), "--from, --to",
		  "need -o, and cannot be combined with --compare" },
		{ settings->selection.from_us >= settings->selection.to_us, "--from, --to",
		  "the range ends before it begins" },
		{ settings->junit && !has_conditions, "--junit", "needs --fail-if" },
		{ settings->strict && !has_conditions, "--strict", "needs --fail-if" },
	};

	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (rules[i].is_wrong)
			wrong_usage(rules[i].what, rules[i].why);
	for (unsigned int i = 0; i < settings->n_conditions; i++) {
		const struct condition *condition = &settings->conditions[i];
		char what[256];

		snprintf(what, sizeof(what), "--fail-if '%s'", condition->text);
		if (condition->is_change && !compare)
			wrong_usage(what, "a number with a sign is a change, which needs "
					  "--compare; without it omit the sign");
		if (compare && !compare_can(condition->metric))
			wrong_usage(what, "that metric cannot be compared: use lost(ms/s), "
					  "freezes, FPS, p99, low 1% mean, jank(/10min), stutter "
					  "or missed vsyncs");
		if (compare && condition->metric >= METRIC_P50 &&
		    condition->metric <= METRIC_P999 && !condition->is_relative)
			wrong_usage(what, "a percentile is compared by the share of frames beyond "
					  "it, so the change must be in percent: +10%");
		counts |= condition_counts_freezes(condition);
	}
	if (settings->allow_freezes && (compare || !has_conditions))
		wrong_usage("--allow-freezes",
			    "needs --fail-if, and cannot be combined with --compare");
	if (!compare && (!counts || settings->allow_freezes)) {
		static char text[64];
		const char *wrong;

		/* FPS, percentiles and lows leave freezes out. */
		snprintf(text, sizeof(text), "freezes > %.40s",
			 settings->allow_freezes ? settings->allow_freezes : "0");
		if (settings->n_conditions == CONDITIONS_MAX)
			wrong_usage("--fail-if", "too many conditions");
		wrong = condition_parse(&settings->conditions[settings->n_conditions], text);
		if (wrong || strspn(text + 10, "0123456789") != strlen(text + 10))
			wrong_usage("--allow-freezes", "needs a number of freezes");
		settings->n_conditions++;
		if (!settings->allow_freezes)
			fprintf(stderr,
				"jank-report: no condition counts freezes, so 'freezes > 0' is "
				"added; --allow-freezes N allows N of them\n");
	}
	/* A gate must not pass an app that hangs, however short the session: without a limit of
	 * freezes a rate, or the grade, that cannot be judged allows none. */
	for (unsigned int i = 0; i < settings->n_conditions; i++)
		has_limit |= settings->conditions[i].metric == METRIC_FREEZES ||
			     settings->conditions[i].metric == METRIC_STALLS;
	for (unsigned int i = 0; i < settings->n_conditions && !compare; i++) {
		struct condition *one = &settings->conditions[i];

		one->needs_no_freeze = !has_limit && condition_counts_freezes(one) &&
				       one->metric != METRIC_LONGEST &&
				       !metrics[one->metric].is_sum;
	}
	if (watch && !settings->output)
		settings->output = "report.html";
	if (!format && !has_output)
		settings->format = formats;
}

/* --- folders --- */

/* What becomes of each session: it is kept for a report, or added to a comparison. */
struct collection {
	struct report report;
	struct comparison comparison;
	struct page *page; /* NULL: none */
	enum group group;
	unsigned int n_read; /* sessions */
	bool compare;
	bool failed; /* a folder could not be read */
};

static void free_report(struct report *report)
{
	for (uint32_t i = 0; i < report->n; i++)
		session_free(&report->sessions[i]);
	free(report->sessions);
}

static void read_folder(struct collection *collection, const char *path, int depth)
{
	struct report *report = &collection->report;
	struct folder_files files;
	int error = folder_files_read(&files, path);

	if (error == -ENOMEM)
		out_of_memory();
	if (error < 0) {
		complain(path, strerror(-error),
			 error == -ENOTDIR ? "name the folder that the file is in"
					   : "name an output folder of jankd");
		collection->failed = true;
	}
	if (files.left_out > 0) {
		complain(path, "too many files; some are left out", "name the folders in it");
		collection->failed = true;
	}
	for (uint32_t i = 0; i < files.sessions; i++) {
		struct session session, *kept;
		int result = model_read(&session, &files, i, report->selection);

		if (result < 0)
			out_of_memory();
		if (result == MODEL_NOTHING) {
			complain(path,
				 session.n_notices > 0 ? session.notices[0] : "no file has a row",
				 "name an output folder of jankd");
			collection->failed = true;
			session_free(&session);
			continue;
		}
		collection->n_read++;
		if (collection->compare) {
			compare_add(&collection->comparison, collection->group, &session,
				    report->selection);
			session_free(&session);
			continue;
		}
		if (collection->page && page_add(collection->page, &session, report->selection) < 0)
			out_of_memory();
		kept = array_add(&report->sessions, &report->n, sizeof(*kept));
		if (!kept)
			out_of_memory();
		/* What is printed is computed: rows and frames are not needed again. */
		pool_free(&session.windows);
		pool_free(&session.frames);
		*kept = session;
	}
	for (uint32_t i = 0; files.sessions == 0 && depth > 0 && i < files.n_folders; i++)
		read_folder(collection, files.folders[i], depth - 1);
	if (files.sessions == 0 && depth == 0 && files.n_folders > 0) {
		complain(path, "its folders are nested too deeply", "name one of them");
		collection->failed = true;
	}
	if (error == 0 && files.sessions == 0 && files.n_folders == 0) {
		complain(path, "it has no files of jankd",
			 "name the folder that has fps.csv or summary.csv");
		collection->failed = true;
	}
	folder_files_free(&files);
}

/* @from, @to: the operands. */
static void read_group(struct collection *collection, const struct settings *settings,
		       enum group group, unsigned int from, unsigned int to)
{
	collection->group = group;
	for (unsigned int i = from; i < to; i++)
		read_folder(collection, settings->operands[group][i], DEPTH_MAX);
}

/* --- output --- */

/* Each group NEW is compared with BASE. */
static int print_comparisons(const struct settings *settings, struct collection *collection,
			     struct results *results)
{
	struct compare_report report = {
		.comparison = &collection->comparison,
		.conditions = settings->conditions,
		.n_conditions = settings->n_conditions,
		.results = results,
		.columns = collection->report.columns,
	};
	bool is_array =
		settings->n_news > 1 && settings->format && settings->format->print == output_json;
	int error = 0;

	for (unsigned int i = 0; i < settings->n_news && error == 0; i++) {
		unsigned int end = i + 1 < settings->n_news ? settings->new_from[i + 1]
							    : settings->n_operands[NEW];
		const char *const *const paths[2] = {
			settings->operands[BASE],
			settings->operands[NEW] + settings->new_from[i],
		};
		unsigned int n_paths[2] = {
			settings->n_operands[BASE],
			end - settings->new_from[i],
		};

		if (i > 0) {
			compare_free(&collection->comparison);
			read_group(collection, settings, BASE, 0, settings->n_operands[BASE]);
			fputs(is_array ? "," : settings->format ? "\n" : "", stdout);
		} else if (is_array) {
			fputs("[", stdout);
		}
		read_group(collection, settings, NEW, settings->new_from[i], end);
		error = compare_name_groups(&collection->comparison, paths, n_paths);
		if (error == 0)
			error = compare_end(&collection->comparison);
		report.first_result = results->n;
		if (error == 0)
			error = judge_comparison(results, &report);
		if (error == 0)
			error = settings->output ? page_compare(collection->page, &report)
						 : settings->format->compare(stdout, &report);
	}
	if (is_array)
		fputs("]\n", stdout);
	return error;
}

/* Returns false if that failed; this was printed. */
static bool begin_page(struct collection *collection, struct page *page,
		       const struct settings *settings)
{
	const char *path = settings->output;
	int error = page_begin(page, path, settings->watch);

	collection->page = page;
	if (error < 0) {
		page_abandon(page);
		complain(path, error == -EINVAL ? "a device, not a file" : strerror(-error),
			 "name a file that can be written");
	}
	return error == 0;
}

/* Without a session there is no page. Returns false if it failed; this was printed. */
static bool end_page(struct page *page, const char *path, const struct collection *collection)
{
	const struct report *report = &collection->report;
	int error;

	if (collection->n_read == 0) {
		page_abandon(page);
		return true;
	}
	error = report->n > 1 ? page_devices(page, report) : 0;
	if (error == 0)
		error = page_end(page);
	else
		page_abandon(page);
	if (error < 0)
		complain(path, strerror(-error), "check the disk");
	return error == 0;
}

/* What was asked for and is in no session: else a typo would look like a session without frames. */
static void report_selection(const struct report *report)
{
	const struct selection *selection = report->selection;
	bool surface = false, section = false, range = false;

	for (uint32_t i = 0; i < report->n; i++) {
		const struct session *session = &report->sessions[i];

		for (uint32_t j = 0; j < session->n_surfaces; j++)
			surface |= session->surfaces[j].is_shown;
		for (uint32_t j = 0; j < session->n_sections; j++)
			section |= select_section(selection, session, j);
		range |= selection->from_us <= session->last_us &&
			 selection->to_us > session->first_us;
	}
	if ((selection->surface || selection->app) && !surface)
		complain(selection->surface && selection->app ? "--surface, --app"
			 : selection->surface		      ? "--surface"
							      : "--app",
			 "no Surface matches", "--csv without that option lists all names");
	if (selection->section && !section)
		complain("--section", "no section matches", "events.csv lists the marks");
	if (selection->has_range && !range)
		complain("--from, --to", "no session covers that time",
			 "--text prints the time range of each session");
}

/* --- watch --- */

static uint64_t mixed(uint64_t state, uint64_t value)
{
	return (state ^ value) * UINT64_C(0x9e3779b97f4a7c15) ^ state >> 29;
}

/* A number that changes with the files that read_folder() reads. */
static uint64_t state_of(const char *path, int depth)
{
	struct folder_files files;
	uint64_t state = (uint64_t)-folder_files_read(&files, path);

	for (uint32_t i = 0; i < files.n; i++) {
		const struct segment *segment = &files.segments[i];

		state = mixed(state, (uint64_t)segment->kind << 32 | segment->number);
		state = mixed(state, (uint64_t)segment->size);
		state = mixed(state, (uint64_t)segment->changed_ns);
	}
	for (uint32_t i = 0; files.sessions == 0 && depth > 0 && i < files.n_folders; i++)
		state = mixed(state, state_of(files.folders[i], depth - 1));
	folder_files_free(&files);
	return state;
}

/* The files are looked at before they are read: what changes meanwhile is in the next round. */
static void watch(const struct settings *settings)
{
	uint64_t shown = 0;
	bool done = false, is_there = false;

	os_keep_interrupts();
	do {
		struct collection collection = { .report.selection = &settings->selection };
		struct page page;
		uint64_t state = 0;

		for (unsigned int i = 0; i < settings->n_operands[BASE]; i++)
			state = mixed(state, state_of(settings->operands[BASE][i], DEPTH_MAX));
		/* A page that failed is tried again. */
		if (done && state == shown)
			continue;
		shown = state;
		free(failures.before);
		failures.before = failures.now;
		failures.now = NULL;
		done = begin_page(&collection, &page, settings);
		if (done) {
			read_group(&collection, settings, BASE, 0, settings->n_operands[BASE]);
			done = end_page(&page, settings->output, &collection);
		}
		if (done && collection.n_read > 0 && !is_there) {
			is_there = true;
			printf("%s\n", settings->output);
			fflush(stdout);
		}
		free_report(&collection.report);
	} while (!os_wait(PAGE_WATCH_SECONDS));
}

int main(int argc, char **argv)
{
	struct settings settings = { 0 };
	struct collection collection = { 0 };
	struct results results = { 0 };
	struct page page = { 0 };
	bool is_grades;
	int option, error = 0;

	os_begin(&argc, &argv);
	settings.selection.to_us = INT64_MAX;
	opterr = 0;
	/* '-': operands are returned in their order. */
	while ((option = getopt_long(argc, argv, "-ho:", options, NULL)) != -1) {
		if (option == '?')
			wrong_usage(argv[optind - 1], "unknown option, or its value is missing");
		set_option(&settings, option, optarg);
	}
	while (optind < argc)
		add_operand(&settings, argv[optind++]);
	check_settings(&settings);
	is_grades = settings.format && settings.format->print == output_grades;
	if (is_grades && strcmp(settings.operands[BASE][0], "-") == 0) {
		error = output_grades_of(stdin, stdout);
		if (error == -ENOMEM)
			out_of_memory();
		if (error < 0)
			fail("--grades -",
			     "standard input is not a JSON array of objects with app and facts",
			     "jank-report(1) describes it");
		end_stdout();
		exit(0);
	}
	collection.report.selection = &settings.selection;
	collection.report.columns = os_columns() > 20 ? os_columns() : COLUMNS_ELSE;
	collection.compare = settings.compare;
	if (settings.watch) {
		watch(&settings);
		exit(0);
	}
	if (settings.output && !begin_page(&collection, &page, &settings))
		exit(1);
	read_group(&collection, &settings, BASE, 0, settings.n_operands[BASE]);
	if (settings.compare)
		error = print_comparisons(&settings, &collection, &results);
	else if (is_grades || (collection.report.n > 0 && settings.format))
		error = settings.format->print(stdout, &collection.report);
	if (!settings.compare && collection.report.n > 0)
		judge_sessions(&results, &collection.report, settings.conditions,
			       settings.n_conditions);
	if (error < 0 || results.failed || collection.comparison.out_of_memory)
		out_of_memory();
	/* With conditions it is among their results. */
	if (!settings.compare && collection.report.n > 0 && settings.n_conditions == 0)
		report_selection(&collection.report);
	if (settings.output) {
		if (!end_page(&page, settings.output, &collection))
			exit(1);
		if (collection.n_read > 0)
			printf("%s\n", settings.output);
	}
	end_stdout();
	/* One line for each condition that holds, or that has not enough data; and one if all are
	 * such. */
	for (unsigned int i = 0; i < results.n; i++) {
		const struct result *result = &results.all[i];
		const char *quote = strcmp(result->what, MORE_FREEZES) != 0 ? "'" : "";
		char where[2048];

		if (result->outcome == OUTCOME_HOLDS_NOT)
			continue;
		text_shorten(where, sizeof(where), result->where, 200);
		fprintf(stderr, "jank-report: %s%s%s%s: %s: %s: %s\n", *quote ? "--fail-if " : "",
			quote, result->what, quote, outcome_names[result->outcome], where,
			result->text);
	}
	if (results.of[OUTCOME_UNKNOWN] > 0 && results.of[OUTCOME_HOLDS] == 0 &&
	    results.of[OUTCOME_HOLDS_NOT] == 0)
		fprintf(stderr, "jank-report: nothing was judged, so nothing passed%s\n",
			settings.strict ? "" : "; with --strict that is exit code 4");
	if (settings.junit) {
		error = results_write_junit(&results, settings.junit);
		if (error < 0)
			fail(settings.junit, strerror(-error), "name a file that can be written");
	}
	error = results.of[OUTCOME_HOLDS] > 0			     ? EXIT_HOLDS
		: collection.failed				     ? 1
		: settings.strict && results.of[OUTCOME_UNKNOWN] > 0 ? EXIT_UNKNOWN
								     : 0;
	free_report(&collection.report);
	compare_free(&collection.comparison);
	results_free(&results);
	free(settings.operands[BASE]);
	free(settings.operands[NEW]);
	return error;
}
