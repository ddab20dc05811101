/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/report/rows.h"

#define CROSSED_MAX 32 /* sections in a row of about a second */
#define MARK_CLOSES_US 1000000

/* --- fps.csv --- */

#define FPS_COLUMNS(X)                                                                             \
	X(FPS_START, "start time", 6, true)                                                        \
	X(FPS_END, "end time", 6, true)                                                            \
	X(FPS_FRAMES, "frames", 0, true)                                                           \
	X(FPS_TIME, "Time(S)", 6, true)                                                            \
	X(FPS_SURFACE, "Surface", 0, true)                                                         \
	X(FPS_APP, "app", 0, false)                                                                \
	X(FPS_WAITING, "waiting time(S)", 6, false)                                                \
	X(FPS_STALL_TIME, "stall time(S)", 6, false)                                               \
	X(FPS_LATE_TIME, "late time(S)", 6, false)                                                 \
	X(FPS_MAX, "max time(ms)", 3, false)                                                       \
	X(FPS_STUTTER, "stutter(%)", 3, false)                                                     \
	X(FPS_P99, "p99(ms)", 3, false)                                                            \
	X(FPS_GPU_MEAN, "gpu avg(ms)", 3, false)                                                   \
	X(FPS_GPU_MAX, "gpu max(ms)", 3, false)                                                    \
	X(FPS_REFRESH, "refresh(Hz)", 2, false)                                                    \
	X(FPS_WAITS, "wait times", 0, false)                                                       \
	X(FPS_A, "A", 0, false)                                                                    \
	X(FPS_B, "B", 0, false)                                                                    \
	X(FPS_C, "C", 0, false)                                                                    \
	X(FPS_D, "D", 0, false)                                                                    \
	X(FPS_MISSED, "missed vsyncs", 0, false)                                                   \
	X(FPS_JANK, "jank", 0, false)                                                              \
	X(FPS_BIG_JANK, "big jank", 0, false)                                                      \
	X(FPS_LOST, "lost events", 0, false)                                                       \
	X(FPS_STALLS, "stalls", 0, false)                                                          \
	X(FPS_CADENCE, "cadence(vsyncs)", 0, false)                                                \
	X(FPS_LATE, "late frames", 0, false)                                                       \
	X(FPS_UNKNOWN, "unknown vsyncs", 0, false)

enum fps_column { FPS_COLUMNS(COLUMN_NUMBER) FPS_NUMBERS };
static const struct column fps_columns[COLUMNS_MAX] = { FPS_COLUMNS(COLUMN_INFO) };

static uint32_t count_of(int64_t number)
{
	return number < 0 ? 0 : number >= UINT32_MAX ? UINT32_MAX - 1 : (uint32_t)number;
}

static uint32_t count_if_known(int64_t number)
{
	return number < 0 ? WINDOW_UNKNOWN : count_of(number);
}

static int64_t known_or_row_unknown(uint32_t count)
{
	return count == WINDOW_UNKNOWN ? ROW_UNKNOWN : (int64_t)count;
}

/* Frames with unknown vsyncs explain why a count is empty: the row has none to add. */
static int64_t known_of(const struct window *window, uint32_t count)
{
	return window->unknown > 0 && count == WINDOW_UNKNOWN ? 0 : known_or_row_unknown(count);
}

