/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/hidden.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFIX ".jankd-"
#define PROBE ".probe.tmp"

/* In this order; the first is Android's. */
static const char *const bases[] = { "/data/local/tmp", "/run", "/var/tmp", "/tmp" };

#define N_BASES (sizeof(bases) / sizeof(bases[0]))

static const char *const kinds[] = {
	[HIDDEN_LOCK] = ".lock",
	[HIDDEN_JOURNAL] = ".journal",
};

static bool is_ours(const struct stat *info)
{
	return info->st_uid == geteuid() && !(info->st_mode & 077);
}

/* Does the file system show whose a file is, and who may write it? Where none can be made that is
 * said when one has to be. */
static bool shows_owner(int folder_fd)
{
	struct stat info;
	bool shows;
	int fd;

	unlinkat(folder_fd, PROBE, 0);
	fd = openat(folder_fd, PROBE, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return true;
	shows = fstat(fd, &info) < 0 || is_ours(&info);
	close(fd);
	unlinkat(folder_fd, PROBE, 0);
	return shows;
}

static void name_files(struct hidden *hidden, const struct stat *folder)
{
	for (int i = 0; i < HIDDEN_FILES; i++)
		snprintf(hidden->names[i], sizeof(hidden->names[i]), "%llx-%llx%s",
			 (unsigned long long)folder->st_dev, (unsigned long long)folder->st_ino,
			 kinds[i]);
}

/* The place of @uid below @base. Returns a descriptor, or -1 where there is none that is safe. */
static int open_place(const char *base, uid_t uid, bool make)
{
	char path[64];
	struct stat info;
	int fd;

	snprintf(path, sizeof(path), "%s/" PREFIX "%u", base, (unsigned int)uid);
	if (make)
		mkdir(path, 0700);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (fd >= 0 && (fstat(fd, &info) < 0 || info.st_uid != uid || (info.st_mode & 077))) {
		close(fd);
		return -1;
	}
	return fd;
}

void hidden_open(struct hidden *hidden, int folder_fd)
{
	struct stat info;

	*hidden = (struct hidden){ .fd = folder_fd };
	for (int i = 0; i < HIDDEN_FILES; i++)
		snprintf(hidden->names[i], sizeof(hidden->names[i]), "%s", kinds[i]);
	if (shows_owner(folder_fd) || fstat(folder_fd, &info) < 0)
		return;
	for (size_t i = 0; i < N_BASES; i++) {
		int fd = open_place(bases[i], geteuid(), true);

		if (fd >= 0 && shows_owner(fd)) {
			hidden->fd = fd;
			hidden->is_apart = true;
			name_files(hidden, &info);
			return;
		}
		if (fd >= 0)
			close(fd);
	}
	hidden->is_open = true;
}

void hidden_close(struct hidden *hidden)
{
	if (hidden->is_apart)
		close(hidden->fd);
	*hidden = (struct hidden){ .fd = -1 };
}

/* --- from outside --- */

static int open_at(int fd, const char *name)
{
	int file = openat(fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	return file < 0 ? -errno : file;
}

static int find_of(const char *base, uid_t uid, const char *name)
{
	int place = open_place(base, uid, false);
	int fd = place < 0 ? -ENOENT : open_at(place, name);

	if (place >= 0)
		close(place);
	return fd;
}

/* Those of all users. */
static int find_any(const char *base, const char *name)
{
	DIR *directory = opendir(base);
	struct dirent *entry;
	int fd = -ENOENT;

	while (directory && fd < 0 && (entry = readdir(directory))) {
		char *end;
		unsigned long uid;

		if (strncmp(entry->d_name, PREFIX, strlen(PREFIX)) != 0)
			continue;
		uid = strtoul(entry->d_name + strlen(PREFIX), &end, 10);
		if (*end == '\0')
			fd = find_of(base, (uid_t)uid, name);
	}
	if (directory)
		closedir(directory);
	return fd;
}

int hidden_find(const char *path, enum hidden_file which)
{
	int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct hidden apart;
	struct stat info;
	int fd = -ENOENT;

	if (folder < 0)
		return -errno;
	if (fstat(folder, &info) == 0) {
		name_files(&apart, &info);
		for (size_t i = 0; fd < 0 && i < N_BASES; i++)
			fd = geteuid() == 0 ? find_any(bases[i], apart.names[which])
					    : find_of(bases[i], geteuid(), apart.names[which]);
	}
	if (fd < 0)
		fd = open_at(folder, kinds[which]);
	close(folder);
	return fd;
}
