/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cli/help.h"

const char help_program[] =
	"usage: jankd COMMAND [options]\n"
	"\n"
	"Counts which surface every presented frame of an Android device belonged to.\n"
	"\n"
	"commands:\n"
	"  run                   capture in the foreground until Ctrl-C or --duration\n"
	"  start                 the same, detached from terminal and shell; 0 once it counts\n"
	"  stop                  end it; returns when its files are complete\n"
	"  status [--json]       what it does, what it saw, what it lost, what it costs\n"
	"  top                   its table of surfaces, live\n"
	"  mark TEXT             a named moment, into its events.csv\n"
	"  rotate                close its files, begin new ones\n"
	"  analyze FILE...       the same over recorded traces; '-' is standard input\n"
	"  rules check FILE      validate a rule file\n"
	"  rules show [NAME]     print a built-in rule set, or the list of their names\n"
	"\n"
	"  --version             print the version\n"
	"  --help                print this text; 'jankd COMMAND --help' that of a command\n"
	"\n"
	"exit codes: 0 done; 1 it failed, with one line on stderr; 2 wrong usage\n";

#define HELP_COMMON                                                                                \
	"  -t, --target FPS      frame rate that the score calls full (the display's refresh "     \
	"rate\n"                                                                                   \
	"                        in the row's own intervals; 60 where unknown)\n"                  \
	"  -k, --kpi, --KPI MS   frame time that the score calls acceptable (100)\n"               \
	"  -T, --type 0..4       0: rows of fps.csv; 1: and frames of 42 ms or more in\n"          \
	"                        dropFrames.csv; 2: and frames of more than one vsync there;\n"    \
	"                        3, 4: as 1, 2 without fps.csv (0)\n"                              \
	"  -d, --delay S         seconds of trace time between two checks (1)\n"                   \
	"  -f, --frames N        a check closes rows of more than N frames (20)\n"                 \
	"  -F, --folder DIR      where the files go (/data/local/tmp/fps where there is a\n"       \
	"                        /data/local/tmp, ./fps elsewhere); files that are there "         \
	"already\n"                                                                                \
	"                        are kept, renamed to NAME-000001.csv and so on\n"                 \
	"      --rules NAME|FILE rule set: default, gfx2019, or a file of your own (default)\n"    \
	"      --focus APP/ACTIVITY\n"                                                             \
	"                        the app in front at the start; APP alone will do\n"               \
	"      --include GLOB    count surfaces that match alone; may be repeated\n"               \
	"      --exclude GLOB    do not count surfaces that match; may be repeated. A GLOB\n"      \
	"                        matches the whole of the Surface column, or the whole app in\n"   \
	"                        the layer's name; '*' is any text, '?' one character\n"           \
	"      --vsync-ms MS     the display's period, where the trace has no vsyncs: 2 to 1000\n" \
	"      --frames-log      also write frames.csv, a row for each frame\n"                    \
	"      --rotate-size BYTES\n"                                                              \
	"                        begin a new segment before a file gets larger than that (K, M "   \
	"or G\n"                                                                                   \
	"                        may follow); a row that is longer stands alone. The closed one "  \
	"is\n"                                                                                     \
	"                        renamed to NAME-000001.csv and so on, all files under one "       \
	"number\n"                                                                                 \
	"      --rotate-time S   begin a new segment every S seconds of trace time\n"              \
	"      --keep N          keep N closed segments, those of earlier sessions counted; the\n" \
	"                        oldest goes first (all)\n"                                        \
	"      --min-free BYTES  leave that much of the disk to others: the oldest segments go\n"  \
	"                        first (events.csv stays), then frames.csv, dropFrames.csv and "   \
	"at\n"                                                                                     \
	"                        last fps.csv wait until there is room again\n"                    \
	"      --sync S          put the rows on the disk every S seconds, against power cuts\n"   \
	"                        (when a segment is closed)\n"                                     \
	"      --snapshot MS     save the trace around a frame that is at least MS late, for\n"    \
	"                        ui.perfetto.dev and analyze: snapshot-000001.txt and so on. "     \
	"Late "                                                                                    \
	"is\n"                                                                                     \
	"                        what an interval has beyond the cadence, the most frequent one "  \
	"of\n"                                                                                     \
	"                        the layer's last 16, where the layer draws continuously. One "    \
	"each\n"                                                                                   \
	"                        10 s at most; of more than 64 the oldest goes\n"                  \
	"      --snapshot-seconds S\n"                                                             \
	"                        with --snapshot: so much of the trace, a fifth of it, 1 s at\n"   \
	"                        most, after the frame; less where the memory for it is full:\n"   \
	"                        2 MB for each second, 16 to 64 in all (10)\n"                     \
	"      --trigger EXPR    write rows only while EXPR holds, and those of the 5 s before.\n" \
	"                        EXPR is 'fps<30' (of the last second of a surface's frames) or\n" \
	"                        'interval>100ms' (of one frame), with <, <=, > or >=; then, if\n" \
	"                        wanted, 'for 3s' (at each frame for so long) and 'on GLOB' (of\n" \
	"                        surfaces that match, as in --include): \"fps<30 for 3s on\n"      \
	"                        com.game*\". It holds for 1 s behind the last frame that\n"       \
	"                        fulfils it. One that matched no surface says so at the end\n"     \
	"      --max-surfaces N  surfaces in memory at a time; 4096 others wait on the disk "      \
	"(320)\n"                                                                                  \
	"      --max-threads N   threads with open slices known at a time (256)\n"

