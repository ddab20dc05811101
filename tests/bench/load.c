/* SPDX-License-Identifier: Apache-2.0 */
/* A load for measurements: SurfaceFlinger and apps write markers of Android 12 at a given rate into
 * an instance of the kernel's tracefs.
 *
 * SurfaceFlinger is a process of that name. In each vsync of 60 Hz it writes a tick, latches
 * buffers of some layers, in turn, and presents; its markers come in 16 bursts, about one per
 * millisecond. Threads of an app write the remaining markers: in turn a block for each frame that
 * the app draws, at most one burst per millisecond. Each writer stays on one CPU. Unlike jank-phone
 * it simulates no real app: it only generates load, and uses as little CPU time as possible. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_S UINT64_C(1000000000)
#define VSYNCS_PER_S 60
#define PERIOD_NS (NS_PER_S / VSYNCS_PER_S)
#define BURSTS 16
#define MAX_IN_PRESENT 64

/* Number of SurfaceFlinger's markers for a vsync, and for each layer that has a frame in it. */
#define BEAT_MARKERS 14
#define LAYER_MARKERS 6

/* Number of an app's markers for a frame. */
#define BLOCK_MARKERS 13

struct mark {
	char text[112];
	size_t len;
};

/* What SurfaceFlinger writes of a layer: a buffer is queued, and latched. */
struct layer {
	struct mark queued[LAYER_MARKERS / 2], latched[LAYER_MARKERS / 2];
};

/* Counts of all writers, in shared memory. */
struct written {
	_Atomic uint64_t markers, frames;
};

struct load {
	const char *path; /* of trace_marker */
	double rate;	  /* markers per second; 0: as many as possible */
	double seconds;
	unsigned int surfaces, threads;
	unsigned int in_present; /* layers that have a frame in a vsync */
	unsigned int cpus;
	uint64_t start_ns, end_ns;
	double app_rate;
	struct written *written;
};

struct app_thread {
	const struct load *load;
	unsigned int number;
	pthread_t thread;
};

/* A writer's own file and counter. */
struct pen {
	int fd;
	uint64_t markers;
};

static void die(const char *what)
{
	fprintf(stderr, "load: %s: %s\n", what, strerror(errno));
	exit(1);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static void sleep_until(uint64_t ns)
{
	struct timespec when = { (time_t)(ns / NS_PER_S), (long)(ns % NS_PER_S) };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL) == EINTR)
		;
}

static struct pen pen_open(const struct load *load, unsigned int writer)
{
	struct pen pen = { .fd = open(load->path, O_WRONLY | O_CLOEXEC) };
	cpu_set_t set;

	if (pen.fd < 0)
		die(load->path);
	CPU_ZERO(&set);
	CPU_SET(writer % load->cpus, &set);
	sched_setaffinity(0, sizeof(set), &set);
	return pen;
}

static void pen_close(const struct load *load, struct pen *pen)
{
	close(pen->fd);
	load->written->markers += pen->markers;
}

static void pen_write(struct pen *pen, const struct mark *mark)
{
	pen->markers += write(pen->fd, mark->text, mark->len) == (ssize_t)mark->len;
}

__attribute__((format(printf, 2, 3))) static void set_mark(struct mark *mark, const char *format,
							   ...)
{
	va_list arguments;

	va_start(arguments, format);
	mark->len = (size_t)vsnprintf(mark->text, sizeof(mark->text), format, arguments);
	va_end(arguments);
}

/* Marks of slices that begin, by their names; "": one ends. */
static void set_slices(struct mark *marks, unsigned int n, int pid, const char *const *names)
{
	for (unsigned int i = 0; i < n; i++)
		if (names[i][0])
			set_mark(&marks[i], "B|%d|%s", pid, names[i]);
		else
			set_mark(&marks[i], "E|%d", pid);
}

/* --- SurfaceFlinger --- */

#define LATCH_MARKERS 2
#define PRESENT_MARKERS (BEAT_MARKERS - LATCH_MARKERS - 2) /* two ticks */

/* A vsync, whose markers are written in bursts. */
struct beat {
	const struct load *load;
	struct pen *pen;
	uint64_t begin_ns;
	unsigned int n, burst; /* what has been written */
};

