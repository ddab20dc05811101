/* SPDX-License-Identifier: Apache-2.0 */
/* The stage of a generated scenario: processes and threads, surfaces, and pens that write marks.
 *
 * All times are nanoseconds since the begin of the loop. The same seed gives the same marks.
 */
#ifndef JANKD_TOOLS_PHONE_SIMULATION_H
#define JANKD_TOOLS_PHONE_SIMULATION_H

#include <stdbool.h>
#include <stdint.h>

#include "tools/phone/plan.h"

#define SCENE_BINDERS 4
#define SCENE_APPS_MAX 16
#define SCENE_LAYERS_MAX 512
#define SCENE_FRAMES_MAX 256

#define SCENE_MS UINT64_C(1000000)
#define SCENE_S UINT64_C(1000000000)

/* A thread's hand: each mark it writes stands some microseconds behind the one before. */
struct pen {
	struct scene *scene;
	uint64_t now_ns;
	uint16_t thread;
	int16_t process;
	uint8_t cpu;
};

enum layer_kind { LAYER_WINDOW, LAYER_SURFACE_VIEW, LAYER_SYSTEM };

struct app {
	const char *package;
	const char *activity;
	struct pen main;   /* Choreographer */
	struct pen render; /* RenderThread, or a game's own thread */
	struct pen fence;  /* GPU completion */
	struct pen heap;
	struct pen binder;
	uint32_t fence_counter;
	unsigned int fences;
	bool busy; /* its main thread does nothing else */
};

struct layer {
	struct app *app;
	enum layer_kind kind;
	char title[256];	 /* the window's, without what the version adds */
	char name[320];		 /* as SurfaceFlinger has it */
	char producer[320];	 /* as the app's process has it, from Android 12 */
	uint32_t number;	 /* in the plan */
	uint32_t queue;		 /* counter: buffers that wait for SurfaceFlinger */
	uint32_t transactions;	 /* counter, Android 8.1 to 11 */
	uint32_t producer_queue; /* counter in the app, from Android 12 */
	unsigned int frame;
	bool transaction; /* one waits for SurfaceFlinger */
	bool alive;
};

struct frame {
	struct layer *layer;
	unsigned int replaced; /* buffers queued before it that nobody will see */
	uint64_t work_ns;      /* doFrame is open for so long before it is drawn */
	bool waited;	       /* its buffer was queued for an earlier beat and not latched there */
};

/* One vsync, and what SurfaceFlinger does in it. */
struct beat {
	int64_t vsync;
	uint64_t lattice_ns; /* where the display stands */
	uint64_t period_ns;  /* to the next one */
	uint64_t tick_ns;    /* when SurfaceFlinger is woken, if it is */
	uint64_t late_ns;    /* its ticks are written so much later */
	uint64_t present_ns; /* when the present slice is to begin */
	bool tick;	     /* woken even without a frame */
	bool compose;	     /* composes even without a frame */
	bool client;	     /* the GPU composes a part */
	bool mirrored;	     /* a second output shows the same */
	unsigned int frame_count;
	struct frame frames[SCENE_FRAMES_MAX];
	struct layer *stalled; /* a buffer of it is queued to be shown now, and is not latched */
};

struct scene;

/* How a version of Android says it. */
struct vocabulary {
	const char *name;
	uint64_t tick_jitter_ns;  /* from the lattice to the tick, at most */
	unsigned int app_percent; /* of a period, from SurfaceFlinger's tick to the apps' */
	const char *timer;	  /* name of the thread that ticks */
	void (*name_layer)(struct scene *scene, struct layer *layer, unsigned int instance);
	/* The ticks of a vsync; @app: somebody will draw */
	void (*tick)(struct scene *scene, const struct beat *beat, bool sf, bool app);
	/* The app draws a frame and queues it around @queue_ns. */
	void (*draw)(struct scene *scene, const struct frame *frame, uint64_t start_ns,
		     uint64_t queue_ns);
	/* SurfaceFlinger's main thread. */
	void (*turn)(struct scene *scene, const struct beat *beat);
	/* The display's own vsync while SurfaceFlinger listens to it. */
	void (*hardware)(struct scene *scene, const struct beat *beat);
	/* The display runs at another rate from @beat on. */
	void (*mode)(struct scene *scene, const struct beat *beat);
};

