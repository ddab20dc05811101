/* SPDX-License-Identifier: Apache-2.0 */
/* Hears at once when somebody writes to the files that steer a trace. Where the kernel or a policy
 * does not let us listen, whoever looks at the files sees what has stayed changed. */
#ifndef JANKD_DAEMON_CAPTURE_TRACE_WATCH_H
#define JANKD_DAEMON_CAPTURE_TRACE_WATCH_H

#include <stdbool.h>

#include "daemon/capture/interference_format.h"
#include "daemon/base/loop.h"

enum trace_file {
	TRACE_FILE_ON,	   /* tracing_on */
	TRACE_FILE_CLOCK,  /* trace_clock */
	TRACE_FILE_SUBBUF, /* buffer_subbuf_size_kb: a new size empties the buffers */
	TRACE_FILE_SIZE,   /* buffer_size_kb */
	TRACE_FILE_TRACE,  /* trace: who writes to it empties the buffers */
	TRACE_FILE_RAW,	   /* trace_pipe_raw of a CPU: its readers take events away */
	TRACE_FILE_CPUS,   /* tracing_cpumask */
	TRACE_FILE_OPTION, /* an option that decides on what is taken, or on the lines of a text */
	TRACE_FILE_LOOK,   /* trace was read: some kernels take nothing meanwhile */
	TRACE_FILES,
};

/* Of trace_pipe_raw, trace and the size there is one for each CPU. */
#define TRACE_WATCH_CPUS_MAX 64
#define TRACE_WATCHES_MAX (16 + INTERFERENCE_FORM_OPTIONS + 3 * TRACE_WATCH_CPUS_MAX)

struct trace_watch {
	struct watcher watcher; /* whose function the owner sets; fd is -1 where nothing is heard */
	struct {
		int wd;
		enum trace_file file;
	} watches[TRACE_WATCHES_MAX];
	unsigned int n_watches;
	int readers; /* of TRACE_FILE_RAW, that were heard to come and not to go */
	int lookers; /* the same of trace; one that writes to it is not to be told from them */
};

/* Begins to listen to the files at @path. @text: the trace is read as a text. The watcher's fd can
 * be put into a loop. */
void trace_watch_open(struct trace_watch *watch, const char *path, bool text);
void trace_watch_close(struct trace_watch *watch);

/* What was heard since the last call: a bit (1 << enum trace_file) for each file. */
unsigned int trace_watch_take(struct trace_watch *watch);

#endif
