/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of perfetto traces: events of all CPUs and writers come in the order of time, whatever
 * the order of their packets; damage is counted, and ends nothing but the trace. */
#include "tests/unit/unit.h"

#include <zlib.h>

#include "daemon/trace/perfetto_parts.h"
#include "daemon/trace/perfetto_reader.h"
#include "daemon/trace/timeline_stream.h"
#include "parser/perfetto.h"
#include "tests/unit/printed.h"
#include "tests/unit/packets.h"

#define LOG_MAX 65536

/* What the sink got, as "10 B0 7/7 comm slice; ". */
struct log {
	char text[LOG_MAX];
	size_t len;
	uint64_t last_ns;
	size_t records, losses, goes_back;
};

static struct log got;
static struct packets sent;
static FILE *shortened; /* becomes empty after the first read */
static struct perfetto_counts counts;
static const char *damage;
static char damage_text[200];

static void on_record(void *context, const struct trace_record *record)
{
	static const char kinds[] = { [TRACE_SLICE_BEGIN] = 'B',
				      [TRACE_SLICE_END] = 'E',
				      [TRACE_COUNTER] = 'C',
				      [TRACE_LOST] = 'L',
				      [TRACE_TIMELINE] = 'T' };
	const struct span name = record->kind == TRACE_TIMELINE ? SPAN_NULL : record->name;
	struct log *log = context;

	log->records++;
	log->losses += record->kind == TRACE_LOST;
	log->goes_back += record->time_ns + 1000 < log->last_ns;
	log->last_ns = record->time_ns;
	if (log->len + 200 > LOG_MAX || record->name.len > 100)
		return;
	log->len += (size_t)sprintf(log->text + log->len, "%llu %c%d %d/%d %.*s %.*s; ",
				    (unsigned long long)record->time_ns / 1000, kinds[record->kind],
				    record->cpu, record->tid, record->tgid, (int)record->comm.len,
				    record->comm.len ? record->comm.ptr : "", (int)name.len,
				    name.len ? name.ptr : "");
}

static uint64_t damaged(void)
{
	return counts.malformed + counts.corrupt + counts.too_large + counts.lost + counts.late +
	       counts.untimed;
}

static void clear(void)
{
	got = (struct log){ .len = 0 };
}

static ssize_t read_from(int fd, struct span trace)
{
	struct perfetto_reader *reader;
	ssize_t n;

	clear();
	assert_int_equal(perfetto_reader_open(&reader, fd, 0, trace), 0);
	while ((n = perfetto_reader_read(reader, on_record, &got)) > 0)
		assert_false(shortened && ftruncate(fileno(shortened), 0) < 0);
	perfetto_reader_describe_damage(reader, damage_text);
	counts = *perfetto_reader_counts(reader);
	damage = counts.damage;
	perfetto_reader_close(reader);
	return n;
}

static void read_all(void)
{
	read_from(-1, packets_span(&sent));
}

/* Reads the trace: these records. */
static void reads_as(const char *text)
{
	read_all();
	assert_string_equal(got.text, text);
}

static int tear_down(void **state)
{
	packets_free(&sent);
	sent = (struct packets){ 0 };
	return 0;
}

FIXTURE(NULL, tear_down)

/* --- packets --- */

static void put_event(unsigned int sequence, int cpu, uint64_t us, const char *text)
{
	struct packets bundle = { 0 };

	packets_print(&bundle, us * 1000, 7, text);
	packets_bundle(&sent, sequence, cpu, &bundle);
}

/* The clock @id has @time_ns when CLOCK_BOOTTIME has @boot_ns. */
static void put_snapshot(uint64_t boot_ns, unsigned int id, uint64_t time_ns)
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

/* An event of FrameTimeline. @clock: 0: the writer's default. @len: bytes of the event. */
static void put_timeline_of(unsigned int sequence, unsigned int clock, uint64_t time_ns, size_t len)
{
	static const char bytes[20000] = "\x2a\x02\x08\x01"; /* a frame ends, and zeros */
	struct packets packet = { 0 }, event = { 0 };

	if (clock)
		packets_number(&packet, 58, clock);
	packets_number(&packet, 8, time_ns);
	packets_raw(&event, bytes, len);
	packets_add(&packet, 76, &event);
	packets_number(&packet, 10, sequence);
	packets_add(&sent, 1, &packet);
}

