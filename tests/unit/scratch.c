/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/scratch.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define RESULTS 4
#define PATH_SIZE 1024

static void die(const char *what)
{
	perror(what);
	abort();
}

void scratch_make(struct scratch *scratch, const char *base)
{
	snprintf(scratch->path, sizeof(scratch->path), "%s/jankd-unit-XXXXXX", base);
	if (!mkdtemp(scratch->path))
		die(scratch->path);
}

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *walk)
{
	(void)info;
	(void)type;
	(void)walk;
	return remove(path);
}

void scratch_remove(struct scratch *scratch)
{
	nftw(scratch->path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

const char *scratch_path(const struct scratch *scratch, const char *name)
{
	static char paths[RESULTS][PATH_SIZE];
	static unsigned int n;
	char *path = paths[n++ % RESULTS];

	snprintf(path, PATH_SIZE, "%s/%s", scratch->path, name);
	return path;
}

void scratch_mkdir(const struct scratch *scratch, const char *name)
{
	char path[PATH_SIZE];

	snprintf(path, sizeof(path), "%s/%s/", scratch->path, name);
	for (char *slash = path + strlen(scratch->path) + 1; (slash = strchr(slash, '/'));) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash++ = '/';
	}
	if (access(path, F_OK) < 0)
		die(path);
}

void scratch_put_bytes(const struct scratch *scratch, const char *name, const void *bytes,
		       size_t len)
{
	const char *path = scratch_path(scratch, name);
	FILE *file = fopen(path, "w");

	if (!file || (len > 0 && fwrite(bytes, len, 1, file) != 1) || fclose(file) != 0)
		die(path);
}

void scratch_put(const struct scratch *scratch, const char *name, const char *text)
{
	scratch_put_bytes(scratch, name, text, strlen(text));
}

const char *scratch_get(const struct scratch *scratch, const char *name)
{
	static char *texts[RESULTS];
	static unsigned int n;
	char **text = &texts[n++ % RESULTS];
	FILE *file = fopen(scratch_path(scratch, name), "r");
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

bool scratch_has(const struct scratch *scratch, const char *name)
{
	struct stat info;

	return lstat(scratch_path(scratch, name), &info) == 0;
}
