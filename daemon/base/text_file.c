/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/base/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

bool text_file_read(char *text, size_t size, const char *format, ...)
{
	char path[PATH_MAX];
	va_list arguments;
	ssize_t n = 0;
	int len, fd = -1;

	va_start(arguments, format);
	len = vsnprintf(path, sizeof(path), format, arguments);
	va_end(arguments);
	if (len < (int)sizeof(path))
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd >= 0) {
		n = text_file_read_begin(fd, text, size - 1);
		close(fd);
	}
	if (n > 0 && text[n - 1] == '\n')
		n--;
	text[n > 0 ? n : 0] = '\0';
	return text[0] != '\0';
}

ssize_t text_file_read_all(char **out, int fd, size_t max)
{
	char *text = fd < 0 ? NULL : malloc(max + 1);
	ssize_t n = fd < 0 ? fd : text ? 1 : -ENOMEM;
	size_t len = 0;

	*out = NULL;
	/* The byte behind the longest one is for the NUL. */
	while (n > 0 && len <= max) {
		n = read(fd, text + len, max + 1 - len);
		if (n > 0)
			len += (size_t)n;
		else if (n < 0)
			n = errno == EINTR ? 1 : -errno;
	}
	if (fd >= 0)
		close(fd);
	if (n >= 0 && len <= max) {
		text[len] = '\0';
		*out = text;
		return (ssize_t)len;
	}
	free(text);
	return n < 0 ? n : -EFBIG;
}
