/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/trace/source_archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/trace/input.h"
#include "daemon/base/folder.h"
#include "daemon/base/report.h"
#include "daemon/base/text.h"
#include "daemon/base/text_file.h"

#define PIECE 65536

/* Memory limit for unpacking: twice what 'zstd --ultra -22' needs, four times 'xz -9'. A hostile
 * header may need gigabytes. */
#define MEMORY_MAX ((rlim_t)256 << 20)

/* Most bytes in a message for the names of a zip archive's files. */
#define NAMES_MAX 200

struct source_archive {
	const char *name; /* for messages */
	int fd;
	struct span head; /* read before: in ->buffer, or a packet */
	archive_has_markers *has_markers;
	bool is_packet; /* nothing else is read, and nothing is reported */
	const struct packing *packing;
	bool is_zip;
	struct archive *reader;
	struct rlimit memory; /* the previous limit */
	off_t begin;	      /* zip: offset of the archive in the file */
	int copy;	      /* zip: it replaces an input that cannot be read twice; or -1 */
	bool quiet;	      /* errors are not reported */
	bool refused;	      /* a file cannot be unpacked */
	bool input_over;
	int error;	    /* of reading the input: -errno, reported */
	struct span block;  /* unpacked, but not copied to the caller yet */
	bool over;	    /* ->block is the last one */
	const char *damage; /* of the current file */
	const char *cut;    /* zip: why other files of the archive are missing, or NULL */
	char buffer[PIECE];
};

/* --- the library --- */

/* The functions of libarchive that are used. */
#define ARCHIVE_FUNCTIONS(X)                                                                       \
	X(archive_entry_filetype)                                                                  \
	X(archive_entry_pathname)                                                                  \
	X(archive_entry_pathname_utf8)                                                             \
	X(archive_errno)                                                                           \
	X(archive_error_string)                                                                    \
	X(archive_read_data_block)                                                                 \
	X(archive_read_free)                                                                       \
	X(archive_read_new)                                                                        \
	X(archive_read_next_header)                                                                \
	X(archive_read_open1)                                                                      \
	X(archive_read_set_callback_data)                                                          \
	X(archive_read_set_read_callback)                                                          \
	X(archive_read_set_seek_callback)                                                          \
	X(archive_read_support_filter_bzip2)                                                       \
	X(archive_read_support_filter_xz)                                                          \
	X(archive_read_support_filter_zstd)                                                        \
	X(archive_read_support_format_empty)                                                       \
	X(archive_read_support_format_raw)                                                         \
	X(archive_read_support_format_zip)                                                         \
	X(archive_set_error)

struct archive_library {
#define X(name) __typeof__(name) *name;
	ARCHIVE_FUNCTIONS(X)
#undef X
};

/* NULL: it is not loaded, or not installed. */
static const struct archive_library *la;

/* Loads libarchive when the first archive is opened. It is not linked, because it and its fifteen
 * libraries would cost every command 3 MB and 3 ms, even a capture that runs for days. Its
 * interface has had this number since 2013. Returns false if it is not installed. */
static bool load_library(void)
{
	static struct archive_library library;
	void *handle = la ? NULL : dlopen("libarchive.so.13", RTLD_NOW | RTLD_LOCAL);
	bool is_whole = handle != NULL;

#define X(name) is_whole = is_whole && (*(void **)&library.name = dlsym(handle, #name)) != NULL;
	ARCHIVE_FUNCTIONS(X)
#undef X
	if (is_whole)
		la = &library;
	return la != NULL;
}

/* --- the kinds --- */

enum { PACKING_XZ, PACKING_ZSTD, PACKING_BZIP2, PACKING_ZIP, PACKINGS };

static const struct packing {
	struct span magic;
	const char *unpack; /* the command to unpack it */
} packings[PACKINGS] = {
	[PACKING_XZ] = { SPAN_INIT("\3757zXZ\0"), "xz -d FILE" },
	[PACKING_ZSTD] = { SPAN_INIT("\x28\xb5\x2f\xfd"), "zstd -d FILE" },
	[PACKING_BZIP2] = { SPAN_INIT("BZh"), "bzip2 -d FILE" },
	[PACKING_ZIP] = { SPAN_INIT("PK\x03\x04"), "unzip FILE" },
};

/* --- the input --- */

/* Returns the number of bytes in the buffer, or -errno. */
static ssize_t read_piece(struct source_archive *archive)
{
	ssize_t n = input_read(archive->fd, archive->buffer, PIECE, -1);

	if (n >= 0)
		return n;
	archive->error = (int)n;
	if (n != -EINTR)
		report("%s: %s; stopped reading", archive->name, strerror((int)-n));
	return n;
}

