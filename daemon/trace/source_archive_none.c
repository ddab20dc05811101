/* SPDX-License-Identifier: Apache-2.0 */
/* A build without libarchive. */
#include "daemon/trace/source_archive.h"

#include <errno.h>

int source_archive_open(struct source_archive **out, const char *name, int fd, struct span head,
			archive_has_markers *has_markers)
{
	(void)name, (void)fd, (void)head, (void)has_markers;
	*out = NULL;
	return ARCHIVE_IS_NONE;
}

int source_archive_open_packet(struct source_archive **out, struct span packed)
{
	(void)packed;
	*out = NULL;
	return -ENOTSUP;
}

ssize_t source_archive_read(struct source_archive *archive, void *buffer, size_t size,
			    const char **damage)
{
	(void)archive, (void)buffer, (void)size;
	*damage = NULL;
	return 0;
}

struct source_archive *source_archive_close(struct source_archive *archive)
{
	(void)archive;
	return NULL;
}
