/* SPDX-License-Identifier: Apache-2.0 */
/* A recorded trace, read by a chain of stages. Each is used only if the file needs it:
 *
 *     file ──► archive ──► raw ──► inflate ──► plain ──► text out of HTML, JSON ──► source_text
 *
 * Plain text goes from the file straight into the buffer of source_text.
 */

#include "daemon/trace/source_text.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "daemon/base/csv_files.h"
#include "daemon/base/report.h"
#include "daemon/trace/input.h"
#include "daemon/trace/perfetto_reader.h"
#include "daemon/trace/source_archive.h"
#include "parser/container.h"

#define STAGE_SIZE 65536

struct source_file;

/* Bytes before a stage that looks ahead in them. */
struct stage {
	/* Reads up to @size bytes. Returns their number, 0 at the end, or -errno. */
	ssize_t (*read)(struct source_file *file, void *buffer, size_t size);
	struct span unread; /* in: */
	char bytes[STAGE_SIZE];
	bool last; /* these are the last bytes */
};

struct source_file {
	struct source_text text;
	int fd;
	struct source_archive *archive; /* the file is read through it, or NULL */
	bool quiet;			/* errors are not reported */
	const char *other; /* not a trace, but other text: what to do if it is not; or NULL */
	struct perfetto_reader *perfetto; /* a perfetto trace is read by it, or NULL */
	const struct record_sink *sink;	  /* of its records, while it reads */
	struct span whole; /* that in memory, or SPAN_NULL: it is read from the file */
	bool recognised, html;
	bool is_corrupt; /* damage is right behind the first bytes of the last stage */
	bool inflated;	 /* a stream was read to its end: another one may follow */
	z_stream zlib;
	struct container_html html_state;
	struct span html_text; /* in the last stage: not copied to the caller yet */
	struct stage raw, plain;
	struct stage *stage; /* the last one: ->plain if the file is compressed, else ->raw */
};

/* Adds the bytes of one read to a stage with space. Returns 0 or -errno. */
static int stage_fill(struct source_file *file, struct stage *stage)
{
	size_t len = stage->unread.len;
	ssize_t n;

	if (len > 0)
		memmove(stage->bytes, stage->unread.ptr, len);
	stage->unread.ptr = stage->bytes;
	if (len == STAGE_SIZE || stage->last)
		return 0;
	n = stage->read(file, stage->bytes + len, STAGE_SIZE - len);
	if (n < 0)
		return (int)n;
	stage->unread.len += (size_t)n;
	stage->last = n == 0;
	return 0;
}

/* Keeps only the first damage. */
static void set_damage(struct source_file *file, const char *damage)
{
	if (!file->text.source.damage)
		file->text.source.damage = damage;
}

static ssize_t read_input(struct source_file *file, void *buffer, size_t size)
{
	const char *damage;
	ssize_t n;

	if (file->archive) {
		n = source_archive_read(file->archive, buffer, size, &damage);
		if (n == 0)
			set_damage(file, damage);
		return n;
	}
	n = input_read(file->fd, buffer, size, -1);
	if (n < 0 && n != -EINTR)
		report("%s: %s; stopped reading", file->text.source.name, strerror((int)-n));
	return n;
}

/* Inflates from the raw stage. */
static ssize_t read_inflated(struct source_file *file, void *buffer, size_t size)
{
	struct stage *raw = &file->raw;
	z_stream *zlib = &file->zlib;

	for (;;) {
		/* Two bytes tell whether another stream follows. */
		size_t least = file->inflated ? 2 : 1;
		int result = 0;

		while (result == 0 && raw->unread.len < least && !raw->last)
			result = stage_fill(file, raw);
		if (result < 0)
			return result;
		/* gzip files can be concatenated. Other bytes after the end of a stream are not
		 * part of the trace. */
		if (file->inflated && (!span_starts_with(raw->unread, SPAN_LITERAL("\x1f\x8b")) ||
				       inflateReset(zlib) != Z_OK))
			return 0;
		if (raw->unread.len == 0) {
			set_damage(file, "the compressed data is truncated");
			return 0;
		}
		zlib->next_in = (Bytef *)raw->unread.ptr;
		zlib->avail_in = (uInt)raw->unread.len;
		zlib->next_out = buffer;
		zlib->avail_out = (uInt)size;
		result = inflate(zlib, Z_SYNC_FLUSH);
		raw->unread = span_skip(raw->unread, raw->unread.len - zlib->avail_in);
		file->inflated = result == Z_STREAM_END;
		if (result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR) {
			if (zlib->avail_out == size)
				continue;
		} else {
			/* A later call gets the same result. */
			set_damage(file, "the compressed data is corrupt");
		}
		return (ssize_t)(size - zlib->avail_out);
	}
}

