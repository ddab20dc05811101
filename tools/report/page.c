/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/report/page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "daemon/show/grade_text.h"
#include "tools/report/os.h"
#include "tools/report/page_frames.h"
#include "tools/report/page_parts.h"
#include "tools/report/sentences.h"

/* In the order in which they use each other. */
static const struct span *const scripts[] = {
	&page_words_js,	  &page_base_js,    &page_charts_js,  &page_verdict_js,
	&page_session_js, &page_devices_js, &page_compare_js, &page_page_js,
};

static void put(struct page *page, struct span text)
{
	fwrite(text.ptr, 1, text.len, page->out);
}

int page_begin(struct page *page, const char *path, bool watch)
{
	int error;

	*page = (struct page){
		.is_first = true,
		.path = strdup(path),
		.frames_left = PAGE_FRAMES_MAX,
		.rows_left = PAGE_ROWS_MAX,
	};
	if (!page->path || asprintf(&page->part, "%s.part", path) < 0) {
		page->part = NULL;
		return -ENOMEM;
	}
	error = os_check_place(path);
	if (error < 0)
		return error;
	page->out = os_create(page->part);
	if (!page->out)
		return -errno;
	put(page, page_head_html);
	if (watch)
		fprintf(page->out, "<meta name=\"jank-report-watch\" content=\"%d\">\n",
			PAGE_WATCH_SECONDS);
	fputs("<style>\n", page->out);
	put(page, page_dygraph_min_css);
	put(page, page_page_css);
	put(page, page_body_html);
	fputs("{\"cause names\":{", page->out);
	for (unsigned int i = CAUSE_NONE + 1; i < CAUSES; i++)
		fprintf(page->out, "%s\"%s\":[\"%s\",\"%s\"]", i > CAUSE_NONE + 1 ? "," : "",
			cause_names[i], grade_cause_name((enum cause)i, ENGLISH),
			grade_cause_name((enum cause)i, CHINESE));
	fputs("},\"grade names\":{", page->out);
	for (enum grade i = GRADE_NONE + 1; i < GRADES; i++)
		fprintf(page->out, "%s\"%s\":\"%s\"", i > GRADE_NONE + 1 ? "," : "",
			grade_name(i, ENGLISH), grade_name(i, CHINESE));
	fputs("},", page->out);
	return 0;
}

/* A session, the devices or a comparison is printed into memory: end_element() has all of it. */
static FILE *begin_element(struct page *page)
{
	page->text = NULL;
	page->size = 0;
	page->element = os_memory_open(&page->text, &page->size);
	return page->element;
}

/* @before: what is between it and what was printed before. */
static int end_element(struct page *page, const char *before, int error)
{
	if (os_memory_close(page->element, &page->text, &page->size) != 0)
		error = -ENOMEM;
	if (error == 0) {
		fputs(before, page->out);
		/* JSON in HTML: no '<' may begin a tag. */
		for (const char *at = page->text, *end = at + page->size, *found; at < end;) {
			found = memchr(at, '<', (size_t)(end - at));
			put(page, (struct span){ at, (size_t)((found ? found : end) - at) });
			fputs(found ? "\\u003c" : "", page->out);
			at = found ? found + 1 : end;
		}
		page->is_first = false;
	}
	free(page->text);
	return error;
}

/* --- numbers in a text, small ---
 *
 *     numbers --> 7 bits a byte, the lowest first --> zlib --> base64
 *
 * Browsers unpack it with their DecompressionStream, so the page needs no code for that.
 */

#define NUMBER_BYTES 8
#define NUMBER_MAX ((UINT64_C(1) << 53) - 1)

struct pack {
	unsigned char *bytes;
	size_t n, max;
	bool failed; /* out of memory */
};

/* The number 2^53 and more are written as 2^53 - 1: a script could not read them exactly. */
static void pack_add(struct pack *pack, uint64_t number)
{
	if (pack->n + NUMBER_BYTES > pack->max) {
		size_t max = pack->max ? 2 * pack->max : 4096;
		unsigned char *bytes = realloc(pack->bytes, max);

		if (!bytes) {
			pack->failed = true;
			return;
		}
		pack->bytes = bytes;
		pack->max = max;
	}
	if (number > NUMBER_MAX)
		number = NUMBER_MAX;
	for (; number > 127; number >>= 7)
		pack->bytes[pack->n++] = (unsigned char)(number & 127) | 128;
	pack->bytes[pack->n++] = (unsigned char)number;
}

