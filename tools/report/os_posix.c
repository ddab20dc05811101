/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tools/report/os.h"

void os_begin(int *argc, char ***argv)
{
}

unsigned int os_columns(void)
{
	struct winsize size;

	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

int os_list(const char *path, int (*add)(void *context, const struct os_entry *entry),
	    void *context)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	int result = 0;

	if (!dir)
		return -errno;
	while (result == 0 && (entry = readdir(dir))) {
		struct stat info;

		/* One that was removed meanwhile, or a link to nothing. */
		if (fstatat(dirfd(dir), entry->d_name, &info, 0) != 0 ||
		    !(S_ISREG(info.st_mode) || S_ISDIR(info.st_mode)))
			continue;
		result = add(context,
			     &(struct os_entry){
				     .name = entry->d_name,
				     .is_folder = S_ISDIR(info.st_mode),
				     .size = info.st_size,
				     .changed_ns = info.st_mtim.tv_sec * INT64_C(1000000000) +
						   info.st_mtim.tv_nsec,
			     });
	}
	closedir(dir);
	return result;
}

bool os_is_separator(char c)
{
	return c == '/';
}

gzFile os_gzopen(const char *path)
{
	errno = 0;
	return gzopen(path, "rb");
}

FILE *os_create(const char *path)
{
	return fopen(path, "w");
}

int os_check_place(const char *path)
{
	struct stat info;

	if (stat(path, &info) != 0 || S_ISREG(info.st_mode))
		return 0;
	return S_ISDIR(info.st_mode) ? -EISDIR : -EINVAL;
}

int os_replace(const char *from, const char *to)
{
	return rename(from, to) == 0 ? 0 : -errno;
}

void os_remove(const char *path)
{
	unlink(path);
}

FILE *os_memory_open(char **text, size_t *size)
{
	return open_memstream(text, size);
}

int os_memory_close(FILE *out, char **text, size_t *size)
{
	return fclose(out) == 0 ? 0 : -errno;
}

static sigset_t interrupts;

/* They are blocked, and so wait until they are asked for: none is lost in between. */
void os_keep_interrupts(void)
{
	sigemptyset(&interrupts);
	sigaddset(&interrupts, SIGINT);
	sigaddset(&interrupts, SIGTERM);
	sigprocmask(SIG_BLOCK, &interrupts, NULL);
}

bool os_wait(unsigned int seconds)
{
	struct timespec time = { .tv_sec = seconds };
	int got;

	do {
		got = sigtimedwait(&interrupts, NULL, &time);
	} while (got < 0 && errno == EINTR);
	return got > 0;
}
