/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/report/rows.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/interval.h"
#include "tools/report/csv_reader.h"
#include "tools/report/os.h"

#define LAYERS_MAX 8192

#define CROSSED_MAX 32 /* sections in a row of about a second */
#define MARK_CLOSES_US 1000000
#define SUM_PLACES 65536 /* a power of 2 */
#define COUNT_MAX INT64_C(1000000000)
#define STALLS_MAX 200000
#define SESSION_JSON_MAX (4 << 20) /* bytes */

/* --- what all files have --- */

static struct span field_of(const struct csv_reader *csv, int column)
{
	return column < 0 ? SPAN_LITERAL("") : csv->fields[column];
}

/* -1: the field is empty, or no number. */
static int64_t number_of(const struct csv_reader *csv, int column, unsigned int decimals)
{
	int64_t number;

	return csv_number(field_of(csv, column), decimals, &number) ? number : -1;
}

static uint32_t name_in(struct reading *reading, const struct csv_reader *csv, int column)
{
	return names_add(&reading->session->names, field_of(csv, column));
}

/* The same for a count, of which more than COUNT_MAX are none: sums of them must not overflow. */
static int64_t small_count(const struct csv_reader *csv, int column)
{
	int64_t number = number_of(csv, column, 0);

	return number > COUNT_MAX ? -1 : number;
}

static uint32_t count_of(int64_t number)
{
	return number < 0 ? 0 : number >= UINT32_MAX ? UINT32_MAX - 1 : (uint32_t)number;
}

static uint32_t count_if_known(int64_t number)
{
	return number < 0 ? WINDOW_UNKNOWN : count_of(number);
}

static void extend(struct session *session, int64_t time_us)
{
	if (time_us < 0)
		return;
	if (session->first_us < 0 || time_us < session->first_us)
		session->first_us = time_us;
	if (time_us > session->last_us)
		session->last_us = time_us;
}

/* The Surface of that name; NULL: there is no space for it. */
static struct surface *surface_of(struct reading *reading, uint32_t name, uint32_t app)
{
	struct session *session = reading->session;
	uint16_t *place = &reading->surface_of_name[name];
	struct surface *surface;

	if (*place == 0) {
		if (session->n_surfaces == SURFACES_MAX) {
			session->surfaces_refused++;
			return NULL;
		}
		surface = &session->surfaces[session->n_surfaces++];
		*surface = (struct surface){
			.name = name,
			.order = session->n_surfaces,
			.first_us = -1,
			.last_us = -1,
			.from_frames = FRAME_STATS_EMPTY,
			.from_windows = FRAME_STATS_EMPTY,
		};
		numbers_clear(&surface->numbers);
		*place = (uint16_t)session->n_surfaces;
	}
	surface = &session->surfaces[*place - 1];
	/* That of summary.csv is the last one, too. */
	if (surface->source != FROM_SUMMARY)
		surface->app = app;
	return surface;
}

static uint16_t number_of_surface(const struct session *session, const struct surface *surface)
{
	return (uint16_t)(surface - session->surfaces);
}

static void extend_surface(struct surface *surface, int64_t from_us, int64_t to_us)
{
	if (from_us >= 0 && (surface->first_us < 0 || from_us < surface->first_us))
		surface->first_us = from_us;
	if (to_us > surface->last_us)
		surface->last_us = to_us;
}

/* The sum of that Surface in that section; NULL: there is none. *@at: its place. */
static struct section_sum *find_sum(const struct reading *reading, uint32_t section,
				    uint16_t surface, uint32_t *at)
{
	*at = (section * 31337u + surface * 7919u) & (SUM_PLACES - 1);
	for (; reading->sum_places[*at] > 0; *at = (*at + 1) & (SUM_PLACES - 1)) {
		struct section_sum *sum = &reading->sums[reading->sum_places[*at] - 1];

		if (sum->section == section && sum->surface == surface)
			return sum;
	}
	return NULL;
}

/* The same, made if there is none; NULL: there is no space, or there are no sections. */
static struct section_sum *sum_of(struct reading *reading, uint32_t section, uint16_t surface)
{
	struct section_sum *sum;
	uint32_t at;

	if (reading->session->n_sections == 0)
		return NULL;
	sum = find_sum(reading, section, surface, &at);
	if (sum)
		return sum;
	if (reading->n_sums == SECTION_SUMS_MAX) {
		reading->sums_refused++;
		return NULL;
	}
	if (reading->n_sums == reading->max_sums) {
		uint32_t max = reading->max_sums ? 2 * reading->max_sums : 256;
		struct section_sum *sums = realloc(reading->sums, max * sizeof(*sums));

		if (!sums) {
			reading->out_of_memory = true;
			return NULL;
		}
		reading->sums = sums;
		reading->max_sums = max;
	}
	sum = &reading->sums[reading->n_sums++];
	*sum = (struct section_sum){
		.frames = FRAME_STATS_EMPTY,
		.windows = FRAME_STATS_EMPTY,
		.section = (uint16_t)section,
		.surface = surface,
	};
	reading->sum_places[at] = reading->n_sums;
	return sum;
}

static int by_key(const void *a, const void *b)
{
	const struct keyed *one = a, *other = b;

	return (one->key > other->key) - (one->key < other->key);
}

