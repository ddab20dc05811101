/* SPDX-License-Identifier: Apache-2.0 */
/* The simulated phone of a scenario: processes and threads, surfaces, and writers of markers.
 *
 * All times are nanoseconds since the start of the loop. The same seed gives the same markers.
 */
#ifndef JANKD_TOOLS_PHONE_SIMULATION_H
#define JANKD_TOOLS_PHONE_SIMULATION_H

#include <stdbool.h>
#include <stdint.h>

#include "tools/phone/plan.h"

#define SIM_BINDERS 4
#define SIM_APPS_MAX 16
#define SIM_LAYERS_MAX 512
#define SIM_FRAMES_MAX 256

#define NS_PER_MS UINT64_C(1000000)

/* Writes the markers of one thread, each some microseconds after the previous one. */
struct marker_writer {
	struct simulation *sim;
	uint64_t now_ns;
	uint16_t thread;
	int16_t process;
	uint8_t cpu;
};

enum layer_kind { LAYER_WINDOW, LAYER_SURFACE_VIEW, LAYER_SYSTEM };

struct app {
	const char *package;
	const char *activity;
	struct marker_writer main;   /* Choreographer */
	struct marker_writer render; /* RenderThread, or the thread in which a game draws */
	struct marker_writer fence;  /* GPU completion */
	struct marker_writer heap;
	struct marker_writer binder;
	uint32_t fence_counter;
	unsigned int fences;
	bool draws_itself;     /* without the GPU: its main thread queues the buffers, no fences */
	bool busy;	       /* its main thread draws a long frame and writes no other markers */
	unsigned int asked_id; /* vsync that its next late frame answers, from Android 12 */
};

struct layer {
	struct app *app;
	enum layer_kind kind;
	char title[256];	 /* of the window, without additions of the Android version */
	char name[320];		 /* in SurfaceFlinger */
	char producer[320];	 /* in the app's process, from Android 12 */
	int tag_length;		 /* of the part of it that is the app's own name */
	uint32_t number;	 /* in the plan */
	uint32_t queue;		 /* counter: buffers that wait for SurfaceFlinger */
	uint32_t transactions;	 /* counter, Android 8.1 to 11 */
	uint32_t producer_queue; /* counter in the app, from Android 12 */
	unsigned int frame;
	bool transaction; /* a transaction waits for SurfaceFlinger */
	bool exists;
};

struct frame {
	struct layer *layer;
	unsigned int replaced; /* buffers that were queued before it and are never shown */
	uint64_t work_ns;      /* time from the start of doFrame to the drawing */
	uint64_t blocked_ns;   /* time that the drawing waits for a buffer, in dequeueBuffer */
	bool queued_before;    /* it was queued for an earlier vsync, but not latched then */
	bool late;	       /* its doFrame answers the vsync that the app asked for */
	bool endless;	       /* its doFrame never ends: the process is killed */
	bool asked;	       /* its long doFrame answers the vsync that the app asked for */
	bool ahead;	       /* another buffer of the layer was queued after it */
	unsigned int dropped; /* buffers that were queued for earlier vsyncs, and are never shown */
	uint64_t gpu_until_ns; /* the GPU is not done before that */
	const char *cause;     /* for the truth, or NULL */
};

/* One vsync, and the behaviour of SurfaceFlinger in it. */
struct vsync {
	int64_t number;
	uint64_t time_ns;     /* of the display's vsync */
	uint64_t period_ns;   /* to the next one */
	unsigned int step;    /* vsyncs in a render period */
	unsigned int display; /* the second one of a foldable, or 0 */
	uint64_t tick_ns;     /* when SurfaceFlinger wakes up, if it does */
	uint64_t late_ns;     /* delay of the markers of its ticks */
	uint64_t present_ns;  /* when the present slice begins */
	bool tick;	      /* SurfaceFlinger wakes up, even without a frame */
	bool compose;	      /* it composes, even without a frame */
	bool client;	      /* the GPU composes some layers */
	bool mirrored;	      /* a second output shows the same frames */
	unsigned int frame_count;
	struct frame frames[SIM_FRAMES_MAX];
	struct layer *stalled; /* its buffer is queued for this vsync, but not latched; or NULL */
	struct layer *asking;  /* its app gets a tick for this vsync, but does not draw; or NULL */
	uint64_t gpu_until_ns; /* the GPU is not done with that buffer before that */
	bool missed;	       /* SurfaceFlinger finds that the display is late */
	uint64_t moved_ns;     /* it plans to present so much later than usual */
	int64_t late;	       /* its present is in a later vsync, by so many */
	struct layer *killed;  /* its app begins a frame for this vsync that never ends; or NULL */
};

