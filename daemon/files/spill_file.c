/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/files/spill_file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "daemon/files/file_thread.h"

/* So much of the disk is left to the files with rows, and as much as it has itself. */
#define LEFT_LEAST (UINT64_C(1) << 20)

/* How much there is left is asked for so much at once. */
#define ROOM_SIZE (UINT64_C(64) << 10)

/* The first error is the one that is told. */
static int failed(struct spill_file *file, int error)
{
	if (file->error == 0)
		file->error = error;
	return error;
}

/* May it have @len bytes more? It is there to help: the files with rows may not want for room. */
static bool has_room(const struct spill_file *file, uint64_t len)
{
	uint64_t left, its_own;
	struct statvfs disk;
	struct stat info;

	if (fstatvfs(file->fd, &disk) < 0 || fstat(file->fd, &info) < 0)
		return true;
	left = (uint64_t)disk.f_bavail * disk.f_frsize;
	its_own = (uint64_t)info.st_blocks * 512 + len;
	return left >= len + (its_own > LEFT_LEAST ? its_own : LEFT_LEAST);
}

/* The same, from the room that is known to be there, as far as that goes. */
static bool take_room(struct spill_file *file, size_t len)
{
	if (file->is_frozen)
		return false;
	if (file->room < len)
		file->room = has_room(file, len + ROOM_SIZE) ? len + ROOM_SIZE : 0;
	if (file->room < len)
		return has_room(file, len);
	file->room -= len;
	return true;
}

static int post(const struct spill_file *file, uint64_t offset, const void *bytes, size_t len)
{
	const struct file_job job = {
		.kind = FILE_JOB_SPILL,
		.which = file->which,
		.number = offset,
		.bytes = bytes,
		.len = len,
	};

	if (file_thread_used(file->thread) >= FILE_THREAD_ROWS_MOST)
		return -ENOSPC;
	return file_thread_post(file->thread, &job) ? 0 : -ENOSPC;
}

static int write_at(void *context, uint64_t offset, const void *bytes, size_t len)
{
	struct spill_file *file = context;
	int error;

	if (offset + len > file->size && !take_room(file, len))
		return failed(file, -ENOSPC);
	error = file->thread ? post(file, offset, bytes, len)
			     : folder_write_at(file->fd, offset, bytes, len);
	if (error < 0)
		return failed(file, error);
	if (offset + len > file->size)
		file->size = offset + len;
	return 0;
}

/* What is not written yet is zeros. */
static int read_disk(void *context, uint64_t offset, void *bytes, size_t len)
{
	const struct spill_file *file = context;
	char *to = bytes;

	while (len > 0) {
		ssize_t n = pread(file->fd, to, len, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 || (n == 0 && !file->thread))
			return n < 0 ? -errno : -EIO;
		if (n == 0) {
			memset(to, 0, len);
			return 0;
		}
		to += n;
		offset += (uint64_t)n;
		len -= (size_t)n;
	}
	return 0;
}

/* A write that failed behind our back leaves what nobody can tell from records: none is read any
 * more. */
static int read_at(void *context, uint64_t offset, void *bytes, size_t len)
{
	struct spill_file *file = context;
	int error;

	if (!file->thread)
		error = read_disk(file, offset, bytes, len);
	else if (file->is_broken)
		error = -EIO;
	else
		error = file_thread_read_spill(file->thread, file->which, offset, bytes, len,
					       read_disk, file);
	return error < 0 ? failed(file, error) : 0;
}

int spill_file_open(struct spill_file *file, const struct folder *folder, unsigned int which)
{
	int fd = folder_create_nameless(folder);

	if (fd < 0)
		return fd;
	*file = (struct spill_file){
		.spill = { file, write_at, read_at },
		.fd = fd,
		.which = which,
	};
	return 0;
}

void spill_file_close(struct spill_file *file)
{
	if (file->spill.context)
		close(file->fd);
	*file = (struct spill_file){ .fd = -1 };
}
