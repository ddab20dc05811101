/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/report/rows.h"

#include <stdlib.h>
#include <string.h>

#include "rules/language/surface.h"
#include "tools/report/os.h"

/* --- segments --- */

/* What identifies a segment: its first row. Two with the same one are copies, or one is the
 * beginning of the other, as after a pull while it grew. */
struct segment_head {
	const char *path;
	uint64_t hash; /* 0: no row */
	bool packed;
	int64_t size; /* of the file; of the text if it is not packed */
	bool left_out;
};

/* True: @a has more rows than @b, which has the same first row; of equal ones the later wins. */
static bool is_longer(struct segment_head *a, struct segment_head *b)
{
	if (a->packed != b->packed) {
		struct segment_head *packed = a->packed ? a : b;
		gzFile file = os_gzopen(packed->path);
		char part[16384];
		int got;

		/* The size of the text, as far as it can be read. */
		for (packed->size = 0; file && (got = gzread(file, part, sizeof(part))) > 0;)
			packed->size += got;
		if (file)
			gzclose(file);
		packed->packed = false;
	}
	return a->size > b->size;
}

const char *file_of(const char *path)
{
	return strrchr(path, '/') + 1;
}

static void read_segment(struct reading *reading, const struct kind *kind,
			 const struct segment *segment)
{
	const char *name = file_of(segment->path), *missing = NULL;
	struct session *session = reading->session;
	struct file_count *count = &session->files[kind->file];
	struct csv_row row = { .reading = reading, .columns = kind->columns };
	struct csv_reader *csv = &row.csv;
	uint64_t malformed = count->malformed, bad;
	int error = csv_reader_open(csv, segment->path);

	if (error == 0 && kind->old_header) {
		unsigned int columns = 1;
		int64_t time;

		/* A row of 2019 where others have a header. */
		for (const char *at = kind->old_header; (at = strchr(at, ',')); at++)
			columns++;
		if (csv->n_columns == columns && csv_number(csv->columns[0], 6, &time) &&
		    csv_number(csv->columns[1], 6, &time) &&
		    csv_reader_set_header(csv, kind->old_header) == 0)
			session_notice(session, "%s: no header; read as a file of the 2019 program",
				       name);
	}
	for (unsigned int i = 0; error == 0 && kind->columns[i].name; i++) {
		row.places[i] = csv_reader_column(csv, kind->columns[i].name);
		if (row.places[i] < 0 && kind->columns[i].is_needed && !missing)
			missing = kind->columns[i].name;
	}
	if (error < 0)
		session_notice(session, "%s: %s; left out", name, strerror(-error));
	else if (error == CSV_READER_EMPTY)
		session_notice(session, "%s: empty, not even a header; left out", name);
	else if (error)
		session_notice(session, "%s: not a CSV file; left out", name);
	else if (missing)
		session_notice(session, "%s: not a %s: it has no column '%s'; left out", name,
			       csv_files[kind->file].name, missing);
	if (error != 0 || missing) {
		count->left_out++;
		csv_reader_close(csv);
		return;
	}

	while (csv_reader_next(csv))
		kind->row(&row);
	count->segments++;
	count->rows += csv->rows;
	count->malformed += csv->malformed + csv->too_long;
	count->torn |= csv->is_torn || csv->is_damaged;
	/* With rows whose numbers are none, which their reader counted. */
	bad = count->malformed - malformed;
	if (csv->error)
		session_notice(session, "%s: %s; the rows before it are used", name,
			       strerror(-csv->error));
	if (csv->is_damaged)
		session_notice(session, "%s: damaged gzip data; the rows before it are used", name);
	else if (csv->is_torn)
		session_notice(session, "%s: its last row is cut off; left out", name);
	if (bad > 0)
		session_notice(session, "%s: %llu line%s row%s of this file; left out", name,
			       (unsigned long long)bad, bad == 1 ? " is not a" : "s are not",
			       bad == 1 ? "" : "s");
	if (csv->headers > 0)
		session_notice(session, "%s: %llu more headers between the rows; left out", name,
			       (unsigned long long)csv->headers);
	csv_reader_close(csv);
}

const struct segment *segments_of(const struct reading *reading, enum csv_file_kind file,
				  uint32_t *n)
{
	const struct segment *all = reading->files->segments, *first = NULL;

	*n = 0;
	for (uint32_t i = 0; i < reading->files->n; i++)
		if (all[i].session == reading->session->number && all[i].kind == file) {
			first = first ? first : &all[i];
			++*n;
		}
	return first;
}

void read_kind(struct reading *reading, const struct kind *kind)
{
	struct session *session = reading->session;
	uint32_t n;
	const struct segment *segments = segments_of(reading, kind->file, &n);
	struct segment_head *heads = calloc(n + 1, sizeof(*heads));

	if (!heads) {
		reading->out_of_memory = true;
		return;
	}
	for (uint32_t i = 0; n > 1 && i < n; i++) {
		struct csv_reader csv;
		uint64_t hash = 0;

		heads[i].path = segments[i].path;
		heads[i].packed = strcmp(heads[i].path + strlen(heads[i].path) - 3, ".gz") == 0;
		heads[i].size = segments[i].size;
		if (csv_reader_open(&csv, heads[i].path) == 0 && csv_reader_next(&csv)) {
			for (unsigned int j = 0; j < csv.n_fields; j++)
				hash = 31 * hash + name_hash(csv.fields[j]);
			heads[i].hash = hash | 1;
		}
		csv_reader_close(&csv);
	}
	/* Of two segments with the same first row the shorter one is left out. */
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t j = i + 1; j < n && !heads[i].left_out; j++) {
			bool first;

			if (heads[i].hash == 0 || heads[i].hash != heads[j].hash ||
			    heads[j].left_out)
				continue;
			first = !is_longer(&heads[i], &heads[j]);
			heads[first ? i : j].left_out = true;
			session_notice(
				session,
				"%s: the same rows as %s; left out, so nothing is counted twice",
				file_of(heads[first ? i : j].path),
				file_of(heads[first ? j : i].path));
		}
	/* Numbers between the first and the last segment that are not there. */
	for (uint32_t i = 1; i < n; i++) {
		uint32_t before = segments[i - 1].number, next = segments[i].number;
		char missing[64];

		if (next == SEGMENT_CURRENT || next <= before + 1)
			continue;
		session->lacks_events |= kind->file == ROW_EVENTS;
		if (next == before + 2)
			snprintf(missing, sizeof(missing), "segment %u is", (unsigned int)next - 1);
		else
			snprintf(missing, sizeof(missing), "segments %u to %u are",
				 (unsigned int)before + 1, (unsigned int)next - 1);
		session_notice(session,
			       "%s: %s missing: not pulled, or removed by --keep or --min-free; "
			       "that time is left out",
			       csv_files[kind->file].name, missing);
	}
	for (uint32_t i = 0; i < n; i++) {
		if (heads[i].left_out)
			session->files[kind->file].left_out++;
		else
			read_segment(reading, kind, &segments[i]);
	}
	free(heads);
}
