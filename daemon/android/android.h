/* SPDX-License-Identifier: Apache-2.0 */
/* Android's own programs, and its apps.
 *
 * Each program runs as a child process (base/child.h) with a deadline: one that hangs does not hang
 * jankd. child_program_exists(): does this machine have it?
 *
 *     atrace.h         atrace: enables what apps and the kernel write into the trace
 *     properties.h     getprop and setprop: tags of atrace, model of the device
 *     android_probe.h  dumpsys, while a capture runs: the app in the foreground, the display's
 * period; dumpsys.c parses what it prints app_watch.h      processes of one app in /proc: when the
 * last one ends
 *
 * Read atrace.c first: it shows how a program is run to its end. android_probe.c shows how one runs
 * beside the event loop of a capture. */
#ifndef JANKD_DAEMON_ANDROID_ANDROID_H
#define JANKD_DAEMON_ANDROID_ANDROID_H

#include "daemon/android/android_probe.h"
#include "daemon/android/app_watch.h"
#include "daemon/android/atrace.h"
#include "daemon/android/properties.h"

#endif
