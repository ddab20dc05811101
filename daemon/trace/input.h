/* SPDX-License-Identifier: Apache-2.0 */
/* Reads of a recorded trace, which a signal stops. Without that, one that is stopped in the middle
 * leaves files with headers only, where those of an earlier session were. */
#ifndef JANKD_DAEMON_TRACE_INPUT_H
#define JANKD_DAEMON_TRACE_INPUT_H

#include <stdbool.h>
#include <sys/types.h>

#include "parser/span.h"

/* From now on SIGINT, SIGTERM, SIGHUP and SIGQUIT stop reads, unless they are ignored. */
void input_begin(void);

/* They end the program again. */
void input_end(void);

/* True: one of them came. */
bool input_is_stopped(void);

/* Reads from @at on; < 0: from where the descriptor is. Returns the number of bytes; 0 at the end;
 * -EINTR if it is stopped; another -errno. */
ssize_t input_read(int fd, void *buffer, size_t size, off_t at);

/* Moves up to @size bytes from the front of a text to @buffer. Returns their number. */
size_t input_take(struct span *text, void *buffer, size_t size);

#endif
