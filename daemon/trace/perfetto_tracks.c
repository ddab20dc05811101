/* SPDX-License-Identifier: Apache-2.0 */
/* The writers of the packets of a perfetto trace: their clocks, what they lost, and their track
 * events, as the markers that these stand for. SurfaceFlinger of Android 15 QPR1 and later writes
 * them instead of ftrace if its categories prefer perfetto's SDK (atrace_categories_prefer_sdk).
 *
 * A thread is a writer of its own, a sequence. An event refers to what its sequence wrote before:
 * the number of a name, a track, and a time that is the difference to the packet before:
 *
 *     sequence 5:  cleared: what was before is void
 *                  clock 64 = 1000000000 ns, default track 11
 *                  track 11 = thread 612 of process 612
 *                  + 5000 ns, begin, name 1 = "commit 7"           B|612|commit 7
 *                  track 12 = "VSYNC-sf"
 *                  + 100 ns, counter, track 12, value 1            C|612|VSYNC-sf|1
 *                  + 900 ns, end                                   E|612
 *
 * The first pass over the packets keeps what they define, with the packet's number. The second pass
 * reads regions in the order of time, and looks it up by that number. Slices of other tracks than a
 * thread's have no use here.
 */
#include "daemon/trace/perfetto_parts.h"

#include <stdlib.h>
#include <string.h>

#include "parser/swar.h"

/* Powers of two. A device has some hundreds of writers, and a track for each layer's counters. More
 * of them, and more facts and names, do not fit: what refers to them is missing. */
#define SEQUENCES 4096
#define TRACKS 32768
#define FACTS (1u << 20)
#define NAMES_SIZE (32u << 20)
#define SEARCHED 16

/* The longest name, which is cut: that of a marker is not longer. */
#define TRACK_NAME_MAX 4032

#define CPUS 256

/* Bundles of events before which others may be missing; more are only counted, as losses. */
#define GAPS 16384

/* Powers of two. Most facts are looked up again for the next packet of a sequence. */
#define HINTS 4096

/* What a packet defines for the packets of its sequence from itself on. Names have their numbers as
 * keys. */
enum {
	KEY_CLEARED = -1, /* names before are void */
	KEY_DEFAULT = -2, /* value: the default track */
	KEY_THREAD = -3,  /* value: the track of a thread, for a sequence without a default */
	KEY_TIME = -4,	  /* of this packet: value: the time on clock ->len; ->at: the unit in ns */
	KEY_LOST = -5,	  /* packets before this one */
	KEY_CLOCK = -6,	  /* value: of packets that name none; 0: no default */
	KEY_LAST = KEY_CLOCK,
};

/* The sequence of facts about bundles, which no writer has: their numbers are keys. Events of the
 * bundle's CPU may be missing before it. */
#define GAP_SEQUENCE UINT64_MAX

struct fact {
	uint64_t sequence, key, number;
	uint64_t value;
	uint32_t at, len; /* a name */
};

struct sequence {
	uint64_t id; /* 0: unused */
	/* So far, in the first pass. */
	bool is_begun, has_ftrace, has_tracks, has_events, is_cleared;
	bool has_first; /* its first packet was there: it says that packets were lost before it */
	uint64_t default_clock;
	bool is_atrace, is_other; /* it has events of categories of atrace; of other categories */
	uint64_t untimed;	  /* events, in the first pass */
	/* Of the clock that it defines. */
	uint64_t clock, unit_ns, base_clock, time_ns;
	uint64_t region; /* for which ->time_ns is that of its last packet */
};

struct track {
	uint64_t id;
	bool is_used;
	int32_t pid, tid;
	uint32_t at, len; /* its name */
};

/* The bundles of events of a CPU, in the first pass. */
struct cpu_bundles {
	bool is_known;
	uint64_t n_losses; /* at its last bundle */
	uint64_t first_ns; /* of its earliest bundle */
};

