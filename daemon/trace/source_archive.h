/* SPDX-License-Identifier: Apache-2.0 */
/* Recorded traces that libarchive unpacks: xz, zstd, bzip2 and zip. A build without it unpacks none
 * of these (source_archive_none.c); source_file.c unpacks gzip and zlib, in every build.
 *
 * Of a zip archive one file is read: its only one, or the only one that holds markers.
 */
#ifndef JANKD_DAEMON_TRACE_SOURCE_ARCHIVE_H
#define JANKD_DAEMON_TRACE_SOURCE_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "parser/span.h"

struct source_archive;

/* What is to be unpacked. */
struct archive_input {
	const char *command, *name; /* for messages; borrowed as long as the archive */
	int fd;			    /* borrowed likewise */
	struct span head;	    /* what was read from it so far, from its begin on */
	/* Does the current file of @archive hold markers? It may be read to its end. */
	bool (*holds_markers)(void *context, struct source_archive *archive);
	void *context;
};

/* No error: it cannot be unpacked here. */
#define ARCHIVE_IS_NONE 1

/* Returns 0; ARCHIVE_IS_NONE; -errno after the reason was reported. *out: to be closed with
 * source_archive_close(). */
int source_archive_open(struct source_archive **out, const struct archive_input *input);

/* Reads up to @size unpacked bytes. Returns their number; 0 at the end; -errno after the reason was
 * reported. */
ssize_t source_archive_read(struct source_archive *archive, void *buffer, size_t size);

/* After the end: why data are missing, constant; NULL: none are. */
const char *source_archive_damage(const struct source_archive *archive);

/* Frees @archive, which may be NULL. Returns NULL. */
struct source_archive *source_archive_close(struct source_archive *archive);

#endif
