/* SPDX-License-Identifier: Apache-2.0 */
/* A simulated phone for tests: records at exact times, as three generations of SurfaceFlinger write
 * them, and the pipeline that reads them.
 *
 * Each present begins exactly at the given time; the markers before it are up to 2 ms earlier. */
#ifndef JANKD_TESTS_PHONE_H
#define JANKD_TESTS_PHONE_H

#include "rules/pipeline.h"

/* The gate opened or closed. */
struct gate_change {
	bool open;
	uint64_t time_ns;
	size_t n_frames; /* number of rows in the log before it */
};

/* Copies of all rows and of their names. */
struct row_log {
	size_t n_fps, n_drops, n_frames, n_events, n_late, n_gate, n_latency;
	struct fps_row *fps;
	struct drop_row *drops;
	struct frame_row *frames;
	struct trace_event *events;
	struct late_frame *late;
	struct gate_change *gate;
	struct frame_row *latency;
	char **texts; /* of the rows */
	size_t n_texts;
};

enum phone_age {
	PHONE_9,  /* BufferQueue, postFramebuffer */
	PHONE_13, /* BufferTX under latchBuffer, composite, postFramebuffer */
	PHONE_14, /* latchBuffer instants, presentFrameAndReleaseLayers */
};

struct phone {
	enum phone_age age;
	int32_t sf_tid;	     /* SurfaceFlinger's main thread; the kernel's tid */
	int32_t sf_tgid;     /* TRACE_ID_UNKNOWN: a trace without the column */
	int32_t sf_pid;	     /* in its markers */
	const char *sf_comm; /* its main thread's name; "<...>": the kernel did not keep it */
	enum trace_writer sf_writer; /* as the source identified it */
	int32_t cpu;		     /* on which it writes; 1 at the start */
	uint64_t now_ns;
	unsigned int n_commits;
	const char *present; /* the name of its slices, from 14 on; NULL: of one display */
	struct ruleset *rules;
	struct pipeline *pipeline;
	struct row_log log;
};

/* Starts the phone and a pipeline with the default rules; phone_stop() frees both. */
void phone_start(struct phone *phone, enum phone_age age, const struct pipeline_options *options);

/* The trace ends: all rows are in phone->log. */
void phone_end(struct phone *phone);

/* Frees the phone and the pipeline. */
void phone_stop(struct phone *phone);

/* Writes one record at phone->now_ns. @tid 0: SurfaceFlinger's main thread. */
void phone_write(struct phone *phone, enum trace_kind kind, int32_t tid, const char *name,
		 int64_t value);

/* Passes the record on unchanged. */
void phone_record(struct phone *phone, const struct trace_record *record);

void phone_begin(struct phone *phone, const char *slice);
void phone_end_slices(struct phone *phone, unsigned int n);
void phone_lost(struct phone *phone, int cpu, int64_t events);

/* VSYNC-sf toggles. */
void phone_tick(struct phone *phone, uint64_t time_ns);

/* A producer queues a buffer of @layer; @waiting: number of buffers in its queue after that. */
void phone_queue(struct phone *phone, uint64_t time_ns, const char *layer, int64_t waiting);

/* SurfaceFlinger latches a buffer of @layer at phone->now_ns, inside its commit. */
void phone_latch(struct phone *phone, const char *layer);

/* SurfaceFlinger composes, for @outputs displays; the first present begins at @present_ns. */
void phone_compose(struct phone *phone, uint64_t present_ns, unsigned int outputs);

/* SurfaceFlinger commits: it latches a buffer of @layer; NULL: none. */
void phone_commit(struct phone *phone, uint64_t time_ns, const char *layer);

/* SurfaceFlinger latches a buffer of @layer and presents it, without a tick. */
void phone_show(struct phone *phone, uint64_t present_ns, const char *layer);

/* A whole frame of each of @layers (ended by NULL): tick, commit with latches, present. */
void phone_frames(struct phone *phone, uint64_t present_ns, const char *const *layers);

/* The same with one layer. */
void phone_frame(struct phone *phone, uint64_t present_ns, const char *layer);

/* Writes @n frames of @layer, @step_ns apart; the first at @from_ns. Returns when the last came. */
uint64_t phone_run(struct phone *phone, const char *layer, uint64_t from_ns, uint64_t step_ns,
		   unsigned int n);

#endif
