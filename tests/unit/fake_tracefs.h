/* SPDX-License-Identifier: Apache-2.0 */
/* A folder that looks like a tracefs: plain files with the kernel's texts, and a FIFO that is the
 * trace_pipe. A test needs no root for it.
 *
 * It differs from the kernel's: a write replaces the first bytes of what a file holds and leaves
 * the rest (libtracefs cuts it off), a new value changes nothing else, and a new instance is an
 * empty folder.
 */
#ifndef JANKD_TESTS_FAKE_TRACEFS_H
#define JANKD_TESTS_FAKE_TRACEFS_H

#include <stddef.h>

#include "tests/unit/scratch.h"

#define FAKE_TRACEFS_CPUS 2

/* Makes the folder @name of @scratch such a tracefs, or makes its settings new: clock boot,
 * 7777 KB a CPU, tracing on, nothing lost. */
void fake_tracefs_make(const struct scratch *scratch, const char *name);

/* The same files in the instance @instance, whose trace_pipe is a FIFO of its own. */
void fake_tracefs_instance(const struct scratch *scratch, const char *name, const char *instance);

/* Formats of the raw rings as a 64-bit kernel prints them, and an empty ring for each CPU. */
void fake_tracefs_raw(const struct scratch *scratch, const char *name);

/* Opens a FIFO of it, such as "trace_pipe", for reading and writing: so it never ends. Returns a
 * descriptor that the caller closes. */
int fake_tracefs_open(const struct scratch *scratch, const char *name, const char *fifo);

#endif
