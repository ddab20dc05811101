/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/trace/perfetto_reader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/trace/perfetto_parts.h"
#include "parser/marker.h"
#include "parser/swar.h"

/* A region is at least that long. */
#define REGION_SIZE (64u << 10)

/* The most memory of all events. */
#define EVENTS_MEMORY (16u << 20)

/* While events may be missing, each time of that length is a loss: shorter than any frame. */
#define LOSS_NS 8000000

/* The most records of one read. */
#define RECORDS_PER_READ 4096

/* Packets one after the other. */
struct region {
	uint64_t begin, end; /* in the trace */
	/* The earliest times of its events, on each clock, the first one that of ftrace;
	 * UINT64_MAX: no such event. */
	uint64_t first_ns[PERFETTO_CLOCKS];
};

/* A power of two; more threads are not kept. */
#define THREADS 32768

/* The kernel's TASK_COMM_LEN, with the NUL. */
#define COMM_SIZE 16

struct thread_entry {
	int32_t tid; /* 0: unused */
	int32_t tgid;
	char comm[COMM_SIZE]; /* "": unknown */
	uint64_t named_ns;    /* time of the tree that named it */
};

/* Of more moments some are left out: clocks drift slowly. */
#define MOMENTS 1024

/* The clocks differ by that much more than before: after a suspend, or the setting of a clock. Less
 * is not followed at once, so a converted time may be off by it. */
#define JUMP_NS 1000000

/* The least time between two moments, once there are too many. */
#define APART_FIRST_NS UINT64_C(1000000000)

/* One moment on CLOCK_BOOTTIME and on another clock. */
struct moment {
	uint64_t boot_ns, other_ns;
};

struct moments {
	unsigned int n;
	uint64_t apart_ns; /* a moment is at least that long after the one before, or a jump */
	struct moment moments[MOMENTS]; /* in the order of CLOCK_BOOTTIME */
};

struct perfetto_reader {
	struct packet_stream stream;
	bool has_index;
	struct perfetto_counts counts;

	unsigned int n_threads;
	struct thread_entry threads[THREADS];
	uint64_t ftrace_clock; /* enum perfetto_ftrace_clock, of the last bundle that names it */
	/* From bundles of events that of the events, in the place that no clock has; the others
	 * from clock snapshots. */
	struct moments clocks[PERFETTO_CLOCKS];
	struct perfetto_tracks *tracks;

	struct region *regions;
	size_t n_regions, regions_capacity, next_region;

	struct perfetto_merge merge;
	uint64_t last_ns;
	uint64_t sure_ns;		     /* no event is missing up to there, but for losses */
	bool is_late;			     /* the event before was left out */
	uint64_t missing_ns, missing_end_ns; /* events between them are; the last 0: none */
};

/* --- threads, from process trees and tracks --- */

/* The entry of the thread, or the unused one for it. */
static struct thread_entry *thread_of(struct perfetto_reader *reader, int32_t tid)
{
	unsigned int i = (uint32_t)tid * UINT32_C(2654435761) % THREADS;

	while (reader->threads[i].tid != 0 && reader->threads[i].tid != tid)
		i = (i + 1) % THREADS;
	return &reader->threads[i];
}

/* Adds a thread or a process. A later name replaces an earlier one, by @time_ns, of the same time
 * by their order. */
static void add_thread(struct perfetto_reader *reader, const struct perfetto_thread *thread,
		       uint64_t time_ns)
{
	struct thread_entry *entry = thread_of(reader, thread->tid);
	struct span comm = thread->name;
	bool is_app = thread->is_process && comm.len > 0 && comm.ptr[0] != '/', is_later;
	const char *slash = NULL, *end = NULL;

	/* The name that the kernel gives a process. Of a program it is the first 15 bytes of the
	 * file's name, of an app the last 15 bytes of the package. */
	if (thread->is_process && comm.len > 0)
		slash = memrchr(comm.ptr, '/', comm.len);
	if (slash)
		comm = span_skip(comm, (size_t)(slash - comm.ptr) + 1);
	if (comm.len > 0)
		end = memchr(comm.ptr, '\0', comm.len);
	if (end)
		comm.len = (size_t)(end - comm.ptr);
	if (comm.len >= COMM_SIZE && is_app)
		comm = span_skip(comm, comm.len - (COMM_SIZE - 1));
	if (comm.len >= COMM_SIZE)
		comm.len = COMM_SIZE - 1;

	if (entry->tid == 0) {
		/* A quarter stays free, so that a search ends soon. */
		if (reader->n_threads >= THREADS / 4 * 3)
			return;
		reader->n_threads++;
		entry->tid = thread->tid;
		entry->tgid = -1;
	}
	is_later = time_ns >= entry->named_ns;
	if (thread->tgid > 0 && (is_later || entry->tgid < 0))
		entry->tgid = thread->tgid;
	if (comm.len > 0 && (is_later || !entry->comm[0])) {
		entry->named_ns = time_ns;
		memset(entry->comm, 0, sizeof(entry->comm));
		memcpy(entry->comm, comm.ptr, comm.len);
	}
}

