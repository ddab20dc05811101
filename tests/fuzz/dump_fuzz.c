/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as the output of dumpsys SurfaceFlinger: the values are possible ones or 0, and once
 * the dump is complete no later line changes them. */
#include <stdlib.h>
#include <string.h>

#include "rules/vsync/vsync.h"
#include "rules/vsync/work_durations.h"
#include "tests/fuzz/target.h"

#define DURATION_MAX_NS UINT64_C(200000000)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct surfaceflinger_dump dump = SURFACEFLINGER_DUMP_NONE;
	struct work_durations complete = { 0 };
	struct span text = { (const char *)data, size };
	bool is_complete = false;

	while (text.len > 0) {
		const char *end = memchr(text.ptr, '\n', text.len);
		size_t len = end ? (size_t)(end - text.ptr) : text.len;
		struct work_durations now;

		surfaceflinger_dump_line(&dump, (struct span){ text.ptr, len });
		text = span_skip(text, len + 1);
		now = work_durations_of(&dump);
		if (now.app_ns > DURATION_MAX_NS || now.sf_ns > DURATION_MAX_NS ||
		    (now.period_ns > 0 &&
		     (now.period_ns < VSYNC_PERIOD_MIN_NS || now.period_ns > VSYNC_PERIOD_MAX_NS)))
			abort();
		note(&now, sizeof(now));
		if (is_complete && (now.app_ns != complete.app_ns || now.sf_ns != complete.sf_ns ||
				    now.period_ns != complete.period_ns))
			abort();
		is_complete = surfaceflinger_dump_is_complete(&dump);
		complete = now;
	}
	return 0;
}
