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

int stream_write_all(const struct stream *stream, const char *bytes, size_t len, int timeout_ms,
		     size_t *done)
{
	int64_t until_ms = clock_monotonic_ms() + timeout_ms, left_ms;
	struct pollfd out = { .fd = stream->fd, .events = POLLOUT };

	for (*done = 0; *done < len;) {
		size_t rest = len - *done;
		ssize_t n = -1;

		errno = ENOTSOCK;
		if (!stream->is_own)
			n = send(stream->fd, bytes + *done, rest, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (n < 0 && errno == ENOTSOCK) {
			if (stream->is_own || !stream->may_wait)
				n = write(stream->fd, bytes + *done, rest);
			else if (poll(&out, 1, 0) > 0)
				n = write(stream->fd, bytes + *done,
					  rest < ACCEPTED_AT_ONCE ? rest : ACCEPTED_AT_ONCE);
			else
				errno = EAGAIN;
		}
		if (n > 0)
			*done += (size_t)n;
		if (n > 0 || (n < 0 && errno == EINTR))
			continue;
		if (n == 0 || errno != EAGAIN)
			return n == 0 ? -ENOSPC : -errno;
		left_ms = until_ms - clock_monotonic_ms();
		if (timeout_ms >= 0 && left_ms <= 0)
			return -EAGAIN;
		poll(&out, 1, timeout_ms < 0 ? -1 : (int)left_ms);
	}
	return 0;
}