static la_ssize_t on_read(struct archive *reader, void *context, const void **bytes)
{
	struct source_archive *archive = context;
	ssize_t n = (ssize_t)archive->head.len;

	*bytes = n > 0 ? archive->head.ptr : archive->buffer;
	archive->head.len = 0;
	if (n == 0 && !archive->is_packet)
		n = read_piece(archive);
	archive->input_over = n == 0;
	if (n < 0)
		la->archive_set_error(reader, (int)-n, "cannot be read");
	return n < 0 ? -1 : n;
}

static la_int64_t on_seek(struct archive *reader, void *context, la_int64_t offset, int whence)
{
	struct source_archive *archive = context;
	off_t at =
		lseek(archive->fd, whence == SEEK_SET ? archive->begin + offset : offset, whence);

	(void)reader;
	return at < archive->begin ? ARCHIVE_FATAL : at - archive->begin;
}

/* --- unpacking --- */

static int refuse(struct source_archive *archive, int error, const char *why)
{
	archive->over = archive->refused = true;
	if (!archive->quiet)
		report("%s: jankd cannot unpack it: %s; unpack it first: %s", archive->name, why,
		       archive->packing->unpack);
	return error;
}

/* Handles @result, an error of libarchive. Returns 0 if the data before it can be used, or -errno.
 */
static int end_early(struct source_archive *archive, int result)
{
	const char *why = archive->reader ? la->archive_error_string(archive->reader) : NULL;

	archive->over = true;
	if (archive->error < 0)
		return archive->error;
	if (!archive->reader || la->archive_errno(archive->reader) == ENOMEM ||
	    (why && strstr(why, "memory")))
		return refuse(archive, -ENOMEM, "it needs too much memory");
	if (result == ARCHIVE_FAILED)
		return refuse(archive, -ENOTSUP, why);
	archive->damage = archive->input_over ? "the compressed data is truncated"
					      : "the compressed data is corrupt";
	return 0;
}

/* Begins at the first file. Returns 0 or -errno; if nothing can be read, ->over is set. 1: a
 * packet, which this libarchive cannot unpack. */
static int begin_reading(struct source_archive *archive)
{
	struct archive *reader = la->archive_read_new();
	int result;

	archive->reader = reader;
	archive->input_over = false;
	if (!reader)
		return end_early(archive, ARCHIVE_FATAL);
	la->archive_read_set_read_callback(reader, on_read);
	la->archive_read_set_callback_data(reader, archive);
	if (archive->is_zip) {
		on_seek(reader, archive, 0, SEEK_SET);
		la->archive_read_set_seek_callback(reader, on_seek);
		la->archive_read_support_format_zip(reader);
	} else {
		result = archive->packing == &packings[PACKING_XZ]
				 ? la->archive_read_support_filter_xz(reader)
			 : archive->packing == &packings[PACKING_ZSTD]
				 ? la->archive_read_support_filter_zstd(reader)
				 : la->archive_read_support_filter_bzip2(reader);
		/* Otherwise libarchive would start a program to unpack it. */
		if (result != ARCHIVE_OK && archive->is_packet)
			return 1;
		la->archive_read_support_format_raw(reader);
		if (!archive->is_packet)
			la->archive_read_support_format_empty(reader);
	}
	result = la->archive_read_open1(reader);
	return result < ARCHIVE_WARN ? end_early(archive, result) : 0;
}

/* Moves to the next regular file. Returns its entry, or NULL if there is none, or after an error;
 * then *error is the result of end_early(). */
static struct archive_entry *next_file(struct source_archive *archive, int *error)
{
	struct archive_entry *entry;
	int result;

	archive->over = false;
	archive->block = SPAN_NULL;
	archive->damage = NULL;
	do {
		result = la->archive_read_next_header(archive->reader, &entry);
	} while (result == ARCHIVE_RETRY || (result >= ARCHIVE_WARN && result != ARCHIVE_EOF &&
					     la->archive_entry_filetype(entry) != AE_IFREG));
	/* A warning concerns only a name or a date. */
	if (result >= ARCHIVE_WARN && result != ARCHIVE_EOF)
		return entry;
	archive->over = true;
	/* libarchive may report an early end only by an error string. */
	if (result != ARCHIVE_EOF ||
	    (!archive->is_zip && la->archive_error_string(archive->reader)))
		*error = end_early(archive, result);
	return NULL;
}

