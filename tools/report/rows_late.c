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

bool has_place(const struct session *session, const struct late_row *row)
{
	return session->n_late < LATE_MAX || is_less(&session->late[0], row);
}

void add_late(struct session *session, struct late_row row)
{
	struct late_row *late = session->late;
	uint32_t at = session->n_late;

	if (at < LATE_MAX) {
		session->n_late++;
		for (; at > 0 && is_less(&row, &late[(at - 1) / 2]); at = (at - 1) / 2)
			late[at] = late[(at - 1) / 2];
		late[at] = row;
		return;
	}
	/* From the place of the first one on, children move up until none is less than @row. */
	at = 0;
	for (uint32_t child = 1; child < LATE_MAX; child = 2 * at + 1) {
		if (child + 1 < LATE_MAX && is_less(&late[child + 1], &late[child]))
			child++;
		if (!is_less(&late[child], &row))
			break;
		late[(child - 1) / 2] = late[child];
		at = child;
	}
	late[at] = row;
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
