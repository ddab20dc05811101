/* SPDX-License-Identifier: Apache-2.0 */
/* Open slices of threads: only those that a rule names, and only while one is open.
 *
 * Begin and end of a slice know nothing of each other but their thread, so depth is counted. A
 * thread enters the table with its first slice that means something and leaves it with the last,
 * so few are in it at any time.
 */
#ifndef JANKD_RULES_THREADS_H
#define JANKD_RULES_THREADS_H

#include <stdbool.h>
#include <stdint.h>

#define THREAD_SLICES_MAX 16

struct thread {
	int32_t tid;
	uint32_t depth; /* slices open since the first that means something */
	uint32_t open;	/* masks of all below, together */
	unsigned int n;
	uint64_t last_use; /* number of its last begin */
	struct open_slice {
		uint32_t depth;
		uint32_t mask;
	} slices[THREAD_SLICES_MAX];
};

struct thread_table {
	unsigned int n;
	unsigned int max;
	int32_t *tids; /* of threads[i], side by side: what a search reads */
	struct thread *threads;
	uint64_t uses; /* begins so far */
	uint64_t evicted;
	uint64_t unbalanced; /* slices given up while healing */
};

/* @max: how many there are room for; where it is full, the one goes that was silent longest.
 * Returns 0 or -ENOMEM; threads_free() is due in any case. */
int threads_init(struct thread_table *table, unsigned int max);
void threads_free(struct thread_table *table);

/* Mask of the slices open on @tid. */
uint32_t threads_open(const struct thread_table *table, int32_t tid);

/**
 * threads_begin() - a slice begins
 * @mask: what it means; 0 for one that no rule names
 * @closed: what cannot be open now: if it is, its end was lost
 */
void threads_begin(struct thread_table *table, int32_t tid, uint32_t mask, uint32_t closed);

/* A slice ends. */
void threads_end(struct thread_table *table, int32_t tid);

/* Forgets all open slices: ends may have been lost. */
void threads_forget(struct thread_table *table);

#endif
