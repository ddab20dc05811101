/* SPDX-License-Identifier: Apache-2.0 */
/* What libarchive unpacks of recorded traces: xz, zstd, bzip2 and zip. A build without it unpacks
 * nothing here (source_archive_none.c); gzip and zlib are unpacked elsewhere, in every build.
 *
 * A zip archive holds files. One with a single file is that file; of several it is the one that
 * holds markers.
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
	struct span head;	    /* what was read from it, all from its begin on */
	/* Does the file that @archive is at hold markers? It may be read to its end. */
	bool (*holds_markers)(void *context, struct source_archive *archive);
	void *context;
};

/* No error: it is nothing that can be unpacked here. */
#define ARCHIVE_IS_NONE 1

/* Returns 0; ARCHIVE_IS_NONE; -errno after the reason was said. *out: the caller gives it back with
 * source_archive_close(). */
int source_archive_open(struct source_archive **out, const struct archive_input *input);

/* Takes up to @size unpacked bytes. Returns their number; 0 at the end; -errno after the reason was
 * said. */
ssize_t source_archive_read(struct source_archive *archive, void *buffer, size_t size);

/* At the end: why it is not the end of what was packed, constant; NULL: it is. */
const char *source_archive_damage(const struct source_archive *archive);

/* Frees @archive, which may be NULL. Returns NULL. */
struct source_archive *source_archive_close(struct source_archive *archive);

#endif
