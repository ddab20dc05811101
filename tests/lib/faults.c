/* SPDX-License-Identifier: Apache-2.0 */
/* Lets one call of a program fail, once: loaded with LD_PRELOAD, it stands before functions of the
 * libc and counts the calls at each call site. The file in FAULTS, which the program, its forks and
 * the test map (tests/lib/faults.py), has these numbers and names the call that fails.
 *
 * A call site is a function and an address in the program: where the call returns to, or where the
 * library returns to that calls the function. Other calls by libraries have the address 0: they are
 * counted, and do not fail. */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* How a function fails: it returns -1 (MINUS), NULL (NIL), or the number of the error as
 * posix_spawn() does. DIRECT: NULL, and calls by libraries do not fail. DONE: -1, and it was done
 * all the same: a descriptor is closed in any case. */
enum failure { MINUS, NIL, NUMBER, DIRECT, DONE };

#define PHASES 8
#define SITES 4096

/* What happens instead of errno. A short call asks for half of the bytes. */
#define SHORT (-1)
#define KILL (-2)

/* The content of the file. */
struct faults {
	/* The call that fails: the n-th at a site since a phase began; written by the test. */
	uint64_t key;
	uint32_t key_phase, nth;
	int32_t error;
	_Atomic uint32_t phase;
	int32_t pid;	  /* of the process in which it failed, or 0 */
	uint32_t again;	  /* 1: all later calls at that site fail, too */
	uint64_t time_ns; /* when it failed, of CLOCK_BOOTTIME */
	uint32_t reserved[6];
	struct site {
		_Atomic uint64_t key; /* 0: not used */
		char name[24];	      /* of the function */
		_Atomic uint32_t calls[PHASES];
	} sites[SITES];
};

static struct faults *faults;
static uintptr_t program, program_end;

#define MAX_FRAMES 32

/* The program is the first of the loaded objects. */
static int find_program(struct dl_phdr_info *object, size_t size, void *context)
{
	program = object->dlpi_addr;
	for (int i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &object->dlpi_phdr[i];

		if (part->p_type == PT_LOAD)
			program_end = program + part->p_vaddr + part->p_memsz;
	}
	return 1;
}

