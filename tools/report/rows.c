/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/report/rows_part.h"

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

struct section_sum *find_sum(const struct reading *reading, uint32_t section, uint16_t surface,
			     uint32_t *at)
{
	*at = (section * 31337u + surface * 7919u) & (SUM_PLACES - 1);
	for (; reading->sum_places[*at] > 0; *at = (*at + 1) & (SUM_PLACES - 1)) {
		struct section_sum *sum = &reading->sums[reading->sum_places[*at] - 1];

		if (sum->section == section && sum->surface == surface)
			return sum;
	}
	return NULL;
}

/* The same, made if there is none; NULL: there is no space, or there are no sections. */
static struct section_sum *sum_of(struct reading *reading, uint32_t section, uint16_t surface)
{
	struct section_sum *sum;
	uint32_t at;

	if (reading->session->n_sections == 0)
		return NULL;
	sum = find_sum(reading, section, surface, &at);
	if (sum)
		return sum;
	if (reading->n_sums == SECTION_SUMS_MAX) {
		reading->sums_refused++;
		return NULL;
	}
	sum = array_add(&reading->sums, &reading->n_sums, &reading->max_sums, sizeof(*sum));
	if (!sum) {
		reading->out_of_memory = true;
		return NULL;
	}
	*sum = (struct section_sum){
		.sums = SUMS_EMPTY,
		.section = (uint16_t)section,
		.surface = surface,
	};
	reading->sum_places[at] = reading->n_sums;
	return sum;
}

unsigned int sums_of(struct sums *of[2], struct reading *reading, struct surface *surface,
		     uint32_t section)
{
	struct section_sum *sum =
		sum_of(reading, section, number_of_surface(reading->session, surface));

	of[0] = &surface->sums;
	of[1] = sum ? &sum->sums : NULL;
	return sum ? 2 : 1;
}

/* --- what is searched by a time or number --- */

void add_keyed(struct reading *reading, struct keyed_list *list, int64_t key, uint32_t value)
{
	struct keyed *added;

	if (list->n == KEYED_MAX)
		return;
	added = array_add(&list->all, &list->n, &list->max, sizeof(*added));
	if (added)
		*added = (struct keyed){ key, value };
	reading->out_of_memory |= !added;
}

static int by_key(const void *a, const void *b)
{
	const struct keyed *one = a, *other = b;

	return (one->key > other->key) - (one->key < other->key);
}

void sort_keyed(struct keyed_list *list)
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

/* --- all files --- */

static const struct kind *const kinds[] = { &summary_kind, &frames_kind,  &fps_kind,
					    &drops_kind,   &doframe_kind, &frametimeline_kind,
					    &latency_kind };

int rows_begin(struct reading *reading, struct session *session, const struct folder_files *files,
	       uint32_t number, const struct selection *selection)
{
	*reading = (struct reading){
		.session = session,
		.files = files,
		.number = number,
		.selection = selection,
	};
	session->surfaces = calloc(SURFACES_MAX, sizeof(*session->surfaces));
	session->sections = calloc(SECTIONS_MAX, sizeof(*session->sections));
	session->late = calloc(LATE_MAX, sizeof(*session->late));
	reading->surface_of_name = calloc(session->names.max, sizeof(*reading->surface_of_name));
	reading->first_of_app = calloc(session->names.max, sizeof(*reading->first_of_app));
	reading->unnumbered = calloc(SURFACES_MAX, sizeof(*reading->unnumbered));
	reading->sum_places = calloc(SUM_PLACES, sizeof(*reading->sum_places));
	reading->captured_places = calloc(SUM_PLACES, sizeof(*reading->captured_places));
	reading->layers = calloc(LAYERS_MAX, sizeof(*reading->layers));
	reading->place_of_layer = calloc(session->names.max, sizeof(*reading->place_of_layer));
	if (!session->surfaces || !session->sections || !session->late ||
	    !reading->surface_of_name || !reading->first_of_app || !reading->unnumbered ||
	    !reading->place_of_layer || !reading->sum_places || !reading->captured_places ||
	    !reading->layers)
		return -ENOMEM;
	return 0;
}

void rows_end(struct reading *reading)
{
	free(reading->layers);
	free(reading->surface_of_name);
	free(reading->first_of_app);
	free(reading->unnumbered);
	free(reading->sums);
	free(reading->sum_places);
	free(reading->captured_places);
	free(reading->late_order.all);
	free(reading->place_of_layer);
	free(reading->stalls.all);
	free(reading->losses.all);
	free(reading->steps.all);
}

/* Segments that --keep removed are the first ones: the start of the capture is not there. */
static bool lacks_first_events(const struct reading *reading)
{
	const struct session *session = reading->session;
	uint32_t n;
	const struct segment *first = segments_of(reading, ROW_EVENTS, &n);

	return n > 0 && session->start_us < 0 &&
	       ((first->number > 1 && first->number != SEGMENT_CURRENT) ||
		session_json_number(session, "counters", "segments_removed") > 0);
}

int rows_read(struct reading *reading)
{
	read_session_json(reading);
	read_kind(reading, &events_kind);
	sort_keyed(&reading->stalls);
	sort_keyed(&reading->steps);
	sort_keyed(&reading->losses);
	for (unsigned int i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		read_kind(reading, kinds[i]);
	reading->session->lacks_events |=
		reading->session->files[ROW_EVENTS].rows == 0 || lacks_first_events(reading);
	count_unended(reading);
	return reading->out_of_memory ? -ENOMEM : 0;
}