static void put_timeline(unsigned int clock, uint64_t time_ns)
{
	put_timeline_of(9, clock, time_ns, 4);
}

/* The default clock of a writer from now on; 0: none. */
static void put_default(unsigned int sequence, unsigned int clock)
{
	struct packets packet = { 0 }, defaults = { 0 };

	if (clock) {
		packets_number(&defaults, 58, clock);
		packets_add(&packet, 59, &defaults);
	}
	packets_number(&packet, 13, 1);
	packets_number(&packet, 10, sequence);
	packets_add(&sent, 1, &packet);
}

static void put_lost(unsigned int sequence)
{
	struct packets packet = { 0 };

	packets_number(&packet, 42, 1);
	packets_number(&packet, 10, sequence);
	packets_add(&sent, 1, &packet);
}

/* --- a file --- */

static void add_thread(struct packets *tree, bool is_process, int tid, int tgid, const char *name)
{
	struct packets thread = { 0 };

	packets_number(&thread, 1, (uint64_t)tid);
	packets_number(&thread, is_process ? 2 : 3, (uint64_t)tgid);
	packets_text(&thread, is_process ? 3 : 2, name);
	packets_add(tree, is_process ? 1 : 2, &thread);
}

static void put_tree(uint64_t time_ns, const char *name)
{
	struct packets tree = { 0 }, packet = { 0 };

	add_thread(&tree, true, 7, 1, name);
	add_thread(&tree, false, 9, 7, "RenderThread");
	packets_number(&packet, 8, time_ns);
	packets_add(&packet, 2, &tree);
	packets_add(&sent, 1, &packet);
}

/* The tree may come after the events. The latest one counts: a process gets its name after it began
 * as a copy of zygote. */
TEST(process_trees_name_threads)
{
	struct packets bundle = { 0 };

	packets_print(&bundle, 11000, 9, "B|7|drawn\n");
	packets_bundle(&sent, 2, 0, &bundle);
	put_event(2, 0, 10, "B|7|slice\n");
	put_tree(9000, "com.example.a.very.long.name");
	put_tree(8000, "zygote");
	reads_as("10 B0 7/7 .very.long.name slice; 11 B0 9/7 RenderThread drawn; ");
}

/* FrameTimeline's times are of CLOCK_BOOTTIME; the other events' clock may be another one. */
TEST(times_are_brought_to_the_clock_of_ftrace)
{
	struct packets bundle = { 0 };

	put_snapshot(9000000, 5, 2000000);
	packets_number(&bundle, 5, 4); /* CLOCK_MONOTONIC_RAW */
	packets_print(&bundle, 2500000, 7, "B|7|slice\n");
	packets_bundle(&sent, 2, 0, &bundle);
	put_timeline(0, 9100000);
	reads_as("2100 T-1 -1/-1  ; 2500 B0 7/-1 <...> slice; ");
}

/* The first bundles do not name their clock; they may be the last of the file. */
TEST(a_bundle_without_a_clock_has_the_clock_of_the_others)
{
	struct packets bundle = { 0 };

	packets_number(&bundle, 5, PERFETTO_FTRACE_GLOBAL);
	packets_number(&bundle, 6, 2000000);
	packets_number(&bundle, 7, 9000000);
	packets_print(&bundle, 2500000, 7, "B|7|second\n");
	packets_bundle(&sent, 2, 0, &bundle);
	put_timeline(0, 9100000);
	put_event(2, 1, 1900, "B|7|first\n");
	reads_as("1900 B1 7/-1 <...> first; 2100 T-1 -1/-1  ; 2500 B0 7/-1 <...> second; ");
}

/* The clocks differ by the time that the device was suspended: an hour before the trace, and
 * another one during it. Many packets between them, so that not all are in memory at once. */
TEST(a_suspend_brings_nothing_out_of_order)
{
	const uint64_t hour_ns = UINT64_C(3600000000000);
	struct packets bundle = { 0 };
	uint64_t boot_ns = 2 * hour_ns;

	for (unsigned int i = 0; i < 600; i++) {
		uint64_t slept_ns = i < 300 ? hour_ns : 2 * hour_ns;

		boot_ns += i == 300 ? hour_ns : 0;
		/* more snapshots than are kept, with some jitter */
		for (unsigned int n = 0; n < 5; n++, boot_ns += 100000)
			put_snapshot(boot_ns, 3, boot_ns - slept_ns + n);
		for (unsigned int n = 0; n < 500; n++, boot_ns += 2000)
			packets_print(&bundle, boot_ns, 7,
				      "C|7|a counter with a long name|12345\n");
		packets_bundle(&sent, 2, 0, &bundle);
		if (i % 2)
			put_timeline(3, boot_ns - slept_ns - 5000);
	}
	read_all();
	assert_fields(&got, records == 300300, goes_back == 0);
	assert_int_equal(damaged(), 0);
}

