/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/trace/writers.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define SECOND UINT64_C(1000000000)

/* So long what was found is believed; what SurfaceFlinger's threads are; and where a number may
 * soon be another's: its owner is gone, or SurfaceFlinger is still to come. */
#define FRESH_NS (30 * SECOND)
#define FRESH_SURFACEFLINGER_NS (5 * SECOND)
#define FRESH_GONE_NS SECOND
/* Apps have these numbers and higher ones: none of them is SurfaceFlinger. */
#define UID_APPS 10000

#define SURFACEFLINGER "surfaceflinger"

/* How sure it is that a process is SurfaceFlinger. */
enum {
	TRUST_NONE,
	TRUST_NAME,   /* it is called so, and is no app */
	TRUST_INIT,   /* and init has started it */
	TRUST_BINARY, /* and it is the program, which only the system can be */
};

/* --- /proc --- */

static int open_file(const struct writers *writers, int32_t pid, const char *name)
{
	char path[96];

	snprintf(path, sizeof(path), "%s/%d/%s", writers->proc, (int)pid, name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

static ssize_t read_file(const struct writers *writers, int32_t pid, const char *name, char *text,
			 size_t size)
{
	int fd = open_file(writers, pid, name);
	ssize_t n = -1;

	if (fd >= 0) {
		n = read(fd, text, size - 1);
		close(fd);
	}
	text[n > 0 ? n : 0] = '\0';
	return n;
}

struct status {
	char comm[16];
	int32_t tgid, ppid;
	uint32_t uid;
};

/* The number behind @label, which begins a line. */
static bool find_number(const char *text, const char *label, long *number)
{
	const char *at = strstr(text, label);

	if (at)
		*number = strtol(at + strlen(label), NULL, 10);
	return at != NULL;
}

/* A name can hold what looks like the other lines, but no line end: they are looked for behind it.
 */
static bool read_status(const struct writers *writers, int32_t tid, struct status *status)
{
	char text[2048];
	long tgid = 0, ppid = 0, uid = 0;
	const char *rest;
	size_t len;

	if (read_file(writers, tid, "status", text, sizeof(text)) <= 0 ||
	    strncmp(text, "Name:\t", 6) != 0)
		return false;
	len = strcspn(text + 6, "\n");
	rest = text + 6 + len;
	if (!find_number(rest, "\nTgid:", &tgid) || !find_number(rest, "\nPPid:", &ppid) ||
	    !find_number(rest, "\nUid:", &uid))
		return false;
	*status = (struct status){
		.tgid = (int32_t)tgid,
		.ppid = (int32_t)ppid,
		.uid = (uint32_t)uid,
	};
	memcpy(status->comm, text + 6, len < 15 ? len : 15);
	return true;
}

/* --- SurfaceFlinger --- */

static unsigned int trust_in(const struct writers *writers, const struct status *status)
{
	static const char program[] = "/system/bin/" SURFACEFLINGER;
	char path[96], target[256];
	ssize_t n;

	if (strncasecmp(status->comm, SURFACEFLINGER, sizeof(SURFACEFLINGER) - 1) != 0 ||
	    status->uid >= UID_APPS)
		return TRUST_NONE;
	snprintf(path, sizeof(path), "%s/%d/exe", writers->proc, (int)status->tgid);
	n = readlink(path, target, sizeof(target) - 1);
	target[n > 0 ? n : 0] = '\0';
	if (strcmp(target, program) == 0)
		return TRUST_BINARY;
	return status->ppid == 1 ? TRUST_INIT : TRUST_NAME;
}

static void forget_all(struct writers *writers)
{
	memset(writers->known, 0, sizeof(writers->known));
}

/* An open file of a process stays its own, whoever gets its number later. Where it cannot be opened
 * although the process is there, that is tried again. */
static bool is_alive(struct writers *writers)
{
	char byte;

	if (writers->alive < 0) {
		writers->alive = open_file(writers, writers->surfaceflinger, "comm");
		if (writers->alive < 0)
			return errno != ENOENT && errno != ESRCH;
	}
	return pread(writers->alive, &byte, 1, 0) == 1;
}

void writers_follow(struct writers *writers)
{
	if (writers->surfaceflinger == TRACE_ID_UNKNOWN || is_alive(writers))
		return;
	writers_end(writers);
	writers->surfaceflinger = TRACE_ID_UNKNOWN;
	writers->trust = TRUST_NONE;
	forget_all(writers);
}

/* The process of @writer may be SurfaceFlinger. It is if it is more so than the one that was. */
static void consider(struct writers *writers, struct writer *writer)
{
	if (writer->trust <= writers->trust || writer->tgid == writers->surfaceflinger)
		return;
	writers->surfaceflinger = writer->tgid;
	writers->trust = writer->trust;
	writers_end(writers);
	writers->alive = open_file(writers, writer->tgid, "comm");
}

void writers_begin(struct writers *writers, const char *proc)
{
	memset(writers, 0, sizeof(*writers));
	writers->proc = proc;
	writers->surfaceflinger = TRACE_ID_UNKNOWN;
	writers->alive = -1;
}

void writers_end(struct writers *writers)
{
	if (writers->alive >= 0)
		close(writers->alive);
	writers->alive = -1;
}

/* --- threads --- */

/* The entry of @tid, or the one that makes room for it. Neighbours are of one process, and busy at
 * the same time: they are in different sets. */
static struct writer *entry_of(struct writers *writers, int32_t tid)
{
	struct writer *set = writers->known[(uint32_t)tid % WRITERS_SETS];
	struct writer *oldest = &set[0];

	for (int i = 0; i < WRITERS_WAYS; i++) {
		if (set[i].tid == tid)
			return &set[i];
		if (set[i].asked_ns < oldest->asked_ns)
			oldest = &set[i];
	}
	return oldest;
}

static void ask(struct writers *writers, struct writer *writer)
{
	struct status status, process;

	writers->asked++;
	writer->tgid = TRACE_ID_UNKNOWN;
	writer->trust = TRUST_NONE;
	writer->is_app = false;
	writer->comm[0] = '\0';
	if (!read_status(writers, writer->tid, &status))
		return;
	writer->tgid = status.tgid;
	writer->is_app = status.uid >= UID_APPS;
	memcpy(writer->comm, status.comm, sizeof(writer->comm));
	if (!writer->is_app && read_status(writers, status.tgid, &process))
		writer->trust = trust_in(writers, &process);
	consider(writers, writer);
}

static uint64_t fresh_ns(const struct writers *writers, const struct writer *writer)
{
	if (writer->tgid == TRACE_ID_UNKNOWN || writers->surfaceflinger == TRACE_ID_UNKNOWN)
		return FRESH_GONE_NS;
	return writer->tgid == writers->surfaceflinger ? FRESH_SURFACEFLINGER_NS : FRESH_NS;
}

static bool is_stale(const struct writers *writers, const struct writer *writer, uint64_t now_ns)
{
	return now_ns - writer->asked_ns >= fresh_ns(writers, writer);
}

static const struct writer *find(struct writers *writers, int32_t tid, uint64_t now_ns)
{
	struct writer *writer = entry_of(writers, tid);

	if (writer->tid != tid || is_stale(writers, writer, now_ns)) {
		writer->tid = tid;
		writer->asked_ns = now_ns;
		ask(writers, writer);
	}
	return writer;
}

void writers_recall(struct writers *writers, struct trace_record *record, uint64_t now_ns)
{
	const struct writer *writer = find(writers, record->tid, now_ns);

	if (writer->comm[0])
		record->comm = span_of(writer->comm);
	if (record->tgid == TRACE_ID_UNKNOWN)
		record->tgid = writer->tgid;
}

void writers_name(struct writers *writers, struct trace_record *record, uint64_t now_ns)
{
	const struct writer *writer = find(writers, record->tid, now_ns);

	record->tgid = writer->tgid;
	record->comm = span_of(writer->comm);
	/* One that is gone already was none of SurfaceFlinger's, as long as that is there. */
	if (writers->surfaceflinger == TRACE_ID_UNKNOWN)
		record->writer = writer->is_app ? TRACE_WRITER_OTHER : TRACE_WRITER_UNKNOWN;
	else
		record->writer = writer->tgid == writers->surfaceflinger
					 ? TRACE_WRITER_SURFACEFLINGER
					 : TRACE_WRITER_OTHER;
}
