/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/trace/source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/report.h"
#include "daemon/trace/tracefs.h"

struct source_pipe {
	struct source source;
	struct tracefs *tracefs;
};

static ssize_t pipe_read(struct source *source, void *buffer, size_t size)
{
	struct source_pipe *pipe = (struct source_pipe *)source;
	ssize_t n = read(pipe->source.fd, buffer, size);
	int error;

	if (n > 0)
		return n;
	/* A trace_pipe has no end: 0 comes while tracing is off. */
	if (n == 0 || errno == EAGAIN || errno == EINTR)
		return -EAGAIN;
	error = errno;
	report_capture("%s/trace_pipe: %s; the capture ends here", tracefs_path(pipe->tracefs),
		       strerror(error));
	return -error;
}

static void pipe_close(struct source *source)
{
	struct source_pipe *pipe = (struct source_pipe *)source;

	close(pipe->source.fd);
	free(pipe);
}

static const struct source_ops pipe_ops = { .read = pipe_read, .close = pipe_close };

static void refuse(const struct tracefs *tracefs, int error)
{
	const char *path = tracefs_path(tracefs);

	if (error == -EBUSY)
		report_capture("%s/trace_pipe: another program reads it; end that one, or read an "
			       "--instance of its own",
			       path);
	else
		report_capture("%s/trace_pipe: %s; %s", path, strerror(-error),
			       tracefs_advice(error, "check the kernel's tracing"));
}

int source_pipe_open(struct source **out, struct tracefs *tracefs)
{
	struct source_pipe *pipe = calloc(1, sizeof(*pipe));
	int fd = pipe ? tracefs_open_pipe(tracefs) : -ENOMEM;

	if (fd < 0) {
		refuse(tracefs, fd);
		free(pipe);
		return fd;
	}
	*pipe = (struct source_pipe){
		.source = { .ops = &pipe_ops, .name = "trace_pipe", .fd = fd, .full_fd = -1 },
		.tracefs = tracefs,
	};
	*out = &pipe->source;
	return 0;
}