/* Each region has an event of the begin, and there is not memory for all regions. */
TEST(events_too_far_out_of_order_are_a_loss)
{
	for (unsigned int i = 0; i < 400000; i++)
		put_event(2, 1, i % 500 ? 1000 + i : 10, "C|7|a counter with a long name|1\n");
	read_all();
	assert_fields(&got, losses > 0, goes_back == 0);
	assert_int_equal(got.records - got.losses + counts.late, 400000);
}

/* The events of FrameTimeline change places. Their region is read for the time of the first one. */
TEST(clocks_that_drift_bring_nothing_out_of_order)
{
	put_snapshot(1000000000, 3, 1000000000);
	put_snapshot(3000000000, 3, 3000500000);
	put_event(2, 0, 3000200, "B|7|slice\n");
	put_event(2, 0, 3000300, "E|7\n");
	for (int i = 0; i < 5; i++)
		put_timeline_of(9, 64, 0, 16000);
	put_timeline(3, 3000400000);
	put_timeline(3, 3000500000);
	reads_as("3000200 B0 7/-1 <...> slice; 3000300 E0 7/-1 <...> ; 3000300 T-1 -1/-1  ; "
		 "3000400 T-1 -1/-1  ; ");
	assert_int_equal(counts.late, 0);
}

/* Each packet has the default that its writer had then. */
TEST(the_default_clock_of_a_writer_may_change)
{
	put_snapshot(900000000, PERFETTO_CLOCK_MONOTONIC, 100000000);
	put_timeline(0, 901000000);
	put_default(9, PERFETTO_CLOCK_MONOTONIC);
	put_timeline(0, 102000000);
	put_default(9, PERFETTO_CLOCK_BOOTTIME);
	put_timeline(0, 903000000);
	put_default(9, PERFETTO_CLOCK_MONOTONIC);
	put_timeline(0, 104000000);
	put_default(9, 0); /* cleared */
	put_timeline(0, 905000000);
	reads_as("901000 T-1 -1/-1  ; 902000 T-1 -1/-1  ; 903000 T-1 -1/-1  ; "
		 "904000 T-1 -1/-1  ; 905000 T-1 -1/-1  ; ");
}

/* A default of the writer; a clock that only the writer knows; times before the clock began. */
TEST(events_without_a_known_time_are_left_out)
{
	put_snapshot(9000000, 3, 2000000);
	put_default(9, 3);
	put_timeline(0, 2100000);
	put_timeline(64, 2200000);
	put_timeline(6, UINT64_MAX - 5);
	/* A snapshot from before a suspend comes last. */
	put_snapshot(1000000, 3, 1000000);
	put_timeline(3, 1100000);
	reads_as("1100 T-1 -1/-1  ; 9100 T-1 -1/-1  ; ");
	assert_int_equal(counts.untimed, 2);
}

/* Makes one compressed packet of all packets from @begin on. */
static void compress_from(size_t begin)
{
	uLongf size = compressBound(sent.len - begin);
	Bytef *bytes = malloc(size);
	struct packets packet = { 0 }, packed = { 0 };

	assert_int_equal(compress(bytes, &size, (Bytef *)sent.bytes + begin, sent.len - begin),
			 Z_OK);
	packets_raw(&packed, bytes, size);
	free(bytes);
	if (begin == 0)
		packets_number(&packet, 3, 1000); /* perfetto writes no other field, others may */
	packets_add(&packet, 50, &packed);
	sent.len = begin;
	packets_add(&sent, 1, &packet);
}

