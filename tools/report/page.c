/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/report/page.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/report/os.h"
#include "tools/report/output.h"
#include "tools/report/page_parts.h"

#define MINUTE_US INT64_C(60000000)

static void put(struct page *page, struct span text)
{
	fwrite(text.ptr, 1, text.len, page->out);
}

int page_begin(struct page *page, const char *path, const struct page_options *options)
{
	*page = (struct page){ .is_first = true, .path = strdup(path) };
	if (!page->path || asprintf(&page->part, "%s.part", path) < 0) {
		page->part = NULL;
		return -ENOMEM;
	}
	page->out = os_create(page->part);
	if (!page->out)
		return -errno;
	put(page, page_head_html);
	if (options->watch)
		fprintf(page->out, "<meta name=\"jank-report-watch\" content=\"%d\">\n",
			PAGE_WATCH_SECONDS);
	fputs("<style>\n", page->out);
	put(page, page_dygraph_min_css);
	put(page, page_page_css);
	put(page, page_body_html);
	fputs("{\"sessions\":[", page->out);
	return 0;
}

/* JSON in HTML: no '<' may begin a tag. */
static void put_json(struct page *page, const char *text, size_t size)
{
	for (size_t at = 0; at < size;) {
		const char *found = memchr(text + at, '<', size - at);
		size_t length = found ? (size_t)(found - text) - at : size - at;

		fwrite(text + at, 1, length, page->out);
		at += length;
		if (found) {
			fputs("\\u003c", page->out);
			at++;
		}
	}
}

/* --- charts --- */

struct bucket {
	uint64_t frames, time_us;
	double least_fps;
	uint32_t max_us;
	int64_t end_us;
};

static void print_bucket(FILE *out, const struct bucket *bucket, bool is_first)
{
	fprintf(out, "%s[%.3f,%.4g,%.4g,%.4g]", is_first ? "" : ",", (double)bucket->end_us / 1e6,
		bucket->least_fps, (double)bucket->frames * 1e6 / (double)bucket->time_us,
		bucket->max_us / 1e3);
}

/* The rows of all Surfaces are in order of time: one pass for each. */
static void print_rows(FILE *out, const struct session *session, uint32_t surface)
{
	int64_t span_us = (session->last_us - session->first_us) / CHART_BUCKETS + 1, last_us = -1;
	struct bucket bucket = { 0 };
	bool is_first = true;

	for (uint64_t i = 0; i <= session->windows.n; i++) {
		const struct window *row =
			i < session->windows.n ? pool_at(&session->windows, i) : NULL;
		double fps;

		if (row && (row->surface != surface || row->time_us == 0))
			continue;
		if (bucket.time_us > 0 &&
		    (!row || (row->end_us - session->first_us) / span_us !=
				     (bucket.end_us - session->first_us) / span_us)) {
			/* A gap, not a line across it. */
			if (last_us >= 0 && bucket.end_us - last_us > span_us + 10000000) {
				fprintf(out, ",[%.3f,null,null,null]",
					(double)last_us / 1e6 + 0.001);
			}
			print_bucket(out, &bucket, is_first);
			is_first = false;
			last_us = bucket.end_us;
			bucket = (struct bucket){ 0 };
		}
		if (!row)
			break;
		fps = (double)row->frames * 1e6 / (double)row->time_us;
		if (bucket.time_us == 0 || fps < bucket.least_fps)
			bucket.least_fps = fps;
		if (row->max_us > bucket.max_us)
			bucket.max_us = row->max_us;
		bucket.frames += row->frames;
		bucket.time_us += row->time_us;
		bucket.end_us = row->end_us;
	}
}

static void print_vsyncs(FILE *out, const struct surface *surface)
{
	bool is_first = true;

	for (unsigned int i = 0; i < CADENCES_MAX; i++) {
		if (surface->cadences[i] == 0)
			continue;
		fprintf(out, "%s[%u,%u]", is_first ? "" : ",", i,
			(unsigned int)surface->cadences[i]);
		is_first = false;
	}
}

