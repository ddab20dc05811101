/* SPDX-License-Identifier: Apache-2.0 */
/* Which single frames are on the page, if not all have space. */
#include "tests/unit/unit.h"

#include "tools/report/page_frames.h"

#define SECOND_US INT64_C(1000000)

/* 1000 s at 10 frames a second; marks at 500 s and 900 s; a stall at 100 s; the worst minute begins
 * at 300 s. */
static void make(struct session *session)
{
	assert_int_equal(session_init(session), 0);
	session->surfaces = calloc(1, sizeof(*session->surfaces));
	session->sections = calloc(3, sizeof(*session->sections));
	session->late = calloc(1, sizeof(*session->late));
	assert_true(session->surfaces && session->sections && session->late);
	session->n_surfaces = session->n_late = 1;
	session->n_sections = 3;
	session->surfaces[0] = (struct surface){ .is_shown = true, .is_judged = true };
	session->surfaces[0].harm.minute_from_ns = UINT64_C(300000000000);
	session->surfaces[0].harm.minute_ns = 1;
	session->sections[0] = (struct section){ .from_us = 0, .to_us = 500 * SECOND_US };
	session->sections[1] =
		(struct section){ .from_us = 500 * SECOND_US, .to_us = 900 * SECOND_US };
	session->sections[2] =
		(struct section){ .from_us = 900 * SECOND_US, .to_us = 1000 * SECOND_US };
	session->late[0] = (struct late_row){ .time_us = 100 * SECOND_US, .interval_us = 1000000 };
	session->first_us = 0;
	session->last_us = 1000 * SECOND_US - 1;
	for (unsigned int i = 0; i < 10000; i++) {
		struct kept_frame *frame = pool_add(&session->frames);

		assert_non_null(frame);
		frame->present_us = i * SECOND_US / 10;
		frame->section = i < 5000 ? 0 : i < 9000 ? 1 : 2;
	}
}

static void expect(const struct session *session, const struct selection *selection, uint64_t max,
		   unsigned int n, const int64_t (*ranges)[2])
{
	struct page_frames chosen;
	uint64_t frames = 0;

	assert_int_equal(page_frames_choose(&chosen, session, selection, max), 0);
	assert_int_equal(chosen.n, n);
	for (unsigned int i = 0; i < n; i++) {
		assert_fields(&chosen.ranges[i], from_us == ranges[i][0] * SECOND_US,
			      to_us == ranges[i][1] * SECOND_US);
		frames += (uint64_t)(ranges[i][1] - ranges[i][0]) * 10;
		assert_true(page_frames_have(&chosen, ranges[i][0] * SECOND_US));
		assert_false(page_frames_have(&chosen, ranges[i][1] * SECOND_US));
	}
	assert_int_equal(chosen.frames, frames);
	page_frames_free(&chosen);
}

TEST(test_which_have_space)
{
	static const struct {
		uint64_t max;
		unsigned int n;
		int64_t ranges[3][2]; /* s */
	} cases[] = {
		{ 10000, 1, { { 0, 1000 } } },
		/* What is before the first mark is no marked section. */
		{ 9999, 3, { { 94, 105 }, { 300, 360 }, { 500, 1000 } } },
		{ 5000, 3, { { 94, 105 }, { 300, 360 }, { 900, 1000 } } },
		{ 1000, 2, { { 94, 105 }, { 300, 360 } } },
		/* Not even the worst minute has space. */
		{ 500, 0, { { 0 } } },
	};
	const struct selection selection = { 0 };
	struct session session;

	make(&session);
	for (unsigned int i = 0; i < COUNT_OF(cases); i++)
		expect(&session, &selection, cases[i].max, cases[i].n, cases[i].ranges);
	session_free(&session);
}

TEST(test_range)
{
	struct session session;
	struct selection selection = { .has_range = true, .to_us = INT64_MAX };
	static const int64_t end[][2] = { { 990, 1000 } };

	make(&session);
	selection.from_us = 990 * SECOND_US;
	expect(&session, &selection, 10, 1, end);
	selection.from_us = 2000 * SECOND_US;
	expect(&session, &selection, 10, 0, NULL);
	session_free(&session);
}
