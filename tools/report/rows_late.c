/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/report/rows_part.h"

/* --- late frames ---
 *
 * A heap: the first one has the least harm and is replaced when it is full. Of equal harm, as it is
 * of all drops of 2019, the shorter one is less. */

static bool is_less(const struct late_row *a, const struct late_row *b)
{
	if (a->harm_us != b->harm_us)
		return a->harm_us < b->harm_us;
	return a->interval_us < b->interval_us;
}

static void sift(struct late_row *late, uint32_t n, uint32_t at)
{
	for (;;) {
		uint32_t least = at;
		struct late_row swap = late[at];

		for (uint32_t child = 2 * at + 1; child <= 2 * at + 2 && child < n; child++)
			if (is_less(&late[child], &late[least]))
				least = child;
		if (least == at)
			return;
		late[at] = late[least];
		late[least] = swap;
		at = least;
	}
}

bool has_place(const struct session *session, const struct late_row *row)
{
	return session->n_late < LATE_MAX || is_less(&session->late[0], row);
}

void add_late(struct session *session, struct late_row row)
{
	uint32_t at = session->n_late;

	if (at == LATE_MAX) {
		session->late[0] = row;
		sift(session->late, LATE_MAX, 0);
		return;
	}
	session->n_late++;
	for (; at > 0 && is_less(&row, &session->late[(at - 1) / 2]); at = (at - 1) / 2)
		session->late[at] = session->late[(at - 1) / 2];
	session->late[at] = row;
}

/* --- late frames by the number with which other files name them --- */

void order_late(struct reading *reading, bool by_id)
{
	const struct session *session = reading->session;

	reading->late_order.n = 0;
	for (uint32_t i = 0; i < session->n_late; i++)
		add_keyed(reading, &reading->late_order,
			  by_id ? session->late[i].vsync_id : session->late[i].vsync_us, i);
	sort_keyed(&reading->late_order);
}
