/* SPDX-License-Identifier: Apache-2.0 */
/* Detects at once, with inotify, that a program writes to the files that control a trace, or reads
 * the trace. If the kernel or a policy does not allow that, only lasting changes are detected, when
 * the files are read. */
#ifndef JANKD_DAEMON_CAPTURE_TRACE_WATCH_H
#define JANKD_DAEMON_CAPTURE_TRACE_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/trace/trace.h"
#include "daemon/base/loop.h"

enum trace_file {
	/* Before these are the settings: see enum trace_setting. */
	TRACE_FILE_OPTIONS = TRACE_SETTINGS, /* trace_options: any option was written */
	TRACE_FILE_EMPTIED,  /* a write that empties the buffers: to trace, to snapshot, which puts
				an empty buffer in place of the full one, or a new size of
				sub-buffers */
	TRACE_FILE_TRACE,    /* trace: a write to it empties the buffers */
	TRACE_FILE_WAS_READ, /* trace was read: some kernels record nothing during a read */
	TRACE_FILE_RAW,	     /* trace_pipe_raw of a CPU: a read removes events */
	TRACE_FILES,
};

/* The name of a setting, or of TRACE_FILE_OPTIONS. */
const char *trace_watch_name(unsigned int file);

/* Each CPU has a trace_pipe_raw, a trace, a snapshot and a size. */
#define TRACE_WATCHES_MAX (16 + TRACE_SETTINGS + 4 * TRACE_CPUS_MAX)

struct trace_watch {
	/* fd is -1 if no file can be watched. */
	struct watcher watcher;
	struct {
		int wd;
		unsigned int file;
	} watches[TRACE_WATCHES_MAX];
	unsigned int n_watches;
	int raw_readers;  /* programs that have TRACE_FILE_RAW open */
	int text_readers; /* programs that have trace open, to read or to write */
	uint64_t events;  /* of inotify so far */
};

/**
 * trace_watch_open() - start watching the files of a trace
 * @watcher: its ready() and context; ->watcher can be added to a loop after this call, and is to be
 *	closed by loop_close_watcher()
 * @path: of the trace
 * @line_format: watch also the options that change the format of the lines
 */
void trace_watch_open(struct trace_watch *watch, struct watcher watcher, const char *path,
		      bool line_format);

/* Returns the files that were written or read since the last call, a bit each:
 * 1 << enum trace_setting or enum trace_file. */
unsigned int trace_watch_read(struct trace_watch *watch);

#endif
