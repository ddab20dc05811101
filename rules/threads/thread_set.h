/* SPDX-License-Identifier: Apache-2.0 */
/* Which threads have an entry in a small table.
 *
 * The entries are in an array of the owner, in the same order; places 0 to n - 1 are used. Most
 * records are of a thread without an entry, and of the others most are of the thread that was found
 * last: both are known without a search.
 */
#ifndef JANKD_RULES_THREADS_THREAD_SET_H
#define JANKD_RULES_THREADS_THREAD_SET_H

#include <stdbool.h>
#include <stdint.h>

struct thread_set {
	unsigned int n;
	unsigned int found; /* the place where the last thread was found */
	uint64_t some;	    /* bit tid % 64 is set for all threads in it, and maybe for others */
	int32_t *tids;	    /* has the size of the table; of the owner */
};

static inline uint64_t thread_set_bit(int32_t tid)
{
	return UINT64_C(1) << ((uint32_t)tid % 64);
}

static inline bool thread_set_may_have(const struct thread_set *set, int32_t tid)
{
	return set->some & thread_set_bit(tid);
}

/* True: the thread that was found last is @tid. */
static inline bool thread_set_has_found(const struct thread_set *set, int32_t tid)
{
	return set->found < set->n && set->tids[set->found] == tid;
}

/* The place of the thread; -1: it has none. */
static inline int thread_set_find(struct thread_set *set, int32_t tid)
{
	if (!thread_set_may_have(set, tid))
		return -1;
	if (thread_set_has_found(set, tid))
		return (int)set->found;
	for (unsigned int i = 0; i < set->n; i++) {
		if (set->tids[i] == tid) {
			set->found = i;
			return (int)i;
		}
	}
	return -1;
}

/* Adds a thread, for which there must be space. Returns its place, in which it is found next. */
static inline unsigned int thread_set_add(struct thread_set *set, int32_t tid)
{
	set->tids[set->n] = tid;
	set->some |= thread_set_bit(tid);
	set->found = set->n++;
	return set->found;
}

/* Removes the thread at place @at. True: the last one moves there, and the owner moves its entry
 * from place n to @at. */
static inline bool thread_set_remove(struct thread_set *set, unsigned int at)
{
	set->tids[at] = set->tids[--set->n];
	set->some = 0;
	for (unsigned int i = 0; i < set->n; i++)
		set->some |= thread_set_bit(set->tids[i]);
	return at < set->n;
}

/* Removes all threads. */
static inline void thread_set_clear(struct thread_set *set)
{
	set->n = 0;
	set->some = 0;
}

#endif
