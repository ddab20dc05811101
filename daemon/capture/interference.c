/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/capture/interference.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "daemon/trace/trace.h"
#include "daemon/base/wall_clock.h"

#define NS_PER_MS UINT64_C(1000000)
#define MINUTE_NS (60000 * NS_PER_MS)

/* Events of a minute: others can make them happen as often as they like. */
#define EVENTS_MAX 30

/* More is not restored within a minute: then jankd gives way to the other program. */
#define RESTORES_MAX 4

/* A tool that sets its trace up does so step by step: we do not put in our word between two. */
#define GRACE_NS (700 * NS_PER_MS)

/* The time of day goes with the network's: what is less is no news, but followed. */
#define DRIFT_NS (2 * (int64_t)NS_PER_MS)

/* The setting that each is about. Tags are none: atrace has them; the form of lines is several. */
static const enum trace_setting settings[INTERFERENCE_TROUBLES] = {
	[INTERFERENCE_OFF] = TRACE_SETTING_ON,
	[INTERFERENCE_CLOCK] = TRACE_SETTING_CLOCK,
	[INTERFERENCE_SIZE] = TRACE_SETTING_SIZE,
	[INTERFERENCE_TAGS] = TRACE_SETTINGS,
	[INTERFERENCE_CPUS] = TRACE_SETTING_CPUS,
	[INTERFERENCE_MARKERS] = TRACE_SETTING_MARKERS,
	[INTERFERENCE_OVERWRITE] = TRACE_SETTING_OVERWRITE,
	[INTERFERENCE_FORM] = TRACE_SETTINGS,
};

/* Those of whom nothing but the value is to stay. */
static const enum interference_trouble_kind plain[] = { INTERFERENCE_CPUS, INTERFERENCE_MARKERS,
							INTERFERENCE_OVERWRITE };

#define N_PLAIN (sizeof(plain) / sizeof(plain[0]))

/* What events.csv says of each. Behind it stands the value, but for INTERFERENCE_OFF, which has
 * none. */
static const struct trouble_words {
	const char *came;
	const char *gone; /* by itself */
	const char *taken;
} words[INTERFERENCE_TROUBLES] = {
	[INTERFERENCE_OFF] = { "tracing was switched off by another program",
			       "tracing was switched on again by another program",
			       "tracing is switched on again" },
	[INTERFERENCE_CLOCK] = { "the trace clock was changed by another program to",
				 "the trace clock was set back by another program to",
				 "the trace clock is set back to" },
	[INTERFERENCE_SIZE] = { "the trace buffer was made smaller by another program: KB for each "
				"CPU",
				"the trace buffer was made larger again by another program: KB for "
				"each "
				"CPU",
				"the trace buffer is made larger again: KB for each CPU" },
	[INTERFERENCE_TAGS] = { "the tags that apps look at were switched off by another program: "
				"atrace "
				"tags",
				"the tags that apps look at were switched on again by another "
				"program: "
				"atrace tags",
				"the tags that apps look at are switched on again: atrace tags" },
	[INTERFERENCE_CPUS] = { "the CPUs that are traced were changed by another program: "
				"tracing_cpumask",
				"the CPUs that are traced were set back by another program: "
				"tracing_cpumask",
				"the CPUs that are traced are set back: tracing_cpumask" },
	[INTERFERENCE_MARKERS] = { "trace markers were switched off by another program: "
				   "options/markers",
				   "trace markers were switched on again by another program: "
				   "options/markers",
				   "trace markers are switched on again: options/markers" },
	[INTERFERENCE_OVERWRITE] = { "another program lets a full buffer drop new events: "
				     "options/overwrite",
				     "another program lets a full buffer drop old events again: "
				     "options/overwrite",
				     "a full buffer drops old events again: options/overwrite" },
	[INTERFERENCE_FORM] = { "the form of the lines was changed by another program, and they "
				"cannot be "
				"read:",
				"the form of the lines was changed back by another program:",
				"the form of the lines is set back:" },
};

/* --- events --- */

