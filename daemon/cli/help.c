/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cli/options_table.h"

#include <stdio.h>
#include <string.h>

#include "daemon/base/text.h"

/* The columns of a line, and the column at which the text of an option begins. */
#define WIDTH 80
#define INDENT 24

void help_print_program(void)
{
	fputs("usage: jankd COMMAND [options]\n"
	      "\n"
	      "Counts the frames that an Android device presents, for each surface.\n"
	      "\n"
	      "commands:\n"
	      "  run                   capture in the foreground until Ctrl-C or --duration\n"
	      "  start                 capture in the background; returns when it is ready\n"
	      "  stop                  end a capture; returns when its files are complete\n"
	      "  status [--json]       print the state of a capture: counts, losses and costs\n"
	      "  top                   show a live table of the surfaces of a capture\n"
	      "  mark TEXT             add a mark with this text to events.csv of a capture\n"
	      "  rotate                close the files of a capture and begin new ones\n"
	      "  files                 list the files of a folder with checksums, to copy them\n"
	      "  doctor                check what this device allows, and print what to do\n"
	      "  analyze FILE...       count frames in recorded traces; '-' is standard input\n"
	      "  rules check FILE      validate a rule file\n"
	      "  rules show [NAME]     print a built-in rule set; without NAME, list the names\n"
	      "\n"
	      "  --version             print the version\n"
	      "  --help                print this help; for a command: 'jankd COMMAND --help'\n"
	      "\n"
	      "exit codes: 0 done; 1 failed, with one line on stderr; 2 wrong usage\n",
	      stdout);
}

static const struct {
	const char *usage, *text;
} commands[OPTIONS_COMMANDS] = {
	[OPTIONS_RUN] = {
		"usage: jankd run [options]\n",
		"Captures from the trace of this machine until Ctrl-C, SIGTERM, --duration or "
		"--until-exit. On a terminal it shows a live table of the surfaces.",
	},
	[OPTIONS_START] = {
		"usage: jankd start [options]\n",
		"Captures as 'jankd run' does, but detached from shell, terminal and adb. Returns "
		"when the capture is ready. SIGHUP reloads the file of --rules, and SIGUSR1 "
		"rotates the files.",
	},
	[OPTIONS_STOP] = {
		"usage: jankd stop [-F DIR]\n",
		"Ends the capture that writes to the folder. Returns when its files are complete "
		"and the tracing settings are restored. If that capture was killed, adds the "
		"frames that are still in the trace buffers to its files, and restores the "
		"settings.",
	},
	[OPTIONS_STATUS] = {
		"usage: jankd status [-F DIR] [--json]\n",
		"Prints the state of the capture that writes to the folder: counts, losses and "
		"costs. If none runs, prints whether the last one was killed or ended by a "
		"reboot, and when, and returns 1.",
	},
	[OPTIONS_TOP] = {
		"usage: jankd top [-F DIR]\n",
		"Shows the table of surfaces of the capture that writes to the folder, every "
		"second, until the capture ends or you press q or Ctrl-C. If standard output is "
		"not a terminal, it prints one table after another.",
	},
	[OPTIONS_MARK] = {
		"usage: jankd mark [-F DIR] TEXT\n",
		"Writes a row of the kind mark, with the current time, into events.csv of the "
		"capture that writes to the folder. It also closes the open rows of fps.csv, so "
		"that no row has frames from both before and after the mark. TEXT is 1 to 1024 "
		"bytes.",
	},
	[OPTIONS_ROTATE] = {
		"usage: jankd rotate [-F DIR]\n",
		"Closes the files of the capture that writes to the folder, renames them to "
		"NAME-000001.csv and so on, and begins new ones.",
	},
	[OPTIONS_FILES] = {
		"usage: jankd files [-F DIR]\n"
		"       jankd files --read NAME [--from OFFSET] [-F DIR]\n",
		"Lists the files of the folder for a program that copies them. The first line is "
		"'session ID running VERSION', or 'ended' instead of 'running'; each start has "
		"a new ID. Then there is a line for each file: 'closed CRC SIZE NAME', with the "
		"checksum that cksum prints, or 'open - SIZE NAME' if the capture still appends "
		"rows. A running capture replaces summary.csv and session.json as a whole. The "
		"numbers in the names of closed files only increase.",
	},
	[OPTIONS_DOCTOR] = {
		"usage: jankd doctor [options]\n",
		"Checks whether this device allows a capture: user, SELinux, tracefs, its settings, "
		"other programs that trace, atrace, refresh rates, free space, the last capture. "
		"Changes nothing. Prints a line for each: 'ok', 'note' or 'problem', the subject, "
		"what was found, and after ';' what to do. Returns 0 if a capture is possible, "
		"else 1.",
	},
	[OPTIONS_ANALYZE] = {
		"usage: jankd analyze [options] FILE...\n"
		"       cat PIECES | jankd analyze [options] -\n",
		"Counts the frames in recorded traces: ftrace text, systrace HTML, Chrome's JSON with a "
		"systrace in it, perfetto traces or the output of "
		"'atrace -z', plain or compressed (gzip; with libarchive also xz, zstd, bzip2 and "
		"zip), with any file name. '-' is standard input, for example the joined pieces of "
		"one recording. If there are several files, each becomes a session of its own in "
		"DIR/NAME: NAME is the file's name without .txt, .gz and the like.",
	},
	[OPTIONS_RULES] = {
		"usage: jankd rules check FILE\n"
		"       jankd rules show [NAME]\n",
		"'check' validates a rule file: it prints 'FILE: ok, N rules' and returns 0, or it "
		"prints FILE:line:column and what is wrong there, and returns 1. 'show' prints "
		"a built-in rule set, to be copied and edited; without NAME it prints the names.",
	},
};

void help_print(enum options_command command)
{
	printf("%s\n", commands[command].usage);
	text_print_paragraph(stdout, WIDTH, 0, commands[command].text);
	printf("\noptions; a value in parentheses at the end is the default:\n");
	for (size_t i = 0; i < options_table_rows; i++) {
		const struct option_row *row = &options_table[i];
		char head[80] = "      ", text[4096];

		if (!(row->commands & (1U << command)) || !row->help)
			continue;
		if (row->letter)
			snprintf(head, sizeof(head), "  -%c, ", row->letter);
		text_append(head, sizeof(head), "--%s", row->name);
		if (row->alias)
			text_append(head, sizeof(head), ", --%s", row->alias);
		if (row->value_name)
			text_append(head, sizeof(head), " %s", row->value_name);
		if (strlen(head) >= INDENT)
			puts(head);
		snprintf(text, sizeof(text), "%-*s%s", INDENT, strlen(head) < INDENT ? head : "",
			 row->help);
		text_print_paragraph(stdout, WIDTH, INDENT, text);
	}
}
