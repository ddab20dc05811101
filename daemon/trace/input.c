/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/trace/input.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

static struct sigaction before[sizeof(signals) / sizeof(signals[0])];
static volatile sig_atomic_t is_stopped;
static int stop_fd = -1; /* readable after a signal, also one that came just before a read */

static void on_signal(int number)
{
	const uint64_t one = 1;
	int error = errno;

	(void)number;
	is_stopped = true;
	if (write(stop_fd, &one, sizeof(one)) < 0) {
		/* It is readable already. */
	}
	errno = error;
}

void input_begin(void)
{
	/* Only a read that waits may be interrupted. */
	const struct sigaction caught = { .sa_handler = on_signal, .sa_flags = SA_RESTART };

	if (stop_fd < 0)
		stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (sigaction(signals[i], NULL, &before[i]) == 0 && before[i].sa_handler != SIG_IGN)
			sigaction(signals[i], &caught, NULL);
}

void input_end(void)
{
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaction(signals[i], &before[i], NULL);
}

bool input_is_stopped(void)
{
	return is_stopped;
}

ssize_t input_read(int fd, void *buffer, size_t size, off_t at)
{
	struct pollfd ready[] = { { .fd = fd, .events = POLLIN },
				  { .fd = stop_fd, .events = POLLIN } };
	ssize_t n;

	do {
		if (at < 0)
			poll(ready, 2, -1);
		if (is_stopped)
			return -EINTR;
		n = at < 0 ? read(fd, buffer, size) : pread(fd, buffer, size, at);
	} while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

size_t input_take(struct span *text, void *buffer, size_t size)
{
	size_t n = text->len < size ? text->len : size;

	if (n > 0)
		memcpy(buffer, text->ptr, n);
	*text = span_skip(*text, n);
	return n;
}