static ssize_t read_plain(struct source_file *file, void *buffer, size_t size)
{
	ssize_t n = (ssize_t)input_take(&file->stage->unread, buffer, size);

	return n > 0 || file->stage->last ? n : file->stage->read(file, buffer, size);
}

/* --- recognition --- */

/* Reads the first bytes of the last stage, which tell its kind; fewer if the next ones are corrupt.
 * Returns 0 or -errno. */
static int recognise(struct source_file *file, enum container_kind *kind)
{
	const char *damage = file->text.source.damage; /* of the stage before */
	struct stage *stage = file->stage;
	size_t skip;

	while (stage->unread.len < CONTAINER_HEAD_MAX && !stage->last &&
	       file->text.source.damage == damage) {
		int error = stage_fill(file, stage);

		if (error < 0)
			return error;
	}
	file->is_corrupt = file->text.source.damage != damage && !stage->last;
	*kind = container_recognise(stage->unread, &skip);
	stage->unread = span_skip(stage->unread, skip);
	return 0;
}

/* Files that users pass by mistake, and the bytes with which each begins. Compressed files are in a
 * format that this build cannot unpack. */
static const struct {
	struct span begin;
	size_t at;
	const char *what, *advice; /* NULL: the usual one */
} others[] = {
	{ SPAN_INIT("\3757zXZ\0"), 0, "compressed by xz", "unpack it first: xz -d FILE" },
	{ SPAN_INIT("\x28\xb5\x2f\xfd"), 0, "compressed by zstd", "unpack it first: zstd -d FILE" },
	{ SPAN_INIT("BZh"), 0, "compressed by bzip2", "unpack it first: bzip2 -d FILE" },
	{ SPAN_INIT("\x1f\x8b"), 0, "compressed twice", "unpack it first: gzip -d FILE" },
	{ SPAN_INIT("PK\x03\x04"), 0, "a zip archive", "unpack it and pass the trace inside" },
	{ SPAN_INIT("ustar"), 257, "a tar archive", "unpack it and pass the trace inside" },
	{ SPAN_INIT("\x17\x08\x44tracing"), 0, "a trace-cmd file",
	  "convert it first: trace-cmd report FILE > trace.txt" },
	{ SPAN_INIT("PERFILE2"), 0, "a perf or simpleperf file",
	  "it has samples, no markers: record a trace with atrace's gfx category" },
	{ SPAN_INIT("SIMPLEPERF"), 0, "a simpleperf report",
	  "it has samples, no markers: record a trace with atrace's gfx category" },
	{ SPAN_INIT("OHOSPROF"), 0, "an OpenHarmony hiprofiler file",
	  "record a text instead: hitrace --text -t 10 graphic -o /data/local/tmp/trace.ftrace" },
	{ SPAN_INIT("\x49\xdf"), 0, "a binary OpenHarmony hitrace file",
	  "record a text instead: hitrace --text -t 10 graphic -o /data/local/tmp/trace.ftrace" },
	{ SPAN_INIT("version https://git-lfs.github.com/"), 0,
	  "a Git LFS pointer, not the file itself", "get the file first: git lfs pull" },
	{ SPAN_INIT("/annex/objects/"), 0, "a git-annex pointer, not the file itself",
	  "get the file first: git annex get FILE" },
	{ SPAN_INIT("\tLYRTRACE"), 0, "a Winscope trace of layers", NULL },
	{ SPAN_INIT("\tWINTRACE"), 0, "a Winscope trace of windows", NULL },
	{ SPAN_INIT("\tTNXTRACE"), 0, "a Winscope trace of transactions", NULL },
	{ SPAN_INIT("SQLite format 3"), 0, "an SQLite database",
	  "pass the trace that it was made from" },
	{ SPAN_INIT("== dumpstate: "), 57, "the text of a bugreport",
	  "pass the bugreport's zip archive, or a trace from its folder "
	  "FS/data/misc/perfetto-traces" },
	{ SPAN_INIT("Applications Graphics Acceleration Info"), 0, "output of dumpsys gfxinfo",
	  NULL },
	{ SPAN_INIT("--------- beginning of "), 0, "a logcat log", NULL },
	{ SPAN_INIT("buffers"), 0, "a perfetto configuration",
	  "record with it first: perfetto --txt -c FILE -o trace" },
	{ SPAN_INIT("duration_ms:"), 0, "a perfetto configuration",
	  "record with it first: perfetto --txt -c FILE -o trace" },
	{ SPAN_INIT("\x10\0\x04"
		    "FxT"),
	  0, "a Fuchsia trace", NULL },
	{ SPAN_INIT("JAVA PROFILE"), 0, "a Java heap dump", NULL },
	{ SPAN_INIT("*version\n"), 0, "a Java method trace", NULL },
	{ SPAN_INIT("SLOW"), 0, "a Java method trace", NULL },
	{ SPAN_INIT("\x89PNG"), 0, "a PNG image", NULL },
	{ SPAN_INIT("\xff\xd8\xff"), 0, "a JPEG image", NULL },
	{ SPAN_INIT("ftyp"), 4, "a video", NULL },
	{ SPAN_INIT("\177ELF"), 0, "a program", NULL },
	{ SPAN_INIT("\xff\xfe"), 0, "text in UTF-16",
	  "convert it first: iconv -f UTF-16 -t UTF-8 FILE" },
	{ SPAN_INIT("\xfe\xff"), 0, "text in UTF-16",
	  "convert it first: iconv -f UTF-16 -t UTF-8 FILE" },
	{ SPAN_INIT("{"), 0, "JSON without a systrace in \"systemTraceEvents\"",
	  "pass the perfetto trace or the systrace that it was made from" },
	{ SPAN_INIT("["), 0, "JSON without a systrace in \"systemTraceEvents\"",
	  "pass the perfetto trace or the systrace that it was made from" },
};

