/* SPDX-License-Identifier: Apache-2.0 */
/* What a virtual phone will play: marks in order of time, who writes them, and the truth.
 *
 * A plan is one loop. It is made once, by a recording or by a scenario, and only read while it
 * is played. A mark's text lacks the pid that Android puts behind the letter, because the pid is
 * known only when real processes play it.
 *
 * Everything here ends the program where memory runs out.
 */
#ifndef JANKD_TOOLS_PHONE_PLAN_H
#define JANKD_TOOLS_PHONE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parser/span.h"

/* More real processes and threads than this are a burden; what is beyond shares one thread. */
#define PHONE_PROCESSES_MAX 64
#define PHONE_THREADS_MAX 256

/* The kernel's own limit (TASK_COMM_LEN). */
#define PHONE_COMM_SIZE 16

#define PHONE_PAYLOAD_MAX 4096

/* A mark whose text holds no pid of ours. */
#define PHONE_NO_PROCESS (-1)

#define PHONE_VSYNC_UNKNOWN INT64_C(-1)

struct phone_process {
	int32_t pid;		    /* in the recording or the scenario, not the real one */
	char comm[PHONE_COMM_SIZE]; /* of its main thread */
};

struct phone_thread {
	int32_t tid;
	uint16_t process;
	bool main; /* the process's first thread; by default the one whose tid is the pid */
	char comm[PHONE_COMM_SIZE];
};

struct phone_mark {
	uint64_t time_ns; /* since the begin of the loop; never less than the mark's before it */
	uint32_t text;	  /* offset into the texts; its first byte is the letter */
	uint16_t length;
	uint16_t thread;
	int16_t process; /* whose pid follows the letter, or PHONE_NO_PROCESS: the text is whole */
	uint8_t cpu;
	bool present; /* the truth wants to know when it was played */
};

/* A layer had a frame: the present that showed it and where the display stood. */
struct phone_truth {
	uint32_t mark; /* begin of the present slice */
	uint32_t layer;
	int64_t vsync; /* number of the vsync in the loop, or PHONE_VSYNC_UNKNOWN */
	uint64_t period_ns;
	uint64_t vsync_ns; /* time of the vsync that ends it: the first that can show the frame */
};

/* A counter whose value follows from all steps before, whoever writes them. */
struct phone_counter {
	uint32_t text; /* "C|name|" */
	uint16_t length;
	int64_t value;
};

struct phone_plan {
	struct phone_process *processes;
	uint32_t process_count, process_room;
	struct phone_thread *threads;
	uint32_t thread_count, thread_room;
	struct phone_mark *marks; /* the loop's, then those that end open slices between loops */
	uint32_t mark_count;	  /* of the loop alone */
	uint32_t mark_total, mark_room;
	struct phone_truth *truths; /* in order of marks */
	uint32_t truth_count, truth_room;
	uint32_t *layers; /* names, offsets into the texts */
	uint32_t layer_count, layer_room;
	struct phone_counter *counters;
	uint32_t counter_count, counter_room;
	int32_t *steps; /* for each mark: counter number * 4 + step + 1, or -1; until sorted */
	uint32_t step_room;
	char *texts; /* each ended by NUL */
	uint32_t text_size, text_room;
	uint32_t *text_table; /* hash of texts already there */
	uint32_t text_slots, text_used;
	uint64_t base_ns;   /* trace time of the loop's begin where no kernel gives the time */
	uint64_t length_ns; /* from one loop's begin to the next one's */
	int64_t vsyncs;	    /* vsyncs in a loop, or PHONE_VSYNC_UNKNOWN */
};

/* Grows @array so that @count + 1 elements of @size bytes fit. Returns the array. */
void *phone_grow(void *array, uint32_t *room, uint32_t count, size_t size);

uint16_t phone_plan_process(struct phone_plan *plan, int32_t pid, const char *comm);
uint16_t phone_plan_thread(struct phone_plan *plan, uint16_t process, int32_t tid,
			   const char *comm);
uint32_t phone_plan_text(struct phone_plan *plan, struct span text);

/* The number of the layer of that name; a new one where there is none. */
uint32_t phone_plan_layer(struct phone_plan *plan, struct span name);

/* A new counter that stands at 0. */
uint32_t phone_plan_counter(struct phone_plan *plan, const char *name);

/* Adds a mark. Only time, thread, process and cpu of @mark are read. Returns its number. */
uint32_t phone_plan_mark(struct phone_plan *plan, struct phone_mark mark, struct span text);

/* Adds a mark that moves @counter by @step (-1, 0 or 1); phone_plan_sort() gives it a value. */
uint32_t phone_plan_step(struct phone_plan *plan, struct phone_mark mark, uint32_t counter,
			 int step);

void phone_plan_truth(struct phone_plan *plan, struct phone_truth truth);

/* Puts marks that were added in any order into order of time and gives counters their values. */
void phone_plan_sort(struct phone_plan *plan);

/* The marks that are played in a loop: @last is the last of all loops. */
static inline uint32_t phone_plan_end(const struct phone_plan *plan, bool last)
{
	return last ? plan->mark_count : plan->mark_total;
}

/* Writes the payload of @mark with @pid behind its letter. Returns its length; no NUL. */
size_t phone_plan_payload(const struct phone_plan *plan, const struct phone_mark *mark, int32_t pid,
			  char payload[PHONE_PAYLOAD_MAX]);

void phone_plan_free(struct phone_plan *plan);

#endif