/* 0, -1, 1, -2 ... as 0, 1, 2, 3 ... */
static void pack_add_signed(struct pack *pack, int64_t number)
{
	pack_add(pack, number < 0 ? 2 * (uint64_t) - (number + 1) + 1 : 2 * (uint64_t)number);
}

/* Prints all of it and frees it. Returns 0 or -ENOMEM. */
static int pack_print(struct pack *pack, FILE *out)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	uLongf n = compressBound(pack->n);
	unsigned char *packed = pack->failed ? NULL : malloc(n);
	int error = packed && compress2(packed, &n, pack->bytes, pack->n, 6) == Z_OK ? 0 : -ENOMEM;

	for (size_t i = 0; error == 0 && i < n; i += 3) {
		uint32_t three = (uint32_t)packed[i] << 16 |
				 (i + 1 < n ? (uint32_t)packed[i + 1] << 8 : 0) |
				 (i + 2 < n ? packed[i + 2] : 0);
		char text[4] = { digits[three >> 18], digits[three >> 12 & 63],
				 i + 1 < n ? digits[three >> 6 & 63] : '=',
				 i + 2 < n ? digits[three & 63] : '=' };

		fwrite(text, 1, sizeof(text), out);
	}
	free(packed);
	free(pack->bytes);
	*pack = (struct pack){ 0 };
	return error;
}

/* --- rows and frames ---
 *
 * Columns, one after the other, so that they are packed well. page/charts.js reads them. */

/* What is unknown of one of two rows is left out: 'unknown vsyncs' counts it. */
static uint32_t add_if_known(uint32_t a, uint32_t b)
{
	return a == WINDOW_UNKNOWN ? b : b == WINDOW_UNKNOWN ? a : a + b;
}

/* The sum of unknown numbers is unknown. */
static uint32_t add_known(uint32_t a, uint32_t b)
{
	return a == WINDOW_UNKNOWN || b == WINDOW_UNKNOWN ? WINDOW_UNKNOWN : a + b;
}

static uint32_t most_known(uint32_t a, uint32_t b)
{
	return a == WINDOW_UNKNOWN ? b : b == WINDOW_UNKNOWN || a > b ? a : b;
}

/* Adds the rows of a Surface, @joined to one; *n: their number. They are freed by the caller. */
static int add_rows(struct window **rows, uint32_t *n, const struct session *session,
		    uint32_t surface, uint32_t joined)
{
	uint32_t in_row = 0;

	for (uint64_t i = 0; i < session->windows.n; i++) {
		const struct window *next = pool_at(&session->windows, i);
		struct window *row = *n > 0 ? &(*rows)[*n - 1] : NULL;

		if (next->surface != surface)
			continue;
		if (!row || in_row >= joined || next->start_us < row->end_us ||
		    session_section(session, next->end_us) !=
			    session_section(session, row->end_us)) {
			row = array_add(rows, n, sizeof(**rows));
			if (!row)
				return -ENOMEM;
			*row = *next;
			in_row = 1;
			continue;
		}
		/* What cannot be added is that of the worst one. */
		if (row->gpu_mean_us != WINDOW_UNKNOWN && next->gpu_mean_us != WINDOW_UNKNOWN &&
		    row->frames + next->frames > 0)
			row->gpu_mean_us = (uint32_t)(((uint64_t)row->gpu_mean_us * row->frames +
						       (uint64_t)next->gpu_mean_us * next->frames) /
						      ((uint64_t)row->frames + next->frames));
		row->end_us = next->end_us;
		row->time_us += next->time_us;
		row->waiting_us += next->waiting_us;
		row->stall_us += next->stall_us;
		row->frames += next->frames;
		row->waits += next->waits;
		row->a += next->a;
		row->b += next->b;
		row->c += next->c;
		row->jank += next->jank;
		row->big_jank += next->big_jank;
		row->jank_us += next->jank_us;
		row->unknown += next->unknown;
		row->d = add_if_known(row->d, next->d);
		row->missed = add_if_known(row->missed, next->missed);
		row->late = add_if_known(row->late, next->late);
		row->late_us += next->late_us;
		row->stalls = add_known(row->stalls, next->stalls);
		row->lost = add_known(row->lost, next->lost);
		row->max_us = most_known(row->max_us, next->max_us);
		row->p99_us = WINDOW_UNKNOWN;
		row->gpu_max_us = most_known(row->gpu_max_us, next->gpu_max_us);
		row->refresh_hundredths = next->refresh_hundredths;
		in_row++;
	}
	return 0;
}