/* A row of events.csv; so many of a minute that they fill no disk. */
static void tell(struct interference *interference, const char *text)
{
	char longer[256];

	interference->news = true;
	if (!rate_limit_allows(&interference->events, EVENTS_MAX, MINUTE_NS, loop_now())) {
		interference->withheld++;
		return;
	}
	if (interference->withheld > 0) {
		snprintf(longer, sizeof(longer), "%s (and %u events of this kind before)", text,
			 interference->withheld);
		interference->withheld = 0;
		text = longer;
	}
	session_event(interference->session, "tracing", text);
	output_flush(&interference->session->output);
}

static void tell_value(struct interference *interference, const char *text, const char *value)
{
	char line[200];

	snprintf(line, sizeof(line), "%s %s", text, value);
	tell(interference, line);
}

/* --- holes --- */

/* Nothing is known of the time since then. What is still to be read was written before, too. */
static void hole_since(struct interference *interference, uint64_t since_ns)
{
	pipeline_hole(interference->session->pipeline, since_ns);
	pipeline_set_loss_pending(interference->session->pipeline, true);
}

static void hole(struct interference *interference)
{
	hole_since(interference, interference->good_ns);
}

static void hole_of(struct interference *interference, enum interference_trouble_kind kind)
{
	bool earlier =
		kind == INTERFERENCE_TAGS && interference->tags_good_ns < interference->good_ns;

	hole_since(interference, earlier ? interference->tags_good_ns : interference->good_ns);
}

static uint64_t trace_now(const struct interference *interference)
{
	return pipeline_now(interference->session->pipeline);
}

/* --- the clocks --- */

static void measure_wall(struct interference *interference)
{
	output_set_clock(&interference->session->output,
			 kernel_clock_measure(interference->clock, interference->files));
}

/* The records' times have nothing to do with those before. */
static void begin_again(struct interference *interference)
{
	pipeline_new_clock(interference->session->pipeline, interference->good_ns);
	interference->session->from_ns = 0;
	interference->session->summary_next_ns = 0;
	interference->good_ns = interference->tags_good_ns = interference->tags_asked_ns = 0;
}

static void take_clock(struct interference *interference, const char *name)
{
	snprintf(interference->clock, sizeof(interference->clock), "%s", name);
	source_set_clock(interference->session->source, name);
	measure_wall(interference);
}

static void tell_sleep(struct interference *interference, int64_t slept_ns)
{
	char line[96];

	snprintf(line, sizeof(line), "the device slept for %" PRId64 ".%03d s",
		 slept_ns / 1000000000, (int)(slept_ns / 1000000 % 1000));
	hole(interference);
	tell(interference, line);
}

static void tell_step(struct interference *interference, int64_t stepped_ns)
{
	int64_t size_ns = stepped_ns < 0 ? -stepped_ns : stepped_ns;
	char line[96];

	snprintf(line, sizeof(line), "the time of day was set by %s%" PRId64 ".%03d s",
		 stepped_ns < 0 ? "-" : "+", size_ns / 1000000000, (int)(size_ns / 1000000 % 1000));
	tell(interference, line);
}

static void check_clocks(struct interference *interference)
{
	struct clock_change change = clock_watch_take(&interference->clocks, clock_watch_read());

	/* Events are dated by the wall clock: it has to fit before one is written. */
	if (change.slept_ns || change.stepped_ns)
		measure_wall(interference);
	if (change.slept_ns)
		tell_sleep(interference, change.slept_ns);
	if (change.stepped_ns)
		tell_step(interference, change.stepped_ns);
}

static void follow_wall(struct interference *interference)
{
	struct wall_clock now = kernel_clock_measure(interference->clock, interference->files);
	int64_t drift_ns = now.offset_ns - interference->session->output.clock.offset_ns;

	if (now.known && (drift_ns > DRIFT_NS || drift_ns < -DRIFT_NS))
		output_set_clock(&interference->session->output, now);
}

/* --- troubles --- */

/* What belongs behind the words. */
static const char *value_of(const struct interference *interference,
			    enum interference_trouble_kind kind, char value[static SETTING_SIZE])
{
	struct interference_size size;

	value[0] = '\0';
	if (kind == INTERFERENCE_TAGS)
		snprintf(value, SETTING_SIZE, "0x%" PRIx64, interference->tags.set);
	else if (kind == INTERFERENCE_SIZE && interference_size_read(&size, interference->files))
		interference_size_print(&size, value);
	else if (kind == INTERFERENCE_FORM)
		interference_format_print(&interference->form, value);
	else
		trace_files_setting(interference->files, settings[kind], value);
	return value;
}

