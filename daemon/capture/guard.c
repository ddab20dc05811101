/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/capture/guard.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "daemon/trace/kernel_clock.h"
#include "daemon/trace/setting_file.h"
#include "daemon/base/wall_clock.h"

#define NS_PER_MS UINT64_C(1000000)
#define MINUTE_NS (60000 * NS_PER_MS)

/* Events of a minute: others can make them happen as often as they like. */
#define EVENTS_MAX 30

/* A tool that sets its trace up does so step by step: we do not put in our word between two. */
#define GRACE_NS (700 * NS_PER_MS)

/* The time of day goes with the network's: what is less is no news, but followed. */
#define DRIFT_NS (2 * (int64_t)NS_PER_MS)

/* The setting that each is about. Tags are none: atrace has them; the form of lines is several. */
static const enum trace_setting settings[GUARD_TROUBLES] = {
	[GUARD_OFF] = TRACE_SETTING_ON,
	[GUARD_CLOCK] = TRACE_SETTING_CLOCK,
	[GUARD_SIZE] = TRACE_SETTING_SIZE,
	[GUARD_TAGS] = TRACE_SETTINGS,
	[GUARD_CPUS] = TRACE_SETTING_CPUS,
	[GUARD_MARKERS] = TRACE_SETTING_MARKERS,
	[GUARD_OVERWRITE] = TRACE_SETTING_OVERWRITE,
	[GUARD_FORM] = TRACE_SETTINGS,
};

/* Those of whom nothing but the value is to stay. */
static const enum guard_trouble_kind plain[] = { GUARD_CPUS, GUARD_MARKERS, GUARD_OVERWRITE };

#define N_PLAIN (sizeof(plain) / sizeof(plain[0]))

/* What events.csv says of each. Behind it stands the value, but for GUARD_OFF, which has none. */
static const struct trouble_words {
	const char *came;
	const char *gone; /* by itself */
	const char *taken;
} words[GUARD_TROUBLES] = {
	[GUARD_OFF] = { "tracing was switched off by another program",
			"tracing was switched on again by another program",
			"tracing is switched on again" },
	[GUARD_CLOCK] = { "the trace clock was changed by another program to",
			  "the trace clock was set back by another program to",
			  "the trace clock is set back to" },
	[GUARD_SIZE] = { "the trace buffer was made smaller by another program: KB for each CPU",
			 "the trace buffer was made larger again by another program: KB for each "
			 "CPU",
			 "the trace buffer is made larger again: KB for each CPU" },
	[GUARD_TAGS] = { "the tags that apps look at were switched off by another program: atrace "
			 "tags",
			 "the tags that apps look at were switched on again by another program: "
			 "atrace tags",
			 "the tags that apps look at are switched on again: atrace tags" },
	[GUARD_CPUS] = { "the CPUs that are traced were changed by another program: "
			 "tracing_cpumask",
			 "the CPUs that are traced were set back by another program: "
			 "tracing_cpumask",
			 "the CPUs that are traced are set back: tracing_cpumask" },
	[GUARD_MARKERS] = { "trace markers were switched off by another program: options/markers",
			    "trace markers were switched on again by another program: "
			    "options/markers",
			    "trace markers are switched on again: options/markers" },
	[GUARD_OVERWRITE] = { "another program lets a full buffer drop new events: "
			      "options/overwrite",
			      "another program lets a full buffer drop old events again: "
			      "options/overwrite",
			      "a full buffer drops old events again: options/overwrite" },
	[GUARD_FORM] = { "the form of the lines was changed by another program, and they cannot be "
			 "read:",
			 "the form of the lines was changed back by another program:",
			 "the form of the lines is set back:" },
};

/* --- events --- */

/* A row of events.csv; so many of a minute that they fill no disk. */
static void tell(struct guard *guard, const char *text)
{
	uint64_t now = loop_now();
	char longer[256];

	guard->news = true;
	if (now - guard->minute_ns >= MINUTE_NS) {
		guard->minute_ns = now;
		guard->told = 0;
	}
	if (guard->told++ >= EVENTS_MAX) {
		guard->withheld++;
		return;
	}
	if (guard->withheld > 0) {
		snprintf(longer, sizeof(longer), "%s (and %u events of this kind before)", text,
			 guard->withheld);
		guard->withheld = 0;
		text = longer;
	}
	session_event(guard->session, "tracing", text);
	output_flush(&guard->session->output);
}