/* Adds a row to the sums of its Surface, in the session and in the section where it ends. */
static void add_row(struct reading *reading, struct surface *surface, const struct window *row,
		    bool without_janks, bool without_late)
{
	const struct session *session = reading->session;
	uint8_t step = step_at(reading, row->end_us);
	uint32_t begin = session_section(session, row->start_us);
	uint32_t section = session_section(session, row->end_us);
	bool knows_stalls = row->stalls != WINDOW_UNKNOWN;
	/* What can be added of a row. Matrix and the like are not in it. */
	const struct frame_stats stats = {
		.frames = row->frames,
		.time_ns = row->time_us * 1000,
		.max_ns = UINT64_C(1000) * row->max_us,
		.waits = row->waits,
		.wait_ns = row->waiting_us * 1000,
		.a = row->a,
		.b = row->b,
		.c = row->c,
		.unknown = row->unknown,
		.d = known_of(row, row->d),
		.missed = known_of(row, row->missed),
		.late = row->late == WINDOW_UNKNOWN ? 0 : row->late,
		.late_ns = row->late_us * 1000,
		/* As jankd counts them, but for frames with unknown vsyncs. */
		.periods = row->missed == WINDOW_UNKNOWN
				   ? 0
				   : row->frames + row->missed / (double)(step > 0 ? step : 1),
		.stalls = known_or_row_unknown(row->stalls),
		.stall_ns = row->stall_us * 1000,
		.jank = row->jank,
		.big_jank = row->big_jank,
		.jank_ns = UINT64_C(1000) * row->jank_us,
		.matrix = { ROW_UNKNOWN, ROW_UNKNOWN, ROW_UNKNOWN, ROW_UNKNOWN, ROW_UNKNOWN },
		.slow = ROW_UNKNOWN,
		/* Only a stall is that long. */
		.frozen = row->stalls == 0 ? 0 : ROW_UNKNOWN,
		.lost = known_or_row_unknown(row->lost),
	};
	struct ended_stalls in = { .n = knows_stalls ? row->stalls : 0,
				   .ns = row->stall_us * 1000 };
	struct sums *sums[2];
	unsigned int n_sums;

	/* The longest stall of several has their mean at least. */
	if (in.n > 0)
		in.longest_ns = in.ns / in.n;
	/* What of the row is in no number. Where in the row it is, is not known: of rows at the
	 * same time, which are those of layers, the first counts. */
	if (row->end_us > row->start_us && (row->start_us >= surface->uncounted_to_us ||
					    row->end_us <= surface->uncounted_from_us)) {
		uint32_t holes = first_keyed(&reading->losses, row->end_us + 1) -
				 first_keyed(&reading->losses, row->start_us);
		/* Of each hole half a second counts, as in jankd. */
		uint64_t most_ns = (holes > 0 ? holes : 1) * uncounted_between(0, UINT64_MAX);

		if (!knows_stalls)
			in.unclear_ns = row->waiting_us * 1000;
		if (row->lost != 0)
			in.uncounted_ns = since((row->time_us + row->waiting_us) * 1000,
						(uint64_t)(row->end_us - row->start_us) * 1000);
		/* Less than half a frame is the jitter of presents. */
		if (in.uncounted_ns * 2 * row->frames >= row->time_us * 1000)
			in.between_ns = in.uncounted_ns < most_ns ? in.uncounted_ns : most_ns;
		if (in.unclear_ns + in.between_ns > 0) {
			surface->uncounted_from_us = row->start_us;
			surface->uncounted_to_us = row->end_us;
		}
	}
	n_sums = sums_of(sums, reading, surface, section);
	for (unsigned int i = 0; i < n_sums; i++) {
		struct ended_stalls *to = &sums[i]->in_rows;

		frame_stats_merge(&sums[i]->windows, &stats);
		to->n += in.n;
		to->ns += in.ns;
		to->longest_ns = later(to->longest_ns, in.longest_ns);
		to->unclear_ns += in.unclear_ns;
		to->between_ns += in.between_ns;
		to->uncounted_ns += in.uncounted_ns;
		sums[i]->without_janks |= without_janks;
		sums[i]->without_late |= without_late;
	}
	/* A mark less than a second after another may not have closed the rows: one that goes on
	 * behind it has frames before it, too, as has one whose last frame is at the time of the
	 * mark. Others begin with the last frame before a mark, but have none there. Frames were
	 * read before. */
	for (uint32_t i = begin; n_sums > 1 && i < section && i < begin + CROSSED_MAX; i++) {
		const struct section *one = &session->sections[i];
		bool may_cross = one->to_us == row->end_us ||
				 (i > 0 && one->to_us - one->from_us < MARK_CLOSES_US);
		struct section_sum *sum = may_cross ? find_sum(reading, i, row->surface) : NULL;

		if (sum)
			sum->is_crossed = true;
	}
}

