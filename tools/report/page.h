/* SPDX-License-Identifier: Apache-2.0 */
/* The page: one HTML file with all sessions, that needs no network.
 *
 *     head, styles | data of each session as JSON | dygraphs, script
 *
 * Sessions are added one by one while their rows are in memory. The page has the rows of fps.csv
 * and the single frames, packed, so that a chart shows them at any zoom, a frame of 100 ms too, and
 * so that the numbers of any range can be computed. Beyond PAGE_ROWS_MAX neighbouring rows are
 * joined; which frames are there says page_frames.h.
 */
#ifndef JANKD_TOOLS_REPORT_PAGE_H
#define JANKD_TOOLS_REPORT_PAGE_H

#include <stdio.h>

#include "tools/report/output.h"

#define PAGE_ROWS_MAX 700000 /* a row is 5 to 15 bytes of the page */
#define CHARTS_MAX 100	     /* Surfaces with charts: the first ones, by harm of their app */

#define PAGE_WATCH_SECONDS 5

struct page {
	FILE *out;
	char *path,
		*part; /* it is written under another name, and replaces @path when it is whole */
	bool is_first;
	FILE *element; /* what is printed of one, into memory: page.c */
	char *text;
	size_t size;
	uint64_t rows_left, frames_left; /* space for more */
};

/* Begins the file. @watch: it is made again while files grow, and loads itself again. Returns 0 or
 * -errno, as os_check_place() does; page_end() or page_abandon() must be called in any case. */
int page_begin(struct page *page, const char *path, bool watch);

/* Adds a session. Returns 0 or -errno. */
int page_add(struct page *page, const struct session *session, const struct selection *selection);

/* Of several sessions: writes the table of devices and builds, behind the last one. Returns 0 or
 * -errno. */
int page_devices(struct page *page, const struct report *report);

/* Writes a comparison, on a page without sessions. Returns 0 or -errno. */
int page_compare(struct page *page, const struct compare_report *report);

/* Ends the file and gives it its name. Returns 0 or -errno. */
int page_end(struct page *page);

/* Removes what was written. A file that was there before stays. */
void page_abandon(struct page *page);

#endif