struct perfetto_tracks {
	bool is_ended; /* the first pass */
	uint64_t region;
	/* Of the packet that is read, in the order of the trace, the same in both passes; 0 is
	 * none. */
	uint64_t number;
	uint64_t n_lost;   /* times that a writer lost packets, */
	uint64_t n_losses; /* one of bundles */
	bool is_after_loss;
	uint64_t after_loss; /* number of the first bundle after the last loss */
	unsigned int n_gaps;
	struct cpu_bundles cpus[CPUS];
	struct sequence sequences[SEQUENCES];
	struct track tracks[TRACKS];
	struct fact *facts; /* later in the order of sequence, key and number */
	size_t n_facts, facts_capacity;
	uint32_t hints[HINTS]; /* where the last fact of such a sequence and key was */
	char *names;
	size_t names_len, names_capacity;
};

struct perfetto_tracks *perfetto_tracks_new(void)
{
	return calloc(1, sizeof(struct perfetto_tracks));
}

void perfetto_tracks_free(struct perfetto_tracks *tracks)
{
	if (tracks) {
		free(tracks->facts);
		free(tracks->names);
	}
	free(tracks);
}

void perfetto_tracks_begin_region(struct perfetto_tracks *tracks)
{
	tracks->region++;
}

void perfetto_tracks_begin_packet(struct perfetto_tracks *tracks, bool is_inner, uint64_t begin)
{
	/* Packets inside of one are far fewer than its bytes times 2^20. */
	tracks->number = is_inner ? tracks->number + 1 : (begin << 20) + 1;
}

static uint64_t hash_of(uint64_t id)
{
	return id * UINT64_C(0x9e3779b97f4a7c15) >> 40;
}

/* The sequence, or an unused entry for it; NULL: the packet has none, or there are too many. */
static struct sequence *sequence_of(struct perfetto_tracks *tracks, uint64_t id)
{
	uint64_t at = hash_of(id);

	for (unsigned int n = 0; id != 0 && n < SEARCHED; n++) {
		struct sequence *sequence = &tracks->sequences[(at + n) % SEQUENCES];

		if (sequence->id == id || sequence->id == 0)
			return sequence;
	}
	return NULL;
}

/* Likewise the track. */
static struct track *track_of(struct perfetto_tracks *tracks, uint64_t id)
{
	uint64_t at = hash_of(id);

	for (unsigned int n = 0; n < SEARCHED; n++) {
		struct track *track = &tracks->tracks[(at + n) % TRACKS];

		if (!track->is_used || track->id == id)
			return track;
	}
	return NULL;
}

/* --- the first pass --- */

/* Keeps a name, unless it is the one at *at. Returns false if there is no space. */
static bool keep_name(struct perfetto_tracks *tracks, struct span name, uint32_t *at, uint32_t *len)
{
	if (name.len > TRACK_NAME_MAX)
		name.len = TRACK_NAME_MAX;
	if (name.len == *len &&
	    (name.len == 0 || memcmp(tracks->names + *at, name.ptr, name.len) == 0))
		return true;
	if (!perfetto_grow((void **)&tracks->names, &tracks->names_capacity,
			   tracks->names_len + name.len, 1, NAMES_SIZE))
		return false;
	if (name.len > 0)
		memcpy(tracks->names + tracks->names_len, name.ptr, name.len);
	*at = (uint32_t)tracks->names_len;
	*len = (uint32_t)name.len;
	tracks->names_len += *len;
	return true;
}

static bool add_fact(struct perfetto_tracks *tracks, struct fact fact)
{
	if (!perfetto_grow((void **)&tracks->facts, &tracks->facts_capacity, tracks->n_facts + 1,
			   sizeof(fact), FACTS))
		return false;
	tracks->facts[tracks->n_facts++] = fact;
	return true;
}

/* A fact of the packet without a name. */
static bool add_value(struct perfetto_tracks *tracks, const struct sequence *sequence, int key,
		      uint64_t value)
{
	return add_fact(tracks, (struct fact){ .sequence = sequence->id,
					       .key = (uint64_t)key,
					       .number = tracks->number,
					       .value = value });
}

static bool add_track(struct perfetto_tracks *tracks, const struct sequence *sequence,
		      struct span bytes)
{
	struct perfetto_track read;
	bool whole = perfetto_track_read(bytes, &read);
	struct track *track = track_of(tracks, read.id);

