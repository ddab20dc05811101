/* SPDX-License-Identifier: Apache-2.0 */
/* The page: one HTML file with all sessions, that needs no network.
 *
 *     head, styles | data of each session as JSON | dygraphs, script
 *
 * Sessions are added one by one while their rows are in memory. A chart has CHART_BUCKETS points at
 * most, each with the lowest and the mean rate and the longest frame time of its part of the
 * session, so a frame of 100 ms is in it at any zoom. Single frames are there for the worst minute.
 */
#ifndef JANKD_TOOLS_REPORT_PAGE_H
#define JANKD_TOOLS_REPORT_PAGE_H

#include <stdio.h>

#include "tools/report/select.h"
#include "tools/report/session.h"

#define CHART_BUCKETS 4000
#define CHARTS_MAX 40 /* Surfaces with charts: those with most frames */
#define MINUTES_MAX 3 /* apps of which the worst minute has every frame */
#define MINUTE_FRAMES_MAX 20000

struct page_options {
	bool watch; /* the page is made again while files grow, and loads itself again */
};

#define PAGE_WATCH_SECONDS 5

struct page {
	FILE *out;
	char *path,
		*part; /* it is written under another name, and replaces @path when it is whole */
	bool is_first;
};

/* Begins the file. Returns 0 or -errno; page_end() or page_abandon()
 * must be called in any case. */
int page_begin(struct page *page, const char *path, const struct page_options *options);

/* Adds a session. Returns 0 or -errno. */
int page_add(struct page *page, const struct session *session, const struct selection *selection);

/* Ends the file and gives it its name. Returns 0 or -errno. */
int page_end(struct page *page);

/* Removes what was written. A file that was there before stays. */
void page_abandon(struct page *page);

#endif
