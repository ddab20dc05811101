/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/base/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/base/report.h"
#include "daemon/base/text_file.h"

/* Together longer than a running jankd needs to create a removed lock again: four seconds. */
#define LOCK_PAUSES 90
#define LOCK_PAUSE_US 50000

/* As many as the kernel follows. */
#define LINKS_MAX 40

/* Opens the folder, as open() and mkdir -p do. Returns a descriptor or -errno; -ELOOP: the path has
 * a link of another user, or too many. */
static int open_path(struct folder *folder)
{
	char rest[2 * PATH_MAX]; /* of the path; the targets of links are put before it */
	size_t linked = 0;	 /* bytes at the begin of @rest that come from links */
	unsigned int links = 0;
	int error = 0, fd, at;

	if (!folder->path[0])
		return -ENOENT;
	strcpy(rest, folder->path);
	at = open(rest[0] == '/' ? "/" : ".", O_PATH | O_CLOEXEC);
	if (at < 0)
		return -errno;
	while (error == 0 && rest[0]) {
		size_t skip = strspn(rest, "/"), len = strcspn(rest + skip, "/"), left;
		char name[NAME_MAX + 1], target[PATH_MAX];
		struct stat info;
		ssize_t n;

		if (len > NAME_MAX) {
			error = -ENAMETOOLONG;
			break;
		}
		memcpy(name, rest + skip, len);
		name[len] = '\0';
		linked -= linked < skip + len ? linked : skip + len;
		left = strlen(rest + skip + len);
		memmove(rest, rest + skip + len, left + 1);
		if (len == 0)
			continue;

		/* A missing folder is made, but not where a link points to. */
		fd = openat(at, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0 && errno == ENOENT && linked == 0) {
			if (mkdirat(at, name, 0777) < 0 && errno != EEXIST) {
				error = -errno;
				break;
			}
			if (folder->made == 0)
				folder->made = strlen(folder->path) - left;
			fd = openat(at, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
		}
		if (fd < 0 || fstat(fd, &info) < 0) {
			error = -errno;
			if (fd >= 0)
				close(fd);
			break;
		}
		if (!S_ISLNK(info.st_mode)) {
			close(at);
			at = fd;
			continue;
		}

		/* Puts the target of the symbolic link before the rest. The link must be root's or
		 * this user's: with that of another user, this process would write where that user
		 * wants. */
		n = readlinkat(fd, "", target, sizeof(target));
		error = n < 0 ? -errno : 0;
		close(fd);
		if (n >= 0 &&
		    ((info.st_uid != 0 && info.st_uid != geteuid()) || ++links > LINKS_MAX))
			error = -ELOOP;
		else if (n >= 0 && (size_t)n + left + 2 > sizeof(rest))
			error = -ENAMETOOLONG;
		if (error < 0)
			break;
		memmove(rest + n + 1, rest, left + 1);
		memcpy(rest, target, (size_t)n);
		rest[n] = '/';
		linked += (size_t)n + 1;
		if (target[0] == '/') {
			close(at);
			at = open("/", O_PATH | O_CLOEXEC);
			error = at < 0 ? -errno : 0;
		}
	}
	fd = error < 0 ? error : openat(at, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (error == 0 && fd < 0)
		fd = -errno;
	close(at);
	return fd;
}

/* --- opening --- */

/* Writes the pid of this process, and the address of its control socket. Returns 0 or -errno. */
static int write_lock(const struct folder *folder)
{
	char text[128];
	int n = snprintf(text, sizeof(text), "%ld\n%s%s", (long)getpid(), folder->address,
			 folder->address[0] ? "\n" : "");

	if (ftruncate(folder->lock_fd, 0) < 0)
		return -errno;
	return pwrite(folder->lock_fd, text, (size_t)n, 0) == n ? 0 : -EIO;
}

/* Tries several times: clients lock the file for a moment to check whether a jankd runs. @how:
 * LOCK_EX or LOCK_SH. */
static int try_lock(int fd, int how)
{
	for (int i = 0; i < 5; i++) {
		if (flock(fd, how | LOCK_NB) == 0)
			return 0;
		if (errno != EWOULDBLOCK)
			break;
		usleep(10000);
	}
	return -errno;
}

/* Returns true if @fd is the file with the lock's name. After a removal, another process can create
 * a file with this name. */
static bool is_lock(const struct folder *folder, int fd)
{
	const struct state_dir *dir = &folder->state_dir;
	struct stat ours, there;

	return fstat(fd, &ours) == 0 &&
	       fstatat(dir->fd, dir->names[STATE_DIR_LOCK], &there, AT_SYMLINK_NOFOLLOW) == 0 &&
	       folder_is_same(&ours, &there);
}

/* Returns 0 or -errno; -EWOULDBLOCK if another process holds it. */
static int lock(struct folder *folder)
{
	const char *name = folder->state_dir.names[STATE_DIR_LOCK];
	int directory = folder->state_dir.fd;

	folder->is_lock_new = faccessat(directory, name, F_OK, AT_SYMLINK_NOFOLLOW) < 0;
	for (int i = 0; i < 5; i++) {
		struct stat info;
		int fd = folder_open_regular(directory, name, O_RDWR | O_CREAT, &info);
		int error = fd < 0 ? fd : try_lock(fd, LOCK_EX);

		if (fd >= 0)
			folder->lock_fd = fd;
		/* A file that has another name, too, must not be written to: any user who can write
		 * to the folder can link any file there. The lock's name of it is removed. */
		if (error == 0 && !is_lock(folder, fd))
			error = 1;
		else if (error == 0 && fstat(fd, &info) < 0)
			error = -errno;
		else if (error == 0 && info.st_nlink > 1)
			error = unlinkat(directory, name, 0) < 0 ? -errno : 1;
		if (error == 0 && (info.st_mode & 077) && info.st_uid == geteuid())
			fchmod(fd, 0600);
		/* An error is ignored: the file is locked even without this text. */
		if (error == 0)
			write_lock(folder);
		if (error <= 0)
			return error;
		close(fd);
		folder->lock_fd = -1;
	}
	return -EWOULDBLOCK;
}

/* @written: not if it is empty. A lock that was just made is that for a moment, and not locked. */
static bool has_file(const char *path, enum state_dir_file which, bool written)
{
	int fd = state_dir_find(path, which);
	struct stat info;
	bool there;

	if (fd < 0)
		return fd != -ENOENT && fd != -ENOTDIR;
	there = !written || fstat(fd, &info) < 0 || !S_ISREG(info.st_mode) || info.st_size > 0;
	close(fd);
	return there;
}

void folder_wait_for_lock(const char *path)
{
	for (int i = 0; i < LOCK_PAUSES; i++) {
		bool has_begun = has_file(path, STATE_DIR_JOURNAL, false) ||
				 has_file(path, STATE_DIR_LOCK, false);
		bool may_run;
		int fd;

		if (!has_begun || has_file(path, STATE_DIR_LOCK, true))
			return;
		/* A running jankd has locked the folder, too, which cannot be removed from it.
		 * Other users can do so as well: it only says that it may run. */
		fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		may_run = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0;
		if (fd >= 0)
			close(fd);
		if (!may_run)
			return;
		usleep(LOCK_PAUSE_US);
	}
}

static int open_and_lock(struct folder *folder)
{
	int error;

	folder->fd = open_path(folder);
	if (folder->fd < 0)
		return folder->fd;
	state_dir_open(&folder->state_dir, folder->fd);
	/* For root: if another user's jankd uses the folder, its lock is in that user's state
	 * directory. Twice: the first one found may be the lock of a killed jankd of this user,
	 * which a client holds for a moment. */
	for (int i = 0; folder->state_dir.is_apart && i < 2; i++) {
		int fd = state_dir_find(folder->path, STATE_DIR_LOCK);
		bool is_held = fd >= 0 && try_lock(fd, LOCK_EX) == -EWOULDBLOCK;

		if (fd >= 0)
			close(fd);
		if (is_held)
			return -EWOULDBLOCK;
	}
	error = lock(folder);
	/* See folder_wait_for_lock(). Some file systems may not support it. */
	if (error == 0)
		try_lock(folder->fd, LOCK_SH);
	return error;
}

int folder_watch_lock(struct folder *folder)
{
	struct folder again = *folder;
	int error;

	if (is_lock(folder, folder->lock_fd))
		return 0;
	again.lock_fd = -1;
	error = lock(&again);
	if (error < 0) {
		if (again.lock_fd >= 0)
			close(again.lock_fd);
		return error;
	}
	close(folder->lock_fd);
	folder->lock_fd = again.lock_fd;
	return 1;
}

const char *folder_why(int error)
{
	switch (-error) {
	case ELOOP:
		return "it is a symbolic link";
	case EINVAL:
	case ENXIO:
		return "it is not a regular file";
	case EEXIST:
		return "its .tmp file cannot be removed";
	case EWOULDBLOCK:
		return "it is locked by another program";
	case EPROTO:
		return "its first line is not the header that this version writes";
	default:
		return strerror(-error);
	}
}

const char *folder_advice(int error)
{
	switch (-error) {
	case ENOSPC:
	case EDQUOT:
	case EFBIG:
		return "free some disk space or name another folder with -F";
	case ELOOP:
	case EINVAL:
	case EEXIST:
	case EISDIR:
	case ENOTEMPTY:
	case ENXIO:
		return "remove it or name another folder with -F";
	case EIO:
		return "check the disk or name another folder with -F";
	default:
		return report_advice(error, "name another folder with -F");
	}
}

int folder_open(struct folder *folder, const char *path)
{
	char text[24] = "";
	bool at_lock;
	long owner;
	int error;

	*folder = (struct folder){ .fd = -1, .lock_fd = -1 };
	if (strlen(path) >= sizeof(folder->path)) {
		report("-F: %s; name another folder", strerror(ENAMETOOLONG));
		return -ENAMETOOLONG;
	}
	strcpy(folder->path, path);
	error = open_and_lock(folder);
	if (error == 0)
		return 0;
	at_lock = folder->fd >= 0 && !folder->state_dir.is_apart;
	text_file_read_begin(folder->lock_fd, text, sizeof(text) - 1);
	owner = strtol(text, NULL, 10);
	/* Any program that can open the file can lock it. */
	if (error == -EWOULDBLOCK && at_lock && owner <= 0)
		report("%s/.lock: it is locked by another program; stop that program, or name "
		       "another folder with -F",
		       path);
	else if (error == -EWOULDBLOCK)
		report("%s: another jankd (pid %ld) writes there; stop it, or name another folder "
		       "with -F",
		       path, owner);
	else if (error == -ELOOP && folder->fd < 0)
		report("%s: a symbolic link on this path belongs to another user, or there are too "
		       "many; name another folder with -F",
		       path);
	else
		report("%s%s%s: %s; %s", path, at_lock ? "/" : "",
		       at_lock ? folder->state_dir.names[STATE_DIR_LOCK] : "", folder_why(error),
		       folder_advice(error));
	folder_close(folder);
	return error;
}

static void temporary_name(char name_out[static 64], const char *name)
{
	snprintf(name_out, 64, ".%s.tmp", name);
}

void folder_remove_temporary(const struct folder *folder, const char *name)
{
	char temporary[64];

	temporary_name(temporary, name);
	unlinkat(folder->fd, temporary, 0);
}

void folder_undo_open(const struct folder *folder)
{
	char part[PATH_MAX];

	if (folder->lock_fd < 0)
		return;
	if (folder->is_lock_new && is_lock(folder, folder->lock_fd))
		unlinkat(folder->state_dir.fd, folder->state_dir.names[STATE_DIR_LOCK], 0);
	strcpy(part, folder->path);
	for (size_t len = strlen(part); folder->made > 0 && len >= folder->made; len--) {
		/* The path may have more than one '/' in a row. */
		if (part[len] != '\0' && part[len] != '/')
			continue;
		part[len] = '\0';
		if (rmdir(part) < 0 && errno != ENOENT)
			return;
	}
}

bool folder_is_gone(const struct folder *folder)
{
	struct stat ours, there;

	if (fstat(folder->fd, &ours) < 0 || ours.st_nlink == 0)
		return true;
	if (stat(folder->path, &there) < 0)
		return errno == ENOENT || errno == ENOTDIR;
	return !folder_is_same(&ours, &there);
}

int folder_open_again(struct folder *folder, int (*keep_files)(struct folder *folder))
{
	struct folder again = { .fd = -1, .lock_fd = -1 };
	struct stat info;
	char *journal;
	ssize_t n;
	int error;

	strcpy(again.path, folder->path);
	strcpy(again.address, folder->address);
	folder_wait_for_lock(again.path);
	error = open_and_lock(&again);
	if (error == 0)
		error = keep_files(&again);
	/* Settings are restored from the journal: it goes to the new folder. */
	if (error == 0) {
		n = text_file_read_all(&journal, folder_open_journal(folder, &info), JOURNAL_MAX);
		error = n < 0 ? (int)n : folder_write_journal(&again, journal, (size_t)n);
		free(journal);
		if (error == 0)
			folder_remove_journal(folder);
		if (error == -ENOENT)
			error = 0;
	}
	if (error < 0) {
		folder_close(&again);
		return error;
	}
	folder_close(folder);
	folder->fd = again.fd;
	folder->state_dir = again.state_dir;
	folder->lock_fd = again.lock_fd;
	folder->kept = again.kept;
	folder->last = again.last;
	return 0;
}

int folder_write_address(struct folder *folder, const char *address)
{
	snprintf(folder->address, sizeof(folder->address), "%s", address);
	return write_lock(folder);
}

void folder_close(struct folder *folder)
{
	if (folder->lock_fd >= 0) {
		/* Without this, the locks of all folders would remain in that directory. */
		if (folder->state_dir.is_apart && is_lock(folder, folder->lock_fd))
			unlinkat(folder->state_dir.fd, folder->state_dir.names[STATE_DIR_LOCK], 0);
		close(folder->lock_fd);
	}
	state_dir_close(&folder->state_dir);
	if (folder->fd >= 0)
		close(folder->fd);
	folder->lock_fd = folder->fd = -1;
}

/* --- files that are replaced --- */

/* Always creates a new file: opening an existing FIFO would wait for its reader. */
int folder_create_temporary(int directory, const char *name, mode_t mode)
{
	const int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
	char temporary[64];
	int fd;

	temporary_name(temporary, name);
	unlinkat(directory, temporary, 0);
	fd = openat(directory, temporary, flags, mode);
	return fd < 0 ? -errno : fd;
}

int folder_open_regular(int directory, const char *name, int flags, struct stat *info)
{
	int fd = openat(directory, name, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY,
			0600);

	if (fd < 0)
		return -errno;
	if (fstat(fd, info) == 0 && S_ISREG(info->st_mode))
		return fd;
	close(fd);
	return -EINVAL;
}

int folder_write(int fd, const char *text, size_t len)
{
	while (len > 0) {
		ssize_t n = write(fd, text, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -ENOSPC;
		text += n;
		len -= (size_t)n;
	}
	return 0;
}

/* Ignores the errors of file systems without sync. */
int folder_sync(int fd, bool bytes_alone)
{
	int result = bytes_alone ? fdatasync(fd) : fsync(fd);

	return result < 0 && errno != EINVAL && errno != EROFS ? -errno : 0;
}

int folder_replace(int directory, const char *name, int fd, bool skip_sync, int error)
{
	char temporary[64];

	temporary_name(temporary, name);
	/* Without this, a power failure could leave the new name with an empty file. */
	if (error == 0 && !skip_sync)
		error = folder_sync(fd, false);
	if (error == 0 && renameat(directory, temporary, directory, name) < 0)
		error = -errno;
	if (error < 0)
		unlinkat(directory, temporary, 0);
	/* vfat stores the size with the name: without this, a power failure could leave the old
	 * size. */
	else if (!skip_sync)
		error = folder_sync(fd, false);
	return close(fd) < 0 && error == 0 ? -errno : error;
}

int folder_write_journal(const struct folder *folder, const char *text, size_t len)
{
	int directory = folder->state_dir.fd;
	const char *name = folder->state_dir.names[STATE_DIR_JOURNAL];
	int fd = folder_create_temporary(directory, name, 0600);

	/* After a power failure the journal does not count: a boot resets all settings. And it is
	 * written while tracing is on and nothing reads the trace yet. */
	return fd < 0 ? fd : folder_replace(directory, name, fd, true, folder_write(fd, text, len));
}

int folder_open_journal(const struct folder *folder, struct stat *info)
{
	return folder_open_regular(folder->state_dir.fd, folder->state_dir.names[STATE_DIR_JOURNAL],
				   O_RDONLY, info);
}

bool folder_has_journal(const struct folder *folder)
{
	return faccessat(folder->state_dir.fd, folder->state_dir.names[STATE_DIR_JOURNAL], F_OK,
			 AT_SYMLINK_NOFOLLOW) == 0 ||
	       errno != ENOENT;
}

void folder_remove_journal(const struct folder *folder)
{
	unlinkat(folder->state_dir.fd, folder->state_dir.names[STATE_DIR_JOURNAL], 0);
}
