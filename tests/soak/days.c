/* SPDX-License-Identifier: Apache-2.0 */
/* Days of a phone as ftrace text with the markers of Android 9, written as fast as the pipe allows.
 *
 * By day one of 640 apps is opened every few minutes, draws for a few seconds, and is closed: a new
 * layer each time, at 60, 90 or 120 Hz, with late frames and pauses. By night only the clock in the
 * status bar changes, once a minute. Times are trace times: 72 hours are written within seconds.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define US UINT64_C(1)
#define MS (1000 * US)
#define SECOND (1000 * MS)
#define HOUR (3600 * SECOND)

#define APPS 640
#define SF 600
#define WAKES 7 /* o'clock */
#define SLEEPS 23

struct phone {
	uint64_t now_us;
	uint64_t begin_us;
	uint64_t random;
	uint64_t period_us;
	unsigned int tick;
	unsigned int sessions;
	unsigned int turns;
	uint64_t frames;
};

static uint64_t draw(struct phone *phone, uint64_t low, uint64_t high)
{
	phone->random = phone->random * UINT64_C(6364136223846793005) + 1442695040888963407;
	return low + (phone->random >> 33) % (high - low + 1);
}

/* --- what is written --- */

static void line(uint64_t us, int tid, const char *comm, const char *text)
{
	char out[512];
	int n = snprintf(out, sizeof(out),
			 "%16s-%-6d(%5d) [000] .... %6" PRIu64 ".%06" PRIu64
			 ": tracing_mark_write: %s\n",
			 comm, tid, SF, us / SECOND, us % SECOND, text);

	fwrite_unlocked(out, 1, (size_t)n, stdout);
}

static void surfaceflinger(uint64_t us, const char *text)
{
	line(us, SF, "surfaceflinger", text);
}

static void counter(uint64_t us, int tid, const char *comm, const char *name, unsigned int value)
{
	char text[256];

	snprintf(text, sizeof(text), "C|%d|%s|%u", SF, name, value);
	line(us, tid, comm, text);
}

static void latch(uint64_t us, const char *layer)
{
	surfaceflinger(us, "B|600|handleMessageInvalidate");
	surfaceflinger(us + 10, "B|600|latchBuffer");
	surfaceflinger(us + 20, "B|600|acquireBuffer");
	counter(us + 30, SF, "surfaceflinger", layer, 0);
	surfaceflinger(us + 40, "E|600");
	surfaceflinger(us + 50, "E|600");
	surfaceflinger(us + 60, "E|600");
}

static void compose(uint64_t us)
{
	surfaceflinger(us, "B|600|handleMessageRefresh");
	surfaceflinger(us + 100, "B|600|postFramebuffer");
	surfaceflinger(us + 300, "E|600");
	surfaceflinger(us + 400, "E|600");
}

/* Writes one vsync, with a frame of @layer unless that is NULL. */
static void vsync(struct phone *phone, const char *layer)
{
	uint64_t us = phone->now_us;

	counter(us, 603, "VSYNC-sf", "VSYNC-sf", phone->tick++ % 2);
	phone->now_us += phone->period_us;
	if (!layer)
		return;
	counter(us + 200, 609 + (int)(phone->sessions % 90), "Binder:600_3", layer, 1);
	latch(us + 1000, layer);
	compose(us + 1100);
	phone->frames++;
}

/* --- what happens --- */

/* Touch: most vsyncs have a frame. */
static void move(struct phone *phone, const char *layer, unsigned int frames)
{
	for (unsigned int i = 0; i < frames; i++) {
		uint64_t dice = draw(phone, 0, 999);
		uint64_t missed = dice < 30   ? draw(phone, 1, 3)
				  : dice < 33 ? draw(phone, 4, 50)
					      : 0;

		vsync(phone, layer);
		for (uint64_t m = 0; m < missed; m++)
			vsync(phone, NULL);
	}
}

static void use_app(struct phone *phone)
{
	static const uint64_t periods_us[] = { 16667, 11111, 8333 };
	/* All apps in turn; some are opened again soon. */
	uint64_t app = draw(phone, 0, 3) ? phone->turns++ % APPS : draw(phone, 0, 19);
	uint64_t bursts = draw(phone, 1, 4);
	char layer[128];

	snprintf(layer, sizeof(layer),
		 "com.vendor%" PRIu64 ".app/com.vendor%" PRIu64 ".app.ui.MainActivity#%u", app, app,
		 phone->sessions++);
	phone->period_us = periods_us[draw(phone, 0, 2)];
	while (bursts-- > 0) {
		move(phone, layer, (unsigned int)draw(phone, 60, 400));
		phone->now_us += draw(phone, 100 * MS, 20 * SECOND);
	}
}

static void minute_of_night(struct phone *phone)
{
	phone->period_us = 16667;
	for (int i = 0; i < 3; i++)
		vsync(phone, i == 1 ? "StatusBar#0" : NULL);
	phone->now_us += 60 * SECOND;
}

static bool is_night(const struct phone *phone)
{
	uint64_t hour = (8 + (phone->now_us - phone->begin_us) / HOUR) % 24;

	return hour < WAKES || hour >= SLEEPS;
}

static void live_until(struct phone *phone, uint64_t hours)
{
	while (phone->now_us - phone->begin_us < hours * HOUR) {
		if (is_night(phone)) {
			minute_of_night(phone);
			continue;
		}
		use_app(phone);
		phone->now_us += draw(phone, 10 * SECOND, 240 * SECOND);
	}
}

/* days HOURS...: writes up to each of these hours, then waits for a line on standard input. */
int main(int argc, char **argv)
{
	struct phone phone = { .begin_us = 1000 * SECOND, .now_us = 1000 * SECOND, .random = 1 };
	char word[16];

	setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	for (int i = 1; i < argc; i++) {
		live_until(&phone, strtoull(argv[i], NULL, 10));
		if (fflush(stdout) != 0)
			return 1;
		fprintf(stderr, "%s h: %u sessions, %" PRIu64 " frames\n", argv[i], phone.sessions,
			phone.frames);
		if (!fgets(word, sizeof(word), stdin))
			return 1;
	}
	return 0;
}