	if (!track)
		return false;
	if (!track->is_used)
		*track = (struct track){ .id = read.id, .is_used = true, .pid = -1, .tid = -1 };
	if (read.pid >= 0)
		track->pid = read.pid;
	if (read.tid >= 0)
		track->tid = read.tid;
	/* Each sequence that uses a track describes it, with the same name. */
	if (read.name.len > 0)
		whole &= keep_name(tracks, read.name, &track->at, &track->len);
	if (read.tid >= 0 && sequence)
		whole &= add_value(tracks, sequence, KEY_THREAD, read.id);
	return whole;
}

/* Chrome and others write events of their own. A sequence without any category has counters only,
 * and is read, too. */
static bool is_foreign(const struct sequence *sequence)
{
	return sequence && sequence->is_other && !sequence->is_atrace;
}

static void add_category(struct sequence *sequence, struct span name)
{
	static const struct span atrace[] = {
		SPAN_INIT("graphics"), SPAN_INIT("gfx"),   SPAN_INIT("view"), SPAN_INIT("input"),
		SPAN_INIT("wm"),       SPAN_INIT("am"),	   SPAN_INIT("app"),  SPAN_INIT("always"),
		SPAN_INIT("hal"),      SPAN_INIT("video"),
	};
	bool is_known = false;

	for (size_t i = 0; i < sizeof(atrace) / sizeof(atrace[0]); i++)
		is_known |= span_equal(name, atrace[i]);
	sequence->is_atrace |= is_known;
	sequence->is_other |= !is_known;
}

bool perfetto_tracks_follow(struct perfetto_tracks *tracks, const struct perfetto_packet *packet,
			    const struct perfetto_bundle *bundle)
{
	struct cpu_bundles *cpu = bundle ? &tracks->cpus[(uint32_t)bundle->cpu % CPUS] : NULL;
	bool is_ours = packet->track_event.ptr || packet->track.ptr || packet->interned.ptr ||
		       packet->has_default_track;
	struct sequence *sequence = sequence_of(tracks, packet->sequence);
	struct fact fact = { .sequence = packet->sequence, .number = tracks->number };
	struct span names = packet->interned, categories = packet->interned, name;
	struct perfetto_track_event event;
	bool whole = true;
	uint64_t id;

	/* What its writer lost, and its clock. */
	if (sequence) {
		uint64_t clock = packet->has_defaults ? packet->default_clock : 0;
		/* It may be the writer's first, though it is not its first in the file. */
		bool is_moved = cpu && bundle->first_ns < cpu->first_ns && !sequence->has_first;

		sequence->id = packet->sequence;
		sequence->has_ftrace |= packet->ftrace.ptr != NULL;
		/* Each packet after a loss says so; that of a writer's first packet, too, though
		 * nothing was lost. */
		if (packet->lost_before && (packet->is_first || !sequence->is_begun || is_moved)) {
			sequence->has_first = true;
		} else if (packet->lost_before) {
			tracks->n_lost++;
			tracks->n_losses += sequence->has_ftrace;
			tracks->is_after_loss |= sequence->has_ftrace;
		}
		sequence->is_begun = true;
		if ((packet->has_defaults || packet->cleared) && sequence->default_clock != clock &&
		    add_value(tracks, sequence, KEY_CLOCK, clock))
			sequence->default_clock = clock;
	}

	/* Whether events of its CPU may be missing before it. */
	if (cpu) {
		if (cpu->first_ns == 0 || bundle->first_ns < cpu->first_ns)
			cpu->first_ns = bundle->first_ns;
		if (tracks->is_after_loss)
			tracks->after_loss = tracks->number;
		tracks->is_after_loss = false;
		if (cpu->n_losses != tracks->n_losses && tracks->n_gaps < GAPS) {
			tracks->n_gaps++;
			add_fact(tracks,
				 (struct fact){ .sequence = GAP_SEQUENCE, .key = tracks->number });
		}
		cpu->is_known = true;
		cpu->n_losses = tracks->n_losses;
	}

	/* What its track events refer to. */
	if (!is_ours && !packet->cleared)
		return true;
	if (!sequence) {
		if (packet->track.ptr)
			whole = add_track(tracks, NULL, packet->track);
		return whole && !packet->track_event.ptr;
	}
	if (!is_ours && !sequence->has_tracks)
		return true;
	sequence->has_tracks = true;
	if (packet->lost_before && sequence->has_events && !packet->is_first)
		whole &= add_value(tracks, sequence, KEY_LOST, 0);
	if (packet->cleared)
		whole &= add_value(tracks, sequence, KEY_CLEARED, 0);
	if (packet->has_default_track)
		whole &= add_value(tracks, sequence, KEY_DEFAULT, packet->default_track);
	if (packet->track.ptr)
		whole &= add_track(tracks, sequence, packet->track);
	while (perfetto_name_next(&names, PERFETTO_NAMES_EVENT, &fact.key, &name))
		if (fact.key != 0 && fact.key < (uint64_t)KEY_LAST)
			whole &= keep_name(tracks, name, &fact.at, &fact.len) &&
				 add_fact(tracks, fact);
	whole &= names.len == 0;
	while (!sequence->is_atrace &&
	       perfetto_name_next(&categories, PERFETTO_NAMES_CATEGORY, &id, &name))
		add_category(sequence, name);
	if (!sequence->is_atrace && packet->track_event.ptr &&
	    perfetto_track_event_read(packet->track_event, &event) && event.category.ptr)
		add_category(sequence, event.category);
	sequence->has_events |= packet->track_event.ptr != NULL;
	sequence->is_cleared |= packet->cleared;
	return whole;
}

