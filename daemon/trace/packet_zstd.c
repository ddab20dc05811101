/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/trace/packet_zstd.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/trace/archive_library.h"

struct packet_zstd {
	const struct archive_library *library;
	struct archive *reader;
	struct span packed; /* not passed to the library yet */
	struct span block;  /* unpacked, but not read yet */
	bool is_begun, is_over;
};

/* The packet is passed on as a whole. */
static la_ssize_t on_read(struct archive *reader, void *context, const void **bytes)
{
	struct packet_zstd *zstd = context;
	la_ssize_t n = (la_ssize_t)zstd->packed.len;

	(void)reader;
	*bytes = zstd->packed.ptr;
	zstd->packed = SPAN_NULL;
	return n;
}

int packet_zstd_open(struct packet_zstd **out, struct span packed)
{
	const struct archive_library *library = archive_library();
	struct packet_zstd *zstd = library ? calloc(1, sizeof(*zstd)) : NULL;

	*out = NULL;
	if (!zstd)
		return library ? -ENOMEM : -ENOTSUP;
	*zstd = (struct packet_zstd){ .library = library, .packed = packed };
	zstd->reader = library->archive_read_new();
	/* Without zstd in it, libarchive would start a program for each packet. */
	if (zstd->reader && library->archive_read_support_filter_zstd(zstd->reader) == ARCHIVE_OK) {
		*out = zstd;
		return 0;
	}
	packet_zstd_close(zstd);
	return -ENOTSUP;
}

static bool begin(struct packet_zstd *zstd)
{
	const struct archive_library *library = zstd->library;
	struct archive_entry *entry;

	zstd->is_begun = true;
	library->archive_read_set_read_callback(zstd->reader, on_read);
	library->archive_read_set_callback_data(zstd->reader, zstd);
	library->archive_read_support_format_raw(zstd->reader);
	return library->archive_read_open1(zstd->reader) == ARCHIVE_OK &&
	       library->archive_read_next_header(zstd->reader, &entry) == ARCHIVE_OK;
}

ssize_t packet_zstd_read(struct packet_zstd *zstd, char *buffer, size_t size)
{
	const void *bytes;
	size_t n;
	la_int64_t at;

	if (!zstd->is_begun && !begin(zstd))
		return -EINVAL;
	while (zstd->block.len == 0 && !zstd->is_over) {
		int result = zstd->library->archive_read_data_block(zstd->reader, &bytes, &n, &at);

		if (result != ARCHIVE_OK && result != ARCHIVE_EOF)
			return -EINVAL;
		zstd->is_over = result == ARCHIVE_EOF;
		if (!zstd->is_over)
			zstd->block = (struct span){ bytes, n };
	}
	n = zstd->block.len < size ? zstd->block.len : size;
	if (n > 0)
		memcpy(buffer, zstd->block.ptr, n);
	zstd->block = span_skip(zstd->block, n);
	return (ssize_t)n;
}

struct packet_zstd *packet_zstd_close(struct packet_zstd *zstd)
{
	if (zstd && zstd->reader)
		zstd->library->archive_read_free(zstd->reader);
	free(zstd);
	return NULL;
}
