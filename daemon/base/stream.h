/* SPDX-License-Identifier: Apache-2.0 */
/* Output to a pipe or terminal whose reader may pause for any time. No function waits longer than
 * its timeout. */
#ifndef JANKD_DAEMON_BASE_STREAM_H
#define JANKD_DAEMON_BASE_STREAM_H

#include <stdbool.h>
#include <stddef.h>

struct stream {
	int fd;
	bool is_own;   /* fd was opened here, non-blocking; else it is borrowed */
	bool may_wait; /* a pipe or terminal; false: a file, or a socket */
};

/* Makes a stream for output to @fd. Opens the file again if possible, because O_NONBLOCK would
 * otherwise be set for all processes that share @fd. */
struct stream stream_open(int fd);
void stream_close(struct stream *stream);

/* Writes all bytes. @timeout_ms < 0: no time limit. *done: set to the bytes written. Returns 0 or
 * -errno; -EAGAIN after @timeout_ms. */
int stream_write_all(const struct stream *stream, const char *bytes, size_t len, int timeout_ms,
		     size_t *done);

#endif