/* 0 is unknown. */
static uint64_t or_unknown(uint32_t number)
{
	return number == WINDOW_UNKNOWN ? 0 : (uint64_t)number + 1;
}

/* A value of each of the @n rows or frames. */
#define COLUMN(value)                                                                              \
	for (uint32_t i = 0; i < n; i++)                                                           \
	pack_add(&pack, (value))

static uint64_t lost_by(const struct kept_frame *frame)
{
	return frame->flags & FRAME_STALL ? kept_interval_ns(frame) : kept_late_ns(frame);
}

/* Late frames and freezes of one section and cause. */
struct moments {
	uint32_t times;
	uint64_t lost_ns, shortest_ns, longest_ns, worst_ns;
	int64_t worst_us; /* when the worst one began */
};

static int print_rows(FILE *out, const struct session *session, uint32_t surface, uint32_t joined,
		      const struct kept_frame **frames, uint32_t n_frames)
{
	struct pack pack = { 0 };
	uint32_t n = 0, at = 0;
	struct window *rows = NULL;
	int error = add_rows(&rows, &n, session, surface, joined);
	uint8_t *causes = error == 0 ? calloc(n + 1, 1) : NULL;

	if (!causes) {
		free(rows);
		return -ENOMEM;
	}
	/* What lost most time in each row, as far as frames.csv says it. On another clock the time
	 * goes back: then the causes of some rows are unknown. */
	for (uint32_t i = 0; i < n; i++) {
		uint64_t lost_ns[CAUSES] = { 0 };

		for (; at < n_frames && frames[at]->present_us <= rows[i].end_us; at++)
			if (frames[at]->present_us > rows[i].start_us)
				lost_ns[frames[at]->cause] += lost_by(frames[at]);
		for (unsigned int cause = CAUSE_NONE + 1; cause < CAUSES; cause++)
			if (lost_ns[cause] > lost_ns[causes[i]])
				causes[i] = (uint8_t)cause;
	}
	fprintf(out, "\"rows\":{\"n\":%u,\"joined\":%u,\"data\":\"", n, joined);
	for (uint32_t i = 0; i < n; i++)
		pack_add_signed(&pack, rows[i].start_us - (i > 0 ? rows[i - 1].end_us : 0));
	for (uint32_t i = 0; i < n; i++)
		pack_add_signed(&pack, rows[i].end_us - rows[i].start_us);
	COLUMN(rows[i].frames);
	COLUMN(rows[i].time_us);
	COLUMN(rows[i].max_us);
	COLUMN(rows[i].waits);
	COLUMN(rows[i].waiting_us);
	COLUMN(rows[i].a);
	COLUMN(rows[i].b);
	COLUMN(rows[i].c);
	COLUMN(or_unknown(rows[i].d));
	COLUMN(or_unknown(rows[i].missed));
	COLUMN(rows[i].jank);
	COLUMN(rows[i].big_jank);
	COLUMN(rows[i].jank_us);
	COLUMN(or_unknown(rows[i].stalls));
	COLUMN(rows[i].stall_us);
	COLUMN(or_unknown(rows[i].p99_us));
	COLUMN(or_unknown(rows[i].gpu_mean_us));
	COLUMN(or_unknown(rows[i].gpu_max_us));
	COLUMN(or_unknown(rows[i].lost));
	COLUMN(or_unknown(rows[i].refresh_hundredths));
	COLUMN(rows[i].unknown);
	COLUMN(or_unknown(rows[i].late));
	COLUMN(rows[i].late_us);
	COLUMN(causes[i]);
	free(rows);
	free(causes);
	if (pack_print(&pack, out) < 0)
		return -ENOMEM;
	fputs("\"}", out);
	return 0;
}

/* A chart: rows, moments, and the frames that are on the page. Moments are groups of late frames
 * and freezes that are alike: [section where they ended, is it a freeze, cause, times, lost,
 * shortest and longest interval, begin of the worst]; those that began in an earlier section are a
 * group, too. */