/* --- clocks --- */

static bool is_needed(const struct moments *moments, const struct moment *last,
		      const struct moment *next)
{
	uint64_t jump_ns = (next->boot_ns - next->other_ns) - (last->boot_ns - last->other_ns);

	return next->boot_ns - last->boot_ns >= moments->apart_ns ||
	       jump_ns + JUMP_NS > UINT64_C(2) * JUMP_NS;
}

/* How many moments are at @boot_ns or before. They nearly always come in the order of time. */
static unsigned int n_before(const struct moments *moments, uint64_t boot_ns)
{
	unsigned int n = moments->n;

	while (n > 0 && moments->moments[n - 1].boot_ns > boot_ns)
		n--;
	return n;
}

static void add_moment(struct moments *moments, uint64_t boot_ns, uint64_t other_ns)
{
	const struct moment moment = { boot_ns, other_ns };
	unsigned int at = n_before(moments, boot_ns), n = 1;
	struct moment *all = moments->moments;

	if (boot_ns == 0 || other_ns == 0 || (at > 0 && !is_needed(moments, &all[at - 1], &moment)))
		return;
	/* Leaves out those that are near the one before. */
	if (moments->n == MOMENTS) {
		moments->apart_ns = moments->apart_ns ? 2 * moments->apart_ns : APART_FIRST_NS;
		for (unsigned int i = 1; i < moments->n; i++)
			if (is_needed(moments, &all[n - 1], &all[i]))
				all[n++] = all[i];
		moments->n = n;
		at = n_before(moments, boot_ns);
	}
	/* A trace in which the clocks jump all the time is hostile. */
	if (moments->n == MOMENTS)
		return;
	memmove(&all[at + 1], &all[at], (moments->n - at) * sizeof(all[0]));
	all[at] = moment;
	moments->n++;
}

/* Brings @time_ns from CLOCK_BOOTTIME to the other clock, or back, by the last moment at that time
 * or before; else by the first. */
static uint64_t convert(const struct moments *moments, bool from_boot, uint64_t time_ns)
{
	struct moment by = { 0, 0 };

	for (unsigned int i = 0; i < moments->n; i++) {
		struct moment moment = moments->moments[i];

		if (i > 0 && (from_boot ? moment.boot_ns : moment.other_ns) > time_ns)
			break;
		by = moment;
	}
	return from_boot ? time_ns - by.boot_ns + by.other_ns : time_ns - by.other_ns + by.boot_ns;
}

/* Brings @time_ns of @clock (0: CLOCK_BOOTTIME, as FrameTimeline's) to the clock of the ftrace
 * events. Between clocks of which the trace has no common moment nothing changes. */
static uint64_t to_ftrace_clock(const struct perfetto_reader *reader, uint64_t clock,
				uint64_t time_ns)
{
	unsigned int ftrace = PERFETTO_CLOCK_UNKNOWN;

	if (clock >= PERFETTO_CLOCK_REALTIME && clock < PERFETTO_CLOCK_BOOTTIME)
		time_ns = convert(&reader->clocks[clock], false, time_ns);
	if (reader->ftrace_clock == PERFETTO_FTRACE_BOOT)
		return time_ns;
	if (reader->clocks[ftrace].n == 0 && reader->ftrace_clock == PERFETTO_FTRACE_MONOTONIC_RAW)
		ftrace = PERFETTO_CLOCK_MONOTONIC_RAW;
	return convert(&reader->clocks[ftrace], true, time_ns);
}

/* --- common to both passes --- */

