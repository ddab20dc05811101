/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/android/android.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "daemon/base/loop.h"
#include "daemon/base/text.h"

#define SOCKET "/dev/socket/logdw"
#define TAG "jankd"

#define LINES_MAX 30
#define LINES_NS (60 * UINT64_C(1000000000))

/* logd accepts 4068 bytes behind the header. */
#define TEXT_MAX 2048

/* The log that 'logcat' shows by default. */
#define LOG_ID_MAIN 0

/* liblog/README.protocol.md of Android. After it: a byte with the priority, the tag and the text,
 * both with their NUL. */
struct __attribute__((packed)) header {
	uint8_t id;
	uint16_t tid;
	uint32_t s, ns; /* CLOCK_REALTIME */
};

void logcat_open(struct logcat *logcat, const char *root)
{
	*logcat = LOGCAT_CLOSED;
	logcat->root = root;
	if (root)
		logcat->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

void logcat_write(struct logcat *logcat, enum logcat_priority priority, const char *text)
{
	char line[sizeof(struct header) + 1 + sizeof(TAG) + TEXT_MAX];
	char *at = line + sizeof(struct header);
	struct header header = { .id = LOG_ID_MAIN };
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct timespec now;
	size_t left;

	if (logcat->fd < 0)
		return;
	if (!rate_limit_allows(&logcat->limit, LINES_MAX, LINES_NS, loop_now())) {
		logcat->left_out++;
		return;
	}
	clock_gettime(CLOCK_REALTIME, &now);
	header.tid = (uint16_t)syscall(SYS_gettid);
	header.s = (uint32_t)now.tv_sec;
	header.ns = (uint32_t)now.tv_nsec;
	memcpy(line, &header, sizeof(header));
	*at++ = (char)priority;
	memcpy(at, TAG, sizeof(TAG));
	at += sizeof(TAG);
	left = (size_t)(line + sizeof(line) - at);
	if (logcat->left_out > 0) {
		size_t n = (size_t)snprintf(at, left, "(%u lines left out) ", logcat->left_out);

		at += n;
		left -= n;
		logcat->left_out = 0;
	}
	at += text_escape(at, left, text);
	*at++ = '\0';
	/* With the address each time: logd may have been restarted. */
	if (snprintf(address.sun_path, sizeof(address.sun_path), "%s%s", logcat->root, SOCKET) <
	    (int)sizeof(address.sun_path))
		sendto(logcat->fd, line, (size_t)(at - line), MSG_DONTWAIT | MSG_NOSIGNAL,
		       (struct sockaddr *)&address, sizeof(address));
}

void logcat_close(struct logcat *logcat)
{
	if (logcat->fd >= 0)
		close(logcat->fd);
	logcat->fd = -1;
}