static int print_chart(FILE *out, const struct session *session, const struct page_frames *chosen,
		       uint32_t number, uint32_t joined)
{
	const struct surface *surface = &session->surfaces[number];
	uint32_t n_groups = (session->n_sections + 1) * 4 * CAUSES, n_frames = 0, n = 0;
	const struct kept_frame **frames = calloc(surface->frame_rows + 1, sizeof(const void *));
	struct moments *groups = calloc(n_groups, sizeof(*groups));
	struct pack pack = { 0 };
	int64_t expected_us = 0;
	bool is_first = true;
	int error;

	if (!frames || !groups) {
		free(frames);
		free(groups);
		return -ENOMEM;
	}
	for (uint64_t i = 0; i < session->frames.n; i++) {
		const struct kept_frame *frame = pool_at(&session->frames, i);
		uint64_t ns = kept_interval_ns(frame), lost_ns = lost_by(frame);
		struct moments *group;
		uint32_t section, kind;
		int64_t begin_us;

		if (frame->surface != number)
			continue;
		frames[n_frames++] = frame;
		if (lost_ns == 0)
			continue;
		section = session_section(session, frame->present_us);
		begin_us = session_begin_of(session, frame->present_us, ns / 1000);
		kind = 4 * section + !!(frame->flags & FRAME_STALL);
		if (session_section(session, begin_us) != section)
			kind += 2;
		group = &groups[kind * CAUSES + frame->cause];
		if (group->times++ == 0 || ns < group->shortest_ns)
			group->shortest_ns = ns;
		group->longest_ns = later(group->longest_ns, ns);
		if (lost_ns > group->worst_ns) {
			group->worst_ns = lost_ns;
			group->worst_us = begin_us;
		}
		group->lost_ns += lost_ns;
	}

	fputs("\n{\"Surface\":", out);
	output_json_text(out, name_of(session, surface->name));
	fprintf(out, ",\"without janks\":%s,\"vsyncs\":[",
		surface->sums.without_janks ? "true" : "false");
	for (unsigned int i = 0, n_vsyncs = 0; i < CADENCES_MAX; i++)
		if (surface->sums.cadences[i] > 0)
			fprintf(out, "%s[%u,%u]", n_vsyncs++ > 0 ? "," : "", i,
				(unsigned int)surface->sums.cadences[i]);
	fputs("],", out);
	if (surface->facts.gaps > 0 && surface->frame_rows > 0)
		fprintf(out, "\"first gap(s)\":%.6f,", (double)surface->first_gap_us / 1e6);
	error = print_rows(out, session, number, joined, frames, n_frames);
	fputs(",\"moments\":[", out);
	for (uint32_t i = 0; i < n_groups; i++) {
		const struct moments *group = &groups[i];

		if (group->times == 0)
			continue;
		fprintf(out, "%s[%u,%u,%u,%u,%.6f,%.6f,%.6f,%.6f]", is_first ? "" : ",",
			i / CAUSES / 4, i / CAUSES % 2, i % CAUSES, group->times,
			(double)(group->lost_ns / 1000) / 1e6,
			(double)(group->shortest_ns / 1000) / 1e6,
			(double)(group->longest_ns / 1000) / 1e6, (double)group->worst_us / 1e6);
		is_first = false;
	}

	for (uint32_t i = 0; i < n_frames; i++)
		if (page_frames_have(chosen, frames[i]->present_us))
			frames[n++] = frames[i];
	fprintf(out, "],\"frames\":{\"n\":%u,\"of\":%llu,\"data\":\"", n,
		(unsigned long long)surface->frame_rows);
	COLUMN(kept_interval_ns(frames[i]));
	for (uint32_t i = 0; i < n; i++) {
		expected_us += (int64_t)(kept_interval_ns(frames[i]) / 1000);
		pack_add_signed(&pack, frames[i]->present_us - expected_us);
		expected_us = frames[i]->present_us;
	}
	COLUMN(frames[i]->vsyncs == FRAME_VSYNCS_UNKNOWN ? 0 : (uint64_t)frames[i]->vsyncs + 1);
	COLUMN(frames[i]->flags);
	COLUMN(frames[i]->cause);
	COLUMN(kept_late_ns(frames[i]));
	COLUMN(frames[i]->step);
	free(frames);
	free(groups);
	if (pack_print(&pack, out) < 0)
		error = -ENOMEM;
	fputs("\"}}", out);
	return error;
}