/* Returns 1; 0 at the end; -errno: -ENOTSUP if packets are compressed by zstd, and this program
 * cannot unpack them. */
static int next_packet(struct perfetto_reader *reader, struct perfetto_packet *packet)
{
	struct packet_stream *stream = &reader->stream;
	struct span bytes;
	int result;

	do {
		result = packet_stream_next(stream, &bytes);
		if (result <= 0)
			return result;
		perfetto_tracks_begin_packet(reader->tracks, stream->is_inner,
					     stream->packet_begin);
		if (!perfetto_packet_read(bytes, packet) && !reader->has_index)
			reader->counts.corrupt++;
		reader->counts.sound |= packet->compressed.ptr != NULL;
		result = packet->compressed.ptr ? packet_stream_unpack(stream, packet) : 1;
	} while (result == 0);
	return result;
}

/* --- the first pass --- */

static void earliest(uint64_t *earliest_ns, uint64_t time_ns)
{
	if (time_ns < *earliest_ns)
		*earliest_ns = time_ns;
}

static struct region region_at(uint64_t begin)
{
	struct region region = { .begin = begin, .end = begin };

	memset(region.first_ns, 0xff, sizeof(region.first_ns));
	return region;
}

/* The region ends, if it is long enough, or @last. One without events is dropped. Returns false if
 * there is no memory for it. */
static bool end_region(struct perfetto_reader *reader, struct region *region, bool last)
{
	uint64_t first_ns = UINT64_MAX;

	if (!last && region->end - region->begin < REGION_SIZE)
		return true;
	for (unsigned int clock = 0; clock < PERFETTO_CLOCKS; clock++)
		earliest(&first_ns, region->first_ns[clock]);
	if (first_ns != UINT64_MAX) {
		if (!perfetto_grow((void **)&reader->regions, &reader->regions_capacity,
				   reader->n_regions + 1, sizeof(*region), SIZE_MAX))
			return false;
		reader->regions[reader->n_regions++] = *region;
	}
	*region = region_at(region->end);
	perfetto_tracks_begin_region(reader->tracks);
	return true;
}

static int compare_regions(const void *left, const void *right)
{
	const struct region *a = left, *b = right;

	if (a->first_ns[0] != b->first_ns[0])
		return a->first_ns[0] < b->first_ns[0] ? -1 : 1;
	return a->begin < b->begin ? -1 : a->begin > b->begin;
}

