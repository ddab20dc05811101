/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/trace/perfetto_threads.h"

#include <stddef.h>
#include <string.h>

static unsigned int place_of(const struct perfetto_threads *threads, int32_t tid)
{
	unsigned int i = (uint32_t)tid * UINT32_C(2654435761) % PERFETTO_THREADS;

	while (threads->entries[i].tid != 0 && threads->entries[i].tid != tid)
		i = (i + 1) % PERFETTO_THREADS;
	return i;
}

const struct perfetto_thread_entry *perfetto_threads_find(const struct perfetto_threads *threads,
							  int32_t tid)
{
	const struct perfetto_thread_entry *entry =
		tid > 0 ? &threads->entries[place_of(threads, tid)] : NULL;

	return entry && entry->tid ? entry : NULL;
}

/* The name that the kernel gives a process. Of a program it is the first 15 bytes of the file's
 * name, of an app the last 15 bytes of the package. */
static struct span comm_of(const struct perfetto_thread *thread)
{
	struct span name = thread->name;
	const char *slash = name.len > 0 ? memrchr(name.ptr, '/', name.len) : NULL;
	bool is_file = name.len > 0 && name.ptr[0] == '/';
	const char *end;

	if (thread->is_process && slash)
		name = span_skip(name, (size_t)(slash - name.ptr) + 1);
	end = name.len > 0 ? memchr(name.ptr, '\0', name.len) : NULL;
	if (end)
		name.len = (size_t)(end - name.ptr);
	if (name.len < PERFETTO_COMM_SIZE)
		return name;
	if (!thread->is_process || is_file)
		return (struct span){ name.ptr, PERFETTO_COMM_SIZE - 1 };
	return span_skip(name, name.len - (PERFETTO_COMM_SIZE - 1));
}

void perfetto_threads_add_one(struct perfetto_threads *threads,
			      const struct perfetto_thread *thread, uint64_t time_ns)
{
	struct perfetto_thread_entry *entry = &threads->entries[place_of(threads, thread->tid)];
	struct span comm = comm_of(thread);
	bool is_later;

	if (entry->tid == 0) {
		/* A quarter stays free, so that a search ends soon. */
		if (threads->n >= PERFETTO_THREADS / 4 * 3)
			return;
		threads->n++;
		entry->tid = thread->tid;
		entry->tgid = -1;
	}
	is_later = time_ns >= entry->named_ns;
	if (thread->tgid > 0 && (is_later || entry->tgid < 0))
		entry->tgid = thread->tgid;
	if (comm.len > 0 && (is_later || !entry->comm[0])) {
		entry->named_ns = time_ns;
		memset(entry->comm, 0, sizeof(entry->comm));
		memcpy(entry->comm, comm.ptr, comm.len);
	}
}

bool perfetto_threads_add(struct perfetto_threads *threads, struct span tree, uint64_t time_ns)
{
	struct perfetto_thread thread;

	while (perfetto_thread_next(&tree, &thread))
		perfetto_threads_add_one(threads, &thread, time_ns);
	return tree.len == 0;
}
