/* SPDX-License-Identifier: Apache-2.0 */
/* Android's own programs, the processes of apps, and what jankd does only on a device.
 *
 * Each program runs as a child process (base/child.h) with a deadline, so one that hangs does not
 * block jankd. child_program_exists() checks whether this machine has a program.
 *
 *     atrace.h         atrace: enables what apps and the kernel write into the trace
 *     properties.h     getprop and setprop: tags of atrace, model of the device
 *     android_probe.h  dumpsys during a capture: app in the foreground, period of the display,
 *                      durations of frames
 *     dumpsys.h        parses the output of dumpsys
 *     app_watch.h      finds the processes of one app in /proc, and when the last one ends
 *     device_state.h   battery, screen and temperatures, from sysfs
 *     background.h     the CPUs on which jankd runs, and its oom_score_adj
 *     latency_poll.h   dumpsys during a capture: present fences of layers
 *     logcat.h         lines in the device's log
 *     perfetto.h       perfetto during a capture: SurfaceFlinger's FrameTimeline
 *
 * Read atrace.c first: it runs a program to its end. android_probe.c runs one beside the event loop
 * of a capture. */
#ifndef JANKD_DAEMON_ANDROID_ANDROID_H
#define JANKD_DAEMON_ANDROID_ANDROID_H

#include "daemon/android/android_probe.h"
#include "daemon/android/app_watch.h"
#include "daemon/android/atrace.h"
#include "daemon/android/background.h"
#include "daemon/android/device_state.h"
#include "daemon/android/latency_poll.h"
#include "daemon/android/logcat.h"
#include "daemon/android/perfetto.h"
#include "daemon/android/properties.h"

#endif