static void tell_trouble(struct interference *interference, enum interference_trouble_kind kind,
			 const char *text)
{
	char value[SETTING_SIZE];

	if (kind == INTERFERENCE_OFF)
		tell(interference, text);
	else
		tell_value(interference, text, value_of(interference, kind, value));
}

static void note_trouble(struct interference *interference, enum interference_trouble_kind kind,
			 bool there, uint64_t since_ns)
{
	interference->troubles[kind] =
		(struct interference_kind_state){ .there = there, .since_ns = since_ns };
	interference->theirs |= 1u << settings[kind];
	tell_trouble(interference, kind, there ? words[kind].came : words[kind].gone);
}

/* Has to be said before what follows changes the clock that dates it. */
static void set_trouble(struct interference *interference, enum interference_trouble_kind kind,
			bool there)
{
	if (interference->troubles[kind].there == there)
		return;
	note_trouble(interference, kind, there, loop_now());
	if (kind == INTERFERENCE_CLOCK && !there)
		begin_again(interference);
	else
		hole_of(interference, kind);
}

/* What we have written ourselves is no news. */
static void forget_own(struct interference *interference)
{
	trace_watch_take(&interference->watch);
	source_buffers_emptied(interference->session->source);
	cpu_buffer_stats_forget(&interference->buffer, interference->files);
}

static int write_back(struct interference *interference, enum interference_trouble_kind kind)
{
	const char *wanted = kind == INTERFERENCE_OFF	  ? "1"
			     : kind == INTERFERENCE_CLOCK ? interference->clock
							  : interference->others[kind];

	if (kind == INTERFERENCE_TAGS)
		return interference_tags_order(&interference->tags);
	if (kind == INTERFERENCE_SIZE)
		return interference_size_write(&interference->size, interference->files);
	if (kind == INTERFERENCE_FORM)
		return interference_format_write(&interference->form);
	return setting_write(interference->path, trace_files_name(settings[kind]), wanted);
}

static void taken_back(struct interference *interference, enum interference_trouble_kind kind)
{
	interference->troubles[kind].there = false;
	interference->theirs &= ~(1u << settings[kind]);
	tell_trouble(interference, kind, words[kind].taken);
	if (kind == INTERFERENCE_CLOCK)
		begin_again(interference);
	else
		hole_of(interference, kind);
}

static void take_back(struct interference *interference, enum interference_trouble_kind kind)
{
	int error = write_back(interference, kind);

	interference->troubles[kind].since_ns = loop_now();
	forget_own(interference);
	/* atrace takes its time. */
	if (kind != INTERFERENCE_TAGS && error == 0)
		taken_back(interference, kind);
	else if (error < 0)
		tell_value(interference, "it cannot be taken back:", strerror(-error));
}

/* Another clock is as good, if it is one. */
static void live_with(struct interference *interference, enum interference_trouble_kind kind)
{
	char clock[SETTING_SIZE];

	if (kind != INTERFERENCE_CLOCK ||
	    trace_files_setting(interference->files, TRACE_SETTING_CLOCK, clock) < 0 ||
	    !wall_clock_is_time(clock))
		return;
	interference->troubles[kind].there = false;
	begin_again(interference);
	take_clock(interference, clock);
}

static void mend(struct interference *interference, enum interference_trouble_kind kind)
{
	struct interference_kind_state *trouble = &interference->troubles[kind];
	bool yield = interference->session->options->yield;

	if (!trouble->there || loop_now() - trouble->since_ns < GRACE_NS)
		return;
	if (!yield &&
	    rate_limit_allows(&interference->restores, RESTORES_MAX, MINUTE_NS, loop_now())) {
		take_back(interference, kind);
		return;
	}
	if (!yield && !trouble->told_way)
		tell(interference, "another program insists: given way to it");
	trouble->told_way = true;
	live_with(interference, kind);
}

/* --- looking --- */

/* A larger buffer than ours is no trouble, but it was emptied for it. */
static void check_size(struct interference *interference)
{
	char value[SETTING_SIZE];
	struct interference_size now;
	bool smaller;

	if (!interference_size_read(&now, interference->files))
		return;
	smaller = interference_size_is_smaller(&now, &interference->size);
	if (!smaller && !interference->troubles[INTERFERENCE_SIZE].there &&
	    !interference_size_is_same(&now, &interference->size)) {
		interference_size_print(&now, value);
		tell_value(interference,
			   "the trace buffer was resized by another program: KB for each CPU",
			   value);
		hole(interference);
	}
	set_trouble(interference, INTERFERENCE_SIZE, smaller);
	if (!smaller)
		interference->size = now;
}

