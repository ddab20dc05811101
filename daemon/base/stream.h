/* SPDX-License-Identifier: Apache-2.0 */
/* Output to others that may take nothing for as long as they like: a pipe that is not read, a
 * terminal that was stopped. Nothing here waits longer than it is told to. */
#ifndef JANKD_DAEMON_BASE_STREAM_H
#define JANKD_DAEMON_BASE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct stream {
	int fd;
	bool is_own; /* an opening of our own, which does not wait; else fd is borrowed */
};

/* To write where @fd does. Whether that waits is a setting that others share: so it is opened
 * again, where it can be. */
struct stream stream_open(int fd);
void stream_close(struct stream *stream);

/* Writes what is taken at once. Returns how much that is, or -errno: -EAGAIN for nothing. */
ssize_t stream_write(const struct stream *stream, const char *bytes, size_t len);

/* Writes all of it, for at most @timeout_ms; < 0: as long as it takes. *done: how much went.
 * Returns 0 or -errno; -EAGAIN after that time. */
int stream_write_all(const struct stream *stream, const char *bytes, size_t len, int timeout_ms,
		     size_t *done);

#endif