static void tell_value(struct guard *guard, const char *text, const char *value)
{
	char line[200];

	snprintf(line, sizeof(line), "%s %s", text, value);
	tell(guard, line);
}

/* --- holes --- */

/* Nothing is known of the time since then. What is still to be read was written before, too. */
static void hole_since(struct guard *guard, uint64_t since_ns)
{
	pipeline_hole(guard->session->pipeline, since_ns);
	pipeline_doubt(guard->session->pipeline, true);
}

static void hole(struct guard *guard)
{
	hole_since(guard, guard->good_ns);
}

static void hole_of(struct guard *guard, enum guard_trouble_kind kind)
{
	bool earlier = kind == GUARD_TAGS && guard->tags_good_ns < guard->good_ns;

	hole_since(guard, earlier ? guard->tags_good_ns : guard->good_ns);
}

static uint64_t trace_now(const struct guard *guard)
{
	return pipeline_now(guard->session->pipeline);
}

/* --- the clocks --- */

static void measure_wall(struct guard *guard)
{
	guard->session->output.clock = kernel_clock_measure(guard->clock, guard->files);
}

/* The records' times have nothing to do with those before. */
static void begin_again(struct guard *guard)
{
	pipeline_new_clock(guard->session->pipeline, guard->good_ns);
	guard->session->from_ns = 0;
	guard->session->summary_next_ns = 0;
	guard->good_ns = guard->tags_good_ns = guard->tags_asked_ns = 0;
}

static void take_clock(struct guard *guard, const char *name)
{
	snprintf(guard->clock, sizeof(guard->clock), "%s", name);
	measure_wall(guard);
}

static void tell_sleep(struct guard *guard, int64_t slept_ns)
{
	char line[96];

	snprintf(line, sizeof(line), "the device slept for %" PRId64 ".%03d s",
		 slept_ns / 1000000000, (int)(slept_ns / 1000000 % 1000));
	hole(guard);
	tell(guard, line);
}

static void tell_step(struct guard *guard, int64_t stepped_ns)
{
	int64_t size_ns = stepped_ns < 0 ? -stepped_ns : stepped_ns;
	char line[96];

	snprintf(line, sizeof(line), "the time of day was set by %s%" PRId64 ".%03d s",
		 stepped_ns < 0 ? "-" : "+", size_ns / 1000000000, (int)(size_ns / 1000000 % 1000));
	tell(guard, line);
}

static void check_clocks(struct guard *guard)
{
	struct clock_change change = clock_watch_take(&guard->clocks, clock_watch_read());

	/* Events are dated by the wall clock: it has to fit before one is written. */
	if (change.slept_ns || change.stepped_ns)
		measure_wall(guard);
	if (change.slept_ns)
		tell_sleep(guard, change.slept_ns);
	if (change.stepped_ns)
		tell_step(guard, change.stepped_ns);
}

static void follow_wall(struct guard *guard)
{
	struct wall_clock now = kernel_clock_measure(guard->clock, guard->files);
	int64_t drift_ns = now.offset_ns - guard->session->output.clock.offset_ns;

	if (now.known && (drift_ns > DRIFT_NS || drift_ns < -DRIFT_NS))
		guard->session->output.clock = now;
}

/* --- troubles --- */

/* What belongs behind the words. */
static const char *value_of(const struct guard *guard, enum guard_trouble_kind kind,
			    char value[static SETTING_SIZE])
{
	struct guard_size size;

	value[0] = '\0';
	if (kind == GUARD_TAGS)
		snprintf(value, SETTING_SIZE, "0x%" PRIx64, guard->tags.set);
	else if (kind == GUARD_SIZE && guard_size_read(&size, guard->files))
		guard_size_print(&size, value);
	else if (kind == GUARD_FORM)
		guard_form_print(&guard->form, value);
	else
		trace_files_setting(guard->files, settings[kind], value);
	return value;
}

static void tell_trouble(struct guard *guard, enum guard_trouble_kind kind, const char *text)
{
	char value[SETTING_SIZE];

	if (kind == GUARD_OFF)
		tell(guard, text);
	else
		tell_value(guard, text, value_of(guard, kind, value));
}