static int read_index(struct perfetto_reader *reader)
{
	struct packet_stream *stream = &reader->stream;
	struct perfetto_counts *counts = &reader->counts;
	struct region region = region_at(0);
	uint64_t clock, time_ns, untimed, corrupt = 0;
	struct perfetto_packet packet;
	struct perfetto_bundle bundle;
	struct perfetto_clocks clocks;
	struct perfetto_thread thread;
	struct perfetto_track track;
	int result;

	perfetto_tracks_begin_region(reader->tracks);
	while ((result = next_packet(reader, &packet)) > 0) {
		struct span tree = packet.processes;

		/* Packets inside of a compressed one stay together. */
		if (stream->packet_begin >= region.end && !end_region(reader, &region, false))
			return -ENOMEM;
		region.end = stream->packet_end;
		if (packet.ftrace.ptr) {
			counts->corrupt += !perfetto_bundle_read(packet.ftrace, &bundle);
			/* The first bundles of a trace do not name their clock, though it is that
			 * of the others. */
			if (bundle.clock != PERFETTO_FTRACE_BOOT) {
				reader->ftrace_clock = bundle.clock;
				add_moment(&reader->clocks[PERFETTO_CLOCK_UNKNOWN], bundle.boot_ns,
					   bundle.ftrace_ns);
			}
			/* The events of a CPU are in order. */
			if (bundle.first_ns > 0)
				earliest(&region.first_ns[0], bundle.first_ns);
		}
		/* Compressed packets inside of compressed ones are not unpacked. */
		counts->corrupt += packet.compressed.ptr != NULL;
		counts->corrupt += !perfetto_tracks_follow(reader->tracks, &packet,
							   packet.ftrace.ptr ? &bundle : NULL);
		if (packet.track.ptr) {
			perfetto_track_read(packet.track, &track);
			thread = (struct perfetto_thread){ track.tid, track.pid, track.thread_name,
							   false };
			if (track.tid <= 0)
				thread = (struct perfetto_thread){ track.pid, track.pid,
								   track.process_name, true };
			if (thread.tid > 0)
				add_thread(reader, &thread, 0);
		}
		while (perfetto_thread_next(&tree, &thread))
			add_thread(reader, &thread, packet.time_ns);
		counts->corrupt += tree.len > 0;
		if (packet.clocks.ptr) {
			counts->corrupt += !perfetto_clocks_read(packet.clocks, &clocks);
			for (clock = PERFETTO_CLOCK_REALTIME; clock < PERFETTO_CLOCK_BOOTTIME;
			     clock++)
				add_moment(&reader->clocks[clock],
					   clocks.times_ns[PERFETTO_CLOCK_BOOTTIME],
					   clocks.times_ns[clock]);
		}
		if (!perfetto_tracks_time(reader->tracks, &packet, &clock, &time_ns))
			counts->untimed += packet.timeline.ptr && packet.has_time;
		else if (packet.timeline.ptr || packet.track_event.ptr)
			earliest(&region.first_ns[clock], time_ns);
		counts->sound |= counts->corrupt == corrupt;
		corrupt = counts->corrupt;
	}
	if (!end_region(reader, &region, true))
		return -ENOMEM;
	perfetto_tracks_end(reader->tracks, &untimed, &counts->lost);
	counts->untimed += untimed;
	counts->corrupt += stream->corrupt;
	counts->too_large = stream->too_large;
	counts->bytes = stream->packet_end;

	/* From now on ->first_ns[0] is the earliest time of all events of a region. */
	for (size_t i = 0; i < reader->n_regions; i++) {
		uint64_t *first_ns = reader->regions[i].first_ns;

		for (clock = 1; clock < PERFETTO_CLOCKS; clock++)
			if (first_ns[clock] != UINT64_MAX)
				earliest(first_ns, to_ftrace_clock(reader, clock, first_ns[clock]));
	}
	perfetto_sort(reader->regions, reader->n_regions, sizeof(*reader->regions),
		      compare_regions);
	reader->has_index = true;
	return result;
}

/* --- the second pass: regions --- */

/* Events between these times are missing. */
static void leave_out(struct perfetto_reader *reader, uint64_t from_ns, uint64_t until_ns)
{
	if (reader->missing_end_ns == 0 || from_ns < reader->missing_ns)
		reader->missing_ns = from_ns;
	if (until_ns >= reader->missing_end_ns)
		reader->missing_end_ns = until_ns + 1;
	reader->is_late |= from_ns < reader->last_ns;
}

static void add_event(struct perfetto_reader *reader, const struct perfetto_event *event,
		      struct span bytes)
{
	if (event->time_ns > INT64_MAX) {
		reader->counts.untimed++;
		return;
	}
	if (perfetto_merge_add(&reader->merge, event, bytes))
		return;
	reader->counts.late++;
	leave_out(reader, event->time_ns, event->time_ns);
}

static void add_lost(struct perfetto_reader *reader, int32_t cpu, uint64_t time_ns)
{
	const struct perfetto_event event = {
		.time_ns = time_ns,
		.kind = TRACE_LOST,
		.cpu = cpu,
		.tid = TRACE_ID_UNKNOWN,
		.pid = TRACE_ID_UNKNOWN,
		.value = TRACE_LOST_UNKNOWN,
	};

	if (time_ns > 0)
		add_event(reader, &event, SPAN_NULL);
}