__attribute__((constructor)) static void begin(void)
{
	const char *path = getenv("FAULTS");
	int fd = path ? (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC) : -1;
	void *frames[MAX_FRAMES];
	void *shared;

	unsetenv("LD_PRELOAD");
	if (fd < 0)
		return;
	dl_iterate_phdr(find_program, NULL);
	backtrace(frames, MAX_FRAMES); /* The first call loads a library. */
	shared = mmap(NULL, sizeof(*faults), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	syscall(SYS_close, fd);
	if (shared != MAP_FAILED)
		faults = shared;
}

static bool is_program(uintptr_t address)
{
	return address >= program && address < program_end;
}

/* Returns the address of a call site in the program, relative to its begin, or 0. */
static uintptr_t site_address(uintptr_t caller, enum failure failure)
{
	void *frames[MAX_FRAMES];
	int n;

	if (is_program(caller))
		return caller - program;
	n = failure == DIRECT ? 0 : backtrace(frames, MAX_FRAMES);
	for (int i = 0; i < n; i++)
		if (is_program((uintptr_t)frames[i]))
			return (uintptr_t)frames[i] - program;
	return 0;
}

static struct site *find_site(uint64_t key, const char *name)
{
	for (uint64_t i = key * UINT64_C(0x9e3779b97f4a7c15) >> 52;; i++) {
		struct site *site = &faults->sites[i % SITES];
		uint64_t unused = 0;

		if (atomic_compare_exchange_strong(&site->key, &unused, key))
			strncpy(site->name, name, sizeof(site->name) - 1);
		else if (unused != key)
			continue;
		return site;
	}
}

/* The arguments: no function has more, or one that is not an integer or a pointer. */
struct call {
	long a, b, c, d, e, f;
};

/* Of read() and its like the number of bytes is the third argument, of splice() the fifth. */
static long half(long bytes)
{
	return bytes > 1 ? bytes / 2 : bytes;
}

/* Counts a call. Returns true if it is the one that fails. */
static bool is_the_one(uint64_t key, const char *name)
{
	struct site *site = find_site(key, name);
	uint32_t phase = faults->phase;
	uint32_t nth = 1 + atomic_fetch_add(&site->calls[phase], 1);
	struct timespec now;

	if (key != faults->key)
		return false;
	if (faults->again && faults->pid != 0)
		return true;
	if (phase != faults->key_phase || nth != faults->nth)
		return false;
	clock_gettime(CLOCK_BOOTTIME, &now);
	faults->time_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	faults->pid = getpid();
	return true;
}

static long call_once(const char *name, unsigned int number, enum failure failure, void **real,
		      uintptr_t caller, struct call call)
{
	static __thread bool inside;
	uintptr_t address = 0;
	bool is_counted = faults && !inside;
	long (*function)(long a, long b, long c, long d, long e, long f);

	if (!*real)
		*real = dlsym(RTLD_NEXT, name);
	*(void **)&function = *real;
	if (is_counted) {
		int before = errno;

		inside = true;
		address = site_address(caller, failure);
		inside = false;
		errno = before;
	}
	if (!is_counted || !is_the_one((uint64_t)number << 48 | address, name))
		return function(call.a, call.b, call.c, call.d, call.e, call.f);
	if (faults->error == KILL)
		syscall(SYS_kill, getpid(), SIGKILL);
	if (faults->error == SHORT)
		return function(call.a, call.b, half(call.c), call.d, half(call.e), call.f);
	if (failure == DONE)
		function(call.a, call.b, call.c, call.d, call.e, call.f);
	errno = faults->error;
	return failure == NUMBER ? errno : failure == NIL || failure == DIRECT ? 0 : -1;
}

/* In C each function has another name, and so any arguments. */
#define FUNCTION(name, failure)                                                                    \
	long fault_##name(long a, long b, long c, long d, long e, long f) __asm__(#name);          \
	long fault_##name(long a, long b, long c, long d, long e, long f)                          \
	{                                                                                          \
		static void *real;                                                                 \
                                                                                                   \
		return call_once(#name, __COUNTER__ + 1, failure, &real,                           \
				 (uintptr_t)__builtin_return_address(0),                           \
				 (struct call){ a, b, c, d, e, f });                               \
	}

#define SIX(a, b, c, d, e, f) THREE(a, b, c) THREE(d, e, f)
#define THREE(a, b, c) FUNCTION(a, MINUS) FUNCTION(b, MINUS) FUNCTION(c, MINUS)

/* What jankd and its libraries call, under the names of _FILE_OFFSET_BITS and _FORTIFY_SOURCE. */
SIX(accept4, access, bind, connect, dup2, epoll_create1)
SIX(epoll_ctl, epoll_wait, eventfd, faccessat, fchmod, fcntl64)
SIX(fdatasync, fflush, flock, fork, fstat64, fstatat64)
SIX(fstatvfs64, fsync, ftruncate64, getsockopt, inotify_add_watch, inotify_init1)
SIX(ioctl, kill, linkat, listen, lseek64, mkdir)
SIX(mkdirat, mkostemp64, mmap, mmap64, nanosleep, open64)
SIX(__open64_2, openat64, pipe2, poll, ppoll, pread64)
SIX(pwrite64, read, __read_chk, readlink, readlinkat, recv)
SIX(renameat, renameat2, rmdir, scandir64, send, sendto)
SIX(setsockopt, signalfd, socket, splice, stat64, statfs64)
SIX(sync_file_range, timerfd_create, timerfd_settime, unlink, unlinkat, waitpid)
FUNCTION(calloc, DIRECT)
FUNCTION(close, DONE)
FUNCTION(closedir, DONE)
FUNCTION(fclose, DONE)
FUNCTION(fdopendir, NIL)
FUNCTION(fopen64, NIL)
FUNCTION(malloc, DIRECT)
FUNCTION(open_memstream, NIL)
FUNCTION(opendir, NIL)
FUNCTION(posix_spawnp, NUMBER)
FUNCTION(pthread_create, NUMBER)
FUNCTION(readdir64, NIL)
FUNCTION(realloc, DIRECT)
FUNCTION(setmntent, NIL)
FUNCTION(strdup, DIRECT)
FUNCTION(write, MINUS)
