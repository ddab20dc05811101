/* SPDX-License-Identifier: Apache-2.0 */
/* Output to a pipe or terminal whose reader may pause for any time. No function waits longer than
 * its timeout. */
#ifndef JANKD_DAEMON_BASE_STREAM_H
#define JANKD_DAEMON_BASE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct stream {
	int fd;
	bool is_own; /* fd was opened here, non-blocking; else it is borrowed */
};

/* For output to @fd. O_NONBLOCK would be set for all processes that share @fd: it is opened again
 * where that is possible. */
struct stream stream_open(int fd);
void stream_close(struct stream *stream);

/* Writes what is accepted without waiting. Returns the number of bytes, or -errno: -EAGAIN for
 * none.
 */
ssize_t stream_write(const struct stream *stream, const char *bytes, size_t len);

/* Writes all of it, for at most @timeout_ms; < 0: without limit. *done: the bytes written. Returns
 * 0 or -errno; -EAGAIN after that time. */
int stream_write_all(const struct stream *stream, const char *bytes, size_t len, int timeout_ms,
		     size_t *done);

#endif
