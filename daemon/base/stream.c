/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/base/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/base/wall_clock.h"

/* Every pipe or terminal that is ready accepts at least this many bytes. */
#define ACCEPTED_AT_ONCE 256

struct stream stream_open(int fd)
{
	struct stat info;
	bool waits = fstat(fd, &info) == 0 && (S_ISFIFO(info.st_mode) || isatty(fd));
	char path[32];
	int own = -1;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (waits)
		own = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	return (struct stream){ own >= 0 ? own : fd, own >= 0, waits };
}

void stream_close(struct stream *stream)
{
	if (stream->is_own)
		close(stream->fd);
	*stream = (struct stream){ .fd = -1 };
}

/* Waits until it accepts bytes. Returns false after @timeout_ms. */
static bool wait_for(const struct stream *stream, int timeout_ms)
{
	struct pollfd out = { .fd = stream->fd, .events = POLLOUT };

	return poll(&out, 1, timeout_ms) > 0;
}

static ssize_t write_some(const struct stream *stream, const char *bytes, size_t len)
{
	ssize_t n;

	if (stream->is_own)
		return write(stream->fd, bytes, len);
	n = send(stream->fd, bytes, len, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (n >= 0 || errno != ENOTSOCK)
		return n;
	if (!stream->may_wait)
		return write(stream->fd, bytes, len);
	if (!wait_for(stream, 0)) {
		errno = EAGAIN;
		return -1;
	}
	return write(stream->fd, bytes, len < ACCEPTED_AT_ONCE ? len : ACCEPTED_AT_ONCE);
}

int stream_write_all(const struct stream *stream, const char *bytes, size_t len, int timeout_ms,
		     size_t *done)
{
	int64_t until_ms = clock_monotonic_ms() + timeout_ms, left_ms;

	for (*done = 0; *done < len;) {
		ssize_t n = write_some(stream, bytes + *done, len - *done);

		if (n > 0)
			*done += (size_t)n;
		if (n > 0 || (n < 0 && errno == EINTR))
			continue;
		if (n == 0 || errno != EAGAIN)
			return n == 0 ? -ENOSPC : -errno;
		left_ms = until_ms - clock_monotonic_ms();
		if (timeout_ms >= 0 && left_ms <= 0)
			return -EAGAIN;
		wait_for(stream, timeout_ms < 0 ? -1 : (int)left_ms);
	}
	return 0;
}