ssize_t source_archive_read(struct source_archive *archive, void *buffer, size_t size,
			    const char **damage)
{
	while (archive->block.len == 0 && !archive->over) {
		const void *bytes;
		size_t len;
		la_int64_t at;
		int error = 0;
		int result = la->archive_read_data_block(archive->reader, &bytes, &len, &at);

		/* A block with a warning is unpacked, but damaged. */
		if (result == ARCHIVE_OK || result == ARCHIVE_WARN)
			archive->block = (struct span){ bytes, len };
		if (result == ARCHIVE_FAILED || result == ARCHIVE_FATAL)
			error = end_early(archive, result);
		else if (result != ARCHIVE_OK && result != ARCHIVE_RETRY)
			archive->over = true;
		if (result == ARCHIVE_WARN)
			archive->damage = "the compressed data is corrupt";
		if (error < 0)
			return error;
	}
	*damage = archive->damage ? archive->damage : archive->cut;
	return (ssize_t)input_take(&archive->block, buffer, size);
}

/* --- which file of a zip archive --- */

/* Names of files; the text has the first ones. */
struct name_list {
	unsigned int count;
	char text[NAMES_MAX];
};

static void add_name(struct name_list *list, struct archive_entry *entry)
{
	const char *name = la->archive_entry_pathname(entry);
	const char *between = list->count++ > 0 ? ", " : "";
	size_t used = strlen(list->text);

	if (!name)
		name = la->archive_entry_pathname_utf8(entry);
	if (!name)
		name = "(no name)";
	if (!text_append(list->text, sizeof(list->text) - strlen(", ..."), "%s%s", between, name) &&
	    (used < 4 || strcmp(list->text + used - 3, "...") != 0))
		text_append(list->text, sizeof(list->text), "%s...", between);
}

/* Moves to the one file to read: the archive is read to its end, and then again up to that file.
 * Returns 0, or -errno after the reason was reported. */
static int choose_file(struct source_archive *archive)
{
	struct name_list files = { .count = 0 }, traces = { .count = 0 };
	const char *of = archive->name;
	struct archive_entry *entry;
	unsigned int chosen = 0; /* number of the first trace among the files */
	bool is_bugreport = false;
	int error = 0;

	while ((entry = next_file(archive, &error))) {
		const char *name = la->archive_entry_pathname(entry);
		int has;

		is_bugreport |= name && strcmp(name, "main_entry.txt") == 0;
		archive->quiet = true;
		has = archive->has_markers(archive, of);
		archive->quiet = false;
		if (has < 0)
			return has;
		if (has && traces.count == 0)
			chosen = files.count;
		add_name(&files, entry);
		if (has)
			add_name(&traces, entry);
	}
	archive->cut = archive->damage;
	if (error == 0 && input_is_stopped())
		error = -EINTR;
	if (error < 0)
		return error;

	error = -ENOTSUP;
	if (files.count == 0 && !archive->cut)
		report("%s: no trace with markers: it is an empty zip archive; pass the trace file "
		       "instead",
		       of);
	else if (files.count > 1 && traces.count == 0 && archive->refused)
		report("%s: jankd cannot unpack the files in this zip archive: %s; unpack it "
		       "first: %s",
		       of, files.text, archive->packing->unpack);
	else if (is_bugreport && traces.count == 0 && !archive->cut)
		report("%s: no trace with markers: it is a bugreport without one; record a trace "
		       "with perfetto or atrace, or take the bugreport while one is being recorded "
		       "(developer options, System Tracing)",
		       of);
	else if (files.count > 1 && traces.count == 0 && !archive->cut)
		report("%s: no trace with markers: none of the %u files in this zip archive is a "
		       "trace: %s; pass the trace file instead",
		       of, files.count, files.text);
	else if (traces.count > 1)
		report("%s: %u traces in this zip archive: %s; unpack it and pass one or more of "
		       "them",
		       of, traces.count, traces.text);
	else
		error = 0;
	/* If no trace was found, it may be in the missing part. */
	if (error < 0 || (files.count != 1 && traces.count == 0))
		return error;

	if (files.count > 1)
		report("%s: reading %s, the only one of its %u files with markers", of, traces.text,
		       files.count);
	la->archive_read_free(archive->reader);
	error = begin_reading(archive);
	for (unsigned int i = 0; error == 0 && i <= chosen; i++)
		next_file(archive, &error);
	return error;
}

/* --- opening --- */

/* Copies a zip archive from a pipe into a temporary file without a name, because a zip archive is
 * read twice, and from its end. Returns 0 or -errno. */
