/* SPDX-License-Identifier: Apache-2.0 */
/* The table of surfaces on a terminal. */
#include "tests/unit/unit.h"

#include "daemon/base/text.h"
#include "daemon/show/show.h"
#include "daemon/capture/session.h"
#include "tests/unit/phone.h"

#define MAIL "com.example.mail/com.example.mail.MainActivity#1"
#define GAME "SurfaceView[com.example.game/com.example.game.MainActivity](BLAST)#2"
#define BAR "StatusBar#3"

#define PERIOD_NS UINT64_C(16666667)

static struct phone phone;
static char *page;
static bool colour;
static uint64_t hole_time_ns, refused; /* time without events, frames */

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
	status->counters.hole_time_ns = hole_time_ns;
	status->counters.frames_refused = refused;
	free(page);
	out = open_memstream(&page, &size);
	if (live)
		table_print_page(out, status, "title", 24, columns, colour);
	else
		table_print(out, status, 24, columns, colour);
	fclose(out);
	free(status);
}

/* Returns the line of the page that contains @word; "Surface": the head. */
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

TEST(table_shows_rates_and_time_lost)
{
	play();
	print(true, 80);
	assert_string_equal(
		line_with("the whole session"),
		"                                   now                         the whole session");
	assert_string_equal(
		line_with("Surface"),
		"Surface                FPS now  frozen      grade lost ms/s freezes   FPS"
		" p99 ms");
	/* Only the last whole second counts: mail does not draw any more. */
	assert_string_equal(line_with("mail"),
			    "\xe2\x80\xa6le.mail/.MainActivity       -          TOO SHORT       0.0"
			    "       0  60.0   16.7");
	assert_string_equal(line_with("(BLAST)"),
			    "\xe2\x80\xa6.MainActivity](BLAST)    30.0          TOO SHORT       0.0"
			    "       0  30.0   33.3");
}

static void write_mail(enum trace_kind kind, const char *name, uint64_t time_ns)
{
	const struct trace_record record = {
		.kind = kind,
		.cpu = 2,
		.tid = 3000,
		.tgid = 3000,
		.pid = 3000,
		.time_ns = time_ns,
		.comm = span_of("om.example.mail"),
		.name = span_of(name),
	};

	phone.now_ns = time_ns;
	phone_record(&phone, &record);
}

/* An app that works on a frame and shows none is frozen, and one that is idle is not. */
TEST(frozen_is_who_works_on_a_frame)
{
	static const struct {
		bool works;
		uint64_t since_ms; /* the last frame */
		bool frames_again;
		const char *row;
	} cases[] = {
		{ true, 450, false, "60.0               GOOD       0.0       0  60.0" },
		{ true, 900, false, " 0.0   0.9 s       GOOD       0.0       0  60.0" },
		{ true, 7000, false, " 0.0   7.0 s       GOOD       0.0       0  60.0" },
		{ false, 900, false, "60.0               GOOD       0.0       0  60.0" },
		{ false, 7000, false, "   -               GOOD       0.0       0  60.0" },
		{ true, 1000, true, "60.0                BAD     117.9       1  60.0" },
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		uint64_t at;

		phone_stop(&phone);
		phone_start(&phone, PHONE_14, NULL);
		at = phone_run(&phone, GAME, 2 * SECOND, PERIOD_NS, 300);
		at = phone_run(&phone, MAIL, at + PERIOD_NS, PERIOD_NS, 361);
		if (cases[i].works)
			write_mail(TRACE_SLICE_BEGIN, "Choreographer#doFrame 9", at + 5 * MS);
		else /* another app's, and its own end */
			write_mail(TRACE_COUNTER, "x", at + 5 * MS);
		if (cases[i].frames_again) {
			pipeline_read_until(phone.pipeline, at + 900 * MS);
			print(true, 80); /* it is frozen then */
			write_mail(TRACE_SLICE_END, "", at + 990 * MS);
			phone_run(&phone, MAIL, at + 60 * PERIOD_NS, PERIOD_NS, 90);
			pipeline_silent(phone.pipeline, 450 * MS);
		} else {
			/* A capture knows that there is nothing to read. */
			pipeline_read_until(phone.pipeline, at + cases[i].since_ms * MS);
			if (cases[i].since_ms > 2000)
				pipeline_silent(phone.pipeline, (cases[i].since_ms - 5) * MS);
		}
		print(true, 80);
		if (!strstr(line_with("mail"), cases[i].row))
			fail_msg("case %zu: %s", i, line_with("mail"));
		assert_null(strstr(line_with("(BLAST)"), " s "));
	}
}

/* A terminal has colours, and the same words in the same places. */
TEST(colours_change_no_words)
{
	char plain[4096], *to = plain;
	uint64_t at = phone_run(&phone, MAIL, 2 * SECOND, PERIOD_NS, 361);

	write_mail(TRACE_SLICE_BEGIN, "Choreographer#doFrame 9", at + 5 * MS);
	pipeline_silent(phone.pipeline, 895 * MS);
	colour = true;
	print(true, 80);
	colour = false;
	assert_non_null(strstr(page, "\x1b[31m0.0\x1b[0m   \x1b[31m0.9 s\x1b[0m"));
	assert_non_null(strstr(page, "\x1b[32mGOOD\x1b[0m"));
	for (const char *from = page; *from; from++) {
		if (*from == '\x1b')
			from += strcspn(from, "m");
		else
			*to++ = *from;
	}
	*to = '\0';
	print(true, 80);
	assert_string_equal(plain, page);
}

