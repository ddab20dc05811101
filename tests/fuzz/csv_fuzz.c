/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as the files of a folder, for jank-report.
 *
 * A line "@NAME" begins the file NAME; what is before the first one is read as a CSV file alone. Of
 * the folder the model is made: the JSON text must be one, of valid UTF-8, and the CSV text must
 * have no malformed row. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/fuzz/target.h"
#include "tests/unit/scratch.h"
#include "tools/report/csv_reader.h"
#include "tools/report/model.h"
#include "tools/report/output.h"

#define NAMES_MAX 16

static void check_alone(const uint8_t *data, size_t size)
{
	struct csv_reader csv;

	scratch_put_bytes("alone.csv", data, size);
	if (csv_reader_open(&csv, scratch_path("alone.csv")) == 0)
		while (csv_reader_next(&csv))
			if (csv.n_fields != csv.n_columns)
				wrong("a row has another number of fields than the header");
	csv_reader_close(&csv);
}

static void check_json(const struct report *report)
{
	struct json_tokener *tokener = json_tokener_new();
	struct json_object *object;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	output_json(out, report);
	fclose(out);
	/* With its NUL, so that a number at the end would be one, too. */
	object = json_tokener_parse_ex(tokener, text, (int)size + 1);
	if (!object)
		wrong("the JSON text cannot be read");
	json_object_put(object);
	json_tokener_free(tokener);
	free(text);
}

static void check_csv(const struct report *report)
{
	struct csv_reader csv;
	FILE *out = fopen(scratch_path("output.csv"), "w");

	if (!out)
		abort();
	output_csv(out, report);
	fclose(out);
	if (csv_reader_open(&csv, scratch_path("output.csv")) != 0)
		wrong("the CSV text has no header");
	while (csv_reader_next(&csv))
		;
	if (csv.malformed || csv.is_torn || csv.headers)
		wrong("the CSV text has a malformed row");
	csv_reader_close(&csv);
}

static void check_model(void)
{
	static const struct selection all = { .to_us = INT64_MAX };
	struct folder_files files;
	struct session session;
	struct report report = { .sessions = &session, .n = 1, .selection = &all };
	FILE *null = fopen("/dev/null", "w");

	if (!null || folder_files_read(&files, scratch_path("folder")) != 0)
		abort();
	for (uint32_t i = 0; i < files.sessions; i++) {
		int result = model_read(&session, &files, i, &all);

		if (result == 0) {
			check_json(&report);
			check_csv(&report);
			output_text(null, &report);
			output_openmetrics(null, &report);
		} else if (result != MODEL_NOTHING) {
			wrong("the model has no memory");
		}
		session_free(&session);
	}
	folder_files_free(&files);
	fclose(null);
}

/* The name of the file that begins at @data, "@fps.csv\n"; its length with '@' and the line end, or
 * 0. */
static size_t file_name(char name[64], const uint8_t *data, size_t size)
{
	const uint8_t *newline = size > 0 && data[0] == '@' ? memchr(data, '\n', size) : NULL;
	size_t length = newline ? (size_t)(newline - data) - 1 : 0;

	if (length == 0 || length >= 56 || data[1] == '.' || memchr(data + 1, '/', length) ||
	    memchr(data + 1, '\0', length))
		return 0;
	snprintf(name, 64, "folder/%.*s", (int)length, (const char *)data + 1);
	return length + 2;
}

/* The next "@NAME" that begins a line at or behind @at. */
static size_t next_file(const uint8_t *data, size_t size, size_t at)
{
	char name[64];

	for (; at < size; at++)
		if ((at == 0 || data[at - 1] == '\n') && file_name(name, data + at, size - at) > 0)
			return at;
	return size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char names[NAMES_MAX][64];
	unsigned int n = 0;
	size_t at = next_file(data, size, 0);

	if (!scratch_root[0]) {
		scratch_make(access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
		scratch_mkdir("folder");
		atexit(scratch_remove);
	}
	check_alone(data, at);
	while (at < size && n < NAMES_MAX) {
		size_t head = file_name(names[n], data + at, size - at);
		size_t stop = next_file(data, size, at + head);

		scratch_put_bytes(names[n++], data + at + head, stop - at - head);
		at = stop;
	}
	check_model();
	while (n > 0)
		unlink(scratch_path(names[--n]));
	return 0;
}
