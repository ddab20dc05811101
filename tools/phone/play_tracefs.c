/* SPDX-License-Identifier: Apache-2.0 */
/* How the order of a plan holds across processes
 *
 *	marks   B E B C | C E | B C E E | ...
 *	runs    0       | 1   | 2       |        one run = marks in a row of one thread
 *	thread  main    | bnd | main    |
 *
 * There is one baton. Who holds it plays its run, each mark at its time, and hands the baton to
 * the thread of the next run by a futex in memory that all processes share. So no mark can
 * overtake another, and a machine that is late delays marks without mixing them. The parent takes
 * the baton at the end of each loop, prints the truth, and starts the next one.
 */
#include "tools/phone/play_tracefs.h"

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

#define NS_PER_S 1000000000

/* Sleeping for less than this takes longer than this. */
#define SLEEP_MIN_NS 20000

/* Processes need this long to come up on a loaded machine; the first mark waits for it. */
#define LEAD_NS 20000000

#define WATCH_NS 100000000

#define STACK_SIZE ((size_t)256 * 1024)

struct run {
	uint32_t first;
	uint32_t end;
};

/* Where a thread sits and waits for the baton. */
struct seat {
	_Atomic uint32_t turn;
};

/* What all processes share. Without the atomics it is written by the holder of the baton alone. */
struct stage {
	_Atomic uint32_t ready; /* threads that can write */
	_Atomic uint32_t done;	/* loops played: the parent's seat */
	uint32_t run;		/* that the baton is for */
	uint32_t run_end;	/* of this loop */
	uint64_t start_ns;	/* of the monotonic clock: when the loop's time 0 is due */
	uint64_t marks, refused, max_late_ns, sum_late_ns;
	uint32_t truths; /* played in this loop */
	int32_t pids[PHONE_PROCESSES_MAX];
	struct seat seats[PHONE_THREADS_MAX];
	struct phone_played played[]; /* for each truth */
};

struct player {
	const struct phone_plan *plan;
	const struct phone_play_options *options;
	struct stage *stage;
	size_t stage_size;
	struct run *runs;
	uint32_t loop_runs, run_count; /* of a loop; with those that stand between loops */
};

/* A thread of a child and what it needs. */
struct musician {
	const struct player *player;
	uint16_t thread;
	int marker;
};

static pid_t children[PHONE_PROCESSES_MAX];
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

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static void sleep_until(uint64_t due_ns)
{
	struct timespec due = { (time_t)(due_ns / NS_PER_S), (long)(due_ns % NS_PER_S) };

	if (due_ns < clock_ns(CLOCK_MONOTONIC) + SLEEP_MIN_NS)
		return;
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL) == EINTR)
		;
}

/* Notes when the present @mark was played, for all layers that it shows. */
static void note_present(const struct player *player, uint32_t mark, struct phone_played played)
{
	struct stage *stage = player->stage;

	while (stage->truths < player->plan->truth_count &&
	       player->plan->truths[stage->truths].mark <= mark)
		stage->played[stage->truths++] = played;
}

static void play_mark(const struct musician *m, uint32_t number)
{
	const struct phone_plan *plan = m->player->plan;
	const struct phone_mark *mark = &plan->marks[number];
	struct stage *stage = m->player->stage;
	uint64_t due_ns =
		stage->start_ns + (uint64_t)((double)mark->time_ns / m->player->options->speed);
	int32_t pid = mark->process == PHONE_NO_PROCESS ? 0 : stage->pids[mark->process];
	char payload[PHONE_PAYLOAD_MAX];
	size_t length = phone_plan_payload(plan, mark, pid, payload);

	sleep_until(due_ns);
	uint64_t played_ns = mark->present ? clock_ns(m->player->options->clock) : 0;

	if (write(m->marker, payload, length) < 0)
		stage->refused++;
	/* Only now: a machine that is late before the kernel stamps the marker makes the marker
	 * late, too. */
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
	uint64_t late_ns = now_ns > due_ns ? now_ns - due_ns : 0;

	if (mark->present)
		note_present(m->player, number, (struct phone_played){ played_ns, late_ns });
	stage->marks++;
	stage->sum_late_ns += late_ns;
	if (late_ns > stage->max_late_ns)
		stage->max_late_ns = late_ns;
}

/* Gives the baton to whoever plays the stage's run, or to the parent at the loop's end. */
static void pass_baton(const struct player *player)
{
	struct stage *stage = player->stage;

	if (stage->run >= stage->run_end)
		futex_post(&stage->done);
	else
		futex_post(&stage->seats[player->plan->marks[player->runs[stage->run].first].thread]
				    .turn);
}