static int keep_copy(struct source_archive *archive)
{
	const char *const folders[] = { getenv("TMPDIR"), "/var/tmp", "/tmp" };
	ssize_t n = (ssize_t)archive->head.len;
	char path[PATH_MAX];
	int error;

	for (size_t i = 0; archive->copy < 0 && i < sizeof(folders) / sizeof(folders[0]); i++) {
		if (!folders[i])
			continue;
		snprintf(path, sizeof(path), "%s/jankd-XXXXXX", folders[i]);
		archive->copy = mkostemp(path, O_CLOEXEC);
		if (archive->copy >= 0)
			unlink(path);
	}
	error = archive->copy < 0 ? -errno : 0;
	while (error == 0 && n > 0) {
		error = folder_write(archive->copy, archive->buffer, (size_t)n);
		n = error < 0 ? 0 : read_piece(archive);
	}
	archive->fd = archive->copy;
	if (n < 0)
		return (int)n;
	if (error < 0)
		report("%s: cannot copy a zip archive from a pipe to $TMPDIR or /var/tmp: %s; name "
		       "the file instead",
		       archive->name, strerror(-error));
	return error;
}

int source_archive_open(struct source_archive **out, const char *name, int fd, struct span head,
			archive_has_markers *has_markers)
{
	const struct packing *packing = NULL;
	struct source_archive *archive;
	rlim_t now = MEMORY_MAX;
	struct rlimit limit;
	unsigned long pages;
	struct stat info;
	char text[128];
	int error = 0;

	*out = NULL;
	for (size_t i = 0; i < sizeof(packings) / sizeof(packings[0]); i++)
		if (span_starts_with(head, packings[i].magic))
			packing = &packings[i];
	if (!packing || !load_library() || head.len > PIECE)
		return ARCHIVE_IS_NONE;
	archive = calloc(1, sizeof(*archive));
	if (!archive)
		return report_no_memory(name);
	archive->name = name;
	archive->fd = fd;
	archive->has_markers = has_markers;
	memcpy(archive->buffer, head.ptr, head.len);
	archive->head = (struct span){ archive->buffer, head.len };
	archive->packing = packing;
	archive->is_zip = packing == &packings[PACKING_ZIP];
	archive->copy = -1;

	/* Limits the memory of the process to more than it can write to now, because the libraries
	 * have no limit that can be set. */
	if (text_file_read(text, sizeof(text), "/proc/self/statm") &&
	    sscanf(text, "%*s %*s %*s %*s %*s %lu", &pages) == 1 && pages > 0)
		now = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
	getrlimit(RLIMIT_DATA, &archive->memory);
	limit = archive->memory;
	if (limit.rlim_cur > now + MEMORY_MAX)
		limit.rlim_cur = now + MEMORY_MAX;
	setrlimit(RLIMIT_DATA, &limit);

	if (archive->is_zip) {
		off_t at = lseek(fd, 0, SEEK_CUR) - (off_t)head.len;

		if (fstat(fd, &info) < 0 || !S_ISREG(info.st_mode) || at < 0)
			error = keep_copy(archive);
		else
			archive->begin = at;
		archive->head.len = 0;
	}
	if (error == 0)
		error = begin_reading(archive);
	if (error == 0 && !archive->over && archive->is_zip)
		error = choose_file(archive);
	else if (error == 0 && !archive->over)
		next_file(archive, &error);
	if (error < 0)
		source_archive_close(archive);
	else
		*out = archive;
	return error;
}

int source_archive_open_packet(struct source_archive **out, struct span packed)
{
	struct source_archive *archive;
	int error;

	*out = NULL;
	if (!load_library())
		return -ENOTSUP;
	archive = calloc(1, sizeof(*archive));
	if (!archive)
		return -ENOMEM;
	archive->head = packed;
	archive->packing = &packings[PACKING_ZSTD];
	archive->is_packet = archive->quiet = true;
	archive->copy = -1;
	error = begin_reading(archive);
	if (error > 0) {
		source_archive_close(archive);
		return -ENOTSUP;
	}
	if (error == 0 && !archive->over)
		next_file(archive, &error);
	if (error < 0)
		archive->damage = "the compressed data is corrupt";
	*out = archive;
	return 0;
}

struct source_archive *source_archive_close(struct source_archive *archive)
{
	if (!archive)
		return NULL;
	la->archive_read_free(archive->reader);
	if (!archive->is_packet)
		setrlimit(RLIMIT_DATA, &archive->memory);
	if (archive->copy >= 0)
		close(archive->copy);
	free(archive);
	return NULL;
}
