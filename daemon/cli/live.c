/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cli/live.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/stream.h"
#include "daemon/control/table.h"

/* What is on the screen before comes back at the end: an alternate screen, without cursor. A line
 * that is too long for it (a name may have wide characters) is cut, or it would take two. */
#define ENTER "\x1b[?1049h\x1b[?25l\x1b[?7l"
#define LEAVE "\x1b[?7h\x1b[?25h\x1b[?1049l"
#define HOME "\x1b[H"
#define CLEAR_LINE "\x1b[K"
#define CLEAR_REST "\x1b[J"

/* So long a terminal that was stopped is waited for at the begin and the end. */
#define WAIT_MS 500

struct live {
	struct table *table;
	struct stream stream;
	char *page; /* that is on its way, or NULL */
	size_t len, done;
};

/* Sends what is left of the page. True: all is out. Of a page that has begun the rest goes before
 * the next one: half a sequence would take that along. */
static bool send_page(struct live *live, int timeout_ms)
{
	size_t done;

	if (live->page) {
		stream_write_all(&live->stream, live->page + live->done, live->len - live->done,
				 timeout_ms, &done);
		live->done += done;
	}
	if (live->done < live->len)
		return false;
	free(live->page);
	live->page = NULL;
	live->len = live->done = 0;
	return true;
}

static void put(struct live *live, const char *sequence)
{
	size_t done;

	if (send_page(live, WAIT_MS))
		stream_write_all(&live->stream, sequence, strlen(sequence), WAIT_MS, &done);
}

struct live *live_begin(void)
{
	struct live *live;

	if (!isatty(STDOUT_FILENO))
		return NULL;
	live = calloc(1, sizeof(*live));
	if (!live)
		return NULL;
	live->stream = stream_open(STDOUT_FILENO);
	live->table = table_new();
	if (!live->table)
		return live_end(live);
	put(live, ENTER);
	return live;
}

/* Behind a line that is as long as the screen is wide the cursor is still on its last character:
 * what stood there is cleared before the line is written. The line end of the last line would move
 * all of it. */
static void make_page(FILE *page, const char *text, unsigned int lines)
{
	fputs(HOME, page);
	for (; lines > 0; lines--) {
		size_t len = strcspn(text, "\n");
		bool last = lines == 1 || text[len] == '\0';

		fprintf(page, "%s%.*s%s", last ? CLEAR_REST : CLEAR_LINE, (int)len, text,
			last ? "" : "\n");
		if (last)
			return;
		text += len + 1;
	}
}

/* What stood on the screen before is overwritten without a flicker. */
void live_show(struct live *live, const char *text)
{
	unsigned int lines = 24, columns;
	FILE *page;

	/* A page that comes too late is left out. */
	if (!live || !send_page(live, 0))
		return;
	page = open_memstream(&live->page, &live->len);
	if (!page)
		return;
	table_terminal(STDOUT_FILENO, &lines, &columns);
	make_page(page, text, lines);
	if (fclose(page) != 0) {
		free(live->page);
		live->page = NULL;
		live->len = 0;
		return;
	}
	send_page(live, 0);
}

void live_draw(struct live *live, struct pipeline *pipeline, const char *title)
{
	unsigned int lines = 24, columns = TABLE_COLUMNS;
	char *text = NULL;
	size_t size = 0;
	FILE *memory = live ? open_memstream(&text, &size) : NULL;

	if (!memory)
		return;
	table_terminal(STDOUT_FILENO, &lines, &columns);
	table_print_page(live->table, memory, pipeline, title, lines, columns);
	if (fclose(memory) == 0)
		live_show(live, text);
	free(text);
}

void live_suspend(struct live *live)
{
	if (live)
		put(live, LEAVE);
	kill(getpid(), SIGSTOP);
	if (live)
		put(live, ENTER);
}

struct live *live_end(struct live *live)
{
	if (!live)
		return NULL;
	if (live->table)
		put(live, LEAVE);
	table_free(live->table);
	stream_close(&live->stream);
	free(live->page);
	free(live);
	return NULL;
}
