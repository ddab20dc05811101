/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/guarded.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct guarded guarded;

struct guarded guarded_new(size_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t inner = (size + page) / page * page;
	char *base = mmap(NULL, inner + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (base == MAP_FAILED || mprotect(base + page, inner, PROT_READ | PROT_WRITE) != 0)
		abort();
	return (struct guarded){ .first = base + page, .end = base + page + inner };
}

void guarded_free(struct guarded *memory)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	munmap(memory->first - page, (size_t)(memory->end - memory->first) + 2 * page);
}

int guarded_set_up(void **state)
{
	guarded = guarded_new(GUARDED_SIZE);
	return 0;
}

int guarded_tear_down(void **state)
{
	guarded_free(&guarded);
	return 0;
}
