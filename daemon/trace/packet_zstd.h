/* SPDX-License-Identifier: Apache-2.0 */
/* Packets of a perfetto trace that are compressed by zstd (perfetto of 2026): libarchive unpacks
 * them. A build without it cannot (source_archive_none.c). */
#ifndef JANKD_DAEMON_TRACE_PACKET_ZSTD_H
#define JANKD_DAEMON_TRACE_PACKET_ZSTD_H

#include <stddef.h>
#include <sys/types.h>

#include "parser/span.h"

struct packet_zstd;

/* @packed: borrowed until packet_zstd_close(). Returns 0; -ENOTSUP: this program cannot unpack it;
 * -ENOMEM. */
int packet_zstd_open(struct packet_zstd **out, struct span packed);

/* Reads up to @size unpacked bytes. Returns their number; 0 at the end; < 0 if they are corrupt. */
ssize_t packet_zstd_read(struct packet_zstd *zstd, char *buffer, size_t size);

/* Frees @zstd, which may be NULL. Returns NULL. */
struct packet_zstd *packet_zstd_close(struct packet_zstd *zstd);

#endif
