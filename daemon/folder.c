/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/report.h"

/* Files of a session: the part before the segment's number, and the part behind it. */
static const struct {
	const char *stem, *suffix;
} session_files[] = {
	{ "fps", ".csv" },     { "dropFrames", ".csv" }, { "frames", ".csv" },
	{ "summary", ".csv" }, { "events", ".csv" },	 { "session", ".json" },
};

#define SESSION_FILES (sizeof(session_files) / sizeof(session_files[0]))

/* mkdir -p. Returns 0 or -errno. */
static int make_path(const char *path)
{
	char part[PATH_MAX];

	if (strlen(path) >= sizeof(part))
		return -ENAMETOOLONG;
	strcpy(part, path);
	for (char *slash = part + 1; *slash; slash++) {
		if (*slash != '/')
			continue;
		*slash = '\0';
		if (mkdir(part, 0777) < 0 && errno != EEXIST && errno != EROFS)
			return -errno;
		*slash = '/';
	}
	return mkdir(part, 0777) == 0 || errno == EEXIST ? 0 : -errno;
}

/* --- segments --- */

/* The number in a segment's name ("fps-000012.csv": 12), or 0. */
static unsigned long segment_number(const char *name)
{
	for (size_t i = 0; i < SESSION_FILES; i++) {
		size_t stem = strlen(session_files[i].stem);
		size_t digits;

		if (strncmp(name, session_files[i].stem, stem) != 0 || name[stem] != '-')
			continue;
		digits = strspn(name + stem + 1, "0123456789");
		if (digits >= 6 && digits < 18 &&
		    strcmp(name + stem + 1 + digits, session_files[i].suffix) == 0)
			return strtoul(name + stem + 1, NULL, 10);
	}
	return 0;
}

/* The highest number of all files: those of one session have the same. Returns 0 or -errno. */
static int last_segment(int folder_fd, unsigned long *last)
{
	int fd = openat(folder_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *directory = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	*last = 0;
	if (!directory)
		return -errno;
	while ((entry = readdir(directory))) {
		unsigned long number = segment_number(entry->d_name);

		if (number > *last)
			*last = number;
	}
	closedir(directory);
	return 0;
}

/* Renames, and never onto a file. Returns 0 or -errno. */
static int rename_new(int fd, const char *from, const char *to)
{
	if (renameat2(fd, from, fd, to, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -errno;
	/* Not every file system of a phone knows the flag. */
	if (linkat(fd, from, fd, to, 0) == 0)
		return unlinkat(fd, from, 0) == 0 ? 0 : -errno;
	if (errno == EEXIST)
		return -EEXIST;
	/* Nor links: then the lock alone keeps others from the name that was seen to be free. */
	if (faccessat(fd, to, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		return -EEXIST;
	return renameat(fd, from, fd, to) == 0 ? 0 : -errno;
}

/* Renames the files of the session before. Returns 0 or -errno. */
static int keep_files(int fd)
{
	unsigned long last;
	int error = last_segment(fd, &last);

	for (size_t i = 0; error == 0 && i < SESSION_FILES; i++) {
		char from[64], to[64];

		snprintf(from, sizeof(from), "%s%s", session_files[i].stem,
			 session_files[i].suffix);
		snprintf(to, sizeof(to), "%s-%06lu%s", session_files[i].stem, last + 1,
			 session_files[i].suffix);
		error = rename_new(fd, from, to);
		if (error == -ENOENT)
			error = 0;
	}
	return error;
}

/* --- opening --- */

static long lock_owner(int fd)
{
	char text[24] = "";
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);

	return n > 0 ? strtol(text, NULL, 10) : 0;
}

/* Returns 0, or -errno; -EWOULDBLOCK where another holds it. */
static int lock(struct folder *folder)
{
	int fd = openat(folder->fd, ".lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
	char text[24];
	int n;

	if (fd < 0)
		return -errno;
	folder->lock_fd = fd;
	if (flock(fd, LOCK_EX | LOCK_NB) < 0)
		return -errno;
	n = snprintf(text, sizeof(text), "%ld\n", (long)getpid());
	/* For people only: whoever cannot write it holds the lock all the same. */
	if (ftruncate(fd, 0) < 0 || pwrite(fd, text, (size_t)n, 0) < 0)
		return 0;
	return 0;
}

static int open_and_lock(struct folder *folder)
{
	int error = make_path(folder->path);

	if (error < 0)
		return error;
	folder->fd = open(folder->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder->fd < 0)
		return -errno;
	return lock(folder);
}

int folder_open(struct folder *folder, const char *command, const char *path)
{
	int error;

	*folder = (struct folder){ .fd = -1, .lock_fd = -1 };
	if (strlen(path) >= sizeof(folder->path)) {
		report("%s: -F: %s; name another folder", command, strerror(ENAMETOOLONG));
		return -ENAMETOOLONG;
	}
	strcpy(folder->path, path);
	error = open_and_lock(folder);
	if (error == 0)
		return 0;
	if (error == -EWOULDBLOCK)
		report("%s: %s: another jankd (pid %ld) writes there; stop it, or name another "
		       "folder with -F",
		       command, path, lock_owner(folder->lock_fd));
	else
		report("%s: %s: %s; name another folder with -F", command, path, strerror(-error));
	folder_close(folder);
	return error;
}

int folder_keep_files(const struct folder *folder, const char *command)
{
	int error = keep_files(folder->fd);

	if (error < 0)
		report("%s: %s: the files there cannot be kept: %s; name another folder with -F",
		       command, folder->path, strerror(-error));
	return error;
}

void folder_close(struct folder *folder)
{
	if (folder->lock_fd >= 0)
		close(folder->lock_fd);
	if (folder->fd >= 0)
		close(folder->fd);
	folder->lock_fd = folder->fd = -1;
}

/* --- files that are replaced --- */

static void temporary_name(char name_out[static 64], const char *name)
{
	snprintf(name_out, 64, ".%s.tmp", name);
}

int folder_create_temporary(const struct folder *folder, const char *name)
{
	char temporary[64];
	int fd;

	temporary_name(temporary, name);
	fd = openat(folder->fd, temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW,
		    0666);
	return fd < 0 ? -errno : fd;
}

int folder_replace(const struct folder *folder, const char *name, int fd, int error)
{
	char temporary[64];

	temporary_name(temporary, name);
	/* Without this a power cut may leave the new name and no bytes. */
	if (error == 0 && fdatasync(fd) < 0 && errno != EINVAL && errno != EROFS)
		error = -errno;
	if (close(fd) < 0 && error == 0)
		error = -errno;
	if (error == 0 && renameat(folder->fd, temporary, folder->fd, name) < 0)
		error = -errno;
	if (error < 0)
		unlinkat(folder->fd, temporary, 0);
	return error;
}