/* Ties the calling thread to the machine's last CPU, or to the one before it for @apart. To wake
 * a sleeping CPU takes longer than the marks are apart, so those who pass the baton most often sit
 * together; the thread that presents sits apart, so that marks come from two CPUs. */
static void choose_cpu(bool apart)
{
	cpu_set_t allowed;
	cpu_set_t chosen;

	if (sched_getaffinity(0, sizeof(allowed), &allowed) < 0)
		return;
	CPU_ZERO(&chosen);
	for (int cpu = CPU_SETSIZE - 1; cpu >= 0; cpu--) {
		if (!CPU_ISSET(cpu, &allowed))
			continue;
		CPU_ZERO(&chosen);
		CPU_SET(cpu, &chosen);
		if (!apart)
			break;
		apart = false;
	}
	sched_setaffinity(0, sizeof(chosen), &chosen);
}

/* Whoever is allowed to comes before all other work of the machine: players sleep nearly always,
 * and a present that is late by a vsync is another truth. */
static void hurry(const struct phone_plan *plan, uint16_t thread)
{
	static const struct sched_param first = { .sched_priority = 1 };

	choose_cpu(plan->truth_count > 0 && plan->marks[plan->truths[0].mark].thread == thread);
	sched_setscheduler(0, SCHED_FIFO, &first);
	prctl(PR_SET_TIMERSLACK, 1UL);
}

static void *play_thread(void *argument)
{
	struct musician *m = argument;
	struct stage *stage = m->player->stage;
	struct seat *seat = &stage->seats[m->thread];
	uint32_t turn = 0;

	hurry(m->player->plan, m->thread);
	atomic_fetch_add(&stage->ready, 1);
	for (;; turn++) {
		while (atomic_load(&seat->turn) == turn)
			futex_wait(&seat->turn, turn, NULL);
		const struct run *run = &m->player->runs[stage->run];

		for (uint32_t i = run->first; i < run->end; i++)
			play_mark(m, i);
		stage->run++;
		pass_baton(m->player);
	}
	return NULL;
}

/* The thread's name; binder threads carry their process's pid in it. */
static void name_thread(const struct phone_plan *plan, const struct phone_thread *thread)
{
	char comm[PHONE_COMM_SIZE + 16];
	char binder[PHONE_COMM_SIZE + 16];
	const char *colon = strchr(thread->comm, ':');

	snprintf(comm, sizeof(comm), "%s", thread->comm);
	if (colon) {
		int prefix = (int)(colon - thread->comm) + 1;

		snprintf(binder, sizeof(binder), "%.*s%d_", prefix, thread->comm,
			 plan->processes[thread->process].pid);
		if (strncmp(thread->comm, binder, strlen(binder)) == 0)
			snprintf(comm, sizeof(comm), "%.*s%d_%s", prefix, thread->comm,
				 (int)getpid(), thread->comm + strlen(binder));
	}
	comm[PHONE_COMM_SIZE - 1] = '\0';
	prctl(PR_SET_NAME, comm);
}

static _Noreturn void child_fail(const char *what)
{
	fprintf(stderr, "jank-phone: %s: %s\n", what, strerror(errno));
	_exit(1);
}

static void *start_thread(void *argument)
{
	struct musician *m = argument;

	name_thread(m->player->plan, &m->player->plan->threads[m->thread]);
	m->marker = open(m->player->options->marker, O_WRONLY | O_CLOEXEC);
	if (m->marker < 0)
		child_fail(m->player->options->marker);
	return play_thread(m);
}

/* Life of the child that plays @process. Its first thread plays the process's main thread. */
static _Noreturn void be_process(const struct player *player, uint16_t process)
{
	const struct phone_plan *plan = player->plan;
	struct musician *musicians = calloc(plan->thread_count, sizeof(*musicians));
	struct musician *first = NULL;
	pthread_attr_t attributes;

	prctl(PR_SET_NAME, plan->processes[process].comm);
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_SIZE);
	if (!musicians)
		child_fail("threads");
	for (uint16_t i = 0; i < plan->thread_count; i++) {
		pthread_t id;

		if (plan->threads[i].process != process)
			continue;
		musicians[i] = (struct musician){ player, i, -1 };
		if (plan->threads[i].main && !first)
			first = &musicians[i];
		else if ((errno = pthread_create(&id, &attributes, start_thread, &musicians[i])))
			child_fail("threads");
	}
	if (first)
		start_thread(first);
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