static void play(struct beat *beat, const struct mark *marks, unsigned int n)
{
	unsigned int all = BEAT_MARKERS + LAYER_MARKERS * beat->load->in_present;

	for (unsigned int i = 0; i < n; i++) {
		beat->n++;
		for (; beat->n * BURSTS > beat->burst * all; beat->burst++)
			if (beat->load->rate > 0)
				sleep_until(beat->begin_ns + beat->burst * PERIOD_NS / BURSTS);
		pen_write(beat->pen, &marks[i]);
	}
}

static struct layer *name_layers(unsigned int n, int pid)
{
	static const char *const queued[] = { "setTransactionState", "", "" };
	static const char *const latched[] = { "latchBuffer", "", "" };
	struct layer *layers = calloc(n, sizeof(*layers));

	if (!layers)
		die("layers");
	for (unsigned int i = 0; i < n; i++) {
		char name[72];

		snprintf(name, sizeof(name), "com.example.app%u/com.example.app%u.Surface%u#%u",
			 i % 10, i % 10, i / 10, i);
		set_slices(layers[i].queued, LAYER_MARKERS / 2, pid, queued);
		set_mark(&layers[i].queued[1], "C|%d|BufferTX - %s|1", pid, name);
		set_slices(layers[i].latched, LAYER_MARKERS / 2, pid, latched);
		set_mark(&layers[i].latched[1], "C|%d|BufferTX - %s|0", pid, name);
	}
	return layers;
}

static void surfaceflinger(const struct load *load)
{
	static const char *const latch_names[] = { "onMessageInvalidate", "handlePageFlip" };
	static const char *const present_names[] = {
		"", "", "onMessageRefresh", "prepare", "", "postFramebuffer", "", "postComposition",
		"", ""
	};
	struct mark ticks[2], latch[LATCH_MARKERS], present[PRESENT_MARKERS];
	struct pen pen = pen_open(load, 0);
	int pid = getpid();
	struct layer *layers = name_layers(load->surfaces, pid);
	unsigned int n_beats = 0, first = 0;

	prctl(PR_SET_NAME, "surfaceflinger");
	set_slices(latch, LATCH_MARKERS, pid, latch_names);
	set_slices(present, PRESENT_MARKERS, pid, present_names);
	sleep_until(load->start_ns);
	while (load->rate > 0 ? load->start_ns + n_beats * PERIOD_NS < load->end_ns
			      : now_ns() < load->end_ns) {
		struct beat beat = { load, &pen, load->start_ns + n_beats * PERIOD_NS, 0, 0 };

		set_mark(&ticks[0], "C|%d|VSYNC-app|%u", pid, n_beats % 2);
		set_mark(&ticks[1], "C|%d|VSYNC-sf|%u", pid, n_beats % 2);
		play(&beat, ticks, 2);
		for (unsigned int i = 0; i < load->in_present; i++)
			play(&beat, layers[(first + i) % load->surfaces].queued, LAYER_MARKERS / 2);
		play(&beat, latch, LATCH_MARKERS);
		for (unsigned int i = 0; i < load->in_present; i++)
			play(&beat, layers[(first + i) % load->surfaces].latched,
			     LAYER_MARKERS / 2);
		play(&beat, present, PRESENT_MARKERS);
		first = (first + load->in_present) % load->surfaces;
		n_beats++;
	}
	load->written->frames = (uint64_t)n_beats * load->in_present;
	pen_close(load, &pen);
	free(layers);
}

/* --- apps --- */

static void write_block(struct pen *pen, const struct mark *block)
{
	for (unsigned int i = 0; i < BLOCK_MARKERS; i++)
		pen_write(pen, &block[i]);
}

/* Blocks of all threads are spread evenly; each thread writes every n-th. */
static void write_in_time(const struct app_thread *app, struct pen *pen, const struct mark *block)
{
	const struct load *load = app->load;
	double spacing_ns = BLOCK_MARKERS / load->app_rate * (double)NS_PER_S;
	unsigned int step = load->threads - 1;
	uint64_t next = app->number;
	uint64_t wake_ns = load->start_ns;

	for (;;) {
		uint64_t due_ns = load->start_ns + (uint64_t)((double)next * spacing_ns);

		if (due_ns >= load->end_ns)
			return;
		if (due_ns > wake_ns) {
			wake_ns += (due_ns - wake_ns + NS_PER_MS - 1) / NS_PER_MS * NS_PER_MS;
			sleep_until(wake_ns);
		}
		write_block(pen, block);
		next += step;
	}
}