/* A daemon has none. */
#define HELP_STDOUT                                                                                \
	"      --stdout          print the rows of fps.csv as they come, instead of the table\n"

#define HELP_CAPTURE                                                                               \
	"      --source auto|text|raw\n"                                                           \
	"                        how events are read: raw is trace_pipe_raw, a fraction of the\n"  \
	"                        cost, and no app can forge a line in it; text is trace_pipe;\n"   \
	"                        auto takes raw where it can be read, but for --snapshot (auto)\n" \
	"      --tracefs DIR     where tracefs is mounted (looked for)\n"                          \
	"      --instance NAME   trace instance to read; made, and removed at the end, where it\n" \
	"                        does not exist (the top level)\n"                                 \
	"      --buffer-kb N     KB of the trace buffer for each CPU, put back at the end (1024; " \
	"an\n"                                                                                     \
	"                        instance that is there keeps its size, a larger top level too)\n" \
	"      --categories \"LIST\"\n"                                                            \
	"                        what atrace switches on (\"gfx view\")\n"                         \
	"      --no-atrace       do not run atrace, though it is there\n"                          \
	"      --yield           give way to other programs that switch tracing off or change "    \
	"it,\n"                                                                                    \
	"                        instead of taking it back\n"                                      \
	"      --wait S          count from S seconds of wall time on; all is set up before\n"     \
	"      --duration S      end after S seconds of wall time, those of --wait not counted\n"  \
	"      --until-exit APP  end when the last process of APP has, \"com.example.app\" or "    \
	"one "                                                                                     \
	"of\n"                                                                                     \
	"                        its \"com.example.app:name\"; an app that is not there is "       \
	"waited "                                                                                  \
	"for\n"                                                                                    \
	"  -h, --help            print this text\n"

const char help_run[] =
	"usage: jankd run [options]\n"
	"\n"
	"Captures from this machine's trace_pipe until Ctrl-C, SIGTERM or --duration. On a "
	"terminal\n"
	"it shows a table of the surfaces meanwhile.\n"
	"\n"
	"options:\n" HELP_COMMON HELP_STDOUT HELP_CAPTURE;

const char help_start[] =
	"usage: jankd start [options]\n"
	"\n"
	"The same as 'jankd run', but detached from shell, terminal and adb. Returns 0 once frames "
	"can\n"
	"be counted; SIGHUP re-reads the file of --rules, SIGUSR1 rotates.\n"
	"\n"
	"options:\n" HELP_COMMON HELP_CAPTURE;

const char help_analyze[] =
	"usage: jankd analyze [options] FILE...\n"
	"\n"
	"Counts the frames in recorded traces: ftrace text, systrace HTML, 'atrace -z' output, "
	"plain\n"
	"or packed (gzip; with libarchive xz, zstd, bzip2 and zip), whatever their names. '-' is\n"
	"standard input. Several files are several sessions, each in a folder DIR/NAME of its "
	"own:\n"
	"NAME is the file's, without .txt, .gz and the like. Pieces of one recording are joined\n"
	"first: cat PIECES | jankd analyze -\n"
	"\n"
	"options:\n" HELP_COMMON HELP_STDOUT "  -h, --help            print this text\n";

const char help_rules[] =
	"usage: jankd rules check FILE\n"
	"       jankd rules show [NAME]\n"
	"\n"
	"check validates a rule file: 'FILE: ok' and exit code 0, or FILE:line:column: what is "
	"wrong\n"
	"there, and exit code 1. show prints a built-in rule set, to be copied and edited; without "
	"a NAME\n"
	"the list of names.\n"
	"\n"
	"options:\n"
	"  -h, --help            print this text\n";

#define HELP_FOLDER                                                                                \
	"  -F, --folder DIR      the folder it writes to (as in 'jankd start')\n"                  \
	"  -h, --help            print this text\n"

const char help_stop[] =
	"usage: jankd stop [-F DIR]\n"
	"\n"
	"Ends the capture that writes to the folder. Returns when its files are complete and "
	"tracing is as\n"
	"it was before.\n"
	"\n"
	"options:\n" HELP_FOLDER;

const char help_status[] =
	"usage: jankd status [-F DIR] [--json]\n"
	"\n"
	"Prints what the capture does that writes to the folder: what it saw, what it lost, what "
	"it\n"
	"costs.\n"
	"\n"
	"options:\n"
	"      --json            the object of session.json, with pid and uptime_s\n" HELP_FOLDER;

const char help_top[] = "usage: jankd top [-F DIR]\n"
			"\n"
			"Shows the table of surfaces of the capture that writes to the folder, "
			"once a second, until "
			"it\n"
			"ends, Ctrl-C or q. In a pipe: one table after another.\n"
			"\n"
			"options:\n" HELP_FOLDER;

const char help_mark[] =
	"usage: jankd mark [-F DIR] TEXT\n"
	"\n"
	"Writes a row of the kind mark into events.csv, with the time of now, and closes the open "
	"rows:\n"
	"no row of fps.csv holds frames of before and after. TEXT: 1 to 1024 bytes.\n"
	"\n"
	"options:\n" HELP_FOLDER;

const char help_rotate[] =
	"usage: jankd rotate [-F DIR]\n"
	"\n"
	"Closes the files of the capture, renamed to NAME-000001.csv and so on, and begins new "
	"ones.\n"
	"\n"
	"options:\n" HELP_FOLDER;
