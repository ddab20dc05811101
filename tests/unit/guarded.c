/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/guarded.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct guarded guarded;

int guarded_set_up(void **state)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE), all = GUARDED_SIZE + 2 * page;
	char *base = mmap(NULL, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (base == MAP_FAILED || mprotect(base + page, GUARDED_SIZE, PROT_READ | PROT_WRITE) != 0)
		abort();
	guarded = (struct guarded){ base + page, base + page + GUARDED_SIZE };
	return 0;
}

int guarded_tear_down(void **state)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return munmap(guarded.first - page, GUARDED_SIZE + 2 * page);
}