static void *run_app_thread(void *context)
{
	static const char *const names[] = {
		"Choreographer#doFrame",       "traversal",   "draw", "", "", "", "DrawFrame",
		"eglSwapBuffersWithDamageKHR", "queueBuffer", "",     "", "", ""
	};
	const struct app_thread *app = context;
	const struct load *load = app->load;
	struct pen pen = pen_open(load, 1 + app->number);
	struct mark block[BLOCK_MARKERS];

	set_slices(block, BLOCK_MARKERS, getpid(), names);
	set_mark(&block[9], "C|%d|QueuedBuffer - ViewRootImpl[Surface%u](BLAST)#%u|1", getpid(),
		 app->number, app->number);
	sleep_until(load->start_ns);
	if (load->rate > 0)
		write_in_time(app, &pen, block);
	else
		while (now_ns() < load->end_ns)
			write_block(&pen, block);
	pen_close(load, &pen);
	return NULL;
}

static void apps(const struct load *load)
{
	unsigned int n = load->threads - 1;
	struct app_thread *all = calloc(n, sizeof(*all));
	pthread_attr_t attributes;

	prctl(PR_SET_NAME, "com.example.app");
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 65536);
	for (unsigned int i = 0; all && i < n; i++) {
		all[i].load = load;
		all[i].number = i;
		errno = pthread_create(&all[i].thread, &attributes, run_app_thread, &all[i]);
		if (errno)
			die("a thread");
	}
	for (unsigned int i = 0; all && i < n; i++)
		pthread_join(all[i].thread, NULL);
	free(all);
}

/* --- */

static void usage(void)
{
	fputs("usage: load TRACE_MARKER RATE SECONDS SURFACES THREADS\n"
	      "RATE is of all writers together, in markers a second; 0 is as fast as they can.\n"
	      "One of the THREADS is SurfaceFlinger's. Prints what was written.\n",
	      stderr);
	exit(2);
}

static void plan(struct load *load)
{
	double in_vsync = load->rate / VSYNCS_PER_S;
	double layers = (in_vsync - BEAT_MARKERS) / (LAYER_MARKERS + BLOCK_MARKERS);

	load->in_present = layers >= MAX_IN_PRESENT ? MAX_IN_PRESENT
			   : layers >= 1	    ? (unsigned int)layers
						    : 1;
	if (load->rate <= 0)
		load->in_present = 8;
	if (load->in_present > load->surfaces)
		load->in_present = load->surfaces;
	load->app_rate = load->rate -
			 VSYNCS_PER_S * (BEAT_MARKERS + (double)LAYER_MARKERS * load->in_present);
	if (load->rate > 0 && load->app_rate < BLOCK_MARKERS)
		load->app_rate = BLOCK_MARKERS;
	load->cpus = (unsigned int)sysconf(_SC_NPROCESSORS_ONLN);
	/* Time for the threads to start. */
	load->start_ns = now_ns() + 100 * NS_PER_MS + load->threads * NS_PER_MS / 4;
	load->end_ns = load->start_ns + (uint64_t)(load->seconds * (double)NS_PER_S);
}

static pid_t fork_writer(void (*writer)(const struct load *), const struct load *load)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (pid > 0)
		return pid;
	writer(load);
	exit(0);
}

static bool has_ended_well(pid_t pid)
{
	int status;

	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int main(int argc, char **argv)
{
	struct load load;
	bool well;
	pid_t sf, app;

	if (argc != 6)
		usage();
	load = (struct load){ .path = argv[1],
			      .rate = atof(argv[2]),
			      .seconds = atof(argv[3]),
			      .surfaces = (unsigned int)atoi(argv[4]),
			      .threads = (unsigned int)atoi(argv[5]) };
	if (load.seconds <= 0 || load.surfaces < 1 || load.threads < 2)
		usage();
	load.written = mmap(NULL, sizeof(*load.written), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (load.written == MAP_FAILED)
		die("shared memory");
	plan(&load);
	sf = fork_writer(surfaceflinger, &load);
	app = fork_writer(apps, &load);
	well = has_ended_well(sf);
	well = has_ended_well(app) && well;
	printf("%llu markers, %llu frames\n", (unsigned long long)load.written->markers,
	       (unsigned long long)load.written->frames);
	return well ? 0 : 1;
}