static void load_packet(struct perfetto_reader *reader, const struct perfetto_packet *packet)
{
	struct perfetto_tracks *tracks = reader->tracks;
	struct span rest = packet->ftrace, name;
	struct perfetto_bundle bundle;
	struct perfetto_print print;
	struct perfetto_event event;
	uint64_t clock, time_ns, last_ns;
	int made;

	/* The markers of a bundle. */
	if (packet->ftrace.ptr) {
		perfetto_bundle_read(packet->ftrace, &bundle);
		last_ns = bundle.first_ns;
		if (bundle.lost || perfetto_tracks_is_gap(tracks))
			add_lost(reader, bundle.cpu, last_ns);
		while (perfetto_print_next(&rest, &print)) {
			event = (struct perfetto_event){
				.time_ns = print.time_ns,
				.kind = PERFETTO_PRINT,
				.cpu = bundle.cpu,
				.tid = print.tid,
			};
			if (print.time_ns > last_ns)
				last_ns = print.time_ns;
			add_event(reader, &event, print.text);
		}
		for (int32_t cpu = -1; (cpu = perfetto_tracks_next_lost(tracks, cpu)) >= 0;)
			add_lost(reader, cpu, last_ns);
	}

	/* An event of FrameTimeline, or of a track. */
	if (!perfetto_tracks_time(tracks, packet, &clock, &time_ns) ||
	    (!packet->timeline.ptr && !packet->track_event.ptr))
		return;
	event = (struct perfetto_event){
		.cpu = TRACE_ID_UNKNOWN,
		.tid = TRACE_ID_UNKNOWN,
		.pid = TRACE_ID_UNKNOWN,
	};
	event.time_ns = to_ftrace_clock(reader, clock, time_ns);
	if (packet->timeline.ptr) {
		event.kind = TRACE_TIMELINE;
		event.value = (int64_t)packet->sequence;
		add_event(reader, &event, packet->timeline);
	}
	if (!packet->track_event.ptr)
		return;
	made = perfetto_tracks_event(tracks, packet, &event, &name);
	if (perfetto_tracks_lost(tracks, packet))
		add_lost(reader, TRACE_ID_UNKNOWN, event.time_ns);
	if (made > 0)
		add_event(reader, &event, name);
	else if (made < 0)
		reader->counts.malformed++;
}

/* Reads all regions with events up to the next one. Returns 0; 1: there is no memory for all;
 * -errno. */
static int load_due(struct perfetto_reader *reader)
{
	struct perfetto_packet packet;
	int result = 0;

	while (result >= 0 && reader->next_region < reader->n_regions) {
		const struct region *region = &reader->regions[reader->next_region];

		if (reader->merge.n > 0 && region->first_ns[0] > reader->merge.runs[0].time_ns)
			return 0;
		if (reader->merge.n > 0 && reader->merge.bytes >= EVENTS_MEMORY)
			return 1;
		reader->next_region++;
		packet_stream_seek(&reader->stream, region->begin);
		perfetto_tracks_begin_region(reader->tracks);
		perfetto_merge_begin_region(&reader->merge, region->begin);
		while ((result = next_packet(reader, &packet)) > 0 &&
		       reader->stream.packet_begin < region->end)
			load_packet(reader, &packet);
		perfetto_merge_end_region(&reader->merge);
		/* It became shorter. */
		if (result == 0 && reader->stream.packet_end < region->end)
			leave_out(reader, region->first_ns[0], INT64_MAX);
	}
	return result < 0 ? result : 0;
}

/* --- records --- */

/* Returns false: there is no record for the event. */
static bool to_record(struct perfetto_reader *reader, const struct perfetto_event *event,
		      struct trace_record *record)
{
	struct span text = { (const char *)(event + 1), event->len };
	const struct thread_entry *thread;
	const char *end;

	/* In whole microseconds, as in the text of a trace: so both give the same rows. */
	*record = (struct trace_record){
		.kind = (enum trace_kind)event->kind,
		.cpu = event->cpu,
		.tid = event->tid,
		.tgid = TRACE_ID_UNKNOWN,
		.pid = event->pid,
		.time_ns = event->time_ns / 1000 * 1000,
		.value = event->value,
		.name = text,
	};
	if (event->kind == TRACE_LOST)
		return true;
	reader->counts.markers++;
	if (event->kind == TRACE_TIMELINE) {
		record->time_ns = event->time_ns;
		return true;
	}
	end = event->kind == PERFETTO_PRINT ? text_end(text.ptr, text.ptr + text.len) : NULL;
	if (end)
		text.len = (size_t)(end - text.ptr);
	if (event->kind == PERFETTO_PRINT ? !marker_parse(text, false, record) : event->pid < 0) {
		reader->counts.malformed++;
		return false;
	}
	record->comm = SPAN_LITERAL("<...>");
	thread = thread_of(reader, event->tid);
	if (event->tid > 0 && thread->tid != 0) {
		record->tgid = thread->tgid;
		if (thread->comm[0])
			record->comm = span_of(thread->comm);
	}
	return true;
}

/* Events before that time were left out, or may be. Without a loss, the hole would look like a
 * pause. */
