/* SPDX-License-Identifier: Apache-2.0 */
/* FrameTimeline from a stream of packets: in any pieces, in the order of time, on the boot clock;
 * after damage nothing more is read, and no table runs over. */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/trace/timeline_stream.h"
#include "tests/unit/packets.h"

#define NOW (UINT64_C(100000) * MS)

static struct timeline_stream *stream;
static struct packets sent;
static char got[4096];
static size_t records, goes_back;
static uint64_t last_ns;

static void on_record(void *context, const struct trace_record *record)
{
	size_t len = strlen(got);

	(void)context;
	assert_int_equal(record->kind, TRACE_TIMELINE);
	snprintf(got + len, sizeof(got) - len, "%llu.%llu:%zu ",
		 (unsigned long long)(record->time_ns / MS), (unsigned long long)record->value,
		 record->name.len);
	records++;
	goes_back += record->time_ns < last_ns;
	last_ns = record->time_ns;
}

static int setup(void **state)
{
	stream = calloc(1, sizeof(*stream));
	stream->record = on_record;
	timeline_stream_init(stream, 50 * (int64_t)MS);
	got[0] = '\0';
	records = goes_back = 0;
	last_ns = 0;
	return 0;
}

static int teardown(void **state)
{
	free(stream);
	packets_free(&sent);
	return 0;
}

FIXTURE(setup, teardown)

static void add_snapshot(unsigned int id, uint64_t boot_ns, uint64_t time_ns)
{
	struct packets snapshot = { 0 }, clock = { 0 }, packet = { 0 };

	packets_number(&clock, 1, PERFETTO_CLOCK_BOOTTIME);
	packets_number(&clock, 2, boot_ns);
	packets_add(&snapshot, 1, &clock);
	packets_number(&clock, 1, id);
	packets_number(&clock, 2, time_ns);
	packets_add(&snapshot, 1, &clock);
	packets_add(&packet, 6, &snapshot);
	packets_add(&sent, 1, &packet);
}

/* @clock: 0: none. @len: bytes of the event. */
static void add_event(unsigned int sequence, unsigned int clock, uint64_t time_ns, size_t len)
{
	struct packets packet = { 0 };
	char bytes[20000] = { 0 };
	struct packets event = { 0 };

	if (clock)
		packets_number(&packet, 58, clock);
	packets_number(&packet, 8, time_ns);
	packets_raw(&event, bytes, len);
	packets_add(&packet, 76, &event);
	packets_number(&packet, 10, sequence);
	packets_add(&sent, 1, &packet);
}

static void send_in_pieces(size_t size)
{
	struct span rest = packets_span(&sent);

	while (rest.len > 0) {
		struct span piece = { rest.ptr, rest.len < size ? rest.len : size };

		timeline_stream_add(stream, piece, NOW);
		rest = span_skip(rest, piece.len);
	}
	sent.len = 0;
}

TEST(events_come_in_order_and_on_the_boot_clock)
{
	const size_t sizes[] = { 1, 7, 100000 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		teardown(NULL);
		setup(NULL);
		sent = (struct packets){ 0 };
		/* before a snapshot, as this machine's clocks are */
		add_event(1, PERFETTO_CLOCK_MONOTONIC, NOW - 80 * MS, 5);
		add_snapshot(PERFETTO_CLOCK_MONOTONIC, NOW, NOW - 20 * MS);
		add_event(1, PERFETTO_CLOCK_MONOTONIC, NOW - 30 * MS, 3);
		add_event(2, PERFETTO_CLOCK_BOOTTIME, NOW - 40 * MS, 4);
		add_event(2, 0, NOW - 5 * MS, 6);
		send_in_pieces(sizes[i]);
		assert_string_equal(got, "");
		timeline_stream_pass(stream, NOW - 10 * MS);
		assert_string_equal(got, "99960.2:4 99970.1:5 99990.1:3 ");
		timeline_stream_pass(stream, UINT64_MAX);
		assert_string_equal(got, "99960.2:4 99970.1:5 99990.1:3 99995.2:6 ");
		assert_null(stream->damage);
	}
}

