/* SPDX-License-Identifier: Apache-2.0 */
/* Lines in Android's log, with the tag jankd: 'adb logcat -s jankd' shows them.
 *
 * A line is a datagram to the socket of logd, Android 5 and later. Earlier versions have a device
 * file of the kernel instead (/dev/log/main), which is not supported. */
#ifndef JANKD_DAEMON_ANDROID_LOGCAT_H
#define JANKD_DAEMON_ANDROID_LOGCAT_H

#include "rules/base/rate_limit.h"

/* The values of android/log.h. */
enum logcat_priority { LOGCAT_INFO = 4, LOGCAT_WARNING = 5 };

struct logcat {
	int fd; /* -1: nothing is written */
	const char *root;
	struct rate_limit limit;
	unsigned int left_out; /* lines since the last one that was written */
};

#define LOGCAT_CLOSED ((struct logcat){ .fd = -1 })

/* @root: prefix of the socket's path, "" for that of the device; borrowed; NULL: this is no Android
 * device, and nothing is written. */
void logcat_open(struct logcat *logcat, const char *root);

/* Writes a line; @text: any bytes. Never waits: without logd, or if it does not keep up, the line
 * is dropped. At most 30 lines a minute are written; the next one has the number of those that were
 * left out. */
void logcat_write(struct logcat *logcat, enum logcat_priority priority, const char *text);

/* May be called in any state. */
void logcat_close(struct logcat *logcat);

#endif
