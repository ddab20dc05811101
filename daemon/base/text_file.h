/* SPDX-License-Identifier: Apache-2.0 */
/* Short files of text: of /proc and /sys, session.json, rule files. */
#ifndef JANKD_DAEMON_BASE_TEXT_FILE_H
#define JANKD_DAEMON_BASE_TEXT_FILE_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <unistd.h>

/* pread(). A file system in user space, as below Android's /sdcard, may fail with EINTR: then it is
 * read again. */
static inline ssize_t text_file_read_at(int fd, void *to, size_t size, off_t at)
{
	ssize_t n;

	do
		n = pread(fd, to, size, at);
	while (n < 0 && errno == EINTR);
	return n;
}

/* The same for the first bytes of a file. */
static inline ssize_t text_file_read_begin(int fd, void *to, size_t size)
{
	return text_file_read_at(fd, to, size, 0);
}

/* Reads at most @size - 1 bytes of the file with the path @format, in one read that does not wait,
 * without the last line end. Returns true if there are any; else @text is "". */
bool text_file_read(char *text, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Reads all of a file, with a NUL behind it, and closes @fd. @fd: or -errno, which is returned. The
 * caller frees *text. Returns the number of bytes, or -errno with NULL; -EFBIG: it has more than
 * @max. */
ssize_t text_file_read_all(char **text, int fd, size_t max);

#endif