/* The first place of an ordered array with @key or more. */
static uint32_t first_keyed(const struct keyed *all, uint32_t n, int64_t key)
{
	uint32_t low = 0, high = n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (all[middle].key < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* What is captured of that name in that section; NULL: there is no space. */
static struct captured *captured_of(struct reading *reading, enum captured_kind kind,
				    uint32_t section, uint32_t name, uint32_t detail)
{
	struct session *session = reading->session;
	uint32_t at = (kind * 40503u + section * 31337u + name * 7919u + detail * 104729u) &
		      (SUM_PLACES - 1);
	struct captured *all = session->captured;

	for (; reading->captured_places[at] > 0; at = (at + 1) & (SUM_PLACES - 1)) {
		struct captured *one = &all[reading->captured_places[at] - 1];

		if (one->kind == kind && one->section == section && one->name == name &&
		    one->detail == detail)
			return one;
	}
	if (session->n_captured == CAPTURED_MAX) {
		session->captured_refused++;
		return NULL;
	}
	if (session->n_captured == reading->max_captured) {
		uint32_t max = reading->max_captured ? 2 * reading->max_captured : 256;

		all = realloc(all, max * sizeof(*all));
		if (!all) {
			reading->out_of_memory = true;
			return NULL;
		}
		session->captured = all;
		reading->max_captured = max;
	}
	all[session->n_captured++] = (struct captured){
		.section = (uint16_t)section,
		.kind = (uint8_t)kind,
		.name = name,
		.detail = detail,
	};
	reading->captured_places[at] = session->n_captured;
	return &all[session->n_captured - 1];
}

/* Adds @frames whose mean is @mean_us. */
static void add_captured(struct captured *captured, int64_t frames, int64_t mean_us, int64_t max_us,
			 int64_t bad)
{
	if (!captured || frames <= 0 || mean_us < 0)
		return;
	captured->frames += (uint64_t)frames;
	captured->sum_us += (double)mean_us * (double)frames;
	captured->bad += bad > 0 ? (uint64_t)bad : 0;
	if (max_us >= 0 && (uint64_t)max_us > captured->max_us)
		captured->max_us = (uint64_t)max_us;
}

/* --- segments --- */

struct kind {
	enum report_file file;
	const char *const *needed; /* columns without which it is another file; ends with NULL */
	/* Called for each row. @columns: of all that are named in the reader of that file. */
	void (*row)(struct reading *reading, const struct csv_reader *csv, const int *columns);
	const char *const *names; /* of @columns */
	const char *old_header;	  /* of a file of 2019 that has none; or NULL */
};

#define COLUMNS_MAX 40

/* What identifies a segment: its first row. Two with the same one are copies, or one is the
 * beginning of the other, as after a pull while it grew. */
struct segment_head {
	uint64_t hash; /* 0: no row */
	bool packed;
	int64_t size; /* of the file; of the text if it is not packed */
};

static uint64_t hash_of_row(const struct csv_reader *csv)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (unsigned int i = 0; i < csv->n_fields; i++) {
		for (size_t j = 0; j < csv->fields[i].len; j++)
			hash = (hash ^ (unsigned char)csv->fields[i].ptr[j]) *
			       UINT64_C(0x100000001b3);
		hash = (hash ^ 0x1ff) * UINT64_C(0x100000001b3);
	}
	return hash | 1;
}

static struct segment_head read_head(const struct segment *segment)
{
	const char *path = segment->path;
	struct segment_head head = {
		.packed = strcmp(path + strlen(path) - 3, ".gz") == 0,
		.size = segment->size,
	};
	struct csv_reader csv;

	if (csv_reader_open(&csv, path) == 0 && csv_reader_next(&csv))
		head.hash = hash_of_row(&csv);
	csv_reader_close(&csv);
	return head;
}

/* The size of the text in a packed file, as far as it can be read. */
static int64_t text_size(const char *path)
{
	gzFile file = os_gzopen(path);
	char part[16384];
	int64_t size = 0;
	int got;

	while (file && (got = gzread(file, part, sizeof(part))) > 0)
		size += got;
	if (file)
		gzclose(file);
	return size;
}

/* True: @a has more rows than @b, which has the same first row; of equal ones the later wins. */
static bool is_longer(struct segment_head *a, const char *path_a, struct segment_head *b,
		      const char *path_b)
{
	if (a->packed != b->packed) {
		struct segment_head *packed = a->packed ? a : b;

		packed->size = text_size(a->packed ? path_a : path_b);
		packed->packed = false;
	}
	return a->size > b->size;
}

static const char *file_of(const char *path)
{
	return strrchr(path, '/') + 1;
}

/* Leaves out of two segments with the same first row the shorter one: *left_out[i]. */
static void find_doubles(struct reading *reading, const struct segment *segments, uint32_t n,
			 bool *left_out)
{
	struct segment_head *heads = calloc(n, sizeof(*heads));

	if (!heads)
		return;
	for (uint32_t i = 0; i < n; i++)
		heads[i] = read_head(&segments[i]);
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t j = i + 1; j < n && !left_out[i]; j++) {
			uint32_t less;

			if (heads[i].hash == 0 || heads[i].hash != heads[j].hash || left_out[j])
				continue;
			less = is_longer(&heads[i], segments[i].path, &heads[j], segments[j].path)
				       ? j
				       : i;
			left_out[less] = true;
			session_notice(
				reading->session,
				"%s: the same rows as %s; left out, so nothing is counted twice",
				file_of(segments[less].path),
				file_of(segments[less == i ? j : i].path));
		}
	free(heads);
}

/* @wrong: rows with numbers that are none; they are counted already. */
static void report_segment(struct reading *reading, const struct csv_reader *csv,
			   const struct segment *segment, uint64_t wrong)
{
	struct session *session = reading->session;
	struct file_count *count = &session->files[segment->kind];
	const char *name = file_of(segment->path);
	uint64_t bad = csv->malformed + csv->too_long;

	count->segments++;
	count->rows += csv->rows;
	count->malformed += bad;
	count->torn |= csv->is_torn || csv->is_damaged;
	if (csv->error)
		session_notice(session, "%s: %s; the rows before it are used", name,
			       strerror(-csv->error));
	if (csv->is_damaged)
		session_notice(session, "%s: damaged gzip data; the rows before it are used", name);
	else if (csv->is_torn)
		session_notice(session, "%s: cut off in its last row, which is left out", name);
	if (bad + wrong > 0)
		session_notice(session, "%s: %llu line%s no row%s of this file; left out", name,
			       (unsigned long long)(bad + wrong),
			       bad + wrong == 1 ? " is" : "s are", bad + wrong == 1 ? "" : "s");
	if (csv->headers > 0)
		session_notice(session, "%s: %llu more headers between the rows; left out", name,
			       (unsigned long long)csv->headers);
}

/* True: the file has a row of 2019 where others have a header, and is read with the old one. */
static bool lacks_header(const struct kind *kind, struct csv_reader *csv)
{
	unsigned int columns = 1;
	int64_t start;

	for (const char *at = kind->old_header; at && (at = strchr(at, ',')); at++)
		columns++;
	return kind->old_header && csv->n_columns == columns &&
	       csv_number(csv->columns[0], 6, &start) && csv_number(csv->columns[1], 6, &start) &&
	       csv_reader_set_header(csv, kind->old_header) == 0;
}

static void read_segment(struct reading *reading, const struct kind *kind,
			 const struct segment *segment)
{
	const char *name = file_of(segment->path), *missing = NULL;
	struct session *session = reading->session;
	struct csv_reader csv;
	int columns[COLUMNS_MAX];
	uint64_t malformed;
	int error = csv_reader_open(&csv, segment->path);

	if (error == 0 && lacks_header(kind, &csv))
		session_notice(session, "%s: no header; read as one of the 2019 program", name);
	for (unsigned int i = 0; error == 0 && kind->needed[i]; i++)
		if (csv_reader_column(&csv, kind->needed[i]) < 0 && !missing)
			missing = kind->needed[i];
	if (error < 0)
		session_notice(session, "%s: %s; left out", name, strerror(-error));
	else if (error == CSV_READER_EMPTY)
		session_notice(session, "%s: empty, not even a header; left out", name);
	else if (error)
		session_notice(session, "%s: no CSV file; left out", name);
	else if (missing)
		session_notice(session, "%s: not a %s: it has no column '%s'; left out", name,
			       report_file_names[kind->file], missing);
	if (error != 0 || missing) {
		session->files[kind->file].left_out++;
		csv_reader_close(&csv);
		return;
	}
	for (unsigned int i = 0; kind->names[i]; i++)
		columns[i] = csv_reader_column(&csv, kind->names[i]);
	malformed = session->files[kind->file].malformed;
	while (csv_reader_next(&csv))
		kind->row(reading, &csv, columns);
	report_segment(reading, &csv, segment, session->files[kind->file].malformed - malformed);
	csv_reader_close(&csv);
}

/* The segments of a file: they are in order. */
static const struct segment *segments_of(const struct reading *reading, enum report_file file,
					 uint32_t *n)
{
	const struct segment *all = reading->files->segments, *first = NULL;

	*n = 0;
	for (uint32_t i = 0; i < reading->files->n; i++)
		if (all[i].session == reading->number && all[i].kind == file) {
			first = first ? first : &all[i];
			++*n;
		}
	return first;
}

