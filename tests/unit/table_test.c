/* SPDX-License-Identifier: Apache-2.0 */
/* The table of surfaces on a terminal. */
#include "daemon/control/control.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/text.h"
#include "daemon/capture/session.h"
#include "tests/unit/phone.h"
#include "tests/unit/unit.h"

#define MAIL "com.example.mail/com.example.mail.MainActivity#1"
#define GAME "SurfaceView[com.example.game/com.example.game.MainActivity](BLAST)#2"
#define BAR "StatusBar#3"

#define PERIOD_NS UINT64_C(16666667)

static struct phone phone;
static char *page;

static int set_up(void **state)
{
	phone_start(&phone, PHONE_14, NULL);
	return 0;
}

static int tear_down(void **state)
{
	free(page);
	page = NULL;
	phone_stop(&phone);
	return 0;
}

FIXTURE(set_up, tear_down)

/* Prints the table into page, @columns wide; @live: of a running capture. */
static void print(bool live, unsigned int columns)
{
	struct status *status = calloc(1, sizeof(*status));
	size_t size;
	FILE *out;

	assert_non_null(status);
	status_read_pipeline(status, phone.pipeline, live ? STATUS_OF_NOW : STATUS_OF_SESSION);
	free(page);
	out = open_memstream(&page, &size);
	if (live)
		table_print_page(out, status, "title", 24, columns);
	else
		table_print(out, status, 24, columns);
	fclose(out);
	free(status);
}

/* Returns the line of the page that contains @word. */
static const char *line_with(const char *word)
{
	static char line[512];
	const char *at = strstr(page, word);
	size_t len;

	assert_non_null(at);
	while (at > page && at[-1] != '\n')
		at--;
	len = strcspn(at, "\n");
	assert_true(len < sizeof(line));
	memcpy(line, at, len);
	line[len] = '\0';
	return line;
}

static size_t place_of(const char *word)
{
	const char *at = strstr(page, word);

	assert_non_null(at);
	return (size_t)(at - page);
}

/* A phone at 60 Hz: mail draws for 4 s, then the game for 2.5 s at half the rate; in between the
 * status bar has two frames. Its last frame is at 8.5 s of the trace. */
static void play(void)
{
	uint64_t at = phone_run(&phone, MAIL, 2 * SECOND, PERIOD_NS, 240);

	phone_frame(&phone, at + PERIOD_NS, BAR);
	phone_frame(&phone, at + 2 * PERIOD_NS, BAR);
	phone_run(&phone, GAME, at + 4 * PERIOD_NS, 2 * PERIOD_NS, 75);
}

TEST(table_shows_rates_and_jank)
{
	play();
	print(true, 80);
	/* Only the last whole second counts: mail does not draw any more. */
	assert_string_equal(line_with("mail"),
			    "com.example.mail/.MainActivity       -  60.0   60.0   16.7   16.7"
			    "    0   0     0");
	assert_string_equal(
		line_with("game"),
		"\xe2\x80\xa6le.game/.MainActivity](BLAST)    30.0  30.0   30.0   33.3   33.3"
		"    0   0     0");
}

/* It is '-' as soon as a whole second without a frame is over. */
TEST(current_rate_is_of_the_last_whole_second)
{
	uint64_t at = phone_run(&phone, MAIL, 2 * SECOND, PERIOD_NS, 240);

	pipeline_silent(phone.pipeline, 6 * SECOND + 999 * MS - at);
	assert_in_range(at, 5980 * MS, 5990 * MS);
	print(true, 80);
	assert_non_null(strstr(line_with("mail"), "    60.0  60.0"));
	pipeline_silent(phone.pipeline, 7 * SECOND + 399 * MS - at);
	print(true, 80);
	assert_non_null(strstr(line_with("mail"), "    60.0  60.0"));
	pipeline_silent(phone.pipeline, 7 * SECOND + 401 * MS - at);
	print(true, 80);
	assert_non_null(strstr(line_with("mail"), "       -  60.0"));
	/* It draws again, half as fast. */
	phone_run(&phone, MAIL, at + 480 * PERIOD_NS, 2 * PERIOD_NS, 90);
	print(true, 80);
	assert_non_null(strstr(line_with("mail"), "    30.0"));
}

