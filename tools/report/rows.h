/* SPDX-License-Identifier: Apache-2.0 */
/* What the readers of a session's files share. Each reads one kind of file; it is a struct kind.
 *
 *     rows.c           reads all files; Surfaces, their sums in sections, the worst late frames
 *     rows_segments.c  the segments of a file, and which of them are left out
 *     rows_events.c    session.json; events.csv: marks, stalls, pauses
 *     rows_fps.c       fps.csv
 *     rows_frames.c    frames.csv
 *     rows_drops.c     dropFrames.csv
 *     rows_summary.c   summary.csv
 *     rows_captured.c  doframe.csv, frametimeline.csv, latency.csv
 */
#ifndef JANKD_TOOLS_REPORT_ROWS_H
#define JANKD_TOOLS_REPORT_ROWS_H

#include "rules/count/late.h"
#include "tools/report/csv_reader.h"
#include "tools/report/session.h"

#define KEYED_MAX 200000
#define COUNT_MAX INT64_C(1000000000)
#define COLUMNS_MAX 40

#define LAYERS_MAX 8192
#define CAPTURED_PLACES 65536 /* a power of 2 */

/* Sums of a Surface in a section. */
struct section_sum {
	struct sums sums;
	uint16_t section, surface;
	bool is_crossed; /* a row of fps.csv begins in it, and ends after the next mark */
};

/* The frames of a layer so far. */
struct layer_frames {
	struct late_series late;
	struct jank_history janks;
	uint64_t owner;	    /* the layer whose history it is */
	int64_t present_us; /* of its last frame */
};

/* Numbers that are searched by a time or an id. */
struct keyed_list {
	struct keyed {
		int64_t key;
		uint32_t value;
	} * all;
	uint32_t n;
};

/* What is needed only while the files are read. Of its tables, memory is used as far as they are.
 */
struct reading {
	struct session *session;
	const struct folder_files *files;
	const struct selection *selection;
	/* By the number of a name: number + 1 of its Surface, of the app's first Surface, of the
	 * layer's place. */
	uint16_t surface_of_name[NAMES_STORED_MAX], first_of_app[NAMES_STORED_MAX],
		place_of_layer[NAMES_STORED_MAX];
	/* Time without numbers in frames.csv: of a Surface; of the app of which it is the first
	 * one. */
	struct unnumbered {
		struct stretches surface, app;
	} unnumbered[SURFACES_MAX];
	struct section_sum *sums;
	uint32_t n_sums;
	uint16_t sum_numbers[SECTIONS_MAX][SURFACES_MAX]; /* number + 1 */
	uint64_t sums_refused;
	struct layer_frames layers[LAYERS_MAX]; /* by place of the layer */
	uint32_t n_layers;			/* places that are taken */
	struct keyed_list late_order; /* numbers of late frames by their vsync, or by vsync id */
	uint32_t captured_places[CAPTURED_PLACES]; /* a hash table of numbers + 1 */
	struct keyed_list stalls, losses;	   /* texts of events.csv by time, us */
	struct keyed_list steps; /* vsyncs in a render period since that time, us */
	bool harm_from_drops; /* frames.csv does not have all frames, and dropFrames.csv has rows */
	bool has_chosen_harm;
	bool out_of_memory;
};

/* Reads all files. Returns 0 or -ENOMEM. */
int rows_read(struct reading *reading);

/* --- kinds of files --- */

/* A column that a reader uses. A reader lists its columns once, with a macro that makes the enum of
 * their numbers and the table. */
struct column {
	const char *name;
	unsigned int decimals; /* of the unit in which its numbers are kept */
	bool is_needed;	       /* without it is another file */
};

#define COLUMN_NUMBER(number, name, decimals, is_needed) number,
#define COLUMN_INFO(number, name, decimals, is_needed) [number] = { name, decimals, is_needed },

/* A row, and where it has the columns of its reader; -1: the file does not have that one. */
struct csv_row {
	struct reading *reading;
	struct csv_reader csv;
	const struct column *columns;
	int places[COLUMNS_MAX];
};

struct kind {
	enum csv_file_kind file;
	const struct column *columns; /* end with one without a name */
	void (*row)(const struct csv_row *csv);
	const char *old_header; /* of a file of 2019 that has none; or NULL */
};

extern const struct kind summary_kind, frames_kind, fps_kind, drops_kind, doframe_kind,
	frametimeline_kind, latency_kind, events_kind;

/* --- segments (rows_segments.c) --- */

/* Reads all segments of a file, but those that are left out. */
void read_kind(struct reading *reading, const struct kind *kind);

/* The segments of a file: they are in order. */
const struct segment *segments_of(const struct reading *reading, enum csv_file_kind file,
				  uint32_t *n);

/* The name of a file without its folder. */
const char *file_of(const char *path);

/* --- fields of a row --- */

