/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/scratch.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define RESULTS 4
#define PATH_SIZE 1024
#define DESCRIPTORS_MAX 1024

char scratch_root[96];

static void die(const char *what)
{
	perror(what);
	abort();
}

void scratch_make(const char *base)
{
	snprintf(scratch_root, sizeof(scratch_root), "%s/jankd-unit-XXXXXX", base);
	if (!mkdtemp(scratch_root))
		die(scratch_root);
}

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *walk)
{
	return remove(path);
}

void scratch_remove(void)
{
	nftw(scratch_root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	scratch_root[0] = '\0';
}

/* Of this process; with @inherited those that a child process would have. */
static int count_descriptors(bool inherited)
{
	int n = 0;

	for (int fd = 0; fd < DESCRIPTORS_MAX; fd++) {
		int flags = fcntl(fd, F_GETFD);

		n += flags >= 0 && !(inherited && (flags & FD_CLOEXEC));
	}
	return n;
}

static int open_before, inherited_before;

int scratch_inherited(void)
{
	return count_descriptors(true) - inherited_before;
}

int scratch_set_up(void **state)
{
	open_before = count_descriptors(false);
	inherited_before = count_descriptors(true);
	scratch_make("/tmp");
	return 0;
}

int scratch_tear_down_closed(void **state)
{
	int left = count_descriptors(false) - open_before;

	scratch_remove();
	if (left != 0)
		fprintf(stderr, "%d descriptors were left open\n", left);
	return left;
}

const char *scratch_path(const char *name)
{
	static char paths[RESULTS][PATH_SIZE];
	static unsigned int n;
	char *path = paths[n++ % RESULTS];

	snprintf(path, PATH_SIZE, "%s/%s", scratch_root, name);
	return path;
}

void scratch_mkdir(const char *name)
{
	char path[PATH_SIZE];

	snprintf(path, sizeof(path), "%s/%s/", scratch_root, name);
	for (char *slash = path + strlen(scratch_root) + 1; (slash = strchr(slash, '/'));) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash++ = '/';
	}
	if (access(path, F_OK) < 0)
		die(path);
}

void scratch_put_bytes(const char *name, const void *bytes, size_t len)
{
	const char *path = scratch_path(name), *slash = strrchr(name, '/');
	FILE *file;

	scratch_mkdir(formatted("%.*s", slash ? (int)(slash - name) : 0, name));
	file = fopen(path, "w");
	if (!file || (len > 0 && fwrite(bytes, len, 1, file) != 1) || fclose(file) != 0)
		die(path);
}

void scratch_put(const char *name, const char *text)
{
	scratch_put_bytes(name, text, strlen(text));
}

const char *scratch_get(const char *name)
{
	static char *texts[RESULTS];
	static unsigned int n;
	char **text = &texts[n++ % RESULTS];
	FILE *file = fopen(scratch_path(name), "r");
	size_t len = 0, size = 4096, got = 1;

	free(*text);
	*text = malloc(size);
	while (file && *text && got > 0) {
		got = fread(*text + len, 1, size - len - 1, file);
		len += got;
		if (size - len < 2)
			*text = realloc(*text, size *= 2);
	}
	if (!*text)
		die("out of memory");
	(*text)[len] = '\0';
	if (file)
		fclose(file);
	return *text;
}

bool scratch_has(const char *name)
{
	struct stat info;

	return lstat(scratch_path(name), &info) == 0;
}