TEST(compressed_packets_come_in_their_place)
{
	size_t begin;

	put_event(2, 1, 5, "B|7|packed behind another field\n");
	compress_from(0);
	put_event(2, 0, 30, "B|7|plain\n");
	begin = sent.len;
	put_event(2, 1, 20, "B|7|packed\n");
	for (int i = 0; i < 20000; i++)
		put_event(2, 1, 40 + (uint64_t)i, "C|7|counter|1\n");
	compress_from(begin);
	begin = sent.len;
	put_event(2, 1, 10, "B|7|packed too\n");
	compress_from(begin);
	read_all();
	assert_fields(&got, records == 20004, goes_back == 0);
	assert_begins(got.text, "5 B1 7/-1 <...> packed behind another field; "
				"10 B1 7/-1 <...> packed too; 20 B1 7/-1 <...> packed; "
				"30 B0 7/-1 <...> p");
	assert_int_equal(damaged(), 0);
}

/* What unpacks to very much is read up to a limit. */
TEST(a_bomb_is_limited)
{
	static char text[100000];
	struct packets packet = { 0 };

	memset(text, 'x', sizeof(text) - 1);
	while (sent.len <= PACKET_UNPACKED_MAX) {
		packets_text(&packet, 900, text);
		packets_add(&sent, 1, &packet);
	}
	compress_from(0);
	put_event(2, 0, 30, "B|7|after\n");
	reads_as("30 B0 7/-1 <...> after; ");
	assert_int_equal(damaged(), 1);
}

/* The second bundle has only switches of threads, in their compact form. */
TEST(lost_events_are_reported_before_the_next_ones)
{
	struct packets bundle = { 0 }, compact = { 0 };

	put_event(2, 3, 10, "B|7|one\n");
	packets_number(&bundle, 3, 1);
	packets_print(&bundle, 20000, 7, "B|7|two\n");
	packets_bundle(&sent, 2, 3, &bundle);
	packets_number(&bundle, 3, 1);
	packets_text(&compact, 1, "\xb0\xea\x01\x05"); /* 30000, 5 later */
	packets_text(&compact, 7, "\xb8\x91\x02");     /* 35000 */
	packets_add(&bundle, 4, &compact);
	packets_bundle(&sent, 2, 3, &bundle);
	reads_as("10 B3 7/-1 <...> one; 20 L3 -1/-1  ; 20 B3 7/-1 <...> two; 30 L3 -1/-1  ; ");
}

static void add_with_loss(unsigned int sequence, uint64_t us, bool is_first)
{
	struct packets bundle = { 0 }, packet = { 0 };

	packets_number(&bundle, 1, 1);
	packets_print(&bundle, us * 1000, 7, "E|7\n");
	packets_add(&packet, 1, &bundle);
	packets_number(&packet, 42, 1);
	packets_number(&packet, 87, is_first);
	packets_number(&packet, 10, sequence);
	packets_add(&sent, 1, &packet);
}

/* The first packet of each writer says so, too, but nothing was lost. */
TEST(lost_packets_are_counted)
{
	add_with_loss(2, 10, false);
	add_with_loss(3, 20, false);
	read_all();
	assert_int_equal(damaged(), 0);
	add_with_loss(2, 30, false);
	reads_as("10 E1 7/-1 <...> ; 20 E1 7/-1 <...> ; 30 L1 -1/-1  ; 30 E1 7/-1 <...> ; ");
	assert_int_equal(damaged(), 1);
	assert_contains(damage_text, "1 losses of packets");
}

/* The first packet of a writer may come later: it says that it is the first, or, of older versions
 * of perfetto, its events are earlier than those of the CPU's other bundles. */
TEST(the_first_packet_of_a_writer_may_come_later)
{
	put_event(2, 1, 20, "E|7\n");
	add_with_loss(2, 10, false);
	put_event(3, 0, 25, "E|7\n");
	add_with_loss(3, 30, true);
	read_all();
	assert_true(counts.lost == 0 && got.records == 4);
	add_with_loss(2, 5, false); /* only one can be the first */
	read_all();
	assert_true(counts.lost == 1 && got.records == 7);
}

/* The packet after the loss may be of another kind, and events of each CPU may be missing: up to
 * its next bundle, or, if there is none, about to the end of the bundle after the loss. */
TEST(lost_packets_are_a_loss_of_each_cpu)
{
	put_event(2, 0, 10, "B|7|one\n");
	put_event(2, 1, 11, "B|7|two\n");
	put_event(2, 2, 12, "B|7|three\n");
	put_lost(2);
	put_event(2, 1, 20, "E|7\n");
	put_event(2, 0, 30, "E|7\n");
	put_event(2, 0, 40, "E|7\n");
	reads_as("10 B0 7/-1 <...> one; 11 B1 7/-1 <...> two; 12 B2 7/-1 <...> three; "
		 "20 L1 -1/-1  ; 20 E1 7/-1 <...> ; 20 L2 -1/-1  ; 30 L0 -1/-1  ; "
		 "30 E0 7/-1 <...> ; 40 E0 7/-1 <...> ; ");
}

