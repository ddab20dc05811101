/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/files/file_list.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/base/csv_files.h"
#include "daemon/base/folder.h"
#include "daemon/base/last_session.h"
#include "daemon/base/report.h"
#include "daemon/base/text_file.h"
#include "daemon/version.h"
#include "parser/span.h"

/* Not on the stack. Only one file is read at a time. */
static char buffer[65536];

/* --- the checksum of POSIX cksum --- */

static uint32_t crc_table[256];

static uint32_t crc_add(uint32_t crc, const char *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		crc = crc << 8 ^ crc_table[crc >> 24 ^ (unsigned char)bytes[i]];
	return crc;
}

/* --- files --- */

static bool is_listed(const char *name)
{
	if (name[0] == '.' || name[0] == '-' || name[0] == '\0')
		return false;
	for (; *name; name++)
		if (!is_letter(*name) && !is_digit(*name) && !strchr("._-", *name))
			return false;
	return true;
}

/* Returns true if a running capture may append rows to the file. */
static bool is_written(const char *path, const char *name)
{
	for (int i = 0; i < ROW_FILES; i++)
		if (strcmp(csv_files[i].name, name) == 0)
			return state_dir_is_held(path);
	return false;
}

/* Returns a descriptor, or -errno; -ENOENT if it is not a regular file. */
static int open_regular(int folder_fd, const char *name, struct stat *info)
{
	int fd = folder_open_regular(folder_fd, name, O_RDONLY, info);

	return fd == -ELOOP || fd == -ENXIO || fd == -EINVAL ? -ENOENT : fd;
}

static int fail(const char *path, const char *name, int error)
{
	report("%s%s%s: %s; %s", path, name ? "/" : "", name ? name : "", strerror(-error),
	       report_advice(error, "check the folder, or name another one with -F"));
	return EXIT_FAILED;
}

static int print_file(FILE *out, const char *path, int folder_fd, const char *name, bool times)
{
	struct stat info;
	uint64_t size = 0;
	uint32_t crc = 0;
	bool is_open;
	ssize_t n;
	int error = 0, fd = open_regular(folder_fd, name, &info);

	/* A running capture renames and removes files. */
	if (fd == -ENOENT)
		return 0;
	if (fd < 0)
		return fail(path, name, fd);
	if (times) {
		fprintf(out, "changed %" PRId64 ".%09ld %" PRId64 " %s\n",
			(int64_t)info.st_mtim.tv_sec, info.st_mtim.tv_nsec, (int64_t)info.st_size,
			name);
		close(fd);
		return 0;
	}
	is_open = is_written(path, name);
	if (!is_open) {
		while ((n = text_file_read_at(fd, buffer, sizeof(buffer), (off_t)size)) > 0) {
			crc = crc_add(crc, buffer, (size_t)n);
			size += (uint64_t)n;
		}
		error = n < 0 ? -errno : 0;
		/* It ends with the length, its lowest byte first, without leading zeros. */
		for (uint64_t left = size; left > 0; left >>= 8)
			crc = crc_add(crc, (const char[]){ (char)left }, 1);
		/* A capture may have started meanwhile. */
		is_open = is_written(path, name);
	}
	if (is_open)
		fprintf(out, "open - %" PRId64 " %s\n", (int64_t)info.st_size, name);
	else if (error == 0)
		fprintf(out, "closed %" PRIu32 " %" PRIu64 " %s\n", ~crc, size, name);
	close(fd);
	return error < 0 ? fail(path, name, error) : 0;
}

int file_list_print(FILE *out, const char *path, bool times)
{
	bool is_running = state_dir_is_held(path);
	struct last_session last;
	DIR *directory = opendir(path);
	struct dirent *entry;
	int code = 0;

	if (!directory)
		return fail(path, NULL, -errno);
	for (uint32_t byte = 0; byte < 256; byte++) {
		crc_table[byte] = byte << 24;
		for (int bit = 0; bit < 8; bit++)
			crc_table[byte] = crc_table[byte] << 1 ^
					  (crc_table[byte] >> 31 ? UINT32_C(0x04c11db7) : 0);
	}
	last_session_read(&last, path);
	fprintf(out, "session %s %s %s\n", last.id[0] ? last.id : "-",
		is_running ? "running" : "ended", JANKD_VERSION);
	last_session_free(&last);
	while (errno = 0, (entry = readdir(directory)))
		if (is_listed(entry->d_name) &&
		    print_file(out, path, dirfd(directory), entry->d_name, times) != 0)
			code = EXIT_FAILED;
	if (errno != 0)
		code = fail(path, NULL, -errno);
	closedir(directory);
	return code;
}

int file_list_read(int out, const char *path, const char *name, uint64_t offset)
{
	int folder_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct stat info = { .st_size = 0 };
	int error = 0, write_error = 0, fd;
	ssize_t n = 1;

	if (folder_fd < 0)
		return fail(path, NULL, -errno);
	fd = is_listed(name) ? open_regular(folder_fd, name, &info) : -ENOENT;
	close(folder_fd);
	if (fd == -ENOENT) {
		report("--read %s: no such file in %s; 'jankd files' lists them", name, path);
		return EXIT_FAILED;
	}
	if (fd < 0)
		return fail(path, name, fd);
	if (offset > (uint64_t)info.st_size) {
		report("--from %" PRIu64 ": %s has %" PRId64 " bytes; use a number up to that",
		       offset, name, (int64_t)info.st_size);
		close(fd);
		return EXIT_FAILED;
	}
	while (n > 0 && write_error == 0) {
		n = text_file_read_at(fd, buffer, sizeof(buffer), (off_t)offset);
		if (n < 0)
			error = -errno;
		else
			write_error = folder_write(out, buffer, (size_t)n);
		offset += (uint64_t)n;
	}
	close(fd);
	if (write_error < 0)
		report("standard output: %s; redirect it elsewhere", strerror(-write_error));
	if (error < 0)
		return fail(path, name, error);
	return write_error < 0 ? EXIT_FAILED : 0;
}
