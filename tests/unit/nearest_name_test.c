/* SPDX-License-Identifier: Apache-2.0 */
/* The distance of two names, for messages about a name that does not exist. */
#include "tests/unit/unit.h"

#include <string.h>

#include "daemon/base/nearest_name.h"

TEST(distances_are_counted_in_bytes)
{
	assert_int_equal(nearest_name_distance("", ""), 0);
	assert_int_equal(nearest_name_distance("com.a/com.a.Main", "com.a/com.a.Main"), 0);
	assert_int_equal(nearest_name_distance("com.a", "com.b"), 1);
	assert_int_equal(nearest_name_distance("com.a", "om.a"), 1);
	assert_int_equal(nearest_name_distance("", "com"), 3);
	assert_int_equal(nearest_name_distance("kitten", "sitting"), 3);
}

TEST(only_the_begin_of_a_long_name_counts)
{
	char a[NEAREST_NAME_BYTES + 50], b[NEAREST_NAME_BYTES + 10];

	memset(a, 'x', sizeof(a));
	memset(b, 'x', sizeof(b));
	a[sizeof(a) - 1] = b[sizeof(b) - 1] = '\0';
	assert_int_equal(nearest_name_distance(a, b), 0);
}
