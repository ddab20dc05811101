/* SPDX-License-Identifier: Apache-2.0 */
/* SurfaceFlinger as learnt from the trace: the process whose thread presents. */
#ifndef JANKD_RULES_SURFACEFLINGER_H
#define JANKD_RULES_SURFACEFLINGER_H

#include <stdbool.h>
#include <stdint.h>

#include "parser/record.h"

/* How sure the name of a thread makes us that it is SurfaceFlinger's. */
enum trust {
	TRUST_OTHER,   /* it has another name */
	TRUST_UNKNOWN, /* the kernel forgot it: "<...>" */
	TRUST_NAMED,   /* surfaceflinger, SurfaceFlinger */
	TRUST_KNOWN,   /* the kernel's word: no name, but its process */
};

struct surfaceflinger {
	bool known;
	enum trust trust;
	int32_t tid;	  /* of the thread that presents; the kernel's number */
	int32_t pid;	  /* as its own markers say: differs from the kernel's in a container */
	int32_t tgid;	  /* the kernel's, TRACE_ID_UNKNOWN where the trace has no such column */
	int32_t tick_tid; /* of the thread that ticks */
	uint64_t last_ns; /* its last present */
	uint64_t tick_ns; /* its last tick */
	bool presented;	  /* in the composition that is open */
};

#define SURFACEFLINGER_UNKNOWN                                                                     \
	((struct surfaceflinger){ .tid = TRACE_ID_UNKNOWN,                                         \
				  .pid = TRACE_ID_UNKNOWN,                                         \
				  .tgid = TRACE_ID_UNKNOWN,                                        \
				  .tick_tid = TRACE_ID_UNKNOWN })

enum trust trust_of(const struct trace_record *record);

/* Two processes may have one number in their markers, where one of them is in a container. */
bool surfaceflinger_is(const struct surfaceflinger *sf, int32_t pid, int32_t tgid);

/* Is @record, whatever it says, from a thread that only a living @sf has? */
bool surfaceflinger_lives(const struct surfaceflinger *sf, const struct trace_record *record);

/**
 * surfaceflinger_is_over() - is it silent for so long that another one is there?
 * @now: an event of the other
 * @trust: that its name makes
 * @evident: the other ticks and latches, not only presents
 *
 * A process of another name never follows. One whose name the kernel forgot does not, either, where
 * the kernel's word is known, unless whoever tells it has lost @sf; and where @sf has its name it
 * has to be evident.
 */
bool surfaceflinger_is_over(const struct surfaceflinger *sf, const struct trace_record *now,
			    enum trust trust, bool evident);

/* May a process of that @trust be the next one at all? */
bool surfaceflinger_may_follow(const struct surfaceflinger *sf, const struct trace_record *now,
			       enum trust trust);

#endif