static int compare(const void *left, const void *right)
{
	const struct fact *a = left, *b = right;

	if (a->sequence != b->sequence)
		return a->sequence < b->sequence ? -1 : 1;
	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	/* Of two names with one number in a packet, the first counts, which is found last. */
	return a->at > b->at ? -1 : a->at < b->at;
}

void perfetto_tracks_end(struct perfetto_tracks *tracks, uint64_t *untimed, uint64_t *lost)
{
	*untimed = 0;
	*lost = tracks->n_lost;
	for (size_t i = 0; i < SEQUENCES; i++)
		if (!is_foreign(&tracks->sequences[i]))
			*untimed += tracks->sequences[i].untimed;
	perfetto_sort(tracks->facts, tracks->n_facts, sizeof(tracks->facts[0]), compare);
	tracks->is_ended = true;
}

/* --- later --- */

/* True: that fact is the last one of the wanted key at the packet or before. */
static bool is_fact_at(const struct perfetto_tracks *tracks, size_t i, const struct fact *wanted)
{
	const struct fact *fact;

	if (i >= tracks->n_facts)
		return false;
	fact = &tracks->facts[i];
	return fact->sequence == wanted->sequence && fact->key == wanted->key &&
	       fact->number <= wanted->number &&
	       (i + 1 == tracks->n_facts || compare(fact + 1, wanted) > 0);
}

/* The last fact of that key at the packet or before; NULL: there is none. */
static const struct fact *fact_at(struct perfetto_tracks *tracks, uint64_t sequence, uint64_t key)
{
	const struct fact wanted = { .sequence = sequence, .key = key, .number = tracks->number };
	uint32_t *hint = &tracks->hints[hash_of(sequence ^ hash_of(key)) % HINTS];
	size_t begin = 0, end = tracks->n_facts;

	if (is_fact_at(tracks, *hint, &wanted))
		return &tracks->facts[*hint];
	while (begin < end) {
		size_t middle = begin + (end - begin) / 2;

		if (compare(&tracks->facts[middle], &wanted) <= 0)
			begin = middle + 1;
		else
			end = middle;
	}
	if (begin == 0 || !is_fact_at(tracks, begin - 1, &wanted))
		return NULL;
	*hint = (uint32_t)(begin - 1);
	return &tracks->facts[begin - 1];
}

bool perfetto_tracks_is_gap(struct perfetto_tracks *tracks)
{
	return fact_at(tracks, GAP_SEQUENCE, tracks->number) != NULL;
}

/* Of a CPU without a bundle after the last loss, one was lost, or it had no events. Bundles of all
 * CPUs are written together, so its events end about where those of the next bundle do. */