/* It is '-' as soon as a whole second without a frame is over. */
TEST(current_rate_is_of_the_last_whole_second)
{
	uint64_t at = phone_run(&phone, MAIL, 2 * SECOND, PERIOD_NS, 240);

	pipeline_silent(phone.pipeline, 6 * SECOND + 999 * MS - at);
	assert_in_range(at, 5980 * MS, 5990 * MS);
	print(true, 80);
	assert_non_null(strstr(line_with("mail"), "    60.0          TOO SHORT"));
	pipeline_silent(phone.pipeline, 7 * SECOND + 399 * MS - at);
	print(true, 80);
	assert_non_null(strstr(line_with("mail"), "    60.0          TOO SHORT"));
	pipeline_silent(phone.pipeline, 7 * SECOND + 401 * MS - at);
	print(true, 80);
	assert_non_null(strstr(line_with("mail"), "       -          TOO SHORT"));
	/* It draws again, half as fast. */
	phone_run(&phone, MAIL, at + 480 * PERIOD_NS, 2 * PERIOD_NS, 90);
	print(true, 80);
	assert_non_null(strstr(line_with("mail"), "    30.0  "));
}

/* Another clock: frames with times of the old clock do not count in a second of the new one. */
TEST(current_rate_ignores_frames_of_the_old_clock)
{
	uint64_t at = phone_run(&phone, MAIL, 2 * SECOND, PERIOD_NS, 240);

	pipeline_new_clock(phone.pipeline, at);
	phone_run(&phone, GAME, 2 * SECOND, PERIOD_NS, 270);
	print(true, 80);
	assert_non_null(strstr(line_with("nActivity](BLAST)"), " 60.0 "));
	assert_non_null(strstr(line_with("mail"), "       -          TOO SHORT"));
}

/* The worst first; during a capture, what has drawn nothing for ten seconds is the last. */
TEST(worst_surface_is_first)
{
	uint64_t at = phone_run(&phone, MAIL, 2 * SECOND, PERIOD_NS, 400);

	phone_frame(&phone, at + PERIOD_NS, BAR);
	at = phone_run(&phone, GAME, at + PERIOD_NS, PERIOD_NS, 300);
	at = phone_run(&phone, GAME, at + 20 * PERIOD_NS, PERIOD_NS, 100);
	phone_frame(&phone, at + PERIOD_NS, BAR);
	phone_frame(&phone, at + 21 * PERIOD_NS, BAR);
	print(true, 80);
	assert_non_null(strstr(line_with("(BLAST)"), " BAD "));
	assert_true(place_of("(BLAST)") < place_of(".MainActivity "));
	assert_true(place_of(".MainActivity ") < place_of("StatusBar"));
	pipeline_silent(phone.pipeline, 8 * SECOND);
	phone_run(&phone, MAIL, at + 8 * SECOND, PERIOD_NS, 300);
	print(true, 80);
	assert_true(place_of(".MainActivity ") < place_of("(BLAST)"));
	print(false, 80);
	assert_true(place_of("(BLAST)") < place_of(".MainActivity "));
	assert_true(place_of(".MainActivity ") < place_of("StatusBar"));
}

TEST(table_fits_any_width)
{
	static const char *const words[] = { "FPS now", "frozen", "grade", "lost ms/s",
					     "freezes", "FPS",	  "p99" };

	play();
	phone_run(&phone, "\x1b[31m\xe6\xb8\xb8\xe6\x88\x8f/\xff.Main", 10 * SECOND, PERIOD_NS, 90);
	for (unsigned int columns = 40; columns < 250; columns++) {
		size_t shown = 0;

		print(columns % 2, columns);
		for (size_t i = 0; i < COUNT_OF(words); i++)
			shown += strstr(line_with("Surface "), words[i]) != NULL;
		for (char *line = strtok(page, "\n"); line; line = strtok(NULL, "\n"))
			assert_in_range(text_columns(line), 0, columns);
		assert_in_range(shown, columns >= 80 ? 5 + 2 * (columns % 2) : 2, COUNT_OF(words));
	}
}

/* A number that is too long must not push the others off the screen. */
TEST(large_numbers_fit_their_columns)
{
	phone_run(&phone, MAIL, 2 * SECOND, 600 * MS, 123457);
	print(true, 200);
	assert_non_null(strstr(line_with("mail"), " 123k"));
	assert_int_equal(strlen(line_with("mail")), 200);
	/* One that is too small is left out. */
	hole_time_ns = 50 * MS - 1;
	print(true, 200);
	assert_null(strstr(page, "without events"));
	assert_null(strstr(page, "refused"));
	hole_time_ns++;
	refused = 24;
	print(true, 200);
	assert_non_null(strstr(page, ", refused 24, lost"));
	assert_non_null(strstr(page, ", 0.1 s without events"));
	hole_time_ns = refused = 0;
}