static bool heard(unsigned int files, enum trace_file file)
{
	return files & 1u << file;
}

/* So long after something was seen it is looked at again. Who writes to a file has opened it
 * before, which is heard, too; and tools and kernels that empty a trace switch it off meanwhile,
 * for up to 40 ms. */
#define AGAIN_NS (100 * NS_PER_MS)

static bool is_time_again(const struct interference *interference)
{
	return interference->unsure_ns > 0 && loop_now() - interference->unsure_ns >= AGAIN_NS;
}

static void check_on(struct interference *interference)
{
	bool seen = heard(interference->passing, TRACE_FILE_ON);
	char value[SETTING_SIZE];
	bool off;

	if (trace_files_setting(interference->files, TRACE_SETTING_ON, value) < 0)
		return;
	off = value[0] == '0';
	if (!off || interference->troubles[INTERFERENCE_OFF].there) {
		set_trouble(interference, INTERFERENCE_OFF, off);
	} else if (seen && is_time_again(interference)) {
		note_trouble(interference, INTERFERENCE_OFF, true, interference->unsure_ns);
	} else if (!seen) {
		/* Whatever comes of it: it was off. */
		interference->passing |= 1u << TRACE_FILE_ON;
		hole(interference);
	}
}

static void check_settings(struct interference *interference)
{
	char value[SETTING_SIZE];

	if (trace_files_setting(interference->files, TRACE_SETTING_CLOCK, value) == 0)
		set_trouble(interference, INTERFERENCE_CLOCK,
			    strcmp(value, interference->clock) != 0);
	check_size(interference);
	check_on(interference);
	for (size_t i = 0; i < N_PLAIN; i++) {
		const char *wanted = interference->others[plain[i]];

		if (wanted[0] &&
		    trace_files_setting(interference->files, settings[plain[i]], value) == 0)
			set_trouble(interference, plain[i], strcmp(value, wanted) != 0);
	}
	set_trouble(interference, INTERFERENCE_FORM,
		    interference_format_is_other(&interference->form));
}

/* The kernel says nowhere else what a full buffer did not take. */
static void take_dropped(struct interference *interference)
{
	for (unsigned int cpu = 0; cpu < interference->buffer.cpus; cpu++) {
		uint64_t dropped = cpu_buffer_stats_dropped(&interference->buffer, cpu);
		struct trace_record record = {
			.kind = TRACE_LOST,
			.cpu = (int32_t)cpu,
			.tid = TRACE_ID_UNKNOWN,
			.tgid = TRACE_ID_UNKNOWN,
			.pid = TRACE_ID_UNKNOWN,
			.time_ns = interference->good_ns,
			.value = (int64_t)dropped,
		};

		if (dropped == 0)
			continue;
		hole(interference);
		pipeline_record(interference->session->pipeline, &record);
	}
}

/* What says that a buffer was emptied. */
#define EMPTIED (1u << TRACE_FILE_TRACE | 1u << TRACE_FILE_CLOCK | 1u << TRACE_FILE_SUBBUF)

/* What may have kept events away, or made them unreadable, until it was changed back. */
#define PASSING (EMPTIED | 1u << TRACE_FILE_ON | 1u << TRACE_FILE_CPUS | 1u << TRACE_FILE_OPTION)

/* What is over before anybody could look has left nothing but its hole. */
static void tell_passing(struct interference *interference)
{
	if (interference->passing & EMPTIED)
		tell(interference, "the trace buffer was emptied by another program");
	else if (heard(interference->passing, TRACE_FILE_ON) &&
		 !interference->troubles[INTERFERENCE_OFF].there)
		tell(interference,
		     "tracing was switched off and on, or on once more, by another program");
	if (heard(interference->passing, TRACE_FILE_CPUS))
		tell(interference, "the CPUs that are traced were changed and changed back, or set "
				   "once more, by another program");
	if (heard(interference->passing, TRACE_FILE_OPTION))
		tell(interference,
		     "options of the trace were changed and changed back, or set once "
		     "more, by another program");
}