int page_add(struct page *page, const struct session *session, const struct selection *selection)
{
	FILE *out = begin_element(page);
	struct page_frames chosen = { 0 };
	struct timeline_app timeline[TIMELINE_APPS_MAX];
	unsigned int n = 0, n_timeline;
	uint64_t rows = session->windows.n;
	/* Of many sessions each has at least a hundredth of the space. */
	uint64_t space =
		page->rows_left > PAGE_ROWS_MAX / 100 ? page->rows_left : PAGE_ROWS_MAX / 100;
	uint32_t joined = rows > 0 ? (uint32_t)((rows + space - 1) / space) : 1;
	int error;

	if (!out)
		return -errno;
	error = output_json_session(out, session, selection);
	if (error == 0)
		error = page_frames_choose(&chosen, session, selection, page->frames_left);
	n_timeline = timeline_apps(timeline, session);
	fputs(",\n\"timeline apps\":[", out);
	for (unsigned int i = 0; i < n_timeline; i++) {
		fputs(i > 0 ? ",[" : "[", out);
		output_json_text(out, timeline[i].name);
		fprintf(out, ",%llu,%llu]", (unsigned long long)timeline[i].frames,
			(unsigned long long)timeline[i].missed);
	}
	fputs("],\n\"causes\":[\"\"", out);
	for (unsigned int i = CAUSE_NONE + 1; i < CAUSES; i++)
		fprintf(out, ",\"%s\"", cause_names[i]);
	/* Of all, also where some are selected: moments have their numbers. */
	fputs("],\n\"section names\":[", out);
	for (uint32_t i = 0; i < session->n_sections; i++) {
		fputs(i > 0 ? ",[" : "[", out);
		output_json_text(out, name_of(session, session->sections[i].name));
		fprintf(out, ",%.6f]", (double)session->sections[i].from_us / 1e6);
	}
	fputs("],\n\"frames in\":[", out);
	for (uint32_t i = 0; i < chosen.n; i++)
		fprintf(out, "%s[%.6f,%.6f]", i > 0 ? "," : "",
			(double)chosen.ranges[i].from_us / 1e6,
			(double)chosen.ranges[i].to_us / 1e6);
	fputs("],\n\"charts\":[", out);
	for (uint32_t i = 0; i < session->n_surfaces && n < CHARTS_MAX && error == 0; i++)
		if (session->surfaces[i].is_shown) {
			fputs(n++ > 0 ? "," : "", out);
			error = print_chart(out, session, &chosen, i, joined);
		}
	fputs("]}", out);
	page->frames_left -= chosen.frames < page->frames_left ? chosen.frames : page->frames_left;
	page->rows_left -= rows < page->rows_left ? rows : page->rows_left;
	page_frames_free(&chosen);
	return end_element(page, page->is_first ? "\"sessions\":[" : ",", error);
}

int page_devices(struct page *page, const struct report *report)
{
	FILE *out = begin_element(page);

	if (!out)
		return -errno;
	return end_element(page, "]", output_json_devices(out, report));
}

int page_compare(struct page *page, const struct compare_report *report)
{
	FILE *out = begin_element(page);

	if (!out)
		return -errno;
	return end_element(page, page->is_first ? "\"comparisons\":[" : ",",
			   output_compare_json(out, report));
}

void page_abandon(struct page *page)
{
	if (page->out) {
		fclose(page->out);
		os_remove(page->part);
	}
	free(page->path);
	free(page->part);
	*page = (struct page){ 0 };
}

int page_end(struct page *page)
{
	int error = page->out ? 0 : -EINVAL;

	if (page->out) {
		fputs(page->is_first ? "}\n</script>\n<script>" : "]}\n</script>\n<script>",
		      page->out);
		put(page, page_dygraph_min_js);
		fputs("</script>\n<script>\n", page->out);
		for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++)
			put(page, *scripts[i]);
		put(page, page_tail_html);
		/* A write that failed is tried again, so its reason is known. */
		if (fflush(page->out) != 0)
			error = -errno;
		else if (ferror(page->out))
			error = -EIO;
		if (fclose(page->out) != 0 && error == 0)
			error = -errno;
		page->out = NULL;
		if (error == 0)
			error = os_replace(page->part, page->path);
		if (error < 0)
			os_remove(page->part);
	}
	page_abandon(page);
	return error;
}
