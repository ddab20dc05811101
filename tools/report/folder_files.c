/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/report/folder_files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/report/os.h"
#include "tools/report/pool.h"

/* More than any capture leaves: a week of segments of a minute is 10,000 of each file. */
#define ENTRIES_MAX 200000

/* True: @name is the file @kind, with the number *number: "fps.csv", "fps-000001.csv.gz". */
static bool is_kind(const char *name, enum csv_file_kind kind, uint32_t *number)
{
	const char *whole = csv_files[kind].name, *suffix = strrchr(whole, '.');
	size_t stem = (size_t)(suffix - whole), suffix_length = strlen(suffix);
	unsigned long value = SEGMENT_CURRENT;
	const char *at = name + stem;
	char *end;

	if (strncmp(name, whole, stem) != 0)
		return false;
	if (*at == '-') {
		value = strtoul(at + 1, &end, 10);
		if (end - at < 7 || at[1] < '0' || at[1] > '9' || value >= SEGMENT_CURRENT)
			return false;
		at = end;
	}
	*number = (uint32_t)value;
	return strncmp(at, suffix, suffix_length) == 0 &&
	       (at[suffix_length] == '\0' || strcmp(at + suffix_length, ".gz") == 0);
}

static int add_entry(void *context, const struct os_entry *entry)
{
	struct folder_files *files = context;
	struct segment segment = { .size = entry->size, .changed_ns = entry->changed_ns };
	int kind = 0;
	char *path;
	void *added;

	if (files->n + files->n_folders == ENTRIES_MAX) {
		files->left_out++;
		return 0;
	}
	while (kind < CSV_FILES && !is_kind(entry->name, (enum csv_file_kind)kind, &segment.number))
		kind++;
	if (entry->is_folder ? entry->name[0] == '.' : kind == CSV_FILES)
		return 0;
	if (asprintf(&path, "%s%s%s", files->path,
		     os_is_separator(files->path[strlen(files->path) - 1]) ? "" : "/",
		     entry->name) < 0)
		return -ENOMEM;
	segment.kind = (enum csv_file_kind)kind;
	segment.path = path;
	added = entry->is_folder ? array_add(&files->folders, &files->n_folders, sizeof(path))
				 : array_add(&files->segments, &files->n, sizeof(segment));
	if (!added) {
		free(path);
		return -ENOMEM;
	}
	if (entry->is_folder)
		*(char **)added = path;
	else
		*(struct segment *)added = segment;
	return 0;
}

static int by_number(const void *a, const void *b)
{
	const struct segment *one = a, *other = b;

	if (one->number != other->number)
		return one->number < other->number ? -1 : 1;
	if (one->kind != other->kind)
		return one->kind < other->kind ? -1 : 1;
	return strcmp(one->path, other->path);
}

static int by_session(const void *a, const void *b)
{
	const struct segment *one = a, *other = b;

	if (one->session != other->session)
		return one->session < other->session ? -1 : 1;
	if (one->kind != other->kind)
		return one->kind < other->kind ? -1 : 1;
	return by_number(a, b);
}

static int by_path(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int folder_files_read(struct folder_files *files, const char *path)
{
	uint32_t session = 0, last = SEGMENT_CURRENT;
	bool ends = false;
	int error;

	*files = (struct folder_files){ .path = strdup(path) };
	error = files->path ? os_list(path, add_entry, files) : -ENOMEM;
	if (files->n_folders > 0)
		qsort(files->folders, files->n_folders, sizeof(*files->folders), by_path);
	if (files->n == 0)
		return error;
	qsort(files->segments, files->n, sizeof(*files->segments), by_number);
	/* A session ends with the number of its session.json or summary.csv. */
	for (uint32_t i = 0; i < files->n; i++) {
		struct segment *segment = &files->segments[i];

		if (ends && segment->number != last) {
			session++;
			ends = false;
		}
		last = segment->number;
		ends |= segment->kind == CSV_SESSION || segment->kind == CSV_SUMMARY;
		segment->session = session;
	}
	files->sessions = session + 1;
	qsort(files->segments, files->n, sizeof(*files->segments), by_session);
	return error;
}

void folder_files_free(struct folder_files *files)
{
	for (uint32_t i = 0; i < files->n; i++)
		free(files->segments[i].path);
	for (uint32_t i = 0; i < files->n_folders; i++)
		free(files->folders[i]);
	free(files->segments);
	free(files->folders);
	free(files->path);
	*files = (struct folder_files){ 0 };
}

struct span folder_cut_last(struct span *path)
{
	struct span name = *path;

	while (name.len > 0 && os_is_separator(name.ptr[name.len - 1]))
		name.len--;
	path->len = name.len;
	while (path->len > 0 && !os_is_separator(path->ptr[path->len - 1]))
		path->len--;
	return span_skip(name, path->len);
}