static void note_trouble(struct guard *guard, enum guard_trouble_kind kind, bool there,
			 uint64_t since_ns)
{
	guard->troubles[kind] = (struct guard_trouble){ .there = there, .since_ns = since_ns };
	guard->theirs |= 1u << settings[kind];
	tell_trouble(guard, kind, there ? words[kind].came : words[kind].gone);
}

/* Has to be said before what follows changes the clock that dates it. */
static void set_trouble(struct guard *guard, enum guard_trouble_kind kind, bool there)
{
	if (guard->troubles[kind].there == there)
		return;
	note_trouble(guard, kind, there, loop_now());
	if (kind == GUARD_CLOCK && !there)
		begin_again(guard);
	else
		hole_of(guard, kind);
}

/* What we have written ourselves is no news. */
static void forget_own(struct guard *guard)
{
	trace_watch_take(&guard->watch);
	if (guard->claims.files)
		lost_claims_emptied(&guard->claims);
	ring_stats_forget(&guard->ring, guard->files);
}

static bool takes_back(const struct guard *guard)
{
	uint64_t oldest_ns = guard->takes_ns[guard->takes % GUARD_TAKES_MAX];

	return guard->takes < GUARD_TAKES_MAX || loop_now() - oldest_ns >= MINUTE_NS;
}

static int write_back(struct guard *guard, enum guard_trouble_kind kind)
{
	const char *wanted = kind == GUARD_OFF	   ? "1"
			     : kind == GUARD_CLOCK ? guard->clock
						   : guard->others[kind];

	if (kind == GUARD_TAGS)
		return guard_tags_order(&guard->tags);
	if (kind == GUARD_SIZE)
		return guard_size_write(&guard->size, guard->files);
	if (kind == GUARD_FORM)
		return guard_form_write(&guard->form);
	return setting_write(guard->path, trace_files_name(settings[kind]), wanted);
}

static void taken_back(struct guard *guard, enum guard_trouble_kind kind)
{
	guard->troubles[kind].there = false;
	guard->theirs &= ~(1u << settings[kind]);
	tell_trouble(guard, kind, words[kind].taken);
	if (kind == GUARD_CLOCK)
		begin_again(guard);
	else
		hole_of(guard, kind);
}

static void take_back(struct guard *guard, enum guard_trouble_kind kind)
{
	int error = write_back(guard, kind);

	guard->troubles[kind].since_ns = loop_now();
	guard->takes_ns[guard->takes++ % GUARD_TAKES_MAX] = loop_now();
	forget_own(guard);
	/* atrace takes its time. */
	if (kind != GUARD_TAGS && error == 0)
		taken_back(guard, kind);
	else if (error < 0)
		tell_value(guard, "it cannot be taken back:", strerror(-error));
}

/* Another clock is as good, if it is one. */
static void live_with(struct guard *guard, enum guard_trouble_kind kind)
{
	char clock[SETTING_SIZE];

	if (kind != GUARD_CLOCK ||
	    trace_files_setting(guard->files, TRACE_SETTING_CLOCK, clock) < 0 ||
	    !wall_clock_is_time(clock))
		return;
	guard->troubles[kind].there = false;
	begin_again(guard);
	take_clock(guard, clock);
}

static void mend(struct guard *guard, enum guard_trouble_kind kind)
{
	struct guard_trouble *trouble = &guard->troubles[kind];
	bool yield = guard->session->options->yield;

	if (!trouble->there || loop_now() - trouble->since_ns < GRACE_NS)
		return;
	if (!yield && takes_back(guard)) {
		take_back(guard, kind);
		return;
	}
	if (!yield && !trouble->told_way)
		tell(guard, "another program insists: given way to it");
	trouble->told_way = true;
	live_with(guard, kind);
}

/* --- looking --- */

/* A larger buffer than ours is no trouble, but it was emptied for it. */
static void check_size(struct guard *guard)
{
	char value[SETTING_SIZE];
	struct guard_size now;
	bool smaller;

	if (!guard_size_read(&now, guard->files))
		return;
	smaller = guard_size_is_smaller(&now, &guard->size);
	if (!smaller && !guard->troubles[GUARD_SIZE].there &&
	    !guard_size_is_same(&now, &guard->size)) {
		guard_size_print(&now, value);
		tell_value(guard,
			   "the trace buffer was resized by another program: KB for each CPU",
			   value);
		hole(guard);
	}
	set_trouble(guard, GUARD_SIZE, smaller);
	if (!smaller)
		guard->size = now;
}

