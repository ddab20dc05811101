/* SPDX-License-Identifier: Apache-2.0 */
/* Recorded traces that libarchive unpacks: xz, zstd, bzip2 and zip. A build without libarchive
 * cannot read them (source_archive_none.c). Every build reads gzip and zlib (source_file.c).
 *
 * One file of a zip archive is read: its only file, or the only one with markers.
 */
#ifndef JANKD_DAEMON_TRACE_SOURCE_ARCHIVE_H
#define JANKD_DAEMON_TRACE_SOURCE_ARCHIVE_H

#include <stddef.h>
#include <sys/types.h>

#include "parser/span.h"

struct source_archive;

/* Not an error: the input is not an archive, or libarchive is missing. */
#define ARCHIVE_IS_NONE 1

/* Returns 1 if the current file of @archive has markers, else 0; -ENOMEM after it was reported. It
 * may read the whole file. @name: of the archive. */
typedef int archive_has_markers(struct source_archive *archive, const char *name);

/* Begins to unpack. @name: for messages; borrowed until the archive is closed. @fd: borrowed, too.
 * @head: all bytes that were read from it so far. *out: to be closed with source_archive_close().
 * Returns 0, ARCHIVE_IS_NONE, or -errno after the reason was reported. */
int source_archive_open(struct source_archive **out, const char *name, int fd, struct span head,
			archive_has_markers *has_markers);

/* Opens a stream of zstd in memory, a packet of perfetto: borrowed. Nothing is reported. Returns 0,
 * -ENOTSUP if libarchive is missing or has no zstd, or -ENOMEM. */
int source_archive_open_packet(struct source_archive **out, struct span packed);

/* Reads up to @size unpacked bytes. Returns their number; 0 at the end; -errno after the reason was
 * reported. *damage: set at the end: why data is missing, a constant; or NULL. */
ssize_t source_archive_read(struct source_archive *archive, void *buffer, size_t size,
			    const char **damage);

/* Frees @archive, which may be NULL. Returns NULL. */
struct source_archive *source_archive_close(struct source_archive *archive);

#endif
