/* SPDX-License-Identifier: Apache-2.0 */
/* The gate of --trigger: rows of its time and of the five seconds before, each once, in order. */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/files/csv_file.h"
#include "daemon/files/gate.h"

struct seen {
	char text[256];
	unsigned int rows;
	uint64_t last_end_ns;
};

static void on_row(void *context, unsigned int which, const struct gate_span *span, const char *row,
		   size_t len)
{
	struct seen *seen = context;

	(void)which;
	seen->rows++;
	assert_true(span->end_ns >= seen->last_end_ns);
	seen->last_end_ns = span->end_ns;
	if (len < 16)
		strncat(seen->text, row, len);
}

/* A row that is about [@begin_ns, @end_ns]. */
static void keep(struct gate *gate, uint64_t begin_ns, uint64_t end_ns)
{
	struct gate_span span = { begin_ns, end_ns };
	char row[16];

	snprintf(row, sizeof(row), "%u ", (unsigned int)(end_ns / SECOND));
	gate_keep(gate, 0, &span, row, strlen(row));
}

static int passes(const struct gate *gate, uint64_t begin_ns, uint64_t end_ns)
{
	struct gate_span span = { begin_ns, end_ns };

	return gate_passes(gate, &span);
}

static void test_five_seconds_before(void **state)
{
	struct gate *gate = gate_new();
	struct seen seen = { 0 };

	(void)state;
	assert_false(passes(gate, 0, UINT64_MAX));
	for (unsigned int s = 1; s <= 20; s++)
		keep(gate, (s - 1) * SECOND, s * SECOND);
	assert_int_equal(gate_open(gate, 20 * SECOND + 1, &seen, on_row), 0);
	assert_string_equal(seen.text, "16 17 18 19 20 ");
	assert_true(passes(gate, 20 * SECOND, 21 * SECOND));
	assert_true(passes(gate, 10 * SECOND, 16 * SECOND));
	assert_false(passes(gate, 10 * SECOND, 15 * SECOND));
	gate_close(gate, 30 * SECOND);
	assert_true(passes(gate, 30 * SECOND, 31 * SECOND));
	assert_false(passes(gate, 30 * SECOND + 1, 31 * SECOND));
	keep(gate, 30 * SECOND + 1, 31 * SECOND);
	assert_int_equal(gate_open(gate, 33 * SECOND, &seen, on_row), 0);
	assert_string_equal(seen.text, "16 17 18 19 20 31 ");
	gate_free(gate);
}

/* More rows than fit: the newest stay, and those that are missed are counted. */
static void test_too_many(void **state)
{
	struct gate *gate = gate_new();
	struct seen seen = { 0 };
	struct gate_span span = { 0, 0 };
	static char row[1000];
	uint64_t missed;

	(void)state;
	for (unsigned int i = 0; i < 10000; i++) {
		span.begin_ns = span.end_ns = SECOND + i * (MS / 10);
		gate_keep(gate, 0, &span, row, sizeof(row));
	}
	missed = gate_open(gate, span.end_ns, &seen, on_row);
	assert_true(missed > 0);
	assert_int_equal(missed + seen.rows, 10000);
	assert_int_equal(seen.last_end_ns, span.end_ns);
	gate_free(gate);
}

/* Whatever came before the five seconds is no loss, however much it was. */
static void test_old_rows_are_no_loss(void **state)
{
	struct gate *gate = gate_new();
	struct seen seen = { 0 };
	struct gate_span span = { 0, 0 };
	static char row[1000];

	(void)state;
	for (unsigned int i = 1; i <= 10000; i++) {
		span.begin_ns = span.end_ns = i * 10 * MS;
		gate_keep(gate, 0, &span, row, sizeof(row));
	}
	assert_int_equal(gate_open(gate, span.end_ns, &seen, on_row), 0);
	assert_int_equal(seen.rows, 501);
	gate_free(gate);
}

static void test_largest_rows(void **state)
{
	struct gate *gate = gate_new();
	struct seen seen = { 0 };
	struct gate_span span = { 1, 1 };
	char *row = calloc(1, CSV_BUFFER_SIZE);

	(void)state;
	for (int i = 0; i < 100; i++)
		gate_keep(gate, 0, &span, row, CSV_BUFFER_SIZE - (size_t)i);
	assert_int_equal(gate_open(gate, 1, &seen, on_row) + seen.rows, 100);
	assert_true(seen.rows >= 8);
	free(row);
	gate_free(gate);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_five_seconds_before),
		cmocka_unit_test(test_too_many),
		cmocka_unit_test(test_old_rows_are_no_loss),
		cmocka_unit_test(test_largest_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