static bool heard(unsigned int files, enum trace_file file)
{
	return files & 1u << file;
}

/* So long after something was seen it is looked at again. Who writes to a file has opened it
 * before, which is heard, too; and tools and kernels that empty a trace switch it off meanwhile,
 * for up to 40 ms. */
#define AGAIN_NS (100 * NS_PER_MS)

static bool is_time_again(const struct guard *guard)
{
	return guard->unsure_ns > 0 && loop_now() - guard->unsure_ns >= AGAIN_NS;
}

static void check_on(struct guard *guard)
{
	bool seen = heard(guard->passing, TRACE_FILE_ON);
	char value[SETTING_SIZE];
	bool off;

	if (trace_files_setting(guard->files, TRACE_SETTING_ON, value) < 0)
		return;
	off = value[0] == '0';
	if (!off || guard->troubles[GUARD_OFF].there) {
		set_trouble(guard, GUARD_OFF, off);
	} else if (seen && is_time_again(guard)) {
		note_trouble(guard, GUARD_OFF, true, guard->unsure_ns);
	} else if (!seen) {
		/* Whatever comes of it: it was off. */
		guard->passing |= 1u << TRACE_FILE_ON;
		hole(guard);
	}
}

static void check_settings(struct guard *guard)
{
	char value[SETTING_SIZE];

	if (trace_files_setting(guard->files, TRACE_SETTING_CLOCK, value) == 0)
		set_trouble(guard, GUARD_CLOCK, strcmp(value, guard->clock) != 0);
	check_size(guard);
	check_on(guard);
	for (size_t i = 0; i < N_PLAIN; i++) {
		const char *wanted = guard->others[plain[i]];

		if (wanted[0] && trace_files_setting(guard->files, settings[plain[i]], value) == 0)
			set_trouble(guard, plain[i], strcmp(value, wanted) != 0);
	}
	set_trouble(guard, GUARD_FORM, guard_form_is_other(&guard->form));
}

/* The kernel says nowhere else what a full buffer did not take. */
static void take_dropped(struct guard *guard)
{
	for (unsigned int cpu = 0; cpu < guard->ring.cpus; cpu++) {
		uint64_t dropped = ring_stats_dropped(&guard->ring, cpu);
		struct trace_record record = {
			.kind = TRACE_LOST,
			.cpu = (int32_t)cpu,
			.tid = TRACE_ID_UNKNOWN,
			.tgid = TRACE_ID_UNKNOWN,
			.pid = TRACE_ID_UNKNOWN,
			.time_ns = guard->good_ns,
			.value = (int64_t)dropped,
		};

		if (dropped == 0)
			continue;
		hole(guard);
		pipeline_record(guard->session->pipeline, &record);
	}
}

/* What says that a buffer was emptied. */
#define EMPTIED (1u << TRACE_FILE_TRACE | 1u << TRACE_FILE_CLOCK | 1u << TRACE_FILE_SUBBUF)

/* What may have kept events away, or made them unreadable, until it was changed back. */
#define PASSING (EMPTIED | 1u << TRACE_FILE_ON | 1u << TRACE_FILE_CPUS | 1u << TRACE_FILE_OPTION)

/* What is over before anybody could look has left nothing but its hole. */
static void tell_passing(struct guard *guard)
{
	if (guard->passing & EMPTIED)
		tell(guard, "the trace buffer was emptied by another program");
	else if (heard(guard->passing, TRACE_FILE_ON) && !guard->troubles[GUARD_OFF].there)
		tell(guard, "tracing was switched off and on, or on once more, by another program");
	if (heard(guard->passing, TRACE_FILE_CPUS))
		tell(guard, "the CPUs that are traced were changed and changed back, or set "
			    "once more, by another program");
	if (heard(guard->passing, TRACE_FILE_OPTION))
		tell(guard, "options of the trace were changed and changed back, or set once "
			    "more, by another program");
}

