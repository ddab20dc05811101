/* SPDX-License-Identifier: Apache-2.0 */
/* The only user of libtracefs: finds tracefs, makes and removes an instance, switches tracing on.
 */
#ifndef JANKD_DAEMON_TRACE_TRACEFS_H
#define JANKD_DAEMON_TRACE_TRACEFS_H

#include <stdbool.h>
#include <stdint.h>

struct tracefs;

#define TRACEFS_DIRECTORY_SIZE 512

/* Finds where tracefs is mounted: at @wanted, or with NULL at the usual places, then anywhere.
 * Returns 0, or -errno: -EACCES, -EPERM where access is denied. */
int tracefs_find(char directory[static TRACEFS_DIRECTORY_SIZE], const char *wanted);

/**
 * tracefs_open() - find tracefs and the instance to read
 * @out: to be closed with tracefs_close()
 * @directory: where tracefs is mounted, or NULL: the usual places, then /proc/mounts
 * @instance: name, made where it does not exist; NULL is the top level
 *
 * Only one can be open at a time (libtracefs keeps the directory in a global). Returns 0, or
 * -errno after the reason was reported.
 */
int tracefs_open(struct tracefs **out, const char *directory, const char *instance);

/**
 * tracefs_begin() - switch on what a capture needs
 * @buffer_kb: per CPU, only for an instance of our own: a new size empties a buffer
 * @needs_tgid: atrace has set it up for us, so process ids may be switched on, too
 *
 * Otherwise only tracing_on is changed, where it is off, and a clock that is not a time. The caller
 * keeps the settings to restore them (settings.h). Returns 0, or -errno after the reason was
 * reported.
 */
int tracefs_begin(struct tracefs *tracefs, uint64_t buffer_kb, bool needs_tgid);

/* Did we make the instance? Then switching its tracing off ends no other capture. */
bool tracefs_is_ours(const struct tracefs *tracefs);

/* Stops tracing in an instance of our own, so that its trace_pipe has an end. */
void tracefs_stop(struct tracefs *tracefs);

/* Removes an instance of our own (its trace_pipe must be closed) and frees @tracefs, which may be
 * NULL. Returns NULL. */
struct tracefs *tracefs_close(struct tracefs *tracefs);

/* Opens trace_pipe, non-blocking. Returns the descriptor or -errno: -EBUSY where another jankd has
 * it open. */
int tracefs_open_pipe(struct tracefs *tracefs);

/* What to do about an error, -errno, of a file in tracefs; @otherwise: the advice for errors other
 * than missing rights, memory or descriptors. */
const char *tracefs_advice(int error, const char *otherwise);

/* Where tracefs is mounted. */
const char *tracefs_directory(const struct tracefs *tracefs);

/* The directory that is read, for messages. */
const char *tracefs_path(const struct tracefs *tracefs);

/* The trace clock's name ("boot", "local"), "" where it cannot be read. */
const char *tracefs_clock(const struct tracefs *tracefs);

#endif
