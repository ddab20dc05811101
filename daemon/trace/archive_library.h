/* SPDX-License-Identifier: Apache-2.0 */
/* libarchive, loaded when it is first needed. It is not linked, because it and its fifteen
 * libraries would cost every command 3 MB and 3 ms, even a capture that runs for days. */
#ifndef JANKD_DAEMON_TRACE_ARCHIVE_LIBRARY_H
#define JANKD_DAEMON_TRACE_ARCHIVE_LIBRARY_H

#include <archive.h>
#include <archive_entry.h>

/* The functions of libarchive that are used. */
#define ARCHIVE_FUNCTIONS(X)                                                                       \
	X(archive_entry_filetype)                                                                  \
	X(archive_entry_pathname)                                                                  \
	X(archive_entry_pathname_utf8)                                                             \
	X(archive_errno)                                                                           \
	X(archive_error_string)                                                                    \
	X(archive_read_data_block)                                                                 \
	X(archive_read_free)                                                                       \
	X(archive_read_new)                                                                        \
	X(archive_read_next_header)                                                                \
	X(archive_read_open1)                                                                      \
	X(archive_read_set_callback_data)                                                          \
	X(archive_read_set_read_callback)                                                          \
	X(archive_read_set_seek_callback)                                                          \
	X(archive_read_support_filter_bzip2)                                                       \
	X(archive_read_support_filter_xz)                                                          \
	X(archive_read_support_filter_zstd)                                                        \
	X(archive_read_support_format_empty)                                                       \
	X(archive_read_support_format_raw)                                                         \
	X(archive_read_support_format_zip)                                                         \
	X(archive_set_error)

struct archive_library {
#define X(name) __typeof__(name) *name;
	ARCHIVE_FUNCTIONS(X)
#undef X
};

/* Returns NULL if it is not installed. */
const struct archive_library *archive_library(void);

#endif