/* Numbers between the first and the last segment that are not there. */
static void report_gaps(struct reading *reading, const struct segment *segments, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++) {
		uint32_t before = segments[i - 1].number, next = segments[i].number;

		if (next == SEGMENT_CURRENT || next <= before + 1)
			continue;
		session_notice(reading->session,
			       "%s: segment %u%s missing: not pulled, or removed by --keep or "
			       "--min-free; its time is left out",
			       report_file_names[segments[i].kind], (unsigned int)before + 1,
			       next > before + 2 ? " and following are" : " is");
	}
}

static void read_kind(struct reading *reading, const struct kind *kind)
{
	uint32_t n;
	const struct segment *segments = segments_of(reading, kind->file, &n);
	bool *left_out = calloc(n + 1, sizeof(*left_out));

	if (!left_out) {
		reading->out_of_memory = true;
		return;
	}
	if (n > 1)
		find_doubles(reading, segments, n, left_out);
	report_gaps(reading, segments, n);
	for (uint32_t i = 0; i < n; i++) {
		if (left_out[i])
			reading->session->files[kind->file].left_out++;
		else
			read_segment(reading, kind, &segments[i]);
	}
	free(left_out);
}

/* --- session.json --- */

/* The text of a file, plain or packed; NULL: it cannot be read, or is too long. Free it. */
static char *read_text(const char *path)
{
	gzFile file = os_gzopen(path);
	char *text = file ? malloc(SESSION_JSON_MAX + 1) : NULL;
	int length = text ? gzread(file, text, SESSION_JSON_MAX) : -1;

	if (file)
		gzclose(file);
	if (length < 0 || length == SESSION_JSON_MAX) {
		free(text);
		return NULL;
	}
	text[length] = '\0';
	return text;
}

static void read_session_json(struct reading *reading)
{
	struct session *session = reading->session;
	uint32_t n;
	const struct segment *segment = segments_of(reading, FILE_SESSION, &n);
	struct json_object *json = NULL;
	char *text;

	if (n == 0)
		return;
	segment += n - 1;
	text = read_text(segment->path);
	if (text)
		json = json_tokener_parse(text);
	free(text);
	if (!json_object_is_type(json, json_type_object)) {
		json_object_put(json);
		session_notice(session, "%s: not the JSON text of a session; left out",
			       file_of(segment->path));
		session->files[FILE_SESSION].left_out++;
		return;
	}
	session->files[FILE_SESSION].segments++;
	session->json = json;
}

/* --- events.csv --- */

static const char *const event_columns[] = { "time(s)", "wall time", "kind", "text", NULL };

static void add_stall(struct reading *reading, int64_t time_us, uint32_t text)
{
	if (reading->n_stalls == STALLS_MAX)
		return;
	if (reading->n_stalls == reading->max_stalls) {
		uint32_t max = reading->max_stalls ? 2 * reading->max_stalls : 64;
		struct keyed *stalls = realloc(reading->stalls, max * sizeof(*stalls));

		if (!stalls) {
			reading->out_of_memory = true;
			return;
		}
		reading->stalls = stalls;
		reading->max_stalls = max;
	}
	reading->stalls[reading->n_stalls++] = (struct keyed){ time_us, text };
}

/* A mark begins a section. */
static void add_section(struct reading *reading, int64_t time_us, uint32_t name)
{
	struct session *session = reading->session;

	if (session->n_sections == SECTIONS_MAX || time_us < 0)
		return;
	if (session->n_sections == 0)
		session->sections[session->n_sections++] = (struct section){
			.name = names_add(&session->names, SPAN_LITERAL("(before the first mark)")),
			.from_us = INT64_MIN,
		};
	/* On another clock; sections are in order. */
	if (time_us < session->sections[session->n_sections - 1].from_us)
		return;
	session->sections[session->n_sections - 1].to_us = time_us;
	session->sections[session->n_sections++] = (struct section){
		.name = name,
		.from_us = time_us,
		.to_us = INT64_MAX,
	};
}

static void read_event(struct reading *reading, const struct csv_reader *csv, const int *columns)
{
	struct session *session = reading->session;
	struct event *event = pool_add(&session->events);
	struct span kind = field_of(csv, columns[2]);
	struct event read = {
		.time_us = number_of(csv, columns[0], 6),
		.wall = name_in(reading, csv, columns[1]),
		.kind = names_add(&session->names, kind),
		.text = name_in(reading, csv, columns[3]),
	};

	if (event)
		*event = read;
	if (span_equal(kind, SPAN_LITERAL("mark")))
		add_section(reading, read.time_us, read.text);
	else if (span_equal(kind, SPAN_LITERAL("stall")))
		add_stall(reading, read.time_us, read.text);
}

/* "716.7 ms on SURFACE of APP; no frame ended it": what follows "on ", and the length in ns. */
static const char *stall_name(const char *text, uint64_t *ns)
{
	const char *on = strstr(text, " ms on ");
	int64_t length_ns;

	if (!on || !csv_number((struct span){ text, (size_t)(on - text) }, 6, &length_ns))
		return NULL;
	*ns = (uint64_t)length_ns;
	return on + 7;
}

/* True: the stall is one of that Surface, whose name the event may have cut. */
static bool is_stall_of(const char *name, const char *surface)
{
	size_t length = strlen(surface);
	const char *rest = name + length;

	if (strncmp(name, surface, length) == 0)
		return *rest == '\0' || *rest == ';' || strncmp(rest, " of ", 4) == 0;
	return length > 700 && strncmp(name, surface, 700) == 0;
}

/* True: events.csv has a stall of that Surface that ended at that time. */
static bool is_stall(const struct reading *reading, int64_t time_us, const char *surface)
{
	const struct keyed *stalls = reading->stalls;

	for (uint32_t i = first_keyed(stalls, reading->n_stalls, time_us);
	     i < reading->n_stalls && stalls[i].key == time_us; i++) {
		uint64_t ns;
		const char *name = stall_name(name_of(reading->session, stalls[i].value), &ns);

		if (name && is_stall_of(name, surface))
			return true;
	}
	return false;
}

/* Stalls that no frame ended, and pauses, by Surface. */
static void count_unended(struct reading *reading)
{
	static const char endless[] = "; no frame ended it";
	struct session *session = reading->session;

	for (uint64_t i = 0; i < session->events.n; i++) {
		const struct event *event = pool_at(&session->events, i);
		const char *kind = name_of(session, event->kind);
		bool is_pause = strcmp(kind, "pause") == 0;
		uint64_t ns;
		const char *name = stall_name(name_of(session, event->text), &ns);
		const char *end =
			name ? strstr(name, is_pause ? ": an unexplained" : endless) : NULL;

		if (!end || (!is_pause && strcmp(kind, "stall") != 0))
			continue;
		for (uint32_t j = 0; j < session->n_surfaces; j++) {
			struct surface *surface = &session->surfaces[j];
			const char *text = name_of(session, surface->name);
			size_t length = strlen(text);

			if (strncmp(name, text, length) != 0 ||
			    (name + length != end && strncmp(name + length, " of ", 4) != 0))
				continue;
			*(is_pause ? &surface->pauses : &surface->endless) += 1;
			*(is_pause ? &surface->pause_ns : &surface->endless_ns) += ns;
			break;
		}
	}
}

/* --- fps.csv --- */