/* --- cut and hostile; mutants: tests/fuzz/perfetto_fuzz.c; files: tests/golden/packed.py --- */

TEST(a_cut_trace_is_read_up_to_the_cut)
{
	size_t before = 0;

	for (unsigned int i = 0; i < 400; i++) {
		put_event(2, (int)i % 4, 100 + (i ^ 3) * 50, "B|7|some name of a slice\n");
		put_timeline(PERFETTO_CLOCK_BOOTTIME, 100000 + (i ^ 5) * 50000);
	}
	for (size_t len = 0; len < sent.len; len += len < 500 ? 1 : 97) {
		read_from(-1, (struct span){ sent.bytes, len });
		assert_fields(&got, records >= before, goes_back == 0);
		assert_int_equal(counts.bytes, len);
		before = got.records;
	}
	assert_true(before > 790 && damage);
}

/* A part of it is in memory. */
TEST(a_file_may_be_unreadable_or_become_shorter)
{
	int directory = open(".", O_RDONLY);

	assert_int_equal(read_from(directory, SPAN_NULL), -EISDIR);
	close(directory);
	for (unsigned int i = 0; i < 20000; i++)
		put_event(2, 0, 100 + i, "B|7|some name of a slice\n");
	for (int cut = 0; cut < 2; cut++) {
		FILE *file = tmpfile();

		fwrite(sent.bytes, 1, sent.len, file);
		assert_int_equal(fflush(file), 0);
		shortened = cut ? file : NULL;
		read_from(fileno(file), SPAN_NULL);
		assert_int_equal(got.losses, cut);
		assert_true(cut ? got.records < 5000 && damage : got.records == 20000 && !damage);
		fclose(file);
	}
	shortened = NULL;
}

TEST(packets_that_cannot_be_are_damage)
{
	static const unsigned int cut[] = { 1, 2, 6, 12, 50, 59 };
	struct packets packet = { 0 };
	size_t len;

	put_event(2, 0, 10, "B|7|slice\n");
	/* Bundle, process tree, clocks, names, compressed packets and default, cut. */
	for (size_t i = 0; i < COUNT_OF(cut); i++) {
		packets_text(&packet, cut[i], "\x0a\x50");
		packets_number(&packet, 10, 5);
		packets_add(&sent, 1, &packet);
		reads_as("10 B0 7/-1 <...> slice; ");
		assert_int_equal(counts.corrupt, i + 1);
	}
	assert_null(damage);
	len = sent.len;
	/* Larger than a packet can be, and larger than a file can be. */
	packets_raw(&sent, "\n\x80\x80\x80\x80\x04", 6);
	reads_as("10 B0 7/-1 <...> slice; ");
	assert_int_equal(counts.too_large, 1);
	sent.len = len;
	packets_raw(&sent, "\n\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 10);
	reads_as("10 B0 7/-1 <...> slice; ");
	assert_int_equal(counts.too_large, 1);
	assert_non_null(damage);
}

/* --- FrameTimeline from a live stream of packets --- */

/* In any pieces, in the order of time, on the boot clock; after damage nothing more is read, and no
 * table runs over. */

#define NOW (UINT64_C(100000) * MS)

static struct timeline_stream live, *const stream = &live;

static void on_event(void *context, const struct trace_record *record)
{
	assert_int_equal(record->kind, TRACE_TIMELINE);
	if (got.len + 200 < LOG_MAX)
		got.len += (size_t)sprintf(got.text + got.len, "%llu.%llu:%zu ",
					   (unsigned long long)(record->time_ns / MS),
					   (unsigned long long)record->value, record->name.len);
	got.records++;
	got.goes_back += record->time_ns < got.last_ns;
	got.last_ns = record->time_ns;
}

static int begin_stream(void **state)
{
	live = (struct timeline_stream){ .record = on_event };
	timeline_stream_init(stream, 50 * (int64_t)MS);
	sent.len = 0;
	clear();
	return 0;
}

FIXTURE(begin_stream, tear_down)

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

	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		begin_stream(NULL);
		/* before a snapshot, as this machine's clocks are */
		put_timeline_of(1, PERFETTO_CLOCK_MONOTONIC, NOW - 80 * MS, 5);
		put_snapshot(NOW, PERFETTO_CLOCK_MONOTONIC, NOW - 20 * MS);
		put_timeline_of(1, PERFETTO_CLOCK_MONOTONIC, NOW - 30 * MS, 3);
		put_timeline_of(2, PERFETTO_CLOCK_BOOTTIME, NOW - 40 * MS, 4);
		put_timeline_of(2, PERFETTO_CLOCK_BOOTTIME, NOW - 10 * MS, 7); /* after :3 */
		put_timeline_of(2, 0, NOW - 5 * MS, 6);
		send_in_pieces(sizes[i]);
		assert_string_equal(got.text, "");
		timeline_stream_pass(stream, NOW - 10 * MS);
		assert_string_equal(got.text, "99960.2:4 99970.1:5 99990.1:3 99990.2:7 ");
		timeline_stream_pass(stream, UINT64_MAX);
		assert_string_equal(got.text, "99960.2:4 99970.1:5 99990.1:3 99990.2:7 99995.2:6 ");
		assert_null(stream->damage);
	}
}

