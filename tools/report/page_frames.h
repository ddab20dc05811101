/* SPDX-License-Identifier: Apache-2.0 */
/* Which single frames are on the page. All of them if they are few. Else, as far as there is space:
 *
 *     the worst minute of each app
 *     5 s around the drops and stalls with most harm
 *     sections that begin at a mark, those with fewest frames first
 *
 * or the range that --from and --to name.
 */
#ifndef JANKD_TOOLS_REPORT_PAGE_FRAMES_H
#define JANKD_TOOLS_REPORT_PAGE_FRAMES_H

#include "tools/report/session.h"

/* A frame is 1 to 3 bytes of the page. */
#define PAGE_FRAMES_MAX 1500000

/* Times in it are from_us <= time < to_us. */
struct time_range {
	int64_t from_us, to_us;
};

struct page_frames {
	struct time_range *ranges; /* in order, apart from each other */
	uint32_t n;
	uint64_t frames; /* in the ranges */
};

/* Returns 0 or -ENOMEM; page_frames_free() must be called in any case. */
int page_frames_choose(struct page_frames *chosen, const struct session *session,
		       const struct selection *selection, uint64_t max);
void page_frames_free(struct page_frames *chosen);

bool page_frames_have(const struct page_frames *chosen, int64_t time_us);

#endif