enum fps_column {
	FPS_START,
	FPS_END,
	FPS_FRAMES,
	FPS_TIME,
	FPS_MAX,
	FPS_WAITING,
	FPS_WAITS,
	FPS_A,
	FPS_B,
	FPS_C,
	FPS_D,
	FPS_APP,
	FPS_SURFACE,
	FPS_MISSED,
	FPS_JANK,
	FPS_BIG_JANK,
	FPS_STUTTER,
	FPS_LOST,
	FPS_STALLS,
	FPS_STALL_TIME,
	FPS_CADENCE,
	FPS_REFRESH,
	FPS_P99,
	FPS_GPU_MEAN,
	FPS_GPU_MAX,
	FPS_COLUMNS,
};

static const char *const fps_columns[FPS_COLUMNS + 1] = {
	"start time",
	"end time",
	"frames",
	"Time(S)",
	"max time(ms)",
	"waiting time(S)",
	"wait times",
	"A",
	"B",
	"C",
	"D",
	"app",
	"Surface",
	"missed vsyncs",
	"jank",
	"big jank",
	"stutter(%)",
	"lost events",
	"stalls",
	"stall time(S)",
	"cadence(vsyncs)",
	"refresh(Hz)",
	"p99(ms)",
	"gpu avg(ms)",
	"gpu max(ms)",
	NULL,
};

/* Of each number, in the unit in which it is kept. */
static unsigned int decimals_of(enum fps_column column)
{
	switch (column) {
	case FPS_START:
	case FPS_END:
	case FPS_TIME:
	case FPS_WAITING:
	case FPS_STALL_TIME:
		return 6;
	case FPS_MAX:
	case FPS_STUTTER:
	case FPS_P99:
	case FPS_GPU_MEAN:
	case FPS_GPU_MAX:
		return 3;
	case FPS_REFRESH:
		return 2;
	default:
		return 0;
	}
}

static const char *const fps_needed[] = { "start time", "end time", "frames",
					  "Time(S)",	"Surface",  NULL };

static int64_t known_or_row_unknown(uint32_t count)
{
	return count == WINDOW_UNKNOWN ? ROW_UNKNOWN : (int64_t)count;
}

/* What can be added of a row. Matrix and the like are not in it. */
static struct frame_stats stats_of(const struct window *window, int64_t lost)
{
	return (struct frame_stats){
		.frames = window->frames,
		.time_ns = window->time_us * 1000,
		.max_ns = UINT64_C(1000) * window->max_us,
		.waits = window->waits,
		.wait_ns = window->waiting_us * 1000,
		.a = window->a,
		.b = window->b,
		.c = window->c,
		.d = known_or_row_unknown(window->d),
		.missed = known_or_row_unknown(window->missed),
		.stalls = known_or_row_unknown(window->stalls),
		.stall_ns = window->stall_us * 1000,
		.jank = window->jank,
		.big_jank = window->big_jank,
		.jank_ns = UINT64_C(1000) * window->jank_us,
		.matrix = { ROW_UNKNOWN, ROW_UNKNOWN, ROW_UNKNOWN, ROW_UNKNOWN, ROW_UNKNOWN },
		.slow = ROW_UNKNOWN,
		/* Only a stall is that long. */
		.frozen = window->stalls == 0 ? 0 : ROW_UNKNOWN,
		.lost = lost,
	};
}

/* A mark less than a second after another may not have closed the rows: one that goes on behind it
 * has frames before it, too, as has one whose last frame is at the time of the mark. Others begin
 * with the last frame before a mark, but have none there. Frames were read before. */
static void cross_sections(struct reading *reading, const struct window *row, uint32_t section)
{
	const struct section *sections = reading->session->sections;
	uint32_t begin = session_section(reading->session, row->start_us), at;

	for (uint32_t i = begin; i < section && i < begin + CROSSED_MAX; i++) {
		bool may_cross =
			sections[i].to_us == row->end_us ||
			(i > 0 && sections[i].to_us - sections[i].from_us < MARK_CLOSES_US);
		struct section_sum *sum =
			may_cross ? find_sum(reading, i, row->surface, &at) : NULL;

		if (sum)
			sum->is_crossed = true;
	}
}

static void read_window(struct reading *reading, const struct csv_reader *csv, const int *columns)
{
	struct session *session = reading->session;
	struct surface *surface = surface_of(reading, name_in(reading, csv, columns[FPS_SURFACE]),
					     name_in(reading, csv, columns[FPS_APP]));
	int64_t of[FPS_COLUMNS];
	struct section_sum *sum;
	struct frame_stats stats;
	struct window row, *kept;
	uint32_t section;
	bool without_janks;

	for (unsigned int i = 0; i < FPS_COLUMNS; i++)
		of[i] = number_of(csv, columns[i], decimals_of(i));
	if (of[FPS_START] < 0 || of[FPS_END] < 0 || of[FPS_FRAMES] < 0 || of[FPS_TIME] < 0) {
		session->files[FILE_FPS].malformed++;
		return;
	}
	if (!surface)
		return;
	without_janks = of[FPS_JANK] < 0;
	row = (struct window){
		.start_us = of[FPS_START],
		.end_us = of[FPS_END],
		.time_us = (uint64_t)of[FPS_TIME],
		.waiting_us = of[FPS_WAITING] < 0 ? 0 : (uint64_t)of[FPS_WAITING],
		.stall_us = of[FPS_STALL_TIME] < 0 ? 0 : (uint64_t)of[FPS_STALL_TIME],
		.frames = count_of(of[FPS_FRAMES]),
		.waits = count_of(of[FPS_WAITS]),
		.a = count_of(of[FPS_A]),
		.b = count_of(of[FPS_B]),
		.c = count_of(of[FPS_C]),
		.jank = count_of(of[FPS_JANK]),
		.big_jank = count_of(of[FPS_BIG_JANK]),
		.d = count_if_known(of[FPS_D]),
		.missed = count_if_known(of[FPS_MISSED]),
		.stalls = count_if_known(of[FPS_STALLS]),
		.max_us = count_of(of[FPS_MAX]),
		.p99_us = count_if_known(of[FPS_P99]),
		.gpu_mean_us = count_if_known(of[FPS_GPU_MEAN]),
		.gpu_max_us = count_if_known(of[FPS_GPU_MAX]),
		.lost = count_if_known(small_count(csv, columns[FPS_LOST])),
		.refresh_hundredths = count_if_known(of[FPS_REFRESH]),
		.surface = number_of_surface(session, surface),
	};
	if (of[FPS_STUTTER] > 0)
		row.jank_us = count_of((int64_t)((double)of[FPS_STUTTER] *
						 (double)(row.time_us + row.stall_us) / 1e5));
	extend(session, row.start_us);
	extend(session, row.end_us);
	extend_surface(surface, row.start_us, row.end_us);
	session->is_2019 |= columns[FPS_MISSED] < 0;
	surface->without_janks |= without_janks;
	if (of[FPS_CADENCE] >= 0 && of[FPS_CADENCE] < CADENCES_MAX)
		surface->row_cadences[of[FPS_CADENCE]] += row.frames;
	stats = stats_of(&row, small_count(csv, columns[FPS_LOST]));
	frame_stats_merge(&surface->from_windows, &stats);
	section = session_section(session, row.end_us);
	add_captured(of[FPS_GPU_MEAN] < 0 ? NULL
					  : captured_of(reading, CAPTURED_GPU, section,
							surface->name, NAME_NONE),
		     of[FPS_FRAMES], of[FPS_GPU_MEAN], of[FPS_GPU_MAX], 0);
	sum = sum_of(reading, section, row.surface);
	if (sum) {
		frame_stats_merge(&sum->windows, &stats);
		sum->without_janks |= without_janks;
		cross_sections(reading, &row, section);
	}
	kept = pool_add(&session->windows);
	if (kept)
		*kept = row;
}

