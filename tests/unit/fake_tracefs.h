/* SPDX-License-Identifier: Apache-2.0 */
/* A folder that looks like a tracefs: plain files with the kernel's texts, and a FIFO as
 * trace_pipe. A test does not need root for it.
 *
 * It differs from a real one: a write replaces only the first bytes of a file and leaves the rest
 * (libtracefs truncates the file first), a new value changes no other file, and a new instance is
 * an empty folder. */
#ifndef JANKD_TESTS_FAKE_TRACEFS_H
#define JANKD_TESTS_FAKE_TRACEFS_H

#include <stddef.h>

#include "tests/unit/scratch.h"

#define FAKE_TRACEFS_CPUS 2

/* Its path: the folder "tr" of the scratch folder. */
extern char fake_tracefs[];

/* Makes it, or resets its settings: clock boot, 7777 KB per CPU, tracing on, no lost events. */
void fake_tracefs_make(void);

/* A fixture of cmocka: the scratch folder with such a tracefs; scratch_tear_down() removes it. */
int fake_tracefs_set_up(void **state);

/* Makes the same files for the instance @instance, with its own trace_pipe. */
void fake_tracefs_instance(const char *instance);

/* Adds the formats of raw pages, as a 64-bit kernel prints them, and an empty CPU buffer for each
 * CPU. */
void fake_tracefs_raw(void);

/* Opens one of its FIFOs, such as "trace_pipe", for reading and writing, so that a reader never
 * reaches its end. Returns a descriptor, which the caller closes. */
int fake_tracefs_open(const char *fifo);

#endif
