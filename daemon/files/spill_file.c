/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/files/spill_file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/files/disk_floor.h"
#include "daemon/files/file_thread.h"

/* Disk space that stays free for other files: at least this, and as much as this file uses. */
#define LEFT_LEAST (UINT64_C(1) << 20)

/* The disk is checked only once for this many bytes. */
#define RESERVE_SIZE (UINT64_C(64) << 10)

/* The first error is the one that is reported. */
static int failed(struct spill_file *file, int error)
{
	if (file->error == 0)
		file->error = error;
	return error;
}

/* True: the file can grow by @len bytes. The files with rows have priority. */
static bool disk_allows(const struct spill_file *file, uint64_t len)
{
	uint64_t free_bytes = disk_free_bytes(file->fd), used;
	struct stat info;

	if (free_bytes == UINT64_MAX || fstat(file->fd, &info) < 0)
		return true;
	used = (uint64_t)info.st_blocks * 512 + len;
	return free_bytes >= len + (used > LEFT_LEAST ? used : LEFT_LEAST);
}

/* The same; most calls only take from ->reserved and need no check of the disk. */
static bool grow(struct spill_file *file, size_t len)
{
	if (file->is_frozen)
		return false;
	if (file->reserved < len)
		file->reserved = disk_allows(file, len + RESERVE_SIZE) ? len + RESERVE_SIZE : 0;
	if (file->reserved < len)
		return disk_allows(file, len);
	file->reserved -= len;
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

	if (offset + len > file->size && !grow(file, len))
		return failed(file, -ENOSPC);
	error = file->thread ? post(file, offset, bytes, len)
			     : folder_write_at(file->fd, offset, bytes, len);
	if (error < 0)
		return failed(file, error);
	if (offset + len > file->size)
		file->size = offset + len;
	return 0;
}

/* Bytes that the thread has not written yet are read as zeros. */
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

/* After a failed write of the thread the content is undefined, so it is not read any more. */
static int read_at(void *context, uint64_t offset, void *bytes, size_t len)
{
	struct spill_file *file = context;
	int error;

	if (file->is_broken)
		error = -EIO;
	else if (!file->thread)
		error = read_disk(file, offset, bytes, len);
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

void spill_file_set_thread(struct spill_file *file, struct file_thread *thread)
{
	file->thread = thread;
}

void spill_file_update(struct spill_file *file, const struct session_files_state *state)
{
	file->is_frozen = state->is_frozen;
	file->is_broken = state->spill_error < 0;
}

void spill_file_close(struct spill_file *file)
{
	if (file->spill.context)
		close(file->fd);
	*file = (struct spill_file){ .fd = -1 };
}
