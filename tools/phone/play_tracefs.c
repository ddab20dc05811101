/* SPDX-License-Identifier: Apache-2.0 */
/* How markers keep their order across processes
 *
 *	markers  B E B C | C E | B C E E | ...
 *	runs     0       | 1   | 2       |        run: consecutive markers of one thread
 *	thread   main    | bnd | main    |
 *
 * There is one token. The thread that has it plays its run, each marker at its time. Then it passes
 * the token to the thread of the next run, by a futex in memory that all processes share. So a busy
 * machine can delay markers, but their order never changes. At the end of each loop the parent gets
 * the token, prints the truth, and starts the next loop.
 */
#include "tools/phone/play.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/phone/error.h"

/* Shorter sleeps would last longer than planned. */
#define SLEEP_MIN_NS 20000

/* Time from the moment when all threads are ready to the first marker. */
#define LEAD_NS 20000000

/* How often the parent checks that all processes still run. */
#define CHECK_NS 100000000

#define STACK_SIZE ((size_t)256 * 1024)

struct run {
	uint32_t first;
	uint32_t end;
};

/* Shared by all processes. Only the thread that has the token writes it, except the atomics and
 * pids. */
struct shared {
	_Atomic uint32_t ready; /* threads that are ready to play */
	_Atomic uint32_t done;	/* loops played; the parent waits for it */
	uint32_t run;		/* run of the thread that has the token */
	uint32_t run_end;	/* of this loop */
	uint64_t start_ns;	/* start of the loop, of CLOCK_MONOTONIC */
	uint64_t markers, refused, max_late_ns, sum_late_ns;
	uint32_t frames; /* of the truth, played in this loop */
	int32_t pids[PROCESSES_MAX];
	_Atomic uint32_t tokens[THREADS_MAX]; /* how often each thread got the token */
	struct played played[];		      /* for each frame of the truth */
};

/* Set up by the parent before it forks. */
struct playback {
	const struct plan *plan;
	const struct play_options *options;
	struct shared *shared;
	struct run *runs;
	uint32_t loop_runs, run_count; /* of a loop; of a loop and the gap to the next one */
};

/* A thread of a child process. */
struct play_thread {
	const struct playback *playback;
	uint16_t number; /* in the plan */
};

static pid_t children[PROCESSES_MAX];
static unsigned int child_count;
static pid_t parent;

static void futex_wait(_Atomic uint32_t *word, uint32_t value, const struct timespec *timeout)
{
	syscall(SYS_futex, word, FUTEX_WAIT, value, timeout, NULL, 0);
}

static void futex_post(_Atomic uint32_t *word)
{
	atomic_fetch_add(word, 1);
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

/* Gives the token to the thread of the next run, or to the parent at the end of the loop. */
static void pass_token(const struct playback *playback)
{
	struct shared *shared = playback->shared;
	const struct run *next = &playback->runs[shared->run];

	if (shared->run >= shared->run_end)
		futex_post(&shared->done);
	else
		futex_post(&shared->tokens[playback->plan->markers[next->first].thread]);
}

static _Noreturn void child_fail(const char *what)
{
	fprintf(stderr, "jank-phone: %s: %s\n", what, strerror(errno));
	_exit(1);
}

static void play_marker(const struct playback *playback, int marker_fd, uint32_t number)
{
	const struct plan *plan = playback->plan;
	const struct marker *marker = &plan->markers[number];
	struct shared *shared = playback->shared;
	uint64_t due_ns =
		shared->start_ns + (uint64_t)((double)marker->time_ns / playback->options->speed);
	struct timespec due = { (time_t)(due_ns / NS_PER_S), (long)(due_ns % NS_PER_S) };
	int32_t pid = marker->process == NO_PROCESS ? 0 : shared->pids[marker->process];
	char payload[PAYLOAD_MAX];
	size_t length = plan_payload(plan, marker, pid, payload);
	uint64_t played_ns = 0, now_ns, late_ns;

	if (due_ns >= clock_ns(CLOCK_MONOTONIC) + SLEEP_MIN_NS)
		while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL) == EINTR)
			;
	if (marker->present)
		played_ns = clock_ns(playback->options->clock);
	if (write(marker_fd, payload, length) < 0)
		shared->refused++;
	/* Measured after the write, to include a delay before the kernel reads its clock. */
	now_ns = clock_ns(CLOCK_MONOTONIC);
	late_ns = now_ns > due_ns ? now_ns - due_ns : 0;
	/* The present shows all its layers at this time. */
	while (marker->present && shared->frames < plan->truth_count &&
	       plan->truth[shared->frames].marker <= number)
		shared->played[shared->frames++] = (struct played){ played_ns, late_ns };
	shared->markers++;
	shared->sum_late_ns += late_ns;
	if (late_ns > shared->max_late_ns)
		shared->max_late_ns = late_ns;
}