static bool is_shown(const struct session *session, const struct selection *selection,
		     const struct surface *surface)
{
	return surface->source != FROM_NOTHING &&
	       select_surface(selection, name_of(session, surface->name),
			      name_of(session, surface->app));
}

static void print_charts(FILE *out, const struct session *session,
			 const struct selection *selection)
{
	unsigned int n = 0;

	fputs(",\n\"charts\":[", out);
	for (uint32_t i = 0; i < session->n_surfaces && n < CHARTS_MAX; i++) {
		const struct surface *surface = &session->surfaces[i];

		if (!is_shown(session, selection, surface))
			continue;
		fprintf(out, "%s\n{\"Surface\":", n++ > 0 ? "," : "");
		output_json_text(out, name_of(session, surface->name));
		fputs(",\"vsyncs\":[", out);
		print_vsyncs(out, surface);
		fputs("],\"rows\":[", out);
		print_rows(out, session, i);
		fputs("]}", out);
	}
	fputs("]", out);
}

/* --- late frames, single frames --- */

static void print_late(FILE *out, const struct session *session, const struct selection *selection)
{
	unsigned int n = 0;

	fputs(",\n\"late\":[", out);
	for (uint32_t i = 0; i < session->n_late; i++) {
		const struct late_row *row = &session->late[i];
		const struct surface *surface = &session->surfaces[row->surface];

		if (!is_shown(session, selection, surface))
			continue;
		fprintf(out, "%s[%.6f,%.3f,%.3f,\"%s\",%s,", n++ > 0 ? "," : "",
			(double)row->time_us / 1e6, (double)row->harm_us / 1e3,
			(double)row->interval_us / 1e3, cause_names[row->cause],
			row->is_stall ? "true" : "false");
		output_json_text(out, name_of(session, surface->name));
		fputc(']', out);
	}
	fputs("]", out);
}

static void print_minute(FILE *out, const struct session *session, uint32_t number)
{
	const struct surface *surface = &session->surfaces[number];
	int64_t from_us = (int64_t)(surface->harm.minute_from_ns / 1000);
	unsigned int n = 0;

	fputs("{\"Surface\":", out);
	output_json_text(out, name_of(session, surface->name));
	fputs(",\"frames\":[", out);
	for (uint64_t i = 0; i < session->frames.n && n < MINUTE_FRAMES_MAX; i++) {
		const struct kept_frame *frame = pool_at(&session->frames, i);

		if (frame->surface != number || frame->flags & FRAME_FIRST ||
		    frame->present_us < from_us || frame->present_us >= from_us + MINUTE_US)
			continue;
		fprintf(out, "%s[%.6f,%.3f]", n++ > 0 ? "," : "", (double)frame->present_us / 1e6,
			(double)frame->interval_ns / 1e6);
	}
	fputs("]}", out);
}

static void print_minutes(FILE *out, const struct session *session,
			  const struct selection *selection)
{
	unsigned int n = 0;

	fputs(",\n\"minutes\":[", out);
	for (uint32_t i = 0; i < session->n_surfaces && n < MINUTES_MAX; i++) {
		const struct surface *surface = &session->surfaces[i];

		if (!surface->is_judged || surface->harm.minute_ns == 0 ||
		    session->harm_source != FROM_FRAMES || !is_shown(session, selection, surface))
			continue;
		fputs(n++ > 0 ? "," : "", out);
		print_minute(out, session, i);
	}
	fputs("]", out);
}

int page_add(struct page *page, const struct session *session, const struct selection *selection)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = os_memory_open(&text, &size);
	int error;

	if (!out)
		return -errno;
	error = output_json_session(out, session, selection);
	print_charts(out, session, selection);
	print_late(out, session, selection);
	print_minutes(out, session, selection);
	fputc('}', out);
	if (os_memory_close(out, &text, &size) != 0)
		error = -ENOMEM;
	if (error == 0) {
		fputs(page->is_first ? "" : ",", page->out);
		put_json(page, text, size);
		page->is_first = false;
	}
	free(text);
	return error;
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
		fputs("]}\n</script>\n<script>", page->out);
		put(page, page_dygraph_min_js);
		fputs("\n", page->out);
		put(page, page_page_js);
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