/* It is told when it was looked at again, unless that shows what it was. */
static void check_passing(struct interference *interference, unsigned int files, bool emptied)
{
	unsigned int now = files & PASSING;

	if (emptied)
		now |= 1u << TRACE_FILE_TRACE;
	if (now)
		hole(interference);
	if (now & EMPTIED)
		source_buffers_emptied(interference->session->source);
	if (interference->news)
		interference->news_ns = loop_now();
	/* What was told a moment ago is heard once more when its writer is done. */
	else if (loop_now() - interference->news_ns < AGAIN_NS)
		now &= EMPTIED | 1u << TRACE_FILE_ON;
	interference->passing |= now;
	if (interference->passing && !interference->unsure_ns)
		interference->unsure_ns = loop_now();
	if (!interference->news && !is_time_again(interference))
		return;
	if (!interference->news && interference->passing)
		tell_passing(interference);
	interference->passing = 0;
	interference->unsure_ns = 0;
}

static void check_readers(struct interference *interference, unsigned int files)
{
	bool others_read = interference->watch.readers > 0;

	if (!heard(files, TRACE_FILE_RAW) && !others_read)
		return;
	if (others_read && !interference->others_read)
		tell(interference, "another program reads the raw trace: what it takes is missing "
				   "here");
	else if (!others_read)
		tell(interference,
		     interference->others_read
			     ? "nobody else reads the raw trace any more"
			     : "another program read the raw trace for a moment: what it took "
			       "is missing here");
	interference->others_read = others_read;
	hole(interference);
}

/* Kernels before 5.8 take nothing while somebody reads a trace; later ones if they are told to. */
static bool looks_pause(const struct interference *interference)
{
	char value[SETTING_SIZE];
	int error = setting_read(interference->path, "options/pause-on-trace", value);

	return error == 0 ? value[0] == '1' : error == -ENOENT;
}

/* Whoever has opened it may be about to empty it; who still has it a while later reads it. */
static void check_lookers(struct interference *interference, unsigned int files, bool polled)
{
	bool others_look = interference->watch.lookers > 0;
	bool over = heard(files, TRACE_FILE_LOOK);

	if (!others_look && !over && !interference->others_look)
		return;
	if (!interference->others_look && !looks_pause(interference))
		return;
	hole(interference);
	if (others_look && !interference->others_look && polled) {
		tell(interference, "another program reads the trace: the kernel takes no events "
				   "meanwhile");
		interference->others_look = true;
	} else if (!others_look) {
		if (interference->others_look)
			tell(interference, "nobody else reads the trace any more");
		else if (over)
			tell(interference,
			     "another program read the trace for a moment: the kernel "
			     "took no events meanwhile");
		interference->others_look = false;
	}
}

static void look(struct interference *interference, unsigned int files)
{
	bool emptied = cpu_buffer_stats_look(&interference->buffer, interference->files);

	interference->news = false;
	take_dropped(interference);
	check_settings(interference);
	check_passing(interference, files, emptied);
}

/* Whoever sets what is set already shows in nothing else. An atrace of ours may be at it, too. */
static unsigned int take_heard(struct interference *interference)
{
	static const struct {
		enum trace_file file;
		enum trace_setting setting;
	} written[] = {
		{ TRACE_FILE_ON, TRACE_SETTING_ON },
		{ TRACE_FILE_CLOCK, TRACE_SETTING_CLOCK },
		{ TRACE_FILE_SIZE, TRACE_SETTING_SIZE },
	};
	unsigned int files = trace_watch_take(&interference->watch);

	for (size_t i = 0; i < sizeof(written) / sizeof(written[0]); i++)
		if (heard(files, written[i].file) && !child_runs(&interference->tags.order))
			interference->theirs |= 1u << written[i].setting;
	return files;
}

/* @polled: nothing need have been heard. Where nothing can be, only then all is known to be well.
 */
static void check(struct interference *interference, bool polled)
{
	unsigned int files = take_heard(interference);

	check_clocks(interference);
	check_readers(interference, files);
	check_lookers(interference, files, polled);
	if (polled || files & ~(1u << TRACE_FILE_RAW | 1u << TRACE_FILE_LOOK) ||
	    is_time_again(interference))
		look(interference, files);
	if (polled || interference->watch.watcher.fd >= 0)
		interference->good_ns = trace_now(interference);
}