/* Another clock: frames with times of the old clock do not count in a second of the new one. */
TEST(current_rate_ignores_frames_of_the_old_clock)
{
	uint64_t at = phone_run(&phone, MAIL, 2 * SECOND, PERIOD_NS, 240);

	pipeline_new_clock(phone.pipeline, at);
	phone_run(&phone, GAME, 2 * SECOND, PERIOD_NS, 270);
	print(true, 80);
	assert_non_null(strstr(line_with("game"), " 60.0  60.0"));
	assert_non_null(strstr(line_with("mail"), "       -  60.0"));
}

/* Order: during a capture by frames of the last ten seconds, at the end by all frames. */
TEST(surface_with_most_frames_is_first)
{
	uint64_t at = phone_run(&phone, MAIL, 2 * SECOND, PERIOD_NS, 600);

	at = phone_run(&phone, GAME, at + PERIOD_NS, PERIOD_NS, 120);
	print(true, 80);
	assert_true(place_of("com.example.mail/") < place_of("le.game/"));
	at = phone_run(&phone, GAME, at + PERIOD_NS, PERIOD_NS, 300);
	phone_frame(&phone, at + PERIOD_NS, BAR);
	phone_frame(&phone, at + 2 * PERIOD_NS, BAR);
	phone_run(&phone, GAME, at + 3 * PERIOD_NS, PERIOD_NS, 100);
	print(true, 80);
	assert_true(place_of("le.game/") < place_of("com.example.mail/"));
	assert_true(place_of("com.example.mail/") < place_of("StatusBar"));
	print(false, 80);
	assert_true(place_of("com.example.mail/") < place_of("le.game/"));
	assert_true(place_of("le.game/") < place_of("StatusBar"));
	/* No frame for a long time. */
	pipeline_silent(phone.pipeline, 20 * SECOND);
	print(true, 80);
	assert_true(place_of("com.example.mail/") < place_of("le.game/"));
}

TEST(table_at_the_end_has_no_current_rate)
{
	play();
	phone_end(&phone);
	print(false, 80);
	assert_null(strstr(page, "now"));
	assert_non_null(strstr(line_with("Surface "), "score"));
	assert_non_null(strstr(line_with("com.example.mail/.MainActivity  "), " 100.0"));
	print(false, 200);
	assert_int_equal(strncmp(line_with("Surface "), "app  ", 5), 0);
	assert_int_equal(strncmp(line_with("mail"), "com.example.mail  ", 18), 0);
}

TEST(table_fits_any_width)
{
	static const char *const words[] = { "FPS now", "FPS", "1% low", "jank",
					     "p99",	"max", "big",	 "waits" };

	play();
	phone_run(&phone, "\x1b[31m\xe6\xb8\xb8\xe6\x88\x8f/\xff.Main", 10 * SECOND, PERIOD_NS, 90);
	for (unsigned int columns = 40; columns < 250; columns++) {
		size_t shown = 0;

		print(columns % 2, columns);
		for (size_t i = 0; i < COUNT_OF(words); i++)
			shown += strstr(line_with("Surface "), words[i]) != NULL;
		for (char *line = strtok(page, "\n"); line; line = strtok(NULL, "\n"))
			assert_in_range(text_columns(line), 0, columns);
		assert_in_range(shown, columns >= 80 ? 7 + columns % 2 : 3, COUNT_OF(words));
	}
}

/* A number that is too long must not push the others off the screen. */
TEST(large_numbers_fit_their_columns)
{
	phone_run(&phone, MAIL, 2 * SECOND, 600 * MS, 123457);
	print(true, 80);
	assert_non_null(strstr(line_with("mail"), " 123k"));
	assert_int_equal(strlen(line_with("mail")), 80);
}