/* A signal of the terminal goes to all; the parent alone decides what it means. */
static void fork_processes(const struct player *player)
{
	parent = getpid();
	atexit(end_children);
	fflush(NULL);
	for (uint16_t i = 0; i < player->plan->process_count; i++) {
		pid_t pid = fork();

		if (pid < 0)
			phone_fail("a process", strerror(errno), "allow more of them");
		if (pid == 0) {
			signal(SIGINT, SIG_IGN);
			signal(SIGTERM, SIG_DFL);
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			if (getppid() != parent)
				_exit(1);
			/* Its own pid, too: no mark is played before all are ready. */
			player->stage->pids[i] = getpid();
			be_process(player, i);
		}
		children[child_count++] = pid;
	}
}

static void watch_children(void)
{
	for (unsigned int i = 0; i < child_count; i++) {
		if (waitpid(children[i], NULL, WNOHANG) != children[i])
			continue;
		children[i] = children[--child_count];
		phone_fail("the play", "one of its processes died", "look at the lines above");
	}
}

/* Waits until @word is @value, or a signal says stop. */
static void wait_until(const struct player *player, _Atomic uint32_t *word, uint32_t value)
{
	static const struct timespec watch = { 0, WATCH_NS };
	uint32_t now;

	while ((now = atomic_load(word)) != value && !*player->options->stop) {
		futex_wait(word, now, &watch);
		watch_children();
	}
}

/* Splits marks into runs of one thread; the marks between loops begin a new one. */
static void find_runs(struct player *player)
{
	const struct phone_plan *plan = player->plan;
	uint32_t room = 0;

	for (uint32_t i = 0; i < plan->mark_total; i++) {
		if (i > 0 && i != plan->mark_count &&
		    plan->marks[i].thread == plan->marks[i - 1].thread) {
			player->runs[player->run_count - 1].end++;
			continue;
		}
		if (i == plan->mark_count)
			player->loop_runs = player->run_count;
		player->runs =
			phone_grow(player->runs, &room, player->run_count, sizeof(*player->runs));
		player->runs[player->run_count++] = (struct run){ i, i + 1 };
	}
	if (plan->mark_count == plan->mark_total)
		player->loop_runs = player->run_count;
}

static void make_stage(struct player *player)
{
	player->stage_size = sizeof(struct stage) +
			     (player->plan->truth_count + 1) * sizeof(struct phone_played);
	player->stage = mmap(NULL, player->stage_size, PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (player->stage == MAP_FAILED)
		phone_fail("the play", strerror(errno), "play less (--seconds)");
}

static void play_loops(const struct player *player, struct phone_truth_writer *truth)
{
	const struct phone_plan *plan = player->plan;
	struct stage *stage = player->stage;
	uint64_t length_ns = (uint64_t)((double)plan->length_ns / player->options->speed);
	uint64_t first_ns = clock_ns(CLOCK_MONOTONIC) + LEAD_NS;

	for (uint64_t loop = 0; loop < player->options->loops && !*player->options->stop; loop++) {
		bool last = loop + 1 == player->options->loops;

		stage->truths = 0;
		stage->run = 0;
		stage->run_end = last ? player->loop_runs : player->run_count;
		stage->start_ns = first_ns + loop * length_ns;
		pass_baton(player);
		wait_until(player, &stage->done, (uint32_t)loop + 1);
		/* Stopped in the middle of a loop: nobody may write while the rows are read. */
		if (*player->options->stop)
			end_children();
		phone_truth_rows(truth, loop, stage->played, stage->truths);
	}
}

void phone_play(const struct phone_plan *plan, const struct phone_play_options *options,
		struct phone_truth_writer *truth, struct phone_play_result *result)
{
	struct player player = { .plan = plan, .options = options };

	find_runs(&player);
	make_stage(&player);
	fork_processes(&player);
	wait_until(&player, &player.stage->ready, plan->thread_count);
	if (!*options->stop)
		play_loops(&player, truth);
	end_children();
	*result = (struct phone_play_result){
		.marks = player.stage->marks,
		.refused = player.stage->refused,
		.max_late_ns = player.stage->max_late_ns,
		.mean_late_ns =
			player.stage->marks ? player.stage->sum_late_ns / player.stage->marks : 0,
	};
	free(player.runs);
	munmap(player.stage, player.stage_size);
}