/* The Surface of that name; NULL: there is no space for it. */
struct surface *surface_of(struct reading *reading, uint32_t name, uint32_t app);

static inline bool has_column(const struct csv_row *csv, unsigned int column)
{
	return csv->places[column] >= 0;
}

/* "": the file does not have the column. */
static inline struct span text_in(const struct csv_row *csv, unsigned int column)
{
	return has_column(csv, column) ? csv->csv.fields[csv->places[column]] : SPAN_LITERAL("");
}

/* -1: the field is empty, or no number. */
static inline int64_t number_in(const struct csv_row *csv, unsigned int column)
{
	int64_t number;

	return csv_number(text_in(csv, column), csv->columns[column].decimals, &number) ? number
											: -1;
}

/* The same for a count, of which more than COUNT_MAX are none: sums of them must not overflow. */
static inline int64_t count_in(const struct csv_row *csv, unsigned int column)
{
	int64_t number = number_in(csv, column);

	return number > COUNT_MAX ? -1 : number;
}

/* The number of the name in the field. */
static inline uint32_t name_in(const struct csv_row *csv, unsigned int column)
{
	return names_add(&csv->reading->session->names, text_in(csv, column));
}

/* The Surface that the fields name; NULL: there is no space for it. */
static inline struct surface *surface_in_row(const struct csv_row *csv, unsigned int surface,
					     unsigned int app)
{
	return surface_of(csv->reading, name_in(csv, surface), name_in(csv, app));
}

/* --- Surfaces, and their sums in sections (rows.c) --- */

/* The session has that time in it; below 0: there is none. */
static inline void extend(struct session *session, int64_t time_us)
{
	if (time_us < 0)
		return;
	if (session->first_us < 0 || time_us < session->first_us)
		session->first_us = time_us;
	if (time_us > session->last_us)
		session->last_us = time_us;
	/* Where clocks overlap it is not known of which one the time is. */
	if (session->has_clocks && time_us > session->clock_to_us &&
	    (time_us < session->earlier_from_us || time_us > session->earlier_to_us))
		session->clock_to_us = time_us;
}

static inline uint16_t number_of_surface(const struct session *session,
					 const struct surface *surface)
{
	return (uint16_t)(surface - session->surfaces);
}

/* What is new of time between frames that is in no number, the last @ns before @until_us. */
struct uncounted uncounted_of(struct reading *reading, const struct surface *surface,
			      int64_t until_us, uint64_t ns);

/* Later times are on another clock. */
void forget_uncounted(struct reading *reading, const struct surface *surface);

/* The sum of that Surface in that section; NULL: there is none. */
struct section_sum *find_sum(const struct reading *reading, uint32_t section, uint16_t surface);

/* The sums of that Surface in the session, and in that section if there are sections and space.
 * Returns their number. */
unsigned int sums_of(struct sums *of[2], struct reading *reading, struct surface *surface,
		     uint32_t section);

/* --- what is searched by a time or number (rows.c) --- */

/* Adds one, beyond KEYED_MAX none. rows.c brings all into the order of keys, before a search. */
void add_keyed(struct reading *reading, struct keyed_list *list, int64_t key, uint32_t value);

/* Compares elements by the int64_t with which they begin. */
int by_key(const void *a, const void *b);

/* The first place of a list in order with @key or more. */
uint32_t first_keyed(const struct keyed_list *list, int64_t key);

/* --- session.json, events.csv (rows_events.c) --- */

/* The newest session.json becomes session->json. */
void read_session_json(struct reading *reading);

/* True: events.csv has a stall of that Surface that ended at that time. */
bool is_stall(const struct reading *reading, int64_t time_us, const char *surface);

/* The vsyncs in a render period at @time_us, by events.csv. */
uint8_t step_at(const struct reading *reading, int64_t time_us);

/* Counts what an event says of a stall that no frame ended, of a pause, or of a stall that no other
 * file has; after all other files. */
void count_unended(struct reading *reading, const struct event *event);

/* --- late frames (rows.c) --- */

/* Adds one and returns it, unless LATE_MAX others have more harm: then NULL. The caller may set
 * what else is known of it. */
struct late_row *add_late(struct session *session, struct late_row row);

/* Fills @reading->late_order: the late frames by their vsync, or by their vsync id. */
void order_late(struct reading *reading, bool by_id);

/* --- frames.csv (rows_frames.c) --- */

/* The cause of that name, also of dropFrames.csv; CAUSE_NONE if there is none. */
enum cause cause_in(struct span text);

/* --- what else is captured (rows_captured.c) --- */

/* What is captured of that name in that section; NULL: there is no space. */
struct captured *captured_of(struct reading *reading, enum captured_kind kind, uint32_t section,
			     uint32_t name, uint32_t detail);

/* Adds @frames whose mean is @mean_us. */
void add_captured(struct captured *captured, int64_t frames, int64_t mean_us, int64_t max_us,
		  int64_t bad);

#endif
