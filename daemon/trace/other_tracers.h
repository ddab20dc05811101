/* SPDX-License-Identifier: Apache-2.0 */
/* Other programs that use the kernel's tracing, from /proc. */
#ifndef JANKD_DAEMON_TRACE_OTHER_TRACERS_H
#define JANKD_DAEMON_TRACE_OTHER_TRACERS_H

#define OTHER_TRACERS_SIZE 200

/* Texts "NAME (pid N), NAME (pid N)", cut if they are long; "" for none. Names are escaped. */
struct other_tracers {
	char readers[OTHER_TRACERS_SIZE]; /* they have a trace_pipe of the trace open */
	char others[OTHER_TRACERS_SIZE];  /* known programs that trace at times, such as perfetto's
					   */
};

/* Finds them. @path: directory of the trace. This process and ended ones are left out. Only root
 * sees the readers of all users. */
void other_tracers_find(struct other_tracers *found, const char *path);

#endif