/* A later event shows that there are no earlier ones. Each writer has a default clock. */
TEST(events_are_held_for_a_second)
{
	put_timeline_of(1, 0, NOW - 3000 * MS, 2);
	put_timeline_of(1, 0, NOW - 2500 * MS, 2);
	put_timeline_of(1, 0, NOW - 1999 * MS, 2);
	put_default(7, PERFETTO_CLOCK_MONOTONIC);
	put_timeline_of(7, 0, NOW - 2080 * MS, 1);
	send_in_pieces(64);
	assert_string_equal(got.text, "97000.1:2 ");
	timeline_stream_pass(stream, UINT64_MAX);
	assert_string_equal(got.text, "97000.1:2 97500.1:2 97970.7:1 98001.1:2 ");
}

TEST(other_times_and_large_packets_are_left_out)
{
	put_timeline_of(1, 0, NOW - 61000 * MS, 2);
	put_timeline_of(1, 0, NOW + 11000 * MS, 2);
	put_timeline_of(1, 0, UINT64_MAX, 2);
	put_timeline_of(1, PERFETTO_CLOCK_MONOTONIC, UINT64_MAX, 2);
	put_timeline_of(1, PERFETTO_CLOCK_REALTIME, NOW, 2);
	put_timeline_of(1, 64, NOW, 2);
	put_timeline_of(1, 0, NOW, 17000);
	put_timeline_of(1, 0, NOW - MS, 2);
	/* perfetto marks the first packet of each writer as one after a loss. */
	for (unsigned int i = 0; i < 4; i++)
		put_lost(i == 1 ? 20 : 10);
	send_in_pieces(3000);
	timeline_stream_pass(stream, UINT64_MAX);
	assert_string_equal(got.text, "99999.1:2 ");
	assert_fields(&stream->counts, untimely == 6, too_large == 1, lost == 2);
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

	for (size_t i = 0; i < COUNT_OF(damaged); i++) {
		begin_stream(NULL);
		put_timeline_of(1, 0, NOW, 2);
		packets_raw(&sent, damaged[i].ptr, damaged[i].len);
		put_timeline_of(1, 0, NOW, 2);
		send_in_pieces(10);
		assert_non_null(stream->damage);
		timeline_stream_pass(stream, UINT64_MAX);
		assert_int_equal(got.records, 1);
	}
}

/* Random sizes wrap the ring of bytes; more events than are held go on early, and none is lost. */
TEST(full_tables_pass_events_early)
{
	const size_t most[] = { 10, 300, 15000 };
	size_t added = 0;

	srand(1);
	for (size_t i = 0; i < COUNT_OF(most); i++) {
		for (int n = 0; n < 5000; n++, added++)
			put_timeline_of(1, 0, NOW - (uint64_t)(rand() % 900) * MS,
					1 + (size_t)rand() % most[i]);
		send_in_pieces(1000);
	}
	assert_true(got.goes_back > 0);
	timeline_stream_pass(stream, UINT64_MAX);
	assert_int_equal(got.records, added);
	assert_int_equal(stream->begin, stream->end);
}