struct scene {
	struct phone_plan *plan;
	const struct vocabulary *vocabulary;
	uint64_t random;
	struct pen sf, timer, events, hardware, composer, dispatcher;
	struct pen binders[SCENE_BINDERS];
	struct app apps[SCENE_APPS_MAX];
	unsigned int app_count;
	struct layer layers[SCENE_LAYERS_MAX];
	unsigned int layer_count;
	unsigned int layer_id; /* from Android 13 on: of the last layer made */
	unsigned int iteration;
	unsigned int vsync_id;
	unsigned int hardware_ticks; /* still to come */
	bool sf_value, app_value, app_sf_value, hardware_value;
	bool crowded; /* many layers in this beat: write faster */
};

/* Uniform in [low, high]. */
uint64_t scene_random(struct scene *scene, uint64_t low, uint64_t high);

/* True in @percent of all cases. */
bool scene_chance(struct scene *scene, unsigned int percent);

/* Bell-shaped around @mean in [@mean - @spread, @mean + @spread]. */
uint64_t scene_bell(struct scene *scene, uint64_t mean, uint64_t spread);

void scene_open(struct scene *scene, struct phone_plan *plan, const struct vocabulary *vocabulary,
		uint64_t seed);

/* A process with its threads; @render names the thread that draws. Strings are borrowed. */
struct app *scene_app(struct scene *scene, const char *package, const char *activity,
		      const char *render);

/* A new surface of @app. @title is copied; NULL means the app's activity. */
struct layer *scene_layer(struct scene *scene, struct app *app, enum layer_kind kind,
			  const char *title);

/* Gives @beat a frame of @layer. */
void scene_frame(struct beat *beat, struct layer *layer, unsigned int replaced);

/* The same, of a frame at which the app worked for @work_ns. */
void scene_slow_frame(struct beat *beat, struct layer *layer, uint64_t work_ns);

/* The same, of the buffer that an earlier beat's @stalled queued. */
void scene_waited_frame(struct beat *beat, struct layer *layer);

/* Moves @pen on to @time_ns, never back. */
void pen_at(struct pen *pen, uint64_t time_ns);

/* The SurfaceFlinger binder thread that is free first, at @time_ns or later. */
struct pen *scene_binder(struct scene *scene, uint64_t time_ns);

/* Each writes one mark and returns its number. */
uint32_t pen_begin(struct pen *pen, const char *format, ...) __attribute__((format(printf, 2, 3)));
uint32_t pen_end(struct pen *pen);
uint32_t pen_instant(struct pen *pen, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
uint32_t pen_counter(struct pen *pen, int64_t value, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
uint32_t pen_step(struct pen *pen, uint32_t counter, int step);

/* Begins and ends a slice. */
void pen_slice(struct pen *pen, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Any payload without its pid: "S|name|1" becomes "S|2300|name|1". */
uint32_t pen_raw(struct pen *pen, const char *text);

/* A bare "E", as bionic's own tracer writes it. */
uint32_t pen_bare_end(struct pen *pen);

/* Writes the begin of a present slice that shows @beat's frames, and their truth. */
void pen_present(struct pen *pen, const struct beat *beat, const char *name);

/* The display's own vsync: @counter toggles inside @slice. */
void scene_hardware_vsync(struct scene *scene, const struct beat *beat, const char *slice,
			  const char *counter);

/* What else goes on in a phone: marks that are no frames. */
void scene_noise(struct scene *scene, const struct beat *beat);

extern const struct vocabulary phone_android_9;
extern const struct vocabulary phone_android_11;
extern const struct vocabulary phone_android_14;

#endif