/* The markers that one version of Android writes. */
struct vocabulary {
	const char *name;
	uint64_t tick_jitter_ns;  /* longest time from the vsync to the tick */
	unsigned int app_percent; /* of a period, from SurfaceFlinger's tick to the apps' tick */
	const char *timer;	  /* name of the thread that writes the ticks */
	/* Of the display's own vsync. NULL: there is hardware_vsync(). */
	const char *vsync_slice, *vsync_counter;
	/* Sets the names of @layer. @same_title: number of existing layers with the same title. */
	void (*name_layer)(struct simulation *sim, struct layer *layer, unsigned int same_title);
	/* The ticks of a vsync. */
	void (*tick)(struct simulation *sim, const struct vsync *vsync, bool sf, bool app);
	/* The app's main thread draws a frame at @start_ns, and its RenderThread begins with it. */
	void (*do_frame)(struct simulation *sim, const struct frame *frame, uint64_t start_ns);
	/* Inside the queueBuffer of @render. @replaces: a buffer that was not latched yet. */
	void (*queue_buffer)(struct simulation *sim, struct layer *layer,
			     struct marker_writer *render, bool replaces);
	/* Queues a transaction without a buffer. NULL: there is none. */
	void (*queue_transaction)(struct simulation *sim, struct layer *layer, uint64_t time_ns);
	/* SurfaceFlinger's main thread. */
	void (*latch_and_compose)(struct simulation *sim, const struct vsync *vsync);
	/* The display's own vsync, while SurfaceFlinger has it enabled. */
	void (*hardware_vsync)(struct simulation *sim, const struct vsync *vsync);
	/* The refresh rate of the display changes at @vsync, or it is another display. */
	void (*change_mode)(struct simulation *sim, const struct vsync *vsync);
	/* SurfaceFlinger states the refresh and render rates at @vsync. NULL: never. */
	void (*state_rates)(struct simulation *sim, const struct vsync *vsync);
};

extern const struct vocabulary android_9, android_11, android_14, android_15;

struct simulation {
	struct plan *plan;
	const struct vocabulary *vocabulary;
	uint64_t random;
	struct marker_writer sf, timer, events, hardware, composer, dispatcher;
	struct marker_writer binders[SIM_BINDERS];
	struct app apps[SIM_APPS_MAX];
	unsigned int app_count;
	struct layer layers[SIM_LAYERS_MAX];
	unsigned int layer_count;
	unsigned int layer_id; /* from Android 13: of the newest layer */
	unsigned int iteration;
	unsigned int vsync_id;	      /* from Android 12: the last one */
	unsigned int sf_id, app_id;   /* the last ones for SurfaceFlinger and for apps */
	unsigned int hardware_vsyncs; /* still to be written */
	bool sf_value, app_value, app_sf_value, hardware_value;
	bool folds; /* it has two displays */
	bool dense; /* many layers in this vsync: markers are closer together */
};

void sim_init(struct simulation *sim, struct plan *plan, const struct vocabulary *vocabulary,
	      uint64_t seed);

/* The app draws @frame and queues it around @queue_ns. */
void sim_draw(struct simulation *sim, const struct frame *frame, uint64_t start_ns,
	      uint64_t queue_ns);

/* Uniform in [low, high]. */
uint64_t sim_random(struct simulation *sim, uint64_t low, uint64_t high);

/* True in @percent of all cases. */
bool sim_chance(struct simulation *sim, unsigned int percent);

/* In [@mean - @spread, @mean + @spread], more often near @mean. */
uint64_t sim_random_around(struct simulation *sim, uint64_t mean, uint64_t spread);

/* Adds a process with its threads. @render is the name of the thread that draws. Strings are
 * borrowed. */
struct app *sim_add_app(struct simulation *sim, const char *package, const char *activity,
			const char *render);

/* Adds a surface of @app. @title is copied; NULL: the app's activity. */
struct layer *sim_add_layer(struct simulation *sim, struct app *app, enum layer_kind kind,
			    const char *title);

/* Moves the time of @writer to @time_ns, never back. */
void writer_advance(struct marker_writer *writer, uint64_t time_ns);

/* The binder thread of SurfaceFlinger that is free first, at @time_ns or later. */
struct marker_writer *sim_free_binder(struct simulation *sim, uint64_t time_ns);

/* Writes what @format prints, a picture of the trace: "prepare{ rebuild{} Queue=0; <latch> }" is a
 * slice with another one, a counter and an instant in it. */
void write_all(struct marker_writer *writer, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Writes the other value of a counter that is 0 or 1. */
void write_toggle(struct marker_writer *writer, bool *value, const char *name);

/* Changes a counter of the plan by @step (-1, 0 or 1); plan_sort() computes its value. */
void write_step(struct marker_writer *writer, uint32_t counter, int step);

/* Begins a present slice, and adds the truth: the frames of @vsync. */
void write_present(struct marker_writer *writer, const struct vsync *vsync, const char *name);

/* Writes the display's own vsync: @counter toggles inside @slice. */
void write_hardware_vsync(struct simulation *sim, const struct vsync *vsync, const char *slice,
			  const char *counter);

/* Writes random markers that are not related to frames. */
void write_other_markers(struct simulation *sim, const struct vsync *vsync);

#endif