static void report_loss(struct perfetto_reader *reader, uint64_t time_ns,
			void (*record)(void *context, const struct trace_record *record),
			void *context)
{
	const struct trace_record lost = {
		.kind = TRACE_LOST,
		.cpu = TRACE_ID_UNKNOWN,
		.tid = TRACE_ID_UNKNOWN,
		.tgid = TRACE_ID_UNKNOWN,
		.pid = TRACE_ID_UNKNOWN,
		.time_ns = time_ns / 1000 * 1000,
		.from_ns = reader->last_ns,
		.value = TRACE_LOST_UNKNOWN,
	};

	record(context, &lost);
	reader->is_late = false;
	reader->sure_ns = time_ns;
	if (time_ns >= reader->missing_end_ns)
		reader->missing_end_ns = 0;
}

ssize_t perfetto_reader_read(struct perfetto_reader *reader,
			     void (*record)(void *context, const struct trace_record *record),
			     void *context)
{
	struct perfetto_event *event;
	struct trace_record made;
	unsigned int n;

	if (!reader->has_index) {
		int error = read_index(reader);

		return error < 0 ? error : 1;
	}
	for (n = 0; n < RECORDS_PER_READ; n++) {
		/* > 0: for want of memory, regions with earlier events were not read. */
		int unread = load_due(reader);
		uint64_t time_ns;
		bool is_missing;

		if (unread < 0)
			return unread;
		if (reader->merge.n == 0) {
			if (reader->is_late || reader->missing_end_ns > 0)
				report_loss(reader, reader->last_ns, record, context);
			reader->missing_end_ns = 0;
			break;
		}
		event = perfetto_merge_first(&reader->merge);
		if (event->cpu == TRACE_ID_UNKNOWN && event->time_ns < reader->last_ns &&
		    reader->last_ns - event->time_ns < JUMP_NS)
			event->time_ns = reader->last_ns; /* its clock is not known better */
		time_ns = event->time_ns;
		/* The time of a marker cannot go back in a trace that is in order. */
		if (time_ns < reader->last_ns) {
			reader->counts.late++;
			reader->is_late = true;
			perfetto_merge_remove_first(&reader->merge);
			continue;
		}

		/* A loss may come first. */
		is_missing = reader->missing_end_ns > 0 && time_ns >= reader->missing_ns;
		if (reader->is_late || (is_missing && time_ns >= reader->missing_end_ns) ||
		    ((unread > 0 || is_missing) && time_ns > reader->sure_ns + LOSS_NS))
			report_loss(reader, time_ns, record, context);
		else if (unread == 0 && !is_missing)
			reader->sure_ns = time_ns;
		reader->last_ns = time_ns;
		if (to_record(reader, event, &made))
			record(context, &made);
		perfetto_merge_remove_first(&reader->merge);
	}
	return n;
}

const struct perfetto_counts *perfetto_reader_counts(struct perfetto_reader *reader)
{
	reader->counts.damage = reader->stream.damage;
	return &reader->counts;
}

/* --- opening --- */

void perfetto_reader_describe_damage(const struct perfetto_reader *reader, char text[static 200])
{
	const struct perfetto_counts *counts = &reader->counts;

	snprintf(text, 200,
		 "damage in the trace so far: %" PRIu64 " malformed markers, %" PRIu64
		 " corrupt packets, %" PRIu64 " packets too large, %" PRIu64
		 " losses of packets, %" PRIu64 " events too late, %" PRIu64
		 " events without a time",
		 counts->malformed, counts->corrupt, counts->too_large, counts->lost, counts->late,
		 counts->untimed);
}

int perfetto_reader_open(struct perfetto_reader **out, int fd, off_t base, struct span whole)
{
	struct perfetto_reader *reader = calloc(1, sizeof(*reader));

	*out = reader;
	if (!reader)
		return -ENOMEM;
	reader->tracks = perfetto_tracks_new();
	if (reader->tracks && packet_stream_open(&reader->stream, fd, base, whole) == 0)
		return 0;
	*out = perfetto_reader_close(reader);
	return -ENOMEM;
}

struct perfetto_reader *perfetto_reader_close(struct perfetto_reader *reader)
{
	if (!reader)
		return NULL;
	packet_stream_close(&reader->stream);
	perfetto_merge_free(&reader->merge);
	free(reader->regions);
	perfetto_tracks_free(reader->tracks);
	free(reader);
	return NULL;
}