bool interference_drains(struct interference *interference)
{
	if (interference->on)
		check(interference, false);
	return !interference->troubles[INTERFERENCE_CLOCK].there;
}

void interference_drained(struct interference *interference)
{
	if (interference->on && interference->watch.readers == 0)
		pipeline_set_loss_pending(interference->session->pipeline, false);
}

/* @end: nothing is told later. */
static void check_claims(struct interference *interference, bool end)
{
	char text[200];

	if (source_check_lost(interference->session->source, end, text))
		tell(interference, text);
}

void interference_tick(struct interference *interference)
{
	if (!interference->on)
		return;
	check(interference, true);
	check_claims(interference, false);
	interference->tags_good_ns = interference->tags_asked_ns;
	interference->tags_asked_ns = trace_now(interference);
	interference_tags_tick(&interference->tags);
	for (int kind = 0; kind < INTERFERENCE_TROUBLES; kind++)
		mend(interference, kind);
	follow_wall(interference);
	if (interference->watch.watcher.fd >= 0)
		loop_watch(interference->loop, &interference->watch.watcher,
			   EPOLLIN | EPOLLONESHOT);
}

/* --- tags --- */

static void on_tags(struct interference_tags *tags)
{
	set_trouble(tags->context, INTERFERENCE_TAGS, tags->missing);
}

static void on_tags_ordered(struct interference_tags *tags, int status)
{
	struct interference *interference = tags->context;

	forget_own(interference);
	interference->troubles[INTERFERENCE_TAGS].since_ns = loop_now();
	if (status != 0) {
		tell(interference, "atrace cannot switch the tags on again");
		return;
	}
	tags->missing = false;
	tags->set = tags->wanted;
	taken_back(interference, INTERFERENCE_TAGS);
}

/* --- begin and end --- */

void interference_begin(struct interference *interference, struct session *session,
			struct loop *loop, const struct trace_files *files, uint64_t tags,
			struct watcher alarm)
{
	char value[SETTING_SIZE];

	*interference = (struct interference){
		.session = session, .loop = loop, .files = files, .path = files->path, .on = true
	};
	trace_files_setting(files, TRACE_SETTING_CLOCK, value);
	snprintf(interference->clock, sizeof(interference->clock), "%s", value);
	source_set_clock(session->source, value);
	interference_size_read(&interference->size, files);
	for (size_t i = 0; i < N_PLAIN; i++)
		if (trace_files_setting(files, settings[plain[i]], value) == 0)
			snprintf(interference->others[plain[i]], SETTING_SIZE, "%s", value);
	session->origin.trace_clock = interference->clock;
	interference->watch.watcher = alarm;
	trace_watch_open(&interference->watch, files->path, session->source->is_text);
	cpu_buffer_stats_forget(&interference->buffer, files);
	clock_watch_take(&interference->clocks, clock_watch_read());
	interference->tags.changed = on_tags;
	interference->tags.ordered = on_tags_ordered;
	interference->tags.context = interference;
	interference_tags_begin(&interference->tags, session->options, loop, tags);
	session->kernel_rings = &interference->buffer;
	session->recoveries = &interference->restores.allowed;
	if (session->source->is_text)
		interference_format_open(&interference->form, files->path);
}

/* There is no time to look at it again. */
static void tell_last(struct interference *interference)
{
	char value[SETTING_SIZE];

	if (heard(interference->passing, TRACE_FILE_ON) && !(interference->passing & EMPTIED) &&
	    (trace_files_setting(interference->files, TRACE_SETTING_ON, value) < 0 ||
	     value[0] != '1'))
		note_trouble(interference, INTERFERENCE_OFF, true, interference->unsure_ns);
	tell_passing(interference);
}

void interference_end(struct interference *interference)
{
	if (!interference->on)
		return;
	interference->on = false;
	take_heard(interference);
	tell_last(interference);
	check_claims(interference, true);
	cpu_buffer_stats_look(&interference->buffer, interference->files);
	interference_tags_end(&interference->tags);
	loop_forget(interference->loop, &interference->watch.watcher);
	trace_watch_close(&interference->watch);
	interference_format_close(&interference->form);
}
