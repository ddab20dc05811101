/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/base/state_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFIX ".jankd-"

/* Tried in this order; the first one exists on Android. */
static const char *const bases[] = { "/data/local/tmp", "/run", "/var/tmp", "/tmp" };

#define N_BASES (sizeof(bases) / sizeof(bases[0]))

static const char *const kinds[] = {
	[STATE_DIR_LOCK] = ".lock",
	[STATE_DIR_JOURNAL] = ".journal",
	[STATE_DIR_SOCKET] = ".socket",
};

/* Returns true if the file system stores the owner and mode of a file, which a new file shows. Also
 * returns true if no file can be created: a later function reports that. */
static bool shows_owner(int folder_fd)
{
	const int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
	char name[40] = ".probe.tmp";
	struct stat info;
	uint64_t number;
	bool shows;
	int fd;

	unlinkat(folder_fd, name, 0);
	fd = openat(folder_fd, name, flags, 0600);
	/* The file of another user, who must not influence where the lock is, has that name. */
	if (fd < 0 && errno == EEXIST && getrandom(&number, sizeof(number), 0) >= 0) {
		snprintf(name, sizeof(name), ".probe-%016" PRIx64 ".tmp", number);
		fd = openat(folder_fd, name, flags, 0600);
	}
	if (fd < 0)
		return true;
	shows = fstat(fd, &info) < 0 || (info.st_uid == geteuid() && !(info.st_mode & 077));
	close(fd);
	unlinkat(folder_fd, name, 0);
	return shows;
}

static void make_name(char name[static STATE_DIR_NAME_SIZE], const struct stat *folder,
		      enum state_dir_file which)
{
	snprintf(name, STATE_DIR_NAME_SIZE, "%llx-%llx%s", (unsigned long long)folder->st_dev,
		 (unsigned long long)folder->st_ino, kinds[which]);
}

/* Opens the state directory of @uid below @base. Returns a descriptor, or -1 if there is no safe
 * one. */
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

void state_dir_open(struct state_dir *dir, int folder_fd)
{
	struct stat info;

	*dir = (struct state_dir){ .fd = folder_fd };
	for (int i = 0; i < STATE_DIR_FILES; i++)
		snprintf(dir->names[i], sizeof(dir->names[i]), "%s", kinds[i]);
	if (shows_owner(folder_fd) || fstat(folder_fd, &info) < 0)
		return;
	for (size_t i = 0; i < N_BASES; i++) {
		int fd = open_place(bases[i], geteuid(), true);

		if (fd >= 0 && shows_owner(fd)) {
			dir->fd = fd;
			dir->is_apart = true;
			for (unsigned int file = 0; file < STATE_DIR_FILES; file++)
				make_name(dir->names[file], &info, file);
			return;
		}
		if (fd >= 0)
			close(fd);
	}
	dir->is_world_writable = true;
}

void state_dir_close(struct state_dir *dir)
{
	if (dir->is_apart)
		close(dir->fd);
	*dir = (struct state_dir){ .fd = -1 };
}

/* --- from another process --- */

static int open_at(int fd, const char *name, enum state_dir_file which)
{
	int how = which == STATE_DIR_SOCKET ? O_PATH : O_RDONLY | O_NONBLOCK;
	int file = openat(fd, name, how | O_CLOEXEC | O_NOFOLLOW);

	return file < 0 ? -errno : file;
}

static int find_of(const char *base, uid_t uid, const char *name, enum state_dir_file which)
{
	int place = open_place(base, uid, false);
	int fd = place < 0 ? -ENOENT : open_at(place, name, which);

	if (place >= 0)
		close(place);
	return fd;
}

static bool is_held(int fd)
{
	if (flock(fd, LOCK_SH | LOCK_NB) < 0)
		return errno == EWOULDBLOCK;
	flock(fd, LOCK_UN);
	return false;
}

/* Of two files, or -errno, the first that was found; but a lock that is held is preferred to one
 * that is not. Closes the other one. Calls is_held() only if two locks are found, because it locks
 * the file for a moment. */
static int prefer(enum state_dir_file which, int found, int fd)
{
	if (found < 0)
		return fd == -ENOENT ? found : fd;
	if (fd >= 0 && which == STATE_DIR_LOCK && !is_held(found) && is_held(fd)) {
		close(found);
		return fd;
	}
	if (fd >= 0)
		close(fd);
	return found;
}

/* Searches this user's own directory first, then the folder: other users cannot replace those
 * files. Then, for root, the directories of all other users who can write to the folder. A file of
 * a user who cannot may be an attack on root. */
static int find(const char *path, enum state_dir_file which, bool others_alone)
{
	char name[STATE_DIR_NAME_SIZE];
	struct stat info;
	int found = -ENOENT, folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (folder < 0)
		return -errno;
	if (fstat(folder, &info) < 0) {
		close(folder);
		return -EIO;
	}
	make_name(name, &info, which);
	for (size_t i = 0; !others_alone && i < N_BASES; i++)
		found = prefer(which, found, find_of(bases[i], geteuid(), name, which));
	if (!others_alone)
		found = prefer(which, found, open_at(folder, kinds[which], which));
	close(folder);
	for (size_t i = 0; geteuid() == 0 && i < N_BASES; i++) {
		DIR *directory = opendir(bases[i]);
		struct dirent *entry;

		while (directory && (entry = readdir(directory))) {
			char *end;
			unsigned long uid;

			if (strncmp(entry->d_name, PREFIX, strlen(PREFIX)) != 0)
				continue;
			uid = strtoul(entry->d_name + strlen(PREFIX), &end, 10);
			if (*end == '\0' && uid != geteuid() &&
			    (info.st_uid == (uid_t)uid || (info.st_mode & 022)))
				found = prefer(which, found,
					       find_of(bases[i], (uid_t)uid, name, which));
		}
		if (directory)
			closedir(directory);
	}
	return found;
}

int state_dir_find(const char *path, enum state_dir_file which)
{
	return find(path, which, false);
}

bool state_dir_is_held(const char *path)
{
	int fd = state_dir_find(path, STATE_DIR_LOCK);
	bool held = fd >= 0 && is_held(fd);

	if (fd >= 0)
		close(fd);
	return held;
}

int state_dir_find_others(const char *path, enum state_dir_file which)
{
	return find(path, which, true);
}
