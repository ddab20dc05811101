/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/trace/input.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
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

/* --- a mapped file --- */

static struct {
	char *begin, *end; /* NULL: none is mapped */
	volatile sig_atomic_t is_cut;
	struct sigaction before;
} map;

/* There is no file behind the address: zeros from there on. */
static void on_no_file(int number, siginfo_t *info, void *context)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	char *at = (char *)((uintptr_t)info->si_addr / page * page);
	int error = errno;

	(void)context;
	if (at < map.begin || at >= map.end ||
	    mmap(at, (size_t)(map.end - at), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
		 0) == MAP_FAILED)
		signal(number, SIG_DFL);
	map.is_cut = true;
	errno = error;
}

bool input_map(int fd, off_t at, struct span *text)
{
	const struct sigaction caught = { .sa_sigaction = on_no_file, .sa_flags = SA_SIGINFO };
	struct stat info;
	char *begin;

	if (map.begin || fstat(fd, &info) < 0 || !S_ISREG(info.st_mode) || at >= info.st_size ||
	    (uint64_t)info.st_size > SIZE_MAX)
		return false;
	begin = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (begin == MAP_FAILED)
		return false;
	map.begin = begin;
	map.end = begin + info.st_size;
	map.is_cut = false;
	sigaction(SIGBUS, &caught, &map.before);
	*text = (struct span){ begin + at, (size_t)(info.st_size - at) };
	return true;
}

void input_unmap(void)
{
	sigaction(SIGBUS, &map.before, NULL);
	munmap(map.begin, (size_t)(map.end - map.begin));
	map.begin = map.end = NULL;
}

bool input_map_is_cut(void)
{
	return map.is_cut;
}

void input_map_drop(void)
{
	if (map.begin)
		madvise(map.begin, (size_t)(map.end - map.begin), MADV_DONTNEED);
}

size_t input_take(struct span *text, void *buffer, size_t size)
{
	size_t n = text->len < size ? text->len : size;

	if (n > 0)
		memcpy(buffer, text->ptr, n);
	*text = span_skip(*text, n);
	return n;
}
