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

/* What can be added of a row. Matrix and the like are not in it. */
static struct frame_stats stats_of(const struct window *window, uint8_t step, int64_t lost)
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
		.unknown = window->unknown,
		.d = known_of(window, window->d),
		.missed = known_of(window, window->missed),
		.late = window->late == WINDOW_UNKNOWN ? 0 : window->late,
		.late_ns = window->late_us * 1000,
		/* As jankd counts them, but for frames with unknown vsyncs. */
		.periods =
			window->missed == WINDOW_UNKNOWN
				? 0
				: window->frames + window->missed / (double)(step > 0 ? step : 1),
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

/* What of the row is in no number. Where in the row it is, is not known: of rows at the same time,
 * which are those of layers, the first counts. Of each hole half a second counts, as in jankd. */
static struct ended_stalls uncounted_in(const struct reading *reading, struct surface *surface,
					const struct window *row)
{
	struct ended_stalls in = { .n = 0 };
	uint32_t holes = first_keyed(&reading->losses, row->end_us + 1) -
			 first_keyed(&reading->losses, row->start_us);
	uint64_t most_ns = (holes > 0 ? holes : 1) * uncounted_between(0, UINT64_MAX);

	if (row->end_us <= row->start_us ||
	    (row->start_us < surface->uncounted_to_us && row->end_us > surface->uncounted_from_us))
		return in;
	if (row->stalls == WINDOW_UNKNOWN)
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
	return in;
}

/* The longest stall of several has their mean at least. */
static void add_row(struct sums *to, const struct window *row, const struct frame_stats *stats,
		    const struct ended_stalls *uncounted)
{
	struct ended_stalls *in = &to->in_rows;

	frame_stats_merge(&to->windows, stats);
	in->unclear_ns += uncounted->unclear_ns;
	in->between_ns += uncounted->between_ns;
	in->uncounted_ns += uncounted->uncounted_ns;
	if (row->stalls != WINDOW_UNKNOWN && row->stalls > 0)
		in->longest_ns = later(in->longest_ns, row->stall_us * 1000 / row->stalls);
	in->n += row->stalls == WINDOW_UNKNOWN ? 0 : row->stalls;
	in->ns += row->stall_us * 1000;
}

/* A mark less than a second after another may not have closed the rows: one that goes on behind it
 * has frames before it, too, as has one whose last frame is at the time of the mark. Others begin
 * with the last frame before a mark, but have none there. Frames were read before. */
static void cross_sections(struct reading *reading, const struct window *row, uint32_t section)
{
	const struct section *sections = reading->session->sections;
	uint32_t begin = session_section(reading->session, row->start_us);

	for (uint32_t i = begin; i < section && i < begin + CROSSED_MAX; i++) {
		bool may_cross =
			sections[i].to_us == row->end_us ||
			(i > 0 && sections[i].to_us - sections[i].from_us < MARK_CLOSES_US);
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
	struct sums *sums[2];
	struct frame_stats stats;
	struct window row, *kept;
	struct ended_stalls uncounted;
	uint32_t section, n_sums;
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
	stats = stats_of(&row, step_at(reading, row.end_us), count_in(csv, FPS_LOST));
	uncounted = uncounted_in(reading, surface, &row);
	/* A row without a long frame has no gap. */
	if (row.waits > 0 || (uint64_t)row.max_us * row.frames > 4 * row.time_us) {
		drawing_gap(&surface->rows_drawing);
	} else {
		surface->rows_drawing.open_frames += row.frames;
		surface->rows_drawing.open_time_ns += row.time_us * 1000;
	}
	section = session_section(session, row.end_us);
	add_captured(of[FPS_GPU_MEAN] < 0 ? NULL
					  : captured_of(reading, CAPTURED_GPU, section,
							surface->name, NAME_NONE),
		     of[FPS_FRAMES], of[FPS_GPU_MEAN], of[FPS_GPU_MAX], 0);
	n_sums = sums_of(sums, reading, surface, section);
	for (uint32_t i = 0; i < n_sums; i++) {
		add_row(sums[i], &row, &stats, &uncounted);
		sums[i]->without_janks |= without_janks;
		sums[i]->without_late |= without_late;
	}
	if (n_sums > 1)
		cross_sections(reading, &row, section);
	kept = pool_add(&session->windows);
	if (kept)
		*kept = row;
}

const struct kind fps_kind = { ROW_FPS, fps_columns, read_window, NULL };