/* A later event shows that there are no earlier ones. */
TEST(events_are_held_for_a_second)
{
	add_event(1, 0, NOW - 3000 * MS, 2);
	add_event(1, 0, NOW - 2500 * MS, 2);
	add_event(1, 0, NOW - 1999 * MS, 2);
	send_in_pieces(64);
	assert_string_equal(got, "97000.1:2 ");
}

TEST(writers_have_a_default_clock)
{
	struct packets packet = { 0 }, defaults = { 0 };

	packets_number(&defaults, 58, PERFETTO_CLOCK_MONOTONIC);
	packets_add(&packet, 59, &defaults);
	packets_number(&packet, 10, 7);
	packets_add(&sent, 1, &packet);
	add_event(7, 0, NOW - 80 * MS, 1);
	add_event(8, 0, NOW - 80 * MS, 1);
	send_in_pieces(1000);
	timeline_stream_pass(stream, UINT64_MAX);
	assert_string_equal(got, "99920.8:1 99970.7:1 ");
}

TEST(other_times_and_large_packets_are_left_out)
{
	add_event(1, 0, NOW - 61000 * MS, 2);
	add_event(1, 0, NOW + 11000 * MS, 2);
	add_event(1, 0, UINT64_MAX, 2);
	add_event(1, PERFETTO_CLOCK_MONOTONIC, UINT64_MAX, 2);
	add_event(1, PERFETTO_CLOCK_REALTIME, NOW, 2);
	add_event(1, 64, NOW, 2);
	add_event(1, 0, NOW, 17000);
	add_event(1, 0, NOW - MS, 2);
	send_in_pieces(3000);
	timeline_stream_pass(stream, UINT64_MAX);
	assert_string_equal(got, "99999.1:2 ");
	assert_int_equal(stream->counts.untimely, 6);
	assert_int_equal(stream->counts.too_large, 1);
	assert_null(stream->damage);
}

TEST(nothing_is_read_after_damage)
{
	static const struct span damaged[] = {
		SPAN_INIT("perfetto: error\n"),
		SPAN_INIT("\n\x05hello"),
		SPAN_INIT("\x10\x01"),
		SPAN_INIT("\n\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"),
	};

	for (size_t i = 0; i < sizeof(damaged) / sizeof(damaged[0]); i++) {
		teardown(NULL);
		setup(NULL);
		sent = (struct packets){ 0 };
		add_event(1, 0, NOW, 2);
		packets_raw(&sent, damaged[i].ptr, damaged[i].len);
		add_event(1, 0, NOW, 2);
		send_in_pieces(10);
		assert_non_null(stream->damage);
		timeline_stream_pass(stream, UINT64_MAX);
		assert_int_equal(records, 1);
	}
}

/* Random sizes wrap the ring of bytes; more events than are held go on early, and none is lost. */
TEST(full_tables_pass_events_early)
{
	const size_t most[] = { 10, 300, 15000 };
	size_t added = 0;

	srand(1);
	for (size_t i = 0; i < sizeof(most) / sizeof(most[0]); i++) {
		for (int n = 0; n < 5000; n++, added++)
			add_event(1, 0, NOW - (uint64_t)(rand() % 900) * MS,
				  1 + (size_t)rand() % most[i]);
		send_in_pieces(1000);
	}
	assert_true(goes_back > 0);
	timeline_stream_pass(stream, UINT64_MAX);
	assert_int_equal(records, added);
	assert_int_equal(stream->n, 0);
	assert_true(stream->begin == stream->end);
}

/* perfetto marks the first packet of each writer as one after a loss. */
TEST(lost_packets_are_counted)
{
	static const unsigned int writers[] = { 1, 2, 1, 1 };
	struct packets packet = { 0 };

	for (int i = 0; i < 4; i++) {
		packets_number(&packet, 42, 1);
		packets_number(&packet, 10, writers[i]);
		packets_add(&sent, 1, &packet);
	}
	send_in_pieces(100);
	assert_int_equal(stream->counts.lost, 2);
}