/* It is told when it was looked at again, unless that shows what it was. */
static void check_passing(struct guard *guard, unsigned int files, bool emptied)
{
	unsigned int now = files & PASSING;

	if (emptied)
		now |= 1u << TRACE_FILE_TRACE;
	if (now)
		hole(guard);
	if (now & EMPTIED && guard->claims.files)
		lost_claims_emptied(&guard->claims);
	if (guard->news)
		guard->news_ns = loop_now();
	/* What was told a moment ago is heard once more when its writer is done. */
	else if (loop_now() - guard->news_ns < AGAIN_NS)
		now &= EMPTIED | 1u << TRACE_FILE_ON;
	guard->passing |= now;
	if (guard->passing && !guard->unsure_ns)
		guard->unsure_ns = loop_now();
	if (!guard->news && !is_time_again(guard))
		return;
	if (!guard->news && guard->passing)
		tell_passing(guard);
	guard->passing = 0;
	guard->unsure_ns = 0;
}

static void check_readers(struct guard *guard, unsigned int files)
{
	bool others_read = guard->watch.readers > 0;

	if (!heard(files, TRACE_FILE_RAW) && !others_read)
		return;
	if (others_read && !guard->others_read)
		tell(guard, "another program reads the raw trace: what it takes is missing "
			    "here");
	else if (!others_read)
		tell(guard,
		     guard->others_read
			     ? "nobody else reads the raw trace any more"
			     : "another program read the raw trace for a moment: what it took "
			       "is missing here");
	guard->others_read = others_read;
	hole(guard);
}

/* Kernels before 5.8 take nothing while somebody reads a trace; later ones if they are told to. */
static bool looks_pause(const struct guard *guard)
{
	char value[SETTING_SIZE];
	int error = setting_read(guard->path, "options/pause-on-trace", value);

	return error == 0 ? value[0] == '1' : error == -ENOENT;
}

/* Whoever has opened it may be about to empty it; who still has it a while later reads it. */
static void check_lookers(struct guard *guard, unsigned int files, bool polled)
{
	bool others_look = guard->watch.lookers > 0;
	bool over = heard(files, TRACE_FILE_LOOK);

	if (!others_look && !over && !guard->others_look)
		return;
	if (!guard->others_look && !looks_pause(guard))
		return;
	hole(guard);
	if (others_look && !guard->others_look && polled) {
		tell(guard, "another program reads the trace: the kernel takes no events "
			    "meanwhile");
		guard->others_look = true;
	} else if (!others_look) {
		if (guard->others_look)
			tell(guard, "nobody else reads the trace any more");
		else if (over)
			tell(guard, "another program read the trace for a moment: the kernel "
				    "took no events meanwhile");
		guard->others_look = false;
	}
}

static void look(struct guard *guard, unsigned int files)
{
	bool emptied = ring_stats_look(&guard->ring, guard->files);

	guard->news = false;
	take_dropped(guard);
	check_settings(guard);
	check_passing(guard, files, emptied);
}

/* Whoever sets what is set already shows in nothing else. An atrace of ours may be at it, too. */
static unsigned int take_heard(struct guard *guard)
{
	static const struct {
		enum trace_file file;
		enum trace_setting setting;
	} written[] = {
		{ TRACE_FILE_ON, TRACE_SETTING_ON },
		{ TRACE_FILE_CLOCK, TRACE_SETTING_CLOCK },
		{ TRACE_FILE_SIZE, TRACE_SETTING_SIZE },
	};
	unsigned int files = trace_watch_take(&guard->watch);

	for (size_t i = 0; i < sizeof(written) / sizeof(written[0]); i++)
		if (heard(files, written[i].file) && !child_runs(&guard->tags.order))
			guard->theirs |= 1u << written[i].setting;
	return files;
}

/* @polled: nothing need have been heard. Where nothing can be, only then all is known to be well.
 */
static void check(struct guard *guard, bool polled)
{
	unsigned int files = take_heard(guard);

	check_clocks(guard);
	check_readers(guard, files);
	check_lookers(guard, files, polled);
	if (polled || files & ~(1u << TRACE_FILE_RAW | 1u << TRACE_FILE_LOOK) ||
	    is_time_again(guard))
		look(guard, files);
	if (polled || guard->watch.watcher.fd >= 0)
		guard->good_ns = trace_now(guard);
}