/* --- late frames ---
 *
 * A heap: the first one has the least harm and is replaced when it is full. Of equal harm, as it is
 * of all drops of 2019, the shorter one is less. */

static bool is_less(const struct late_row *a, const struct late_row *b)
{
	if (a->harm_us != b->harm_us)
		return a->harm_us < b->harm_us;
	return a->interval_us < b->interval_us;
}

static void sift(struct late_row *late, uint32_t n, uint32_t at)
{
	for (;;) {
		uint32_t least = at;
		struct late_row swap = late[at];

		for (uint32_t child = 2 * at + 1; child <= 2 * at + 2 && child < n; child++)
			if (is_less(&late[child], &late[least]))
				least = child;
		if (least == at)
			return;
		late[at] = late[least];
		late[least] = swap;
		at = least;
	}
}

/* True: it is among those with most harm so far. */
static bool has_place(const struct session *session, const struct late_row *row)
{
	return session->n_late < LATE_MAX || is_less(&session->late[0], row);
}

static void add_late(struct session *session, struct late_row row)
{
	uint32_t at = session->n_late;

	if (at == LATE_MAX) {
		session->late[0] = row;
		sift(session->late, LATE_MAX, 0);
		return;
	}
	session->n_late++;
	for (; at > 0 && is_less(&row, &session->late[(at - 1) / 2]); at = (at - 1) / 2)
		session->late[at] = session->late[(at - 1) / 2];
	session->late[at] = row;
}

/* --- frames.csv --- */

enum frame_column {
	FRAME_PRESENT,
	FRAME_INTERVAL,
	FRAME_VSYNCS,
	FRAME_APP,
	FRAME_SURFACE,
	FRAME_LAYER,
	FRAME_CAUSE,
	FRAME_LOST,
	FRAME_VSYNC,
	FRAME_NUMBER,
	FRAME_QUEUED,
	FRAME_LATCHED,
	FRAME_GPU_DONE,
	FRAME_VSYNC_ID,
};

static const char *const frame_columns[] = { "present(s)",   "interval(ms)", "vsyncs",
					     "app",	     "Surface",	     "layer",
					     "cause",	     "lost events",  "vsync(s)",
					     "frame number", "queued(s)",    "latched(s)",
					     "gpu done(s)",  "vsync id",     NULL };
static const char *const frame_needed[] = { "present(s)", "interval(ms)", "vsyncs",
					    "Surface",	  "layer",	  NULL };

static enum cause cause_in(struct span text)
{
	for (unsigned int i = CAUSE_NONE + 1; i < CAUSES; i++)
		if (span_equal(text, span_of(cause_names[i])))
			return (enum cause)i;
	return CAUSE_NONE;
}

/* The place of a layer, for its series of frames. Beyond LAYERS_MAX two layers may share one, and
 * then begin anew. */
static int place_of(struct reading *reading, uint32_t layer, uint64_t owner)
{
	uint16_t *number = &reading->place_of_layer[layer];
	int place;

	if (*number == 0 && reading->n_layers < LAYERS_MAX)
		*number = (uint16_t)++reading->n_layers;
	place = *number > 0 ? *number - 1 : (int)(owner % LAYERS_MAX);
	if (reading->owners[place] != owner) {
		reading->owners[place] = owner;
		reading->janks[place] = (struct jank_history){ 0 };
	}
	return place;
}

/* The frame's interval as frame_stats_add() counts it. */
static struct frame_stats stats_of_frame(struct reading *reading, int place,
					 struct interval interval, enum wait_kind wait)
{
	struct frame_stats stats = FRAME_STATS_EMPTY;

	if (interval.ns < 0)
		return stats;
	if (interval_is_wait(interval))
		frame_stats_add_wait(&stats, &reading->janks[place], interval, wait);
	else
		frame_stats_add(&stats, &reading->janks[place], interval, 0);
	return stats;
}

static uint8_t flags_of(const struct frame_stats *stats, struct interval interval)
{
	return (uint8_t)((stats->small_jank ? FRAME_SMALL_JANK : 0) |
			 (stats->jank ? FRAME_JANK : 0) | (stats->big_jank ? FRAME_BIG_JANK : 0) |
			 (stats->stalls > 0 ? FRAME_STALL : 0) | (stats->waits ? FRAME_WAIT : 0) |
			 (stats->stalls < 0 ? FRAME_UNKNOWN : 0) |
			 (interval.ns < 0 ? FRAME_FIRST : 0));
}

/* A late frame of frames.csv, with all that the row has of it. */
static void add_late_frame(struct reading *reading, const struct csv_reader *csv,
			   const int *columns, struct late_row row)
{
	if (!has_place(reading->session, &row))
		return;
	row.vsync_us = number_of(csv, columns[FRAME_VSYNC], 6);
	row.queued_us = number_of(csv, columns[FRAME_QUEUED], 6);
	row.latched_us = number_of(csv, columns[FRAME_LATCHED], 6);
	row.gpu_done_us = number_of(csv, columns[FRAME_GPU_DONE], 6);
	row.frame_number = number_of(csv, columns[FRAME_NUMBER], 0);
	row.vsync_id = number_of(csv, columns[FRAME_VSYNC_ID], 0);
	row.expected_us = row.finished_us = -1;
	row.layer = name_in(reading, csv, columns[FRAME_LAYER]);
	add_late(reading->session, row);
}

/* Returns the harm of the frame. */
static uint64_t add_harm(struct reading *reading, struct surface *surface, int place,
			 uint64_t owner, int64_t present_us, struct interval interval,
			 enum wait_kind wait, enum cause cause)
{
	struct lateness late = late_follow(&reading->late, place, owner, interval, wait);

	if (late.gap)
		drawing_gap(&surface->drawing);
	else
		drawing_add(&surface->drawing, (uint64_t)interval.ns);
	if (late.harm_ns == 0)
		return 0;
	harm_add(&surface->harm, (uint64_t)present_us * 1000, late.harm_ns);
	surface->causes[cause]++;
	return late.harm_ns;
}

static void count_cadence(uint32_t cadences[CADENCES_MAX], struct interval interval)
{
	if (interval_is_frame_time(interval) && interval.vsyncs >= 0)
		cadences[interval.vsyncs < CADENCES_MAX ? interval.vsyncs : CADENCES_MAX - 1]++;
}

/* A place for the frame; NULL: there is none. Those of --from and --to have places of their own. */
static struct kept_frame *add_frame(struct reading *reading, int64_t present_us)
{
	const struct selection *selection = reading->selection;
	struct pool *frames = &reading->session->frames;

	if (frames->n >= FRAMES_MAX && !(selection->has_range && selection->from_us <= present_us &&
					 present_us < selection->to_us)) {
		frames->refused++;
		return NULL;
	}
	return pool_add(frames);
}

