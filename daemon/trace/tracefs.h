/* SPDX-License-Identifier: Apache-2.0 */
/* The only user of libtracefs: finds tracefs, creates and removes an instance, switches tracing on.
 *
 * Not from libtracefs: the mount, as tracefs_tracing_dir() mounts one where there is none; settings
 * and statistics (setting_file.h, trace_files.h), as it opens and allocates for each read; and raw
 * pages (source_raw.c): an open() and a read(), for which its old versions have nothing.
 */
#ifndef JANKD_DAEMON_TRACE_TRACEFS_H
#define JANKD_DAEMON_TRACE_TRACEFS_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/trace/setting_file.h"

struct tracefs_instance; /* of libtracefs */

#define LIVE_TRACE_DIRECTORY_SIZE 512

/* Callers read these members but do not write them. */
struct live_trace {
	char directory[LIVE_TRACE_DIRECTORY_SIZE]; /* where it is mounted */
	char path[1024];			   /* of the trace: an instance or the top level */
	struct tracefs_instance *instance;	   /* NULL: the top level */
	/* live_trace_open() has created the instance: no other capture needs its tracing. */
	bool is_ours;
	/* After live_trace_begin(): the trace clock's name ("boot"); "" if it cannot be read. */
	char clock[SETTING_SIZE];
	/* Likewise: settings that this process may not change, and their values, for an event:
	 * "trace_clock boot, tracing_on 1". */
	char fixed[200];
};

/* Finds the mount of tracefs: at @wanted, or if that is NULL at the usual places, then anywhere.
 * Returns 0 or -errno: -EACCES or -EPERM if access is denied. */
int live_trace_find(char directory[static LIVE_TRACE_DIRECTORY_SIZE], const char *wanted);

/* Finds tracefs, as live_trace_find(), and the instance to read: it is created if it does not
 * exist; NULL is the top level. Only one can be open at a time (libtracefs keeps the directory in a
 * global). Returns 0, with @out to be closed by live_trace_close(); or -errno after the reason was
 * reported. */
int live_trace_open(struct live_trace **out, const char *directory, const char *instance);

/* Switches on what a capture needs. In an existing trace it changes nothing but tracing_on, if that
 * is off, and the trace clock, if that does not count time. @buffer_kb: per CPU, of an instance
 * that live_trace_open() has created. @needs_tgid: record process ids in any case: atrace has set
 * up this trace for jankd. The caller keeps the settings to restore them (settings.h). Returns 0,
 * or -errno after the reason was reported. */
int live_trace_begin(struct live_trace *trace, uint64_t buffer_kb, bool needs_tgid);

/* Stops tracing in an instance that live_trace_open() has created, so that its trace_pipe ends. */
void live_trace_stop(struct live_trace *trace);

/* Removes an instance that live_trace_open() has created, and frees @trace, which may be NULL. Its
 * trace_pipe must be closed. Returns NULL. */
struct live_trace *live_trace_close(struct live_trace *trace);

/* Opens trace_pipe, non-blocking. Returns the descriptor or -errno: -EBUSY if another jankd has it
 * open. */
int live_trace_open_pipe(struct live_trace *trace);

/* Lets no other jankd set up or restore tracing in @directory. Waits up to @wait_ms for one that
 * does. Held from before the settings are read until they are changed and the trace is open, and
 * from before it is closed until they are restored: else a start would read the settings of a
 * capture that is ending. Returns a descriptor, to be closed; -EWOULDBLOCK if it waited in vain;
 * -EINTR if a signal of child_end_on() ended the wait; or another -errno: there is no lock. */
int live_trace_lock(const char *directory, int wait_ms);

#define LIVE_TRACE_REFUSAL_SIZE 384

/* Sets @text to "WHY; WHAT TO DO": a file in tracefs cannot be opened. @access: how: R_OK, W_OK.
 * @error: -errno. */
void live_trace_refusal(char text[static LIVE_TRACE_REFUSAL_SIZE], const char *directory,
			const char *name, int access, int error);

/* The same after live_trace_find() has failed. @directory: as it was set, @wanted: its argument. */
void live_trace_refusal_of_mount(char text[static LIVE_TRACE_REFUSAL_SIZE], const char *directory,
				 const char *wanted, int error);

/* Whether live_trace_open() can open an instance: 0: it exists, 1: it can be created, or -errno. */
int live_trace_check_instance(const char *directory, const char *name);

/* --- other_tracers.c: other programs that use the kernel's tracing, from /proc --- */

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
