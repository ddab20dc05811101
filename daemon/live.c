/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/live.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "daemon/table.h"

/* What is on the screen before comes back at the end: an alternate screen, without cursor. A line
 * that is too long for it (a name may have wide characters) is cut, or it would take two. */
#define ENTER "\x1b[?1049h\x1b[?25l\x1b[?7l"
#define LEAVE "\x1b[?7h\x1b[?25h\x1b[?1049l"
#define HOME "\x1b[H"
#define CLEAR_LINE "\x1b[K"
#define CLEAR_REST "\x1b[J"

struct live {
	struct table *table;
};

static void put(const char *sequence)
{
	fputs(sequence, stdout);
	fflush(stdout);
}

struct live *live_begin(void)
{
	struct live *live;

	if (!isatty(STDOUT_FILENO))
		return NULL;
	live = calloc(1, sizeof(*live));
	if (!live)
		return NULL;
	live->table = table_new();
	if (!live->table)
		return live_end(live);
	put(ENTER);
	return live;
}

/* What stood on the screen before is overwritten without a flicker. The line end of the last line
 * would move all of it. */
void live_show(struct live *live, const char *text)
{
	unsigned int lines = 24, columns;

	if (!live)
		return;
	table_terminal(STDOUT_FILENO, &lines, &columns);
	fputs(HOME, stdout);
	for (; *text && lines > 0; text++) {
		if (*text == '\n')
			fputs(CLEAR_LINE, stdout);
		if (*text != '\n' || --lines > 0)
			putchar(*text);
	}
	fputs(CLEAR_REST, stdout);
	fflush(stdout);
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
		put(LEAVE);
	kill(getpid(), SIGSTOP);
	if (live)
		put(ENTER);
}

struct live *live_end(struct live *live)
{
	if (!live)
		return NULL;
	if (live->table)
		put(LEAVE);
	table_free(live->table);
	free(live);
	return NULL;
}
