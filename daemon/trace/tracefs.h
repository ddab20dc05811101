/* SPDX-License-Identifier: Apache-2.0 */
/* The one door to libtracefs: finds tracefs, changes what must be changed, puts it back. */
#ifndef JANKD_DAEMON_TRACE_TRACEFS_H
#define JANKD_DAEMON_TRACE_TRACEFS_H

#include <stdbool.h>
#include <stdint.h>

struct tracefs;

#define TRACEFS_DIRECTORY_SIZE 512

/* Finds where tracefs is mounted: at @wanted, or with NULL at the usual places, then anywhere.
 * Returns 0, or -errno: -EACCES, -EPERM where one may not look. */
int tracefs_find(char directory[static TRACEFS_DIRECTORY_SIZE], const char *wanted);

/**
 * tracefs_open() - find tracefs and the instance to read
 * @out: the caller gives it back with tracefs_close()
 * @directory: where tracefs is mounted, or NULL: the usual places, then /proc/mounts
 * @instance: name, made where it does not exist; NULL is the top level
 *
 * Only one can be open at a time (libtracefs keeps the directory in a global). Returns 0, or
 * -errno after the reason was said on stderr.
 */
int tracefs_open(struct tracefs **out, const char *directory, const char *instance);

/**
 * tracefs_begin() - switch on what a capture needs
 * @buffer_kb: per CPU, for an instance of our own alone: a new size empties a buffer
 * @wants_tgid: somebody else has set it up for us: processes' numbers may be switched on, too
 *
 * Of what others set up only tracing_on is touched where it is off, and a clock that is none.
 * Whoever wants it to be as it was afterwards keeps its settings (settings.h). Returns 0, or
 * -errno after the reason was said on stderr.
 */
int tracefs_begin(struct tracefs *tracefs, uint64_t buffer_kb, bool wants_tgid);

/* Did we make the instance? Then nobody else's capture ends when its tracing is switched off. */
bool tracefs_is_ours(const struct tracefs *tracefs);

/* Stops an instance of our own, so that its trace_pipe runs dry. */
void tracefs_stop(struct tracefs *tracefs);

/* Removes an instance of our own (its trace_pipe must be closed) and frees @tracefs, which may be
 * NULL. Returns NULL. */
struct tracefs *tracefs_close(struct tracefs *tracefs);

/* Opens trace_pipe, non-blocking. Returns the descriptor or -errno: -EBUSY where another one of us
 * has it open. */
int tracefs_open_pipe(struct tracefs *tracefs);

/* What to do where an error, -errno, keeps us from a file of it; @otherwise: where it is none about
 * rights, of memory or of open files. */
const char *tracefs_advice(int error, const char *otherwise);

/* Where tracefs is mounted. */
const char *tracefs_directory(const struct tracefs *tracefs);

/* The directory that is read, for messages. */
const char *tracefs_path(const struct tracefs *tracefs);

/* The trace clock's name ("boot", "local"), "" where it cannot be read. */
const char *tracefs_clock(const struct tracefs *tracefs);

#endif