static void *run_thread(void *argument)
{
	const struct play_thread *thread = argument;
	const struct playback *playback = thread->playback;
	const struct plan *plan = playback->plan;
	const struct virtual_thread *planned = &plan->threads[thread->number];
	struct shared *shared = playback->shared;
	_Atomic uint32_t *token = &shared->tokens[thread->number];
	char comm[COMM_SIZE + 16], binder[COMM_SIZE + 16];
	const char *colon = strchr(planned->comm, ':');
	cpu_set_t allowed;
	int marker_fd;

	/* The name of a binder thread has the pid of its process. */
	snprintf(comm, sizeof(comm), "%s", planned->comm);
	if (colon) {
		int prefix = (int)(colon - planned->comm) + 1;

		snprintf(binder, sizeof(binder), "%.*s%d_", prefix, planned->comm,
			 plan->processes[planned->process].pid);
		if (strncmp(planned->comm, binder, strlen(binder)) == 0)
			snprintf(comm, sizeof(comm), "%.*s%d_%s", prefix, planned->comm,
				 (int)getpid(), planned->comm + strlen(binder));
	}
	comm[COMM_SIZE - 1] = '\0';
	prctl(PR_SET_NAME, comm);
	marker_fd = open(playback->options->marker_path, O_WRONLY | O_CLOEXEC);
	if (marker_fd < 0)
		child_fail(playback->options->marker_path);
	/* The last allowed CPU, or the one before it. An idle CPU needs longer to wake up than the
	 * time between two markers, so nearly all threads share one CPU. The thread that presents
	 * is on the other one, so that markers come from two CPUs. */
	if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0) {
		bool other = plan->truth_count > 0 &&
			     plan->markers[plan->truth[0].marker].thread == thread->number;
		int chosen = 0;

		for (int cpu = CPU_SETSIZE - 1; cpu >= 0; cpu--) {
			if (!CPU_ISSET(cpu, &allowed))
				continue;
			chosen = cpu;
			if (!other)
				break;
			other = false;
		}
		CPU_ZERO(&allowed);
		CPU_SET(chosen, &allowed);
		sched_setaffinity(0, sizeof(allowed), &allowed);
	}
	/* Real-time priority, if allowed: a present that is late by a vsync does not match the
	 * truth. The threads sleep nearly all the time. */
	sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){ .sched_priority = 1 });
	prctl(PR_SET_TIMERSLACK, 1UL);
	atomic_fetch_add(&shared->ready, 1);

	for (uint32_t used = 0;; used++) {
		while (atomic_load(token) == used)
			futex_wait(token, used, NULL);
		const struct run *run = &playback->runs[shared->run];

		for (uint32_t i = run->first; i < run->end; i++)
			play_marker(playback, marker_fd, i);
		shared->run++;
		pass_token(playback);
	}
	return NULL;
}

/* Runs the child process that plays @process. Its first thread plays the main thread. */
static _Noreturn void run_process(const struct playback *playback, uint16_t process)
{
	const struct plan *plan = playback->plan;
	struct play_thread *threads = calloc(plan->thread_count, sizeof(*threads));
	struct play_thread *first = NULL;
	pthread_attr_t attributes;

	prctl(PR_SET_NAME, plan->processes[process].comm);
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_SIZE);
	if (!threads)
		child_fail("cannot create threads");
	for (uint16_t i = 0; i < plan->thread_count; i++) {
		pthread_t id;

		if (plan->threads[i].process != process)
			continue;
		threads[i] = (struct play_thread){ playback, i };
		if (plan->threads[i].main && !first)
			first = &threads[i];
		else if ((errno = pthread_create(&id, &attributes, run_thread, &threads[i])))
			child_fail("cannot create threads");
	}
	if (first)
		run_thread(first);
	for (;;)
		pause();
}

