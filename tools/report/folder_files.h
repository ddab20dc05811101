/* SPDX-License-Identifier: Apache-2.0 */
/* Which files a folder has: the sessions in it, and the segments of each.
 *
 * A folder of jankd holds the files of its current session under their plain names. What was closed
 * has a number: fps-000001.csv. A session that ended before the current one began left its
 * summary.csv and session.json with the number of its last segment, and that number separates
 * sessions:
 *
 *     fps-000001.csv  fps-000002.csv  session-000002.json | fps-000003.csv  fps.csv  session.json
 *     `------------- first session --------------------'   `------- second session ----------'
 *
 * Each file may be packed with gzip and then ends with .gz. A folder without such files may hold
 * folders of sessions.
 */
#ifndef JANKD_TOOLS_REPORT_FOLDER_FILES_H
#define JANKD_TOOLS_REPORT_FOLDER_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/csv_files.h"
#include "parser/span.h"

/* The number of a file without one: it comes last. */
#define SEGMENT_CURRENT UINT32_MAX

struct segment {
	enum csv_file_kind kind;
	uint32_t number;  /* or SEGMENT_CURRENT */
	uint32_t session; /* counted from 0 within the folder */
	char *path;
	int64_t size, changed_ns; /* as in struct os_entry */
};

struct folder_files {
	char *path;		  /* of the folder */
	struct segment *segments; /* by session, kind and number */
	uint32_t n;
	uint32_t sessions;
	char **folders; /* paths of the folders in it, sorted */
	uint32_t n_folders;
	uint32_t left_out; /* entries beyond the most that are listed */
};

/* Lists @path. Returns 0 or -errno; folder_files_free() must be called in any case. */
int folder_files_read(struct folder_files *files, const char *path);
void folder_files_free(struct folder_files *files);

/* Cuts the last folder off a path, and what separates it from others. Returns its name; "" if there
 * is none. */
struct span folder_cut_last(struct span *path);

#endif