static int refuse(const struct source_file *file, const char *what, const char *advice)
{
	if (file->other)
		report("%s: it is %s; %s", file->text.source.name, what, file->other);
	else if (!file->quiet)
		report("%s: no trace with markers: it is %s; %s", file->text.source.name, what,
		       advice);
	return -ENOTSUP;
}

/* Without white space and the mark of UTF-8 before it. */
static struct span without_blanks(struct span text)
{
	static const struct span bom = SPAN_INIT("\xef\xbb\xbf");

	if (span_starts_with(text, bom))
		text = span_skip(text, bom.len);
	while (text.len > 0 && memchr(" \t\r\n", text.ptr[0], 4))
		text = span_skip(text, 1);
	return text;
}

/* True: the first bytes are those of a text. A tar archive begins with the name of a file, a bzip2
 * file with letters, and both have other bytes soon. */
static bool is_text(struct span head)
{
	return container_is_text((struct span){ head.ptr, head.len < 512 ? head.len : 512 });
}

/* Refuses known files that are not traces. But a trace may be cut anywhere, and begin like any
 * text: what else a text may be is kept for when no marker was found. Returns 0, or -errno after
 * the reason was reported. */
static int refuse_others(struct source_file *file, enum container_kind kind, struct span head)
{
	bool is_binary = kind == CONTAINER_TEXT && !is_text(head);
	struct source *source = &file->text.source;
	struct span text = without_blanks(head);

	if (head.len == 0)
		return refuse(file, "empty", "use a trace recorded with atrace's gfx category");
	for (size_t i = 0; i < CSV_SESSION; i++)
		if (span_starts_with(text, span_of(csv_files[i].header)))
			return refuse(file, "a CSV file written by jankd",
				      "pass the trace file instead");
	source->advice = "pass the trace file instead";
	if (kind == CONTAINER_HTML && !file->other)
		source->what = "an HTML page without a systrace";
	/* In lines or not. */
	if (span_starts_with(text, SPAN_LITERAL("{")) &&
	    span_starts_with(without_blanks(span_skip(text, 1)), SPAN_LITERAL("\"schema\"")) &&
	    memmem(text.ptr, text.len, "\"jankd\"", 7))
		source->what = "a session.json written by jankd";
	for (size_t i = 0; !source->what && i < sizeof(others) / sizeof(others[0]); i++) {
		if (!span_starts_with(span_skip(head, others[i].at), others[i].begin) &&
		    !span_starts_with(text, others[i].begin))
			continue;
		source->what = others[i].what;
		is_binary &= others[i].begin.len > 1;
		if (others[i].advice)
			source->advice = others[i].advice;
	}
	if (source->what && (file->other || is_binary))
		return refuse(file, source->what, source->advice);
	if (!source->what && is_binary)
		source->what = "in an unknown format";
	return 0;
}