static void end_children(void)
{
	if (getpid() != parent)
		return;
	for (unsigned int i = 0; i < child_count; i++)
		kill(children[i], SIGKILL);
	for (unsigned int i = 0; i < child_count; i++)
		waitpid(children[i], NULL, 0);
	child_count = 0;
}

/* Waits until @word is @value, or until a signal. */
static void wait_until(const struct playback *playback, _Atomic uint32_t *word, uint32_t value)
{
	static const struct timespec timeout = { 0, CHECK_NS };
	uint32_t now;

	while ((now = atomic_load(word)) != value && !*playback->options->stop) {
		futex_wait(word, now, &timeout);
		for (unsigned int i = 0; i < child_count; i++) {
			if (waitpid(children[i], NULL, WNOHANG) != children[i])
				continue;
			children[i] = children[--child_count];
			fail("playback", "a process ended early", "see the messages above");
		}
	}
}

void play_tracefs(const struct plan *plan, const struct play_options *options,
		  struct truth_csv *truth, struct play_result *result)
{
	struct playback playback = { .plan = plan, .options = options };
	uint64_t length_ns = (uint64_t)((double)plan->length_ns / options->speed), first_ns;
	size_t shared_size =
		sizeof(struct shared) + (plan->truth_count + 1) * sizeof(struct played);
	struct shared *shared;
	uint32_t capacity = 0;

	/* Runs of one thread. The markers between two loops begin a new run. */
	for (uint32_t i = 0; i < plan->marker_total; i++) {
		if (i > 0 && i != plan->marker_count &&
		    plan->markers[i].thread == plan->markers[i - 1].thread) {
			playback.runs[playback.run_count - 1].end++;
			continue;
		}
		if (i == plan->marker_count)
			playback.loop_runs = playback.run_count;
		playback.runs = grow_array(playback.runs, &capacity, playback.run_count,
					   sizeof(*playback.runs));
		playback.runs[playback.run_count++] = (struct run){ i, i + 1 };
	}
	if (plan->marker_count == plan->marker_total)
		playback.loop_runs = playback.run_count;
	shared = mmap(NULL, shared_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		fail("shared memory", strerror(errno),
		     "play a shorter trace or fewer seconds (--seconds)");
	playback.shared = shared;

	parent = getpid();
	atexit(end_children);
	fflush(NULL);
	for (uint16_t i = 0; i < plan->process_count; i++) {
		pid_t pid = fork();

		if (pid < 0)
			fail("cannot create a process", strerror(errno),
			     "raise the limit of processes (ulimit -u)");
		if (pid == 0) {
			/* A terminal sends its signals to all processes, but only the parent
			 * handles them. */
			signal(SIGINT, SIG_IGN);
			signal(SIGTERM, SIG_DFL);
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			if (getppid() != parent)
				_exit(1);
			/* Written before the first marker, which waits until all are ready. */
			shared->pids[i] = getpid();
			run_process(&playback, i);
		}
		children[child_count++] = pid;
	}
	wait_until(&playback, &shared->ready, plan->thread_count);

	first_ns = clock_ns(CLOCK_MONOTONIC) + LEAD_NS;
	for (uint64_t loop = 0; loop < options->loops && !*options->stop; loop++) {
		shared->frames = 0;
		shared->run = 0;
		shared->run_end =
			loop + 1 == options->loops ? playback.loop_runs : playback.run_count;
		shared->start_ns = first_ns + loop * length_ns;
		pass_token(&playback);
		wait_until(&playback, &shared->done, (uint32_t)loop + 1);
		/* Stopped within a loop: no process must write while the rows are read. */
		if (*options->stop)
			end_children();
		truth_csv_write(truth, loop, shared->played, shared->frames);
	}
	end_children();
	*result = (struct play_result){
		.markers = shared->markers,
		.refused = shared->refused,
		.max_late_ns = shared->max_late_ns,
		.mean_late_ns = shared->markers ? shared->sum_late_ns / shared->markers : 0,
	};
	free(playback.runs);
	munmap(shared, shared_size);
}