bool guard_drains(struct guard *guard)
{
	if (guard->on)
		check(guard, false);
	return !guard->troubles[GUARD_CLOCK].there;
}

void guard_dry(struct guard *guard)
{
	if (guard->on && guard->claims.files)
		lost_claims_dry(&guard->claims);
	if (guard->on && guard->watch.readers == 0)
		pipeline_doubt(guard->session->pipeline, false);
}

/* @end: nothing is told later. */
static void check_claims(struct guard *guard, bool end)
{
	char text[200];

	if (!guard->claims.files)
		return;
	lost_claims_look(&guard->claims);
	if (lost_claims_tell(&guard->claims, end, text))
		tell(guard, text);
}

void guard_tick(struct guard *guard)
{
	if (!guard->on)
		return;
	check(guard, true);
	check_claims(guard, false);
	guard->tags_good_ns = guard->tags_asked_ns;
	guard->tags_asked_ns = trace_now(guard);
	guard_tags_tick(&guard->tags);
	for (int kind = 0; kind < GUARD_TROUBLES; kind++)
		mend(guard, kind);
	follow_wall(guard);
	if (guard->watch.watcher.fd >= 0)
		loop_watch(guard->loop, &guard->watch.watcher, EPOLLIN | EPOLLONESHOT);
}

/* --- tags --- */

static void on_tags(struct guard_tags *tags)
{
	set_trouble(tags->context, GUARD_TAGS, tags->missing);
}

static void on_tags_ordered(struct guard_tags *tags, int status)
{
	struct guard *guard = tags->context;

	forget_own(guard);
	guard->troubles[GUARD_TAGS].since_ns = loop_now();
	if (status != 0) {
		tell(guard, "atrace cannot switch the tags on again");
		return;
	}
	tags->missing = false;
	tags->set = tags->wanted;
	taken_back(guard, GUARD_TAGS);
}

/* --- begin and end --- */

void guard_begin(struct guard *guard, struct session *session, struct loop *loop,
		 const struct trace_files *files, uint64_t tags, struct watcher alarm)
{
	char value[SETTING_SIZE];

	*guard = (struct guard){
		.session = session, .loop = loop, .files = files, .path = files->path, .on = true
	};
	trace_files_setting(files, TRACE_SETTING_CLOCK, value);
	snprintf(guard->clock, sizeof(guard->clock), "%s", value);
	guard_size_read(&guard->size, files);
	for (size_t i = 0; i < N_PLAIN; i++)
		if (trace_files_setting(files, settings[plain[i]], value) == 0)
			snprintf(guard->others[plain[i]], SETTING_SIZE, "%s", value);
	session->origin.trace_clock = guard->clock;
	guard->watch.watcher = alarm;
	trace_watch_open(&guard->watch, files->path, !session->origin.raw);
	ring_stats_forget(&guard->ring, files);
	clock_watch_take(&guard->clocks, clock_watch_read());
	guard->tags.changed = on_tags;
	guard->tags.ordered = on_tags_ordered;
	guard->tags.context = guard;
	guard_tags_begin(&guard->tags, session->options, loop, tags);
	session->kernel_rings = &guard->ring;
	session->recoveries = &guard->takes;
	if (session->origin.raw)
		return;
	guard_form_open(&guard->form, files->path);
	lost_claims_begin(&guard->claims, files);
	session->claims = &guard->claims;
}

/* There is no time to look at it again. */
static void tell_last(struct guard *guard)
{
	char value[SETTING_SIZE];

	if (heard(guard->passing, TRACE_FILE_ON) && !(guard->passing & EMPTIED) &&
	    (trace_files_setting(guard->files, TRACE_SETTING_ON, value) < 0 || value[0] != '1'))
		note_trouble(guard, GUARD_OFF, true, guard->unsure_ns);
	tell_passing(guard);
}

void guard_end(struct guard *guard)
{
	if (!guard->on)
		return;
	guard->on = false;
	take_heard(guard);
	tell_last(guard);
	check_claims(guard, true);
	ring_stats_look(&guard->ring, guard->files);
	guard_tags_end(&guard->tags);
	loop_forget(guard->loop, &guard->watch.watcher);
	trace_watch_close(&guard->watch);
	guard_form_close(&guard->form);
}
