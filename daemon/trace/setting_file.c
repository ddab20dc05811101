/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/trace/setting_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "daemon/base/text_file.h"

#define READ_MAX 262144

bool setting_place(char directory[static PATH_MAX], const char *tracefs, struct span instance)
{
	int n = snprintf(directory, PATH_MAX, "%s%s%.*s", tracefs,
			 instance.len ? "/instances/" : "", (int)instance.len,
			 instance.len ? instance.ptr : "");
	bool is_name = instance.len <= NAME_MAX && !span_equal(instance, SPAN_LITERAL(".")) &&
		       !span_equal(instance, SPAN_LITERAL(".."));

	for (size_t i = 0; is_name && i < instance.len; i++)
		is_name = instance.ptr[i] != '/' && (unsigned char)instance.ptr[i] >= ' ';
	if (n > 0 && n < PATH_MAX && is_name)
		return true;
	directory[0] = '\0';
	return false;
}

static int open_file(const char *directory, const char *name, int flags)
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s/%s", directory, name);
	int fd;

	if (directory[0] == '\0' || n < 0 || (size_t)n >= sizeof(path))
		return -ENOENT;
	fd = open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

int setting_open(const char *directory, const char *name)
{
	return open_file(directory, name, O_RDONLY);
}

/* The value is "boot" of "local [boot] mono", else the first word. Of "7 (expanded: 1408)", 7 is
 * the present size; 1408 is the size after the first event. */
int setting_read_open(int fd, char value[static SETTING_SIZE])
{
	char text[1024], *word;
	size_t len;
	ssize_t n;

	value[0] = '\0';
	if (fd < 0)
		return fd;
	n = text_file_read_begin(fd, text, sizeof(text) - 1);
	if (n < 0)
		return -errno;
	text[n] = '\0';
	word = strchr(text, '[');
	word = word ? word + 1 : text;
	len = strcspn(word, word > text ? "]\n" : " \n");
	if (len >= SETTING_SIZE)
		return -EMSGSIZE;
	memcpy(value, word, len);
	value[len] = '\0';
	return 0;
}

int setting_read(const char *directory, const char *name, char value[static SETTING_SIZE])
{
	int fd = open_file(directory, name, O_RDONLY);
	int error = setting_read_open(fd, value);

	if (fd >= 0)
		close(fd);
	return error;
}

char *setting_read_all(const char *directory, const char *name)
{
	char *text;
	ssize_t n = text_file_read_all(&text, open_file(directory, name, O_RDONLY), READ_MAX);

	if (n < 0)
		errno = (int)-n;
	return text;
}

int setting_check_write(const char *directory, const char *name)
{
	/* Without O_TRUNC, this changes nothing. */
	int fd = open_file(directory, name, O_WRONLY);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

int setting_write(const char *directory, const char *name, const char *value)
{
	/* Without O_TRUNC, which would switch off all events of set_event. */
	int fd = open_file(directory, name, O_WRONLY);
	ssize_t n;
	int error;

	if (fd < 0)
		return fd;
	n = write(fd, value, strlen(value));
	error = n < 0 ? -errno : n < (ssize_t)strlen(value) ? -EIO : 0;
	close(fd);
	return error;
}