static void read_window(const struct csv_row *csv)
{
	struct reading *reading = csv->reading;
	struct session *session = reading->session;
	struct surface *surface = surface_in_row(csv, FPS_SURFACE, FPS_APP);
	int64_t of[FPS_NUMBERS];
	struct window row, *kept;
	bool without_janks, without_late, is_2019;

	for (unsigned int i = 0; i < FPS_NUMBERS; i++)
		of[i] = number_in(csv, i);
	if (of[FPS_START] < 0 || of[FPS_END] < 0 || of[FPS_FRAMES] < 0 || of[FPS_TIME] < 0) {
		session->files[ROW_FPS].malformed++;
		return;
	}
	if (!surface)
		return;
	without_janks = of[FPS_JANK] < 0;
	/* Rows of rule set gfx2019 have the columns, which are empty. Those of jankd have janks;
	 * stalls are empty where lost events may have shown one. */
	is_2019 = without_janks && of[FPS_STALLS] < 0;
	without_late = !has_column(csv, FPS_LATE) || is_2019;
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
		.unknown = count_of(of[FPS_UNKNOWN]),
		.d = count_if_known(of[FPS_D]),
		.missed = count_if_known(of[FPS_MISSED]),
		.late = count_if_known(of[FPS_LATE]),
		.late_us = of[FPS_LATE_TIME] < 0 ? 0 : (uint64_t)of[FPS_LATE_TIME],
		.stalls = count_if_known(of[FPS_STALLS]),
		.max_us = count_of(of[FPS_MAX]),
		.p99_us = count_if_known(of[FPS_P99]),
		.gpu_mean_us = count_if_known(of[FPS_GPU_MEAN]),
		.gpu_max_us = count_if_known(of[FPS_GPU_MAX]),
		.lost = count_if_known(count_in(csv, FPS_LOST)),
		.refresh_hundredths = count_if_known(of[FPS_REFRESH]),
		.surface = number_of_surface(session, surface),
	};
	/* A row of before that column has no counts if it has such a frame. */
	if (of[FPS_UNKNOWN] < 0 && of[FPS_MISSED] < 0 && of[FPS_D] < 0)
		row.unknown = row.frames;
	if (of[FPS_STUTTER] > 0)
		row.jank_us = count_of((int64_t)((double)of[FPS_STUTTER] *
						 (double)(row.time_us + row.stall_us) / 1e5));
	extend(session, row.start_us);
	extend(session, row.end_us);
	if (surface->first_us < 0 || row.start_us < surface->first_us)
		surface->first_us = row.start_us;
	if (row.end_us > surface->last_us)
		surface->last_us = row.end_us;
	session->is_2019 |= is_2019;
	if (of[FPS_CADENCE] >= 0 && of[FPS_CADENCE] < CADENCES_MAX)
		surface->row_cadences[of[FPS_CADENCE]] += row.frames;
	/* A row without a long frame has no gap. */
	if (row.waits > 0 || (uint64_t)row.max_us * row.frames > 4 * row.time_us) {
		drawing_gap(&surface->rows_drawing);
	} else {
		surface->rows_drawing.open_frames += row.frames;
		surface->rows_drawing.open_time_ns += row.time_us * 1000;
	}
	add_captured(of[FPS_GPU_MEAN] < 0 ? NULL
					  : captured_of(reading, CAPTURED_GPU,
							session_section(session, row.end_us),
							surface->name, NAME_NONE),
		     of[FPS_FRAMES], of[FPS_GPU_MEAN], of[FPS_GPU_MAX], 0);
	add_row(reading, surface, &row, without_janks, without_late);
	kept = pool_add(&session->windows);
	if (kept)
		*kept = row;
}

const struct kind fps_kind = { ROW_FPS, fps_columns, read_window, NULL };
