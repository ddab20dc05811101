/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the allocations of a program: loaded with LD_PRELOAD, it replaces malloc() of the libc and
 * counts in a shared mapping of the file that COUNT_ALLOCATIONS names. Another process can read the
 * counts there at any time.
 *
 * Forks of the program are counted too, but not other programs that it executes.
 */

/* Both mmap() and mmap64() are defined here, under their own names. */
#undef _TIME_BITS
#undef _FILE_OFFSET_BITS

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Number of the last allocations whose callers are kept. */
#define CALLERS 64

/* The content of the file. */
struct allocations {
	_Atomic uint64_t calls, bytes;
	_Atomic uint64_t callers[CALLERS]; /* of call n: n % CALLERS */
};

/* The functions of the libc that the functions below replace. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

/* Counts of allocations before the file is mapped, for example by the dynamic linker. */
static struct allocations early;
static struct allocations *allocations = &early;

static void *map(void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
#ifdef SYS_mmap2
	return (void *)syscall(SYS_mmap2, address, size, protection, flags, fd, offset / 4096);
#else
	return (void *)syscall(SYS_mmap, address, size, protection, flags, fd, offset);
#endif
}

__attribute__((constructor)) static void begin(void)
{
	const char *path = getenv("COUNT_ALLOCATIONS");
	int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
	void *shared;

	unsetenv("LD_PRELOAD");
	if (fd < 0)
		return;
	shared = map(NULL, sizeof(*allocations), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (shared == MAP_FAILED)
		return;
	allocations = shared;
	allocations->bytes += early.bytes;
	allocations->calls += early.calls;
}

static void count(size_t size, void *caller)
{
	uint64_t n = atomic_fetch_add(&allocations->calls, 1);

	allocations->bytes += size;
	allocations->callers[n % CALLERS] = (uintptr_t)caller;
}

/* Functions of the libc that allocate, such as strdup(), call these, too. */
#define COUNT(size) count(size, __builtin_return_address(0))

void *malloc(size_t size)
{
	COUNT(size);
	return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	COUNT(n * size);
	return __libc_calloc(n, size);
}

void *realloc(void *memory, size_t size)
{
	COUNT(size);
	return __libc_realloc(memory, size);
}

void *reallocarray(void *memory, size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	COUNT(bytes);
	return __libc_realloc(memory, bytes);
}

void *memalign(size_t alignment, size_t size)
{
	COUNT(size);
	return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
	COUNT(size);
	return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size)
{
	COUNT(size);
	*memory = __libc_memalign(alignment, size);
	return *memory ? 0 : ENOMEM;
}

/* Memory directly from the kernel; the libc's malloc() does not call this function. */
void *mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
	COUNT(size);
	return map(address, size, protection, flags, fd, offset);
}

void *mmap64(void *address, size_t size, int protection, int flags, int fd, off64_t offset)
{
	COUNT(size);
	return map(address, size, protection, flags, fd, (off_t)offset);
}
