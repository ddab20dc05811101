/* SPDX-License-Identifier: Apache-2.0 */
/* The plan that a virtual phone plays: markers sorted by time, the threads that write them, and
 * the truth: the frames that they show.
 *
 * A marker is one line that a program writes to trace_marker. A plan is one loop. A recording or a
 * scenario fills it once; playback only reads it. The text of a marker lacks the pid that Android
 * writes after the letter: the pid is known only when real processes play the marker.
 *
 * All functions end the program if memory runs out.
 */
#ifndef JANKD_TOOLS_PHONE_PLAN_H
#define JANKD_TOOLS_PHONE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parser/span.h"

/* Limits of the real processes and threads that play. Threads above these limits share one. */
#define PROCESSES_MAX 64
#define THREADS_MAX 256

/* The kernel's own limit (TASK_COMM_LEN). */
#define COMM_SIZE 16

#define PAYLOAD_MAX 4096

/* The process of a marker whose text is complete: no pid is added to it. */
#define NO_PROCESS (-1)

#define VSYNC_UNKNOWN INT64_C(-1)

#define NS_PER_S UINT64_C(1000000000)

struct virtual_process {
	int32_t pid;	      /* in the recording or the scenario, not the real one */
	char comm[COMM_SIZE]; /* of its main thread */
};

struct virtual_thread {
	int32_t tid;
	uint16_t process;
	bool main; /* the first thread of the process; by default the one whose tid is the pid */
	char comm[COMM_SIZE];
};

struct marker {
	uint64_t time_ns; /* since the start of the loop; not before the previous marker */
	uint32_t text;	  /* offset into the texts; its first byte is the letter */
	uint16_t length;
	uint16_t thread;
	int16_t process; /* whose pid follows the letter, or NO_PROCESS */
	uint8_t cpu;
	bool present; /* the truth needs the time at which it is played */
	int32_t step; /* until plan_sort(): counter number * 4 + step + 1, or -1 */
};

/* A frame of a layer: the present that showed it, and the display's vsync at that time. */
struct truth_frame {
	uint32_t marker; /* that begins the present slice */
	uint32_t layer;
	int64_t vsync; /* number of the vsync in the loop, or VSYNC_UNKNOWN */
	uint64_t period_ns;
	uint64_t vsync_ns; /* time of the next vsync: the first that can show the frame */
	const char
		*cause; /* whose fault it is that the frame is late; NULL: it is not, or unknown */
};

/* A counter. Its value is the sum of all earlier steps, of all threads. */
struct plan_counter {
	uint32_t text; /* "C|name|" */
	int64_t value;
};

struct plan {
	struct virtual_process *processes;
	uint32_t process_count, process_capacity;
	struct virtual_thread *threads;
	uint32_t thread_count, thread_capacity;
	struct marker *markers; /* of the loop, then those that end open slices between loops */
	uint32_t marker_count;	/* of the loop only */
	uint32_t marker_total, marker_capacity;
	struct truth_frame *truth; /* in order of markers */
	uint32_t truth_count, truth_capacity;
	uint32_t *layers; /* names, offsets into the texts */
	uint32_t layer_count, layer_capacity;
	struct plan_counter *counters;
	uint32_t counter_count, counter_capacity;
	char *texts; /* each ended by NUL */
	uint32_t text_size, text_capacity;
	uint32_t *text_table; /* hash of the texts */
	uint32_t text_slots, text_used;
	uint64_t base_ns;   /* time of the loop's start in ftrace text; tracefs has its own clock */
	uint64_t length_ns; /* from the start of one loop to the start of the next */
	int64_t vsyncs;	    /* vsyncs in a loop, or VSYNC_UNKNOWN */
};

/* Makes the array large enough for @count + 1 elements of @size bytes. Returns it; it may have
 * moved. */
void *grow_array(void *array, uint32_t *capacity, uint32_t count, size_t size);

/* Each function adds one element and returns its number, or the offset of a text. */
uint16_t plan_add_process(struct plan *plan, int32_t pid, const char *comm);
uint16_t plan_add_thread(struct plan *plan, uint16_t process, int32_t tid, const char *comm);
uint32_t plan_add_text(struct plan *plan, struct span text);

/* Returns the number of the layer with this name; adds it if there is none. */
uint32_t plan_layer(struct plan *plan, struct span name);

/* Adds a counter with value 0. Returns its number. */
uint32_t plan_add_counter(struct plan *plan, const char *name);

/* Adds a marker. Only time, thread, process and cpu of @marker are read. Returns its number. */
uint32_t plan_add_marker(struct plan *plan, struct marker marker, struct span text);

void plan_add_truth(struct plan *plan, struct truth_frame frame);

/* Sorts the markers by time, and computes the values of counters. Markers may be added in any
 * order. */
void plan_sort(struct plan *plan);

/* Writes the payload of @marker with @pid after its letter. Returns its length; no NUL. */
size_t plan_payload(const struct plan *plan, const struct marker *marker, int32_t pid,
		    char payload[PAYLOAD_MAX]);

void plan_free(struct plan *plan);

#endif