static void read_frame(struct reading *reading, const struct csv_reader *csv, const int *columns)
{
	struct session *session = reading->session;
	int64_t present_us = number_of(csv, columns[FRAME_PRESENT], 6);
	struct interval interval = { number_of(csv, columns[FRAME_INTERVAL], 6),
				     small_count(csv, columns[FRAME_VSYNCS]) };
	enum cause cause = cause_in(field_of(csv, columns[FRAME_CAUSE]));
	uint32_t layer = name_in(reading, csv, columns[FRAME_LAYER]);
	uint64_t owner = session->names.hashes[layer] | 1;
	struct surface *surface = surface_of(reading, name_in(reading, csv, columns[FRAME_SURFACE]),
					     name_in(reading, csv, columns[FRAME_APP]));
	enum wait_kind wait = WAIT_IDLE;
	struct frame_stats stats;
	struct section_sum *sum;
	struct kept_frame *kept;
	uint32_t section;
	uint64_t harm_ns;
	int place;

	if (present_us < 0) {
		session->files[FILE_FRAMES].malformed++;
		return;
	}
	if (!surface)
		return;
	if (interval.ns >= 0 && interval_is_wait(interval)) {
		if (is_stall(reading, present_us, name_of(session, surface->name)))
			wait = WAIT_STALL;
		else if (columns[FRAME_LOST] >= 0 && number_of(csv, columns[FRAME_LOST], 0) != 0)
			wait = WAIT_UNKNOWN;
	}
	place = place_of(reading, layer, owner);
	stats = stats_of_frame(reading, place, interval, wait);
	/* The time went back: these are on another clock. */
	if (present_us < surface->last_us)
		harm_new_clock(&surface->harm);
	harm_ns = add_harm(reading, surface, place, owner, present_us, interval, wait, cause);
	if (harm_ns > 0)
		add_late_frame(reading, csv, columns,
			       (struct late_row){
				       .time_us = present_us,
				       .harm_us = harm_ns / 1000,
				       .interval_us = (uint64_t)interval.ns / 1000,
				       .surface = number_of_surface(session, surface),
				       .cause = (uint8_t)cause,
				       .is_stall = wait == WAIT_STALL,
			       });
	frame_stats_merge(&surface->from_frames, &stats);
	count_cadence(surface->cadences, interval);
	surface->frame_rows++;
	extend(session, present_us);
	surface->first_us = surface->first_us < 0 ? present_us : surface->first_us;
	surface->last_us = present_us;
	section = session_section(session, present_us);
	sum = sum_of(reading, section, number_of_surface(session, surface));
	if (sum) {
		frame_stats_merge(&sum->frames, &stats);
		count_cadence(sum->cadences, interval);
	}
	kept = add_frame(reading, present_us);
	if (kept)
		*kept = (struct kept_frame){
			.present_us = present_us,
			.interval_ns = interval.ns < 0 ? 0 : (uint64_t)interval.ns,
			.vsyncs = interval.vsyncs < 0 || interval.vsyncs >= FRAME_VSYNCS_UNKNOWN
					  ? FRAME_VSYNCS_UNKNOWN
					  : (uint16_t)interval.vsyncs,
			.surface = number_of_surface(session, surface),
			.section = (uint16_t)section,
			.cause = (uint8_t)cause,
			.flags = flags_of(&stats, interval),
		};
}

/* --- late frames by the number with which other files name them --- */

static void order_late(struct reading *reading, bool by_id)
{
	struct session *session = reading->session;
	struct keyed *order = realloc(reading->late_order, (session->n_late + 1) * sizeof(*order));

	if (!order) {
		reading->out_of_memory = true;
		return;
	}
	for (uint32_t i = 0; i < session->n_late; i++)
		order[i] = (struct keyed){ by_id ? session->late[i].vsync_id
						 : session->late[i].vsync_us,
					   i };
	qsort(order, session->n_late, sizeof(*order), by_key);
	reading->late_order = order;
	reading->n_late_order = session->n_late;
}

/* --- dropFrames.csv --- */

enum drop_column {
	DROP_END,
	DROP_USED,
	DROP_APP,
	DROP_SURFACE,
	DROP_MISSED,
	DROP_CAUSE,
	DROP_INFO,
	DROP_LAYER,
	DROP_NUMBER,
};

static const char *const drop_columns[] = { "end VSYNC", "used time(ms)", "app",
					    "Surface",	 "missed vsyncs", "cause",
					    "info",	 "layer",	  "frame number",
					    NULL };
static const char drops_of_2019[] =
	"start VSYNC,end VSYNC,used time(ms),VSYNC type,TX,app,Surface,info";
static const char *const drop_needed[] = { "start VSYNC", "end VSYNC", "used time(ms)", "Surface",
					   NULL };

/* True: frames.csv has less frames than the rows of fps.csv, or the session. */
static bool lacks_frames(const struct session *session)
{
	double in_frames = 0, in_all = 0;

	for (uint32_t i = 0; i < session->n_surfaces; i++) {
		const struct surface *surface = &session->surfaces[i];
		double summed = (double)surface->from_windows.frames;

		in_frames += (double)surface->from_frames.frames;
		in_all += surface->source == FROM_SUMMARY ? surface->numbers.of[METRIC_FRAMES]
							  : summed;
	}
	return session->files[FILE_FRAMES].rows == 0 || in_frames < in_all;
}

/* If frames.csv was written for a part of the session only, all harm is that of the drops. */
static void prefer_drops(struct reading *reading)
{
	struct session *session = reading->session;

	if (reading->has_chosen_harm)
		return;
	reading->has_chosen_harm = true;
	reading->harm_from_drops = lacks_frames(session);
	if (reading->harm_from_drops)
		session->n_late = 0;
	else
		order_late(reading, false);
	for (uint32_t i = 0; reading->harm_from_drops && i < session->n_surfaces; i++) {
		session->surfaces[i].harm = (struct harm){ 0 };
		memset(session->surfaces[i].causes, 0, sizeof(session->surfaces[i].causes));
	}
}

/* The cadence of a Surface: of the session, else of most frames in rows, else 1. */
static double cadence_of(const struct surface *surface)
{
	unsigned int most = 1;

	if (surface->numbers.of[METRIC_CADENCE] >= 1)
		return surface->numbers.of[METRIC_CADENCE];
	for (unsigned int i = 2; i < CADENCES_MAX; i++)
		if (surface->row_cadences[i] > surface->row_cadences[most])
			most = i;
	return most;
}

/* True: an interval of whole vsyncs is a wait. */
static bool is_wait(int64_t us)
{
	return threshold_reached((uint64_t)us, STATS_WAIT_NS / 1000, true);
}

/* The info of a drop belongs to the late frame of its layer at its vsync. */
static void add_info(struct reading *reading, const struct csv_reader *csv, const int *columns,
		     int64_t end_us, uint16_t surface)
{
	struct session *session = reading->session;

	for (uint32_t i = first_keyed(reading->late_order, reading->n_late_order, end_us);
	     i < reading->n_late_order && reading->late_order[i].key == end_us; i++) {
		struct late_row *late = &session->late[reading->late_order[i].value];

		if (late->surface == surface && late->info == NAME_NONE)
			late->info = name_in(reading, csv, columns[DROP_INFO]);
	}
}

