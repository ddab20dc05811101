/* SPDX-License-Identifier: Apache-2.0 */
/* The distance of two names, for messages about a name that does not exist. */
#include "tests/unit/unit.h"

#include <string.h>

#include "daemon/base/nearest_name.h"

static void distances_are_counted_in_bytes(void **state)
{
	assert_int_equal(nearest_name_distance("", ""), 0);
	assert_int_equal(nearest_name_distance("com.a/com.a.Main", "com.a/com.a.Main"), 0);
	assert_int_equal(nearest_name_distance("com.a", "com.b"), 1);
	assert_int_equal(nearest_name_distance("com.a", "om.a"), 1);
	assert_int_equal(nearest_name_distance("", "com"), 3);
	assert_int_equal(nearest_name_distance("kitten", "sitting"), 3);
}

static void only_the_begin_of_a_long_name_counts(void **state)
{
	char a[NEAREST_NAME_BYTES + 50], b[NEAREST_NAME_BYTES + 10];

	memset(a, 'x', sizeof(a));
	memset(b, 'x', sizeof(b));
	a[sizeof(a) - 1] = b[sizeof(b) - 1] = '\0';
	assert_int_equal(nearest_name_distance(a, b), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(distances_are_counted_in_bytes),
		cmocka_unit_test(only_the_begin_of_a_long_name_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
