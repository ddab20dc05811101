/* SPDX-License-Identifier: Apache-2.0 */
/* Room for names: what is kept stays as it was, and what is given back can be taken again. */
#include "tests/unit/unit.h"

#include <string.h>

#include "rules/names.h"

#define SIZE 1024
#define NAMES 40

static struct names names;

static int set_up(void **state)
{
	return names_init(&names, SIZE);
}

static int tear_down(void **state)
{
	names_free(&names);
	return 0;
}

static void test_a_name_is_copied(void **state)
{
	char text[] = "com.a/com.a.Main";
	const char *name = "";

	assert_true(names_set(&names, &name, 64, span_of(text)));
	memset(text, 'x', sizeof(text) - 1);
	assert_string_equal(name, "com.a/com.a.Main");
	assert_true(names_set(&names, &name, 6, span_of(name)));
	assert_string_equal(name, "com.a");
	names_drop(&names, &name);
	assert_string_equal(name, "");
	assert_true(names_have_room(&names, SIZE));
}

static void test_an_empty_name_takes_no_room(void **state)
{
	const char *name = "";

	assert_true(names_set(&names, &name, 64, SPAN_NULL));
	assert_string_equal(name, "");
	assert_true(names_have_room(&names, SIZE));
	assert_true(names_set(&names, &name, 64, SPAN_LITERAL("a")));
	assert_false(names_have_room(&names, SIZE));
	assert_true(names_set(&names, &name, 64, SPAN_LITERAL("")));
	assert_true(names_have_room(&names, SIZE));
}

/* No trace has a NUL in a name, but what is kept must end where it is thought to. */
static void test_a_name_ends_at_a_nul(void **state)
{
	const char *name = "";

	assert_true(names_set(&names, &name, 64, (struct span){ "a\0bcdefghijklmnopqrstuvw", 24 }));
	assert_string_equal(name, "a");
	names_drop(&names, &name);
	assert_true(names_have_room(&names, SIZE));
}

static void test_where_there_is_no_room_the_old_name_stays(void **state)
{
	const char *a = "", *b = "";
	char text[SIZE];

	memset(text, 'n', sizeof(text));
	assert_true(names_set(&names, &a, SIZE - 16, (struct span){ text, sizeof(text) }));
	assert_int_equal(strlen(a), SIZE - 17);
	assert_true(names_set(&names, &b, SIZE, SPAN_LITERAL("b")));
	assert_false(names_have_room(&names, 1));
	assert_false(names_set(&names, &b, SIZE, SPAN_LITERAL("c")));
	assert_string_equal(b, "b");
	names_drop(&names, &a);
	assert_true(names_have_room(&names, SIZE - 16));
	assert_false(names_have_room(&names, SIZE - 15));
	assert_true(names_set(&names, &b, SIZE, SPAN_LITERAL("c")));
}

/* Names of all lengths come and go: none ever has a byte of another. */
static void test_names_stay_apart(void **state)
{
	const char *kept[NAMES];
	size_t lengths[NAMES] = { 0 };
	char text[100];
	uint64_t random = 1;

	for (unsigned int i = 0; i < NAMES; i++)
		kept[i] = "";
	for (unsigned int n = 0; n < 20000; n++) {
		unsigned int i = (unsigned int)(random >> 33) % NAMES;
		size_t length = (random >> 45) % sizeof(text);

		random = random * UINT64_C(6364136223846793005) + 1;
		memset(text, 'A' + (int)i, length);
		if (names_set(&names, &kept[i], SIZE, (struct span){ text, length }))
			lengths[i] = length;
		else
			assert_false(names_have_room(&names, length + 1));
		for (unsigned int k = 0; k < NAMES; k++) {
			assert_int_equal(strlen(kept[k]), lengths[k]);
			assert_int_equal(strspn(kept[k], (char[]){ (char)('A' + k), '\0' }),
					 lengths[k]);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_a_name_is_copied, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_an_empty_name_takes_no_room, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_a_name_ends_at_a_nul, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_where_there_is_no_room_the_old_name_stays,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_names_stay_apart, set_up, tear_down),
	};

	return cmocka_run_group_tests_name("names", tests, NULL, NULL);
}