int32_t perfetto_tracks_next_lost(const struct perfetto_tracks *tracks, int32_t cpu)
{
	while (tracks->number == tracks->after_loss && ++cpu < CPUS)
		if (tracks->cpus[cpu].is_known && tracks->cpus[cpu].n_losses != tracks->n_losses)
			return cpu;
	return -1;
}

/* The time of a packet on the clock that its sequence defined: the difference to the packet before.
 * The second pass comes to the sequence's first packet in a region from elsewhere, so that has a
 * fact. Returns false if it is unknown. */
static bool add_up(struct perfetto_tracks *tracks, struct sequence *sequence,
		   const struct perfetto_packet *packet)
{
	bool is_first = sequence->region != tracks->region;
	const struct fact *fact;

	if (!tracks->is_ended || !is_first)
		sequence->time_ns += packet->time_ns * sequence->unit_ns;
	if (is_first && !tracks->is_ended) {
		if (!add_fact(tracks, (struct fact){ .sequence = sequence->id,
						     .key = (uint64_t)KEY_TIME,
						     .number = tracks->number,
						     .value = sequence->time_ns,
						     .at = (uint32_t)sequence->unit_ns,
						     .len = (uint32_t)sequence->base_clock }))
			return false;
	} else if (is_first) {
		fact = fact_at(tracks, sequence->id, (uint64_t)KEY_TIME);
		if (!fact || fact->number != tracks->number)
			return false;
		sequence->time_ns = fact->value;
		sequence->unit_ns = fact->at;
		sequence->base_clock = fact->len;
	}
	sequence->region = tracks->region;
	return true;
}

bool perfetto_tracks_time(struct perfetto_tracks *tracks, const struct perfetto_packet *packet,
			  uint64_t *clock, uint64_t *time_ns)
{
	struct sequence *sequence = sequence_of(tracks, packet->sequence);
	struct perfetto_clocks clocks = { .own = 0 };
	const struct fact *fact;
	bool is_known = true;

	if (!packet->timeline.ptr && !packet->track_event.ptr && !packet->clocks.ptr &&
	    !(packet->has_time && sequence && sequence->clock != 0))
		return false;
	if (packet->clocks.ptr)
		perfetto_clocks_read(packet->clocks, &clocks);
	if (clocks.own && clocks.base_clock && sequence) {
		sequence->id = packet->sequence;
		sequence->has_tracks = true;
		sequence->clock = clocks.own;
		sequence->unit_ns = clocks.unit_ns;
		sequence->base_clock = clocks.base_clock;
		sequence->time_ns = clocks.times_ns[clocks.base_clock];
		sequence->region = tracks->region;
	}
	*time_ns = packet->time_ns;
	*clock = packet->clock;
	if (*clock == 0 && sequence && !tracks->is_ended) {
		*clock = sequence->default_clock;
	} else if (*clock == 0 && sequence) {
		fact = fact_at(tracks, sequence->id, (uint64_t)KEY_CLOCK);
		*clock = fact ? fact->value : 0;
	}
	if (*clock == 0)
		*clock = PERFETTO_CLOCK_BOOTTIME;
	/* What it refers to, its clock, too, was overwritten or lost. */
	if (packet->needs_state && tracks->is_ended)
		is_known = fact_at(tracks, packet->sequence, (uint64_t)KEY_CLEARED) != NULL;
	else if (packet->needs_state)
		is_known = sequence && sequence->is_cleared;
	if (is_known && *clock >= PERFETTO_CLOCKS) {
		is_known = sequence && sequence->clock == *clock && packet->has_time &&
			   add_up(tracks, sequence, packet);
		if (is_known) {
			*clock = sequence->base_clock;
			*time_ns = sequence->time_ns;
		}
	}
	if (is_known)
		return packet->has_time;
	if (!tracks->is_ended && sequence && packet->track_event.ptr)
		sequence->untimed++;
	return false;
}

bool perfetto_tracks_lost(struct perfetto_tracks *tracks, const struct perfetto_packet *packet)
{
	const struct fact *fact = NULL;

	if (packet->lost_before && !is_foreign(sequence_of(tracks, packet->sequence)))
		fact = fact_at(tracks, packet->sequence, (uint64_t)KEY_LOST);
	return fact && fact->number == tracks->number;
}