/* Adds a drop to the late frames. @harm_us: 0 if it is unknown. */
static void add_drop(struct reading *reading, const struct csv_reader *csv, const int *columns,
		     const struct surface *surface, uint64_t harm_us)
{
	struct session *session = reading->session;
	int64_t end_us = number_of(csv, columns[DROP_END], 6);
	int64_t used_us = number_of(csv, columns[DROP_USED], 3);
	struct late_row row = {
		.time_us = end_us,
		.harm_us = harm_us,
		.interval_us = (uint64_t)used_us,
		.vsync_us = end_us,
		.queued_us = -1,
		.latched_us = -1,
		.gpu_done_us = -1,
		.frame_number = number_of(csv, columns[DROP_NUMBER], 0),
		.vsync_id = -1,
		.expected_us = -1,
		.finished_us = -1,
		.surface = number_of_surface(session, surface),
		.cause = (uint8_t)cause_in(field_of(csv, columns[DROP_CAUSE])),
		.is_stall = is_wait(used_us),
	};

	if (!has_place(session, &row))
		return;
	row.layer =
		columns[DROP_LAYER] < 0 ? NAME_NONE : name_in(reading, csv, columns[DROP_LAYER]);
	row.info = name_in(reading, csv, columns[DROP_INFO]);
	add_late(session, row);
}

/* Without all frames, harm is that of the drops, against the cadence of the whole session. */
static void read_drop(struct reading *reading, const struct csv_reader *csv, const int *columns)
{
	struct session *session = reading->session;
	struct surface *surface = surface_of(reading, name_in(reading, csv, columns[DROP_SURFACE]),
					     name_in(reading, csv, columns[DROP_APP]));
	int64_t end_us = number_of(csv, columns[DROP_END], 6);
	int64_t used_us = number_of(csv, columns[DROP_USED], 3);
	int64_t missed = small_count(csv, columns[DROP_MISSED]);
	double cadence, harm_us;

	if (used_us < 0) {
		session->files[FILE_DROPS].malformed++;
		return;
	}
	extend(session, end_us);
	prefer_drops(reading);
	if (!surface || end_us < 0)
		return;
	if (!reading->harm_from_drops) {
		add_info(reading, csv, columns, end_us, number_of_surface(session, surface));
		return;
	}
	/* One of 2019 does not say how many vsyncs it missed. */
	if (columns[DROP_MISSED] < 0) {
		session->is_2019 = true;
		add_drop(reading, csv, columns, surface, 0);
		return;
	}
	cadence = cadence_of(surface);
	harm_us = (double)used_us;
	/* What is longer is a stall. */
	if (!is_wait(used_us))
		harm_us = missed > 0 ? (double)used_us * ((double)missed + 1 - cadence) /
					       ((double)missed + 1)
				     : 0;
	if (harm_us < 1)
		return;
	harm_add(&surface->harm, (uint64_t)end_us * 1000, (uint64_t)(harm_us * 1000));
	surface->causes[cause_in(field_of(csv, columns[DROP_CAUSE]))]++;
	add_drop(reading, csv, columns, surface, (uint64_t)harm_us);
}

/* --- summary.csv --- */

/* The columns that are numbers come first: those of enum metric. */
enum {
	SUMMARY_APP = METRIC_MISSED_1000,
	SUMMARY_SURFACE,
	SUMMARY_FIRST,
	SUMMARY_LAST,
	SUMMARY_JANK_TYPES,
	SUMMARY_VERDICT,
	SUMMARY_COLUMNS
};

static const char *const summary_needed[] = { "app", "Surface", "frames", "FPS", NULL };

static void read_summary_row(struct reading *reading, const struct csv_reader *csv,
			     const int *unused)
{
	struct session *session = reading->session;
	static const char *const texts[] = { "app",	"Surface",    "first(s)",
					     "last(s)", "jank types", "verdict" };
	int columns[SUMMARY_COLUMNS];
	struct surface *surface;
	const char *verdict;
	int64_t first_us, last_us;

	for (unsigned int i = 0; i < SUMMARY_COLUMNS; i++)
		columns[i] = csv_reader_column(csv, i < SUMMARY_APP ? metrics[i].name
								    : texts[i - SUMMARY_APP]);
	surface = surface_of(reading, name_in(reading, csv, columns[SUMMARY_SURFACE]),
			     name_in(reading, csv, columns[SUMMARY_APP]));
	if (!surface)
		return;
	for (unsigned int i = 0; i < SUMMARY_APP; i++) {
		int64_t number = number_of(csv, columns[i], metrics[i].decimals);

		surface->numbers.of[i] =
			number < 0 ? NAN : (double)number / pow(10, metrics[i].decimals);
	}
	surface->source = FROM_SUMMARY;
	surface->jank_types = name_in(reading, csv, columns[SUMMARY_JANK_TYPES]);
	verdict = name_of(session, name_in(reading, csv, columns[SUMMARY_VERDICT]));
	if (strlen(verdict) < VERDICT_SIZE)
		strcpy(surface->verdict, verdict);
	first_us = number_of(csv, columns[SUMMARY_FIRST], 6);
	last_us = number_of(csv, columns[SUMMARY_LAST], 6);
	extend(session, first_us);
	extend(session, last_us);
}

/* Without frames the time of the session is that of what else was captured. */
static void extend_without_frames(struct session *session, int64_t from_us, int64_t to_us)
{
	if (session->n_surfaces > 0)
		return;
	extend(session, from_us);
	extend(session, to_us);
}

/* --- doframe.csv --- */

enum doframe_column {
	DOFRAME_APP,
	DOFRAME_FRAMES,
	DOFRAME_START,
	DOFRAME_END,
	DOFRAME_PROCESS,
	DOFRAME_THREAD,
	DOFRAME_MEAN,
	DOFRAME_MAX,
	DOFRAME_SKIPPED,
};

static const char *const doframe_columns[] = {
	"app",	  "frames",	     "start time",	"end time", "process",
	"thread", "doFrame avg(ms)", "doFrame max(ms)", "skipped",  NULL
};
static const char *const doframe_needed[] = { "app", "process", "frames", NULL };

static void add_doframes(struct reading *reading, const struct csv_reader *csv, const int *columns)
{
	int64_t end_us = number_of(csv, columns[DOFRAME_END], 6);
	struct span process = field_of(csv, columns[DOFRAME_PROCESS]);
	struct span id = field_of(csv, columns[DOFRAME_THREAD]);
	char thread[80];

	if (end_us < 0)
		return;
	extend_without_frames(reading->session, number_of(csv, columns[DOFRAME_START], 6), end_us);
	snprintf(thread, sizeof(thread), "%.*s/%.*s", (int)(process.len < 32 ? process.len : 32),
		 process.ptr, (int)(id.len < 32 ? id.len : 32), id.ptr);
	add_captured(
		captured_of(reading, CAPTURED_DOFRAME, session_section(reading->session, end_us),
			    name_in(reading, csv, columns[DOFRAME_APP]),
			    names_add(&reading->session->names, span_of(thread))),
		small_count(csv, columns[DOFRAME_FRAMES]), number_of(csv, columns[DOFRAME_MEAN], 3),
		number_of(csv, columns[DOFRAME_MAX], 3),
		small_count(csv, columns[DOFRAME_SKIPPED]));
}

