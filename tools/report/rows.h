/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the files of a session, row by row, into its model. */
#ifndef JANKD_TOOLS_REPORT_ROWS_H
#define JANKD_TOOLS_REPORT_ROWS_H

#include "rules/count/late.h"
#include "tools/report/session.h"

#define LAYERS_MAX 8192
#define CAPTURED_PLACES 65536 /* a power of 2 */

/* Sums of a Surface in a section. */
struct section_sum {
	struct sums sums;
	uint16_t section, surface;
	bool is_crossed; /* a row of fps.csv begins in it, and ends after the next mark */
};

/* The frames of a layer so far. */
struct layer_frames {
	struct late_series late;
	struct jank_history janks;
	uint64_t owner;	    /* the layer whose history it is */
	int64_t present_us; /* of its last frame */
};

/* Numbers that are searched by a time or an id. */
struct keyed_list {
	struct keyed {
		int64_t key;
		uint32_t value;
	} * all;
	uint32_t n, max;
};

/* What is needed only while the files are read. Of its tables, memory is used as far as they are.
 */
struct reading {
	struct session *session;
	const struct folder_files *files;
	uint32_t number;
	const struct selection *selection;
	/* By the number of a name: number + 1 of its Surface, of the app's first Surface, of the
	 * layer's place. */
	uint16_t surface_of_name[NAMES_STORED_MAX], first_of_app[NAMES_STORED_MAX],
		place_of_layer[NAMES_STORED_MAX];
	/* Time without numbers in frames.csv: of a Surface; of the app of which it is the first
	 * one. */
	struct unnumbered {
		struct stretches surface, app;
	} unnumbered[SURFACES_MAX];
	struct section_sum *sums;
	uint32_t n_sums, max_sums;
	uint16_t sum_numbers[SECTIONS_MAX][SURFACES_MAX]; /* number + 1 */
	uint64_t sums_refused;
	struct layer_frames layers[LAYERS_MAX]; /* by place of the layer */
	uint32_t n_layers;			/* places that are taken */
	struct keyed_list late_order; /* numbers of late frames by their vsync, or by vsync id */
	uint32_t captured_places[CAPTURED_PLACES]; /* a hash table of numbers + 1 */
	uint32_t max_captured;
	struct keyed_list stalls, losses; /* texts of events.csv by time, us */
	struct keyed_list steps;	  /* vsyncs in a render period since that time, us */
	bool harm_from_drops; /* frames.csv does not have all frames, and dropFrames.csv has rows */
	bool has_chosen_harm;
	bool is_ordered_by_id; /* late_order */
	bool out_of_memory;
};

/* Reads all files. Returns 0 or -ENOMEM. */
int rows_read(struct reading *reading);

#endif