/* --- markers --- */

/* The name of an event. Most are in the packet that uses them first, and only there. */
static struct span name_of(struct perfetto_tracks *tracks, const struct perfetto_packet *packet,
			   const struct perfetto_track_event *event)
{
	const struct fact *fact, *cleared;
	struct span rest = packet->interned, name;
	uint64_t id;

	if (event->name.ptr || event->name_id == 0)
		return event->name;
	while (perfetto_name_next(&rest, PERFETTO_NAMES_EVENT, &id, &name))
		if (id == event->name_id)
			return name;
	fact = fact_at(tracks, packet->sequence, event->name_id);
	cleared = fact_at(tracks, packet->sequence, (uint64_t)KEY_CLEARED);
	if (!fact || (cleared && fact->number < cleared->number))
		return SPAN_NULL;
	return (struct span){ tracks->names + fact->at, fact->len };
}

/* The track of the thread that writes the sequence, or NULL. */
static const struct track *thread_of(struct perfetto_tracks *tracks, uint64_t sequence)
{
	static const int keys[] = { KEY_DEFAULT, KEY_THREAD };

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const struct fact *fact = fact_at(tracks, sequence, (uint64_t)keys[i]);
		const struct track *track = fact ? track_of(tracks, fact->value) : NULL;

		if (track && track->is_used && track->tid >= 0)
			return track;
	}
	return NULL;
}

int perfetto_tracks_event(struct perfetto_tracks *tracks, const struct perfetto_packet *packet,
			  struct perfetto_event *event, struct span *name)
{
	static const uint8_t kinds[] = { [PERFETTO_TRACK_BEGIN] = TRACE_SLICE_BEGIN,
					 [PERFETTO_TRACK_END] = TRACE_SLICE_END,
					 [PERFETTO_TRACK_INSTANT] = TRACE_INSTANT,
					 [PERFETTO_TRACK_COUNTER] = TRACE_COUNTER };
	const struct track *thread = thread_of(tracks, packet->sequence), *track = thread;
	struct perfetto_track_event read;
	const char *end;

	if (is_foreign(sequence_of(tracks, packet->sequence)))
		return 0;
	if (!perfetto_track_event_read(packet->track_event, &read))
		return -1;
	if (read.type < PERFETTO_TRACK_BEGIN || read.type > PERFETTO_TRACK_COUNTER)
		return 0;
	if (read.has_track)
		track = track_of(tracks, read.track);
	if (track && !track->is_used)
		track = NULL;
	event->kind = kinds[read.type];
	event->tid = thread ? thread->tid : track ? track->tid : -1;
	event->value = 0;
	*name = SPAN_NULL;
	if (read.type == PERFETTO_TRACK_COUNTER) {
		/* SurfaceFlinger's counters are whole numbers. The first versions of Android's
		 * library wrote them without a name, on the thread's track. */
		if (!read.has_value || (track && track->tid >= 0))
			return 0;
		if (!thread || !track || track->len == 0)
			return -1;
		*name = (struct span){ tracks->names + track->at, track->len };
		event->pid = thread->pid;
		event->value = read.value;
	} else {
		if (!track)
			return -1;
		if (track->tid < 0)
			return 0;
		event->tid = track->tid;
		event->pid = track->pid;
		if (read.type != PERFETTO_TRACK_END) {
			*name = name_of(tracks, packet, &read);
			if (!name->ptr)
				return read.name_id ? -1 : 0;
		}
	}
	/* As in the text of a marker, in which the value of a counter is behind its name: a line
	 * end in that makes it invalid. */
	if (name->len > TRACK_NAME_MAX)
		name->len = TRACK_NAME_MAX;
	end = text_end(name->ptr, name->ptr + name->len);
	if (end && *end == '\n' && read.type == PERFETTO_TRACK_COUNTER)
		event->pid = TRACE_ID_UNKNOWN;
	if (end)
		name->len = (size_t)(end - name->ptr);
	while (read.type != PERFETTO_TRACK_COUNTER && name->len > 0 &&
	       (unsigned char)name->ptr[name->len - 1] <= ' ')
		name->len--;
	return 1;
}