/* Processes with a Choreographer. The name may be only the end of the app's. */
static void read_doframe(struct reading *reading, const struct csv_reader *csv, const int *columns)
{
	struct session *session = reading->session;
	const char *app = name_of(session, name_in(reading, csv, columns[0]));
	size_t length = strlen(app);
	int64_t frames = number_of(csv, columns[1], 0);

	session->doframes += frames > 0 ? (uint64_t)frames : 0;
	add_doframes(reading, csv, columns);
	for (uint32_t i = 0; length > 0 && i < session->n_surfaces; i++) {
		const char *other = name_of(session, session->surfaces[i].app);
		size_t all = strlen(other);

		if (all >= length && strcmp(other + all - length, app) == 0)
			session->surfaces[i].has_view_marks = true;
	}
}

static const char *const no_columns[] = { NULL };
static const char *const timeline_needed[] = { "kind", "token", NULL };
static const char *const latency_needed[] = { "actual present(s)", "Surface", NULL };

/* --- frametimeline.csv --- */

enum timeline_column {
	TIMELINE_KIND,
	TIMELINE_START,
	TIMELINE_END,
	TIMELINE_EXPECTED,
	TIMELINE_TOKEN,
	TIMELINE_SURFACE,
	TIMELINE_JANK,
	TIMELINE_PRESENT,
	TIMELINE_ON_TIME,
};

static const char *const timeline_columns[] = {
	"kind",	   "start(s)",	"end(s)",	"expected end(s)", "display token",
	"Surface", "jank type", "present type", "on time finish",  NULL,
};

/* The token of the composition is the vsync id of its frames in frames.csv. */
static void join_timeline(struct reading *reading, const struct csv_reader *csv, const int *columns,
			  uint32_t surface)
{
	struct session *session = reading->session;
	int64_t token = number_of(csv, columns[TIMELINE_TOKEN], 0);

	for (uint32_t i = first_keyed(reading->late_order, reading->n_late_order, token);
	     token >= 0 && i < reading->n_late_order && reading->late_order[i].key == token; i++) {
		struct late_row *late = &session->late[reading->late_order[i].value];

		if (session->surfaces[late->surface].name != surface)
			continue;
		late->expected_us = number_of(csv, columns[TIMELINE_EXPECTED], 6);
		late->finished_us = number_of(csv, columns[TIMELINE_END], 6);
		late->jank_type = name_in(reading, csv, columns[TIMELINE_JANK]);
		late->present_type = name_in(reading, csv, columns[TIMELINE_PRESENT]);
	}
}

static void read_timeline(struct reading *reading, const struct csv_reader *csv, const int *columns)
{
	int64_t start_us = number_of(csv, columns[TIMELINE_START], 6);
	int64_t end_us = number_of(csv, columns[TIMELINE_END], 6);
	uint32_t surface;

	if (!reading->is_ordered_by_id) {
		reading->is_ordered_by_id = true;
		order_late(reading, true);
	}
	if (!span_equal(field_of(csv, columns[TIMELINE_KIND]), SPAN_LITERAL("surface")) ||
	    start_us < 0 || end_us < start_us)
		return;
	extend_without_frames(reading->session, start_us, end_us);
	surface = name_in(reading, csv, columns[TIMELINE_SURFACE]);
	join_timeline(reading, csv, columns, surface);
	add_captured(captured_of(reading, CAPTURED_TIMELINE,
				 session_section(reading->session, end_us), surface,
				 name_in(reading, csv, columns[TIMELINE_JANK])),
		     1, end_us - start_us, end_us - start_us,
		     number_of(csv, columns[TIMELINE_ON_TIME], 0) == 0);
}

/* --- latency.csv --- */

enum latency_column { LATENCY_READY, LATENCY_ACTUAL, LATENCY_SURFACE };

static const char *const latency_columns[] = { "frame ready(s)", "actual present(s)", "Surface",
					       NULL };

static void read_latency(struct reading *reading, const struct csv_reader *csv, const int *columns)
{
	int64_t ready_us = number_of(csv, columns[LATENCY_READY], 6);
	int64_t actual_us = number_of(csv, columns[LATENCY_ACTUAL], 6);

	if (ready_us < 0 || actual_us < ready_us)
		return;
	extend_without_frames(reading->session, ready_us, actual_us);
	add_captured(captured_of(reading, CAPTURED_LATENCY,
				 session_section(reading->session, actual_us),
				 name_in(reading, csv, columns[LATENCY_SURFACE]), NAME_NONE),
		     1, actual_us - ready_us, actual_us - ready_us, 0);
}

/* --- all files --- */

static const struct kind kinds[] = {
	{ FILE_SUMMARY, summary_needed, read_summary_row, no_columns, NULL },
	{ FILE_FRAMES, frame_needed, read_frame, frame_columns, NULL },
	{ FILE_FPS, fps_needed, read_window, fps_columns, NULL },
	{ FILE_DROPS, drop_needed, read_drop, drop_columns, drops_of_2019 },
	{ FILE_DOFRAME, doframe_needed, read_doframe, doframe_columns, NULL },
	{ FILE_TIMELINE, timeline_needed, read_timeline, timeline_columns, NULL },
	{ FILE_LATENCY, latency_needed, read_latency, latency_columns, NULL },
};

static const struct kind events_kind = { FILE_EVENTS, event_columns, read_event, event_columns,
					 NULL };

int rows_begin(struct reading *reading, struct session *session, const struct folder_files *files,
	       uint32_t number, const struct selection *selection)
{
	*reading = (struct reading){
		.session = session,
		.files = files,
		.number = number,
		.selection = selection,
	};
	session->surfaces = calloc(SURFACES_MAX, sizeof(*session->surfaces));
	session->sections = calloc(SECTIONS_MAX, sizeof(*session->sections));
	session->late = calloc(LATE_MAX, sizeof(*session->late));
	reading->surface_of_name = calloc(session->names.max, sizeof(*reading->surface_of_name));
	reading->sum_places = calloc(SUM_PLACES, sizeof(*reading->sum_places));
	reading->captured_places = calloc(SUM_PLACES, sizeof(*reading->captured_places));
	reading->janks = calloc(LAYERS_MAX, sizeof(*reading->janks));
	reading->owners = calloc(LAYERS_MAX, sizeof(*reading->owners));
	reading->place_of_layer = calloc(session->names.max, sizeof(*reading->place_of_layer));
	if (!session->surfaces || !session->sections || !session->late ||
	    !reading->surface_of_name || !reading->place_of_layer || !reading->sum_places ||
	    !reading->captured_places || !reading->janks || !reading->owners)
		return -ENOMEM;
	return late_state_init(&reading->late, LAYERS_MAX);
}

void rows_end(struct reading *reading)
{
	late_state_free(&reading->late);
	free(reading->surface_of_name);
	free(reading->sums);
	free(reading->sum_places);
	free(reading->captured_places);
	free(reading->late_order);
	free(reading->janks);
	free(reading->owners);
	free(reading->place_of_layer);
	free(reading->stalls);
}

int rows_read(struct reading *reading)
{
	read_session_json(reading);
	read_kind(reading, &events_kind);
	if (reading->n_stalls > 0)
		qsort(reading->stalls, reading->n_stalls, sizeof(*reading->stalls), by_key);
	for (unsigned int i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		read_kind(reading, &kinds[i]);
	count_unended(reading);
	return reading->out_of_memory ? -ENOMEM : 0;
}
