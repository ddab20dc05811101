/* SPDX-License-Identifier: Apache-2.0 */
/* After a kill: the kernel's buffers still hold the events that the killed capture has not read.
 * They are counted into its files before its settings are restored, as that may empty the buffers.
 *
 *     killed capture    ... drain ─ frames ─ rows ─ kill
 *     buffers                                      . . . . . . . . . (the oldest are overwritten)
 *     next start, stop                             read ─ frames ─ rows, one event; then restored
 *
 * Only events that the killed capture had read, and not written, are lost. A second kill repeats no
 * row: what was read is no longer in the buffers. */
#ifndef JANKD_DAEMON_CAPTURE_RESCUE_H
#define JANKD_DAEMON_CAPTURE_RESCUE_H

#include "daemon/base/folder.h"
#include "daemon/capture/capture.h"

/**
 * rescue() - count what the trace buffers hold into the files of a killed capture
 * @folder: of both captures; locked
 * @command: that runs now
 * @killed: NULL: no capture was killed, and nothing is done
 *
 * Takes a few seconds at most. The result, or the reason why nothing could be taken, is an event in
 * the files of the killed capture. Returns 0, or another value if it could not be tried or written,
 * after the reason was reported.
 */
int rescue(struct folder *folder, enum options_command command,
	   const struct capture_killed *killed);

#endif
