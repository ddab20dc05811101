/* SPDX-License-Identifier: Apache-2.0 */
/* big_folder DIR [HOURS]: writes the folder of a long capture: 72 hours with 20 Surfaces, of which
 * two draw at any time, 60 marks, segments of an hour, and frames.csv of the last hour at 120 Hz.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/csv_columns.h"
#include "tests/report/made_files.h"

#define SURFACES 20
#define MARKS 60
#define HOURS 72
#define PERIOD_NS UINT64_C(8333333)
#define SECOND_NS UINT64_C(1000000000)

/* A second of a Surface: 120 frames, of which some are late. */
static void write_row(FILE *file, unsigned int second, unsigned int surface)
{
	unsigned int late = random_below(20) == 0 ? 1 + random_below(5) : 0;
	unsigned int missed = late * (1 + random_below(12)), frames = 120 - missed;

	fprintf(file,
		"%u.%06u,%u.%06u,%.2f,%u,%.6f,%.3f,0.000000,0,%u,0,0,%u,%.2f,0,com.example.app%u,"
		"com.example.app%u/com.example.app%u.MainActivity,120.00,8.333,8.333,%.3f,%u,%u,%u,"
		"%.3f,2.104,4.400,0,0,0.000000,1,%u\n",
		second, random_below(8000), second + 1, random_below(8000), (double)frames, frames,
		1.0, 8.333 * (1 + missed), missed > 11, late, 100 - missed / 2.0, surface, surface,
		surface, 8.333 * (1 + missed), missed, missed > 9, missed > 14, missed / 10.0,
		late);
}

static void write_rows(const char *folder, unsigned int hours)
{
	for (unsigned int hour = 0; hour < hours; hour++) {
		char name[64] = "fps.csv";
		FILE *file;

		if (hour + 1 < hours)
			snprintf(name, sizeof(name), "fps-%06u.csv", hour + 1);
		file = made_file(folder, name, csv_fps_header);
		for (unsigned int second = 0; second < 3600; second++) {
			unsigned int now = 1000 + 3600 * hour + second;

			write_row(file, now, now / 600 % SURFACES);
			write_row(file, now, (now / 600 + 1) % SURFACES);
		}
		fclose(file);
	}
}

static void write_frames(FILE *file, unsigned int hours, unsigned int copy)
{
	uint64_t last[SURFACES] = { 0 };
	uint64_t from = (1000 + 3600 * (uint64_t)(hours - 1)) * SECOND_NS;
	char name[16] = "Main";

	if (copy > 0)
		snprintf(name, sizeof(name), "No%u", copy);

	for (uint64_t now = from; now < from + 3600 * SECOND_NS; now += PERIOD_NS) {
		for (unsigned int i = 0; i < 2; i++) {
			unsigned int surface = (unsigned int)(now / SECOND_NS / 600 + i) % SURFACES;
			uint64_t interval = last[surface] ? now - last[surface] : 0;
			unsigned int vsyncs =
				(unsigned int)((interval + PERIOD_NS / 2) / PERIOD_NS);

			if (random_below(100) == 0 && vsyncs < 20)
				continue;
			fprintf(file, "%llu.%06llu,%llu.%06llu,",
				(unsigned long long)(now / SECOND_NS),
				(unsigned long long)(now / 1000 % 1000000),
				(unsigned long long)(now / SECOND_NS),
				(unsigned long long)(now / 1000 % 1000000));
			if (interval > 0)
				fprintf(file, "%.6f,%u", (double)interval / 1e6, vsyncs);
			else
				fputc(',', file);
			fprintf(file,
				",com.example.app%u,com.example.app%u/"
				"com.example.app%u.MainActivity,"
				"com.example.app%u/com.example.app%u.MainActivity#%u,%u,,,,%s,0,\n",
				surface, surface, surface, surface, surface, surface + 70,
				(unsigned int)(now / PERIOD_NS), vsyncs > 1 ? "app" : "");
			last[surface] = now;
		}
	}
}

static void write_events(const char *folder, unsigned int hours)
{
	FILE *file = made_file(folder, "events.csv", csv_event_header);

	for (unsigned int i = 0; i < MARKS; i++)
		fprintf(file, "%u.500000,,mark,level %u\n",
			1000 + hours * 3600 / (MARKS + 1) * (i + 1), i + 1);
	fclose(file);
}

int main(int argc, char **argv)
{
	unsigned int times = argc > 2 ? (unsigned int)atoi(argv[2]) : 1;
	FILE *frames;

	if (argc < 2)
		return 2;
	write_rows(argv[1], HOURS);
	write_events(argv[1], HOURS);
	frames = made_file(argv[1], "frames.csv", csv_frame_header);
	for (unsigned int copy = 0; copy < times; copy++)
		write_frames(frames, HOURS, copy);
	return fclose(frames) != 0;
}
