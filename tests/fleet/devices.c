/* SPDX-License-Identifier: Apache-2.0 */
/* devices DIR DEVICES DAYS FIRST_DAY: writes the folders of a lab, as jank-adb pulls them: each
 * device draws for 10 minutes a day, a session in DIR/DEVICE-SESSION/, from FIRST_DAY (days since
 * 1970) on.
 *
 * Planted: build 2 comes on the fourth day and janks three times as often on model 2; every 20th
 * device is silent from the fourth day on; the clock of every 50th is that of 1970; devices 10 and
 * 11 have the same session ids.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "daemon/base/csv_columns.h"
#include "tests/report/made_files.h"

#define ROWS 600
#define MODELS 5
#define NEW_BUILD 3 /* day */
#define DAY_S 86400
#define BEGIN_S 1000 /* trace clock */

struct day {
	char folder[4096];
	unsigned int device, number;
	unsigned int app;
	unsigned int jank_share; /* one row in so many has a jank */
	/* Sums of its rows. */
	unsigned int frames, janks, missed;
	uint64_t time_us;
};

static void write_drop(FILE *drops, const struct day *day, unsigned int second, unsigned int missed)
{
	static const char *const causes[] = { "app", "gpu", "surfaceflinger-cpu", "" };

	fprintf(drops,
		"%u.100000,%u.%06u,%.3f,VSYNC-app,0,com.example.app%u,com.example.app%u/.Main,"
		"\"queue 2; \"\"latch\"\",3\",%u,%s,com.example.app%u/.Main#7,%u\n",
		second, second, 100000 + 16667 * (missed + 1), 16.667 * (missed + 1), day->app,
		day->app, missed, causes[random_below(4)], day->app, second);
}

/* A second of drawing at 60 Hz. */
static void write_row(FILE *rows, FILE *drops, struct day *day, unsigned int second)
{
	unsigned int jank = random_below(day->jank_share) == 0;
	unsigned int missed = jank ? 5 + random_below(4) : random_below(15) == 0;
	unsigned int frames = 60 - missed, start = random_below(8000), end = random_below(8000);
	unsigned int us = 1000000 + random_below(999);

	fprintf(rows,
		"%u.%06u,%u.%06u,%.2f,%u,%u.%06u,%.3f,0.000000,0,%u,0,0,%u,%.2f,0,com.example.app%"
		"u,"
		"com.example.app%u/"
		".Main,60.00,16.667,16.667,%.3f,%u,%u,%u,%.3f,,,0,0,0.000000,1,%u\n",
		second, start, second + 1, end, frames * 1e6 / us, frames, us / 1000000,
		us % 1000000, 16.667 * (1 + missed), jank, missed > 0, 100 - missed / 2.0, day->app,
		day->app, 16.667 * (1 + missed), missed, jank, missed > 6, missed / 10.0,
		missed > 0);
	if (missed > 0)
		write_drop(drops, day, second, missed);
	day->frames += frames;
	day->janks += jank;
	day->missed += missed;
	day->time_us += us;
}

static void write_rows(struct day *day)
{
	FILE *drops = made_file(day->folder, "dropFrames.csv", csv_drop_header);
	FILE *rows = made_file(day->folder, "fps-000001.csv", csv_fps_header);

	for (unsigned int i = 0; i < ROWS; i++) {
		if (i == ROWS / 2) {
			fclose(rows);
			rows = made_file(day->folder, "fps.csv", csv_fps_header);
		}
		write_row(rows, drops, day, BEGIN_S + i);
	}
	fclose(rows);
	fclose(drops);
}

static void write_summary(const struct day *day)
{
	FILE *file = made_file(day->folder, "summary.csv", csv_summary_header);
	double seconds = (double)day->time_us / 1e6;

	fprintf(file,
		"com.example.app%u,com.example.app%u/.Main,%u.000000,%u.000000,%u,%.6f,%.2f,16.667,"
		"16.667,16.667,%.3f,50.000,150.000,20.00,10.00,0.000000,0,%u,0,0,%u,90.00,%u,0,%u,"
		"0,"
		"0.100,%u,0,0,0,0,%u,0,,,,0,0,0.000000,1,%u,%.2f,0.00,,n/a,20.00,10.00\n",
		day->app, day->app, BEGIN_S, BEGIN_S + ROWS, day->frames, seconds,
		day->frames / seconds, 16.667 * (2 + random_below(3)), day->janks, day->janks,
		day->missed, day->janks, day->frames, day->janks, day->janks,
		day->janks * 600 / seconds);
	fclose(file);
}

static void write_session(const struct day *day, int64_t wall_s, const char *device,
			  const char *session)
{
	FILE *file = made_file(day->folder, "session.json", NULL);
	FILE *events = made_file(day->folder, "events.csv", csv_event_header);
	time_t began = wall_s, ended = wall_s + ROWS;
	char from[32], to[32];

	strftime(from, sizeof(from), "%Y-%m-%dT%H:%M:%S.000Z", gmtime(&began));
	strftime(to, sizeof(to), "%Y-%m-%dT%H:%M:%S.000Z", gmtime(&ended));
	fprintf(file,
		"{\"schema\":1,\"jankd\":\"0.1.0\",\"session_id\":\"%s\",\"began\":\"%s\","
		"\"ended\":"
		"\"%s\",\"device\":{\"id\":\"%s\",\"model\":\"Model "
		"%u\",\"build\":\"build-%u\",\"sdk\":"
		"\"34\",\"kernel\":\"6.1\"},\"clock\":{\"name\":\"boot\",\"wall_offset_ns\":"
		"%" PRId64
		"},\"counters\":{\"events\":%u,\"lost\":{\"events\":0},\"rows_lost\":0}}\n",
		session, from, to, device, day->device % MODELS, day->number < NEW_BUILD ? 1 : 2,
		(wall_s - BEGIN_S) * 1000000000, day->frames);
	fprintf(events, "%u.000000,%s,start,jankd 0.1.0 start\n%u.000000,%s,stop,end\n", BEGIN_S,
		from, BEGIN_S + ROWS, to);
	fclose(events);
	fclose(file);
}

static void write_day(const char *top, unsigned int device, unsigned int number, unsigned int first)
{
	unsigned int twin = device == 11 ? 10 : device;
	int is_slow = device % MODELS == 2 && number >= NEW_BUILD;
	int64_t wall_s = ((int64_t)first + number) * DAY_S + 36000 + device;
	struct day day = {
		.device = device,
		.number = number,
		.app = device % 3,
		.jank_share = is_slow ? 20 : 60,
	};
	char name[32], session[32];

	snprintf(name, sizeof(name), "device%04u", device);
	snprintf(session, sizeof(session), "%08x%08x", twin * 2654435761u, number + 1);
	snprintf(day.folder, sizeof(day.folder), "%s/%s-%s", top, name, session);
	if (mkdir(day.folder, 0777) != 0 && errno != EEXIST) {
		perror(day.folder);
		exit(1);
	}
	write_rows(&day);
	write_summary(&day);
	write_session(&day, device % 50 == 3 ? 1000 : wall_s, name, session);
}

int main(int argc, char **argv)
{
	if (argc != 5)
		return 2;
	for (unsigned int device = 0; device < (unsigned int)atoi(argv[2]); device++) {
		for (unsigned int day = 0; day < (unsigned int)atoi(argv[3]); day++) {
			if (device % 20 != 7 || day < NEW_BUILD)
				write_day(argv[1], device, day, (unsigned int)atoi(argv[4]));
		}
	}
	return 0;
}
