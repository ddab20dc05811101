/* SPDX-License-Identifier: Apache-2.0 */
/* The threads of a perfetto trace, from its process trees: of which process each is, and the names
 * of processes. */
#ifndef JANKD_DAEMON_TRACE_PERFETTO_THREADS_H
#define JANKD_DAEMON_TRACE_PERFETTO_THREADS_H

#include <stdbool.h>
#include <stdint.h>

#include "parser/perfetto.h"

#define PERFETTO_THREADS 32768 /* a power of two; more are not kept */

/* The kernel's TASK_COMM_LEN, with the NUL. */
#define PERFETTO_COMM_SIZE 16

struct perfetto_thread_entry {
	int32_t tid; /* 0: unused */
	int32_t tgid;
	char comm[PERFETTO_COMM_SIZE]; /* "": unknown */
	uint64_t named_ns;	       /* time of the tree that named it */
};

struct perfetto_threads {
	unsigned int n;
	struct perfetto_thread_entry entries[PERFETTO_THREADS];
};

/* Adds a thread or a process. */
void perfetto_threads_add_one(struct perfetto_threads *threads,
			      const struct perfetto_thread *thread, uint64_t time_ns);

/* Adds the threads of a tree. A later name replaces an earlier one, by @time_ns, of trees of the
 * same time by their order. Returns false if the tree is damaged. */
bool perfetto_threads_add(struct perfetto_threads *threads, struct span tree, uint64_t time_ns);

/* Returns NULL if the trace does not name that thread. */
const struct perfetto_thread_entry *perfetto_threads_find(const struct perfetto_threads *threads,
							  int32_t tid);

#endif
