/* SPDX-License-Identifier: Apache-2.0 */
/* The live trace_pipe. It is opened non-blocking and read at intervals: poll() would wake the
 * reader for every event. */
#include "daemon/trace/source_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/report.h"
#include "daemon/trace/tracefs.h"

static ssize_t pipe_bytes(struct source_text *text, void *buffer, size_t size)
{
	ssize_t n = -1;
	int error = 0;

	for (int i = 0; i < SOURCE_TRIES && n < 0; i++) {
		n = read(text->source.fd, buffer, size);
		error = errno;
		if (n > 0)
			return n;
		/* A trace_pipe has no end: read() returns 0 while tracing is off. */
		if (n == 0 || error == EAGAIN || error == EINTR)
			return -EAGAIN;
	}
	text->source.damage = "trace_pipe cannot be read: the capture ended";
	report("%s/trace_pipe: %s; ending the capture", text->files->path, strerror(error));
	return -error;
}

static void pipe_stop(struct source *source)
{
	if (source->fd >= 0)
		close(source->fd);
	source->fd = -1;
}

static void pipe_close(struct source *source)
{
	pipe_stop(source);
	source_text_close((struct source_text *)source);
	free(source);
}

static const struct source_ops pipe_ops = {
	.read = source_text_read,
	.describe_damage = source_text_describe_damage,
	.stop = pipe_stop,
	.close = pipe_close,
};

int source_pipe_open(struct source **out, struct live_trace *trace, const struct trace_files *files,
		     uint64_t remember_ns)
{
	struct source_text *text = calloc(1, sizeof(*text));
	int fd = text ? live_trace_open_pipe(trace) : -ENOMEM;
	char why[LIVE_TRACE_REFUSAL_SIZE];
	int error = fd < 0 ? fd : 0;

	if (error == 0) {
		text->source = (struct source){
			.ops = &pipe_ops,
			.name = "trace_pipe",
			.fd = fd,
			.highwater_fd = -1,
		};
		text->bytes = pipe_bytes;
		error = source_text_open(text, remember_ns, files);
	}
	if (error == 0) {
		*out = &text->source;
		return 0;
	}
	live_trace_refusal(why, trace->path, "trace_pipe", R_OK, error);
	report("%s/trace_pipe: %s", trace->path,
	       error == -EBUSY
		       ? "being read by another program; stop that program, or use --instance"
		       : why);
	if (fd < 0)
		free(text);
	else
		pipe_close(&text->source);
	return error;
}
