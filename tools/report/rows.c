/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/report/rows.h"

#include <errno.h>
#include <stdlib.h>

#include "daemon/show/apps.h"

/* --- Surfaces, and their sums in sections --- */

#define SUMS_EMPTY                                                                                 \
	{                                                                                          \
		.frames = FRAME_STATS_EMPTY, .windows = FRAME_STATS_EMPTY                          \
	}

struct surface *surface_of(struct reading *reading, uint32_t name, uint32_t app)
{
	struct session *session = reading->session;
	uint16_t *place = &reading->surface_of_name[name];
	struct surface *surface;

	if (*place == 0) {
		if (session->n_surfaces == SURFACES_MAX) {
			session->surfaces_refused++;
			return NULL;
		}
		surface = &session->surfaces[session->n_surfaces++];
		*surface = (struct surface){
			.name = name,
			.order = session->n_surfaces,
			.first_us = -1,
			.last_us = -1,
			.sums = SUMS_EMPTY,
		};
		numbers_clear(&surface->numbers);
		*place = (uint16_t)session->n_surfaces;
	}
	surface = &session->surfaces[*place - 1];
	/* That of summary.csv is the last one, too. */
	if (surface->source != FROM_SUMMARY)
		surface->app = app;
	return surface;
}

struct uncounted uncounted_of(struct reading *reading, const struct surface *surface,
			      int64_t until_us, uint64_t ns)
{
	const struct session *session = reading->session;
	const char *name = name_of(session, surface->name), *app = name_of(session, surface->app);
	uint16_t number = number_of_surface(session, surface);
	uint16_t *first = &reading->first_of_app[surface->app];
	bool is_part = app_has_surface(app, name) && select_surface(reading->selection, name, app);

	if (is_part && *first == 0)
		*first = number + 1;
	return uncounted_before(&reading->unnumbered[number].surface,
				is_part ? &reading->unnumbered[*first - 1].app : NULL,
				(uint64_t)until_us * 1000, ns);
}

void forget_uncounted(struct reading *reading, const struct surface *surface)
{
	uint16_t first = reading->first_of_app[surface->app];

	reading->unnumbered[number_of_surface(reading->session, surface)].surface.n = 0;
	if (first > 0)
		reading->unnumbered[first - 1].app.n = 0;
}

struct section_sum *find_sum(const struct reading *reading, uint32_t section, uint16_t surface)
{
	uint16_t number = reading->sum_numbers[section][surface];

	return number > 0 ? &reading->sums[number - 1] : NULL;
}

unsigned int sums_of(struct sums *of[2], struct reading *reading, struct surface *surface,
		     uint32_t section)
{
	uint16_t number = number_of_surface(reading->session, surface);
	struct section_sum *sum = find_sum(reading, section, number);

	of[0] = &surface->sums;
	of[1] = NULL;
	if (!sum && reading->session->n_sections == 0)
		return 1;
	if (!sum && reading->n_sums == SECTION_SUMS_MAX) {
		reading->sums_refused++;
		return 1;
	}
	if (!sum) {
		sum = array_add(&reading->sums, &reading->n_sums, sizeof(*sum));
		if (!sum) {
			reading->out_of_memory = true;
			return 1;
		}
		*sum = (struct section_sum){
			.sums = SUMS_EMPTY,
			.section = (uint16_t)section,
			.surface = number,
		};
		reading->sum_numbers[section][number] = (uint16_t)reading->n_sums;
	}
	of[1] = &sum->sums;
	return 2;
}

/* --- what is searched by a time or number --- */

void add_keyed(struct reading *reading, struct keyed_list *list, int64_t key, uint32_t value)
{
	struct keyed *added;

	if (list->n == KEYED_MAX)
		return;
	added = array_add(&list->all, &list->n, sizeof(*added));
	if (added)
		*added = (struct keyed){ key, value };
	reading->out_of_memory |= !added;
}

int by_key(const void *a, const void *b)
{
	const int64_t *one = a, *other = b;

	return (*one > *other) - (*one < *other);
}

static void sort_keyed(struct keyed_list *list)
{
	if (list->n > 0)
		qsort(list->all, list->n, sizeof(*list->all), by_key);
}

uint32_t first_keyed(const struct keyed_list *list, int64_t key)
{
	uint32_t low = 0, high = list->n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (list->all[middle].key < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

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

struct late_row *add_late(struct session *session, struct late_row row)
{
	struct late_row *late = session->late;
	uint32_t at = 0;

	if (session->n_late < LATE_MAX) {
		at = session->n_late++;
		for (; at > 0 && is_less(&row, &late[(at - 1) / 2]); at = (at - 1) / 2)
			late[at] = late[(at - 1) / 2];
	} else if (is_less(&late[0], &row)) {
		/* From the place of the first one on, children move up until none is less. */
		for (uint32_t child = 1; child < LATE_MAX; child = 2 * at + 1) {
			if (child + 1 < LATE_MAX && is_less(&late[child + 1], &late[child]))
				child++;
			if (!is_less(&late[child], &row))
				break;
			late[at] = late[child];
			at = child;
		}
	} else {
		return NULL;
	}
	late[at] = row;
	return &late[at];
}

void order_late(struct reading *reading, bool by_id)
{
	const struct session *session = reading->session;

	reading->late_order.n = 0;
	for (uint32_t i = 0; i < session->n_late; i++)
		add_keyed(reading, &reading->late_order,
			  by_id ? session->late[i].vsync_id : session->late[i].vsync_us, i);
	sort_keyed(&reading->late_order);
}

/* --- all files --- */

static const struct kind *const kinds[] = {
	&summary_kind, &frames_kind,	    &fps_kind,	   &drops_kind,
	&doframe_kind, &frametimeline_kind, &latency_kind,
};

int rows_read(struct reading *reading)
{
	struct session *session = reading->session;
	uint32_t n;
	const struct segment *first = segments_of(reading, ROW_EVENTS, &n);

	read_session_json(reading);
	read_kind(reading, &events_kind);
	sort_keyed(&reading->stalls);
	sort_keyed(&reading->steps);
	sort_keyed(&reading->losses);
	for (unsigned int i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (kinds[i] == &frametimeline_kind)
			order_late(reading, true);
		read_kind(reading, kinds[i]);
	}
	/* Segments that --keep removed are the first ones: the start of the capture is not there.
	 */
	if (n > 0 && session->start_us < 0 &&
	    ((first->number > 1 && first->number != SEGMENT_CURRENT) ||
	     session_json_number(session, "counters", "segments_removed") > 0))
		session->lacks_events = true;
	session->lacks_events |= session->files[ROW_EVENTS].rows == 0;
	for (uint64_t i = 0; i < session->events.n; i++)
		count_unended(reading, pool_at(&session->events, i));
	return reading->out_of_memory ? -ENOMEM : 0;
}