/* --- perfetto --- */

/* A perfetto trace that cannot be read twice is kept in memory, up to this size. */
#define WHOLE_MAX (64u << 20)

/* Returns 0, or -errno after the reason was reported. */
static int open_perfetto(struct source_file *file)
{
	off_t base = lseek(file->fd, 0, SEEK_CUR) - (off_t)file->raw.unread.len;
	struct stat info;
	/* The trace is the rest of a plain file, and can be read again. */
	bool is_plain = file->stage == &file->raw && !file->archive && base >= 0 &&
			fstat(file->fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > base;
	ssize_t n = 0;

	if (!is_plain) {
		char *bytes = mmap(NULL, WHOLE_MAX + 1, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

		if (bytes == MAP_FAILED)
			return report_no_memory(file->text.source.name);
		do {
			file->whole = (struct span){ bytes, file->whole.len + (size_t)n };
			n = read_plain(file, bytes + file->whole.len,
				       WHOLE_MAX + 1 - file->whole.len);
		} while (n > 0 && file->whole.len + (size_t)n <= WHOLE_MAX);
		if (n > 0 && !file->quiet)
			report("%s: a perfetto trace of more than 64 MB can be sorted only if it "
			       "is a plain file; save it to a file, unpacked, and pass that",
			       file->text.source.name);
		if (n > 0)
			return -EFBIG;
	}
	if (n == 0)
		n = perfetto_reader_open(&file->perfetto, is_plain ? file->fd : -1, base,
					 file->whole);
	if (n == -ENOMEM)
		report_no_memory(file->text.source.name);
	return (int)n;
}

/* Brings the counts up to date, and passes on a record, if there is one. */
static void on_perfetto_record(void *context, const struct trace_record *record)
{
	struct source_file *file = context;
	const struct perfetto_counts *from = perfetto_reader_counts(file->perfetto);
	struct source *source = &file->text.source;

	source->counts = (struct source_counts){
		.bytes = from->bytes,
		.markers = from->markers,
		.malformed = from->malformed + from->corrupt + from->too_large,
		.unread = from->corrupt + from->too_large,
		.damaged = from->malformed + from->corrupt + from->too_large + from->lost +
			   from->late + from->untimed,
	};
	set_damage(file, from->damage);
	if (from->corrupt > 0 && !from->sound) {
		source->what = "in an unknown format";
		source->advice = "pass the trace file instead, or an undamaged copy of it";
	}
	if (file->sink && record)
		file->sink->records(file->sink->context, record, 1);
}

/* --- the source --- */

static archive_has_markers has_markers;

/* Recognises the input before its first read. Returns 0 or -errno. */
static int begin_input(struct source_file *file)
{
	enum container_kind kind;
	int error;

	if (file->recognised)
		return 0;
	error = recognise(file, &kind);
	if (error < 0)
		return error;

	/* An archive is read through libarchive from now on. */
	if (kind == CONTAINER_TEXT && !file->archive && !is_text(file->raw.unread)) {
		error = source_archive_open(&file->archive, file->text.source.name, file->fd,
					    file->raw.unread, has_markers);
		if (error == 0) {
			file->raw.unread = SPAN_NULL;
			file->raw.last = false;
			error = recognise(file, &kind);
		}
		if (error < 0)
			return error;
	}
	if (kind == CONTAINER_GZIP || kind == CONTAINER_ZLIB) {
		/* 15: windows of any size; 32: both gzip and zlib headers. */
		if (inflateInit2(&file->zlib, 15 + 32) != Z_OK)
			return -ENOMEM;
		file->stage = &file->plain;
		error = recognise(file, &kind);
		if (error < 0)
			return error;
	}

	if (kind == CONTAINER_PERFETTO)
		error = file->other ? refuse(file, "a perfetto trace", "") : open_perfetto(file);
	/* The last bytes before corrupt ones may be wrong: then they do not tell what it is. */
	else if (!file->text.source.damage || (!file->is_corrupt && file->stage->unread.len > 0))
		error = refuse_others(file, kind, file->stage->unread);
	else
		error = 0;
	file->html = kind == CONTAINER_HTML || kind == CONTAINER_JSON;
	if (kind == CONTAINER_JSON)
		file->html_state = CONTAINER_JSON_INIT;
	file->recognised = error == 0;
	return error;
}

static ssize_t file_bytes(struct source_text *text, void *buffer, size_t size)
{
	struct source_file *file = (struct source_file *)text;
	struct stage *stage = file->stage;

	if (!file->html)
		return read_plain(file, buffer, size);
	/* Text out of HTML or JSON. */
	while (file->html_text.len == 0) {
		int error;

		if (container_html_next(&file->html_state, &stage->unread, stage->last,
					&file->html_text))
			continue;
		if (stage->last) {
			if (container_html_is_open(&file->html_state))
				set_damage(file,
					   "the file is truncated: its HTML or JSON is incomplete");
			return 0;
		}
		error = stage_fill(file, stage);
		if (error < 0)
			return error;
	}
	return (ssize_t)input_take(&file->html_text, buffer, size);
}

static ssize_t file_read(struct source *source, enum source_how how, const struct record_sink *sink)
{
	struct source_file *file = (struct source_file *)source;
	ssize_t n = input_is_stopped() ? -EINTR : begin_input(file);

	if (n < 0)
		return n;
	if (!file->perfetto)
		return source_text_read(source, how, sink);
	file->sink = sink;
	n = perfetto_reader_read(file->perfetto, on_perfetto_record, file);
	on_perfetto_record(file, NULL);
	if (n == -ENOTSUP)
		return refuse(file,
			      "a perfetto trace whose packets are compressed by zstd, which needs "
			      "libarchive",
			      "unpack it first: traceconv decompress_packets FILE OUT");
	if (n < 0 && n != -EINTR)
		report("%s: %s; stopped reading", source->name, strerror((int)-n));
	return n;
}

static void file_describe_damage(const struct source *source, char text[static 200])
{
	const struct source_file *file = (const struct source_file *)source;

	if (file->perfetto)
		perfetto_reader_describe_damage(file->perfetto, text);
	else
		source_text_describe_damage(source, text);
}

static void file_stop(struct source *source)
{
	struct source_file *file = (struct source_file *)source;

	/* Of a stream that was not begun, or has ended, this does nothing. */
	inflateEnd(&file->zlib);
	file->archive = source_archive_close(file->archive);
	if (file->fd > STDIN_FILENO)
		close(file->fd);
	file->fd = -1;
}

static void file_close(struct source *source)
{
	struct source_file *file = (struct source_file *)source;

	file_stop(source);
	perfetto_reader_close(file->perfetto);
	if (file->whole.ptr)
		munmap((void *)file->whole.ptr, WHOLE_MAX + 1);
	source_text_close((struct source_text *)source);
	free(source);
}

static const struct source_ops file_ops = {
	.read = file_read,
	.describe_damage = file_describe_damage,
	.stop = file_stop,
	.close = file_close,
};

/* Returns NULL if out of memory. */
static struct source_file *file_new(uint64_t remember_ns)
{
	struct source_file *file = calloc(1, sizeof(*file));

	if (!file)
		return NULL;
	file->text.source = (struct source){ .ops = &file_ops, .fd = -1, .highwater_fd = -1 };
	file->text.bytes = file_bytes;
	file->fd = -1;
	file->html_state = CONTAINER_HTML_INIT;
	file->raw.read = read_input;
	file->plain.read = read_inflated;
	file->stage = &file->raw;
	if (source_text_open(&file->text, remember_ns, NULL) == 0)
		return file;
	source_close(&file->text.source);
	return NULL;
}

/* --- archives --- */

static void ignore(void *context, const struct trace_record *records, size_t n)
{
	(void)context, (void)records, (void)n;
}

/* Reads until a marker is found. */
static int has_markers(struct source_archive *archive, const char *name)
{
	static const struct record_sink sink = { .records = ignore };
	struct source_file *probe = file_new(0);
	const struct source_counts *counts;
	ssize_t n;

	if (!probe)
		return report_no_memory(name);
	counts = &probe->text.source.counts;
	probe->text.source.name = name;
	probe->quiet = true;
	probe->archive = archive;
	do
		n = source_read(&probe->text.source, SOURCE_NORMAL, &sink);
	while (n > 0 && counts->markers == 0);
	n = n >= 0 && counts->markers > 0;
	probe->archive = NULL;
	source_close(&probe->text.source);
	return (int)n;
}

/* --- opening --- */

/* @advice: if there is no such file. Returns 0, or -errno after the reason was reported. */
static int open_file(struct source **out, const char *path, uint64_t remember_ns,
		     const char *advice)
{
	struct source_file *file = file_new(remember_ns);
	bool is_stdin = strcmp(path, "-") == 0;
	struct stat info;
	int error = 0;

	if (!file)
		return report_no_memory(path);
	file->text.source.name = is_stdin ? "standard input" : path;
	file->fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	if (file->fd < 0 || fstat(file->fd, &info) < 0)
		error = -errno;
	else if (S_ISDIR(info.st_mode))
		error = -EISDIR;
	if (error < 0) {
		report("%s: %s; %s", path, strerror(-error), report_advice(error, advice));
		source_close(&file->text.source);
		return error;
	}
	*out = &file->text.source;
	return 0;
}

int source_file_open(struct source **out, const char *path, uint64_t remember_ns)
{
	return open_file(out, path, remember_ns,
			 "name a recorded trace, or '-' for standard input");
}

int source_file_lines(const char *path, const char *advice,
		      bool (*pass)(void *context, struct span line), void *context)
{
	char bytes[16384], line[SOURCE_LINE_MAX];
	size_t total = 0, len = 0;
	struct source_file *file;
	struct source *source;
	bool more = true;
	ssize_t n = open_file(&source, path, 0, advice);

	if (n < 0)
		return (int)n;
	file = (struct source_file *)source;
	file->other = advice;
	n = begin_input(file);
	while (n >= 0 && more && total < SOURCE_LINES_BYTES &&
	       (n = file_bytes(&file->text, bytes, sizeof(bytes))) > 0) {
		total += (size_t)n;
		for (ssize_t i = 0; more && i < n; i++) {
			if (bytes[i] == '\n') {
				more = pass(context, (struct span){ line, len });
				len = 0;
			} else if (len < sizeof(line)) {
				line[len++] = bytes[i];
			}
		}
	}
	if (more && n == 0 && len > 0)
		pass(context, (struct span){ line, len });
	source_close(source);
	return n < 0 ? (int)n : 0;
}
