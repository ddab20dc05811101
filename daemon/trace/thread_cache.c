/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/trace/thread_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "daemon/base/text_file.h"

/* How long an entry is valid: usually; for SurfaceFlinger's threads; if the thread has ended or
 * SurfaceFlinger is unknown, as both may change soon. */
#define FRESH_NS UINT64_C(30000000000)
#define FRESH_SURFACEFLINGER_NS UINT64_C(5000000000)
#define FRESH_GONE_NS UINT64_C(1000000000)

/* The user ids of apps begin here. */
#define UID_APPS 10000

#define SURFACEFLINGER "surfaceflinger"

/* How certain it is that a process is SurfaceFlinger. */
enum {
	TRUST_NONE,
	TRUST_NAME,   /* it has the name, and is not an app */
	TRUST_INIT,   /* TRUST_NAME, and init has started it */
	TRUST_BINARY, /* TRUST_NAME, and it runs a program that only the system can start */
};

/* --- /proc --- */

/* A file of @pid that can be read while it lives. */
static int open_comm(const struct thread_cache *cache, int32_t pid)
{
	char path[96];

	snprintf(path, sizeof(path), "%s/%d/comm", cache->proc, (int)pid);
	return open(path, O_RDONLY | O_CLOEXEC);
}

struct status {
	char comm[16];
	int32_t tgid, ppid;
	uint32_t uid;
};

/* Finds the number after @label. */
static bool find_number(const char *text, const char *label, long *number)
{
	const char *at = strstr(text, label);

	if (at)
		*number = strtol(at + strlen(label), NULL, 10);
	return at != NULL;
}

/* A name can have text like that of the other lines, but no line end. So the other lines are
 * searched after the name. */
static bool read_status(const struct thread_cache *cache, int32_t tid, struct status *status)
{
	char text[2048] = "";
	long tgid = 0, ppid = 0, uid = 0;
	const char *rest;
	size_t len;

	/* If the thread has not ended, it is read again once: else events of SurfaceFlinger would
	 * be taken for those of another process for FRESH_GONE_NS. */
	for (int tries = 0; tries < 2; tries++)
		if (text_file_read(text, sizeof(text), "%s/%d/status", cache->proc, (int)tid) ||
		    errno == ENOENT || errno == ESRCH)
			break;
	if (strncmp(text, "Name:\t", 6) != 0)
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

static unsigned int trust_in(const struct thread_cache *cache, const struct status *status)
{
	static const char program[] = "/system/bin/" SURFACEFLINGER;
	char path[96], target[256];
	ssize_t n;

	if (strncasecmp(status->comm, SURFACEFLINGER, sizeof(SURFACEFLINGER) - 1) != 0 ||
	    status->uid >= UID_APPS)
		return TRUST_NONE;
	snprintf(path, sizeof(path), "%s/%d/exe", cache->proc, (int)status->tgid);
	n = readlink(path, target, sizeof(target) - 1);
	target[n > 0 ? n : 0] = '\0';
	if (strcmp(target, program) == 0)
		return TRUST_BINARY;
	return status->ppid == 1 ? TRUST_INIT : TRUST_NAME;
}

void thread_cache_follow(struct thread_cache *cache)
{
	char byte;

	if (cache->surfaceflinger == TRACE_ID_UNKNOWN)
		return;
	/* If the file cannot be opened although the process exists, the next call tries again. */
	if (cache->alive < 0) {
		cache->alive = open_comm(cache, cache->surfaceflinger);
		if (cache->alive < 0 && errno != ENOENT && errno != ESRCH)
			return;
	}
	/* An open file of a process never belongs to another one, even if the number is reused. */
	if (cache->alive >= 0 && pread(cache->alive, &byte, 1, 0) == 1)
		return;
	thread_cache_end(cache);
	cache->surfaceflinger = TRACE_ID_UNKNOWN;
	cache->trust = TRUST_NONE;
	memset(cache->known, 0, sizeof(cache->known));
}

void thread_cache_begin(struct thread_cache *cache, const char *proc)
{
	memset(cache, 0, sizeof(*cache));
	cache->proc = proc;
	cache->surfaceflinger = TRACE_ID_UNKNOWN;
	cache->alive = -1;
}

void thread_cache_end(struct thread_cache *cache)
{
	if (cache->alive >= 0)
		close(cache->alive);
	cache->alive = -1;
}

/* --- threads --- */

const struct cached_thread *thread_cache_find(struct thread_cache *cache, int32_t tid,
					      uint64_t now_ns)
{
	/* Neighbouring numbers are in different sets: they often belong to one process and write at
	 * the same time. */
	struct cached_thread *set = cache->known[(uint32_t)tid % THREAD_CACHE_SETS];
	struct cached_thread *entry = &set[0], thread;
	unsigned int trust = TRUST_NONE;
	struct status status, process;
	uint64_t fresh_ns = FRESH_NS;

	/* Its entry, or the one to evict for it. */
	for (int i = 1; i < THREAD_CACHE_WAYS && entry->tid != tid; i++)
		if (set[i].tid == tid || set[i].read_ns < entry->read_ns)
			entry = &set[i];
	thread = *entry;
	if (!cached_thread_is(&thread, tid, now_ns)) {
		cache->reads++;
		thread = (struct cached_thread){ .tid = tid,
						 .tgid = TRACE_ID_UNKNOWN,
						 .read_ns = now_ns };
		if (read_status(cache, tid, &status)) {
			thread.tgid = status.tgid;
			thread.is_app = status.uid >= UID_APPS;
			memcpy(thread.comm, status.comm, sizeof(thread.comm));
			thread.comm_length = (uint8_t)strlen(thread.comm);
			if (!thread.is_app && read_status(cache, status.tgid, &process))
				trust = trust_in(cache, &process);
		}
		/* Its process is SurfaceFlinger, if that is more certain than of the current one.
		 */
		if (trust > cache->trust && thread.tgid != cache->surfaceflinger) {
			cache->surfaceflinger = thread.tgid;
			cache->trust = trust;
			thread_cache_end(cache);
			cache->alive = open_comm(cache, thread.tgid);
		}
		if (thread.tgid == TRACE_ID_UNKNOWN || cache->surfaceflinger == TRACE_ID_UNKNOWN)
			fresh_ns = FRESH_GONE_NS;
		else if (thread.tgid == cache->surfaceflinger)
			fresh_ns = FRESH_SURFACEFLINGER_NS;
		thread.until_ns = now_ns + fresh_ns;
	}
	*entry = set[0];
	set[0] = thread;
	return set;
}
