/* SPDX-License-Identifier: Apache-2.0 */
/* Each unit test includes this header first, or one_phone.h: cmocka needs these four before its own
 * header, and hardly a test does without some of those after it. */
#ifndef JANKD_TESTS_UNIT_H
#define JANKD_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/formatted.h"

#define MS UINT64_C(1000000)
#define SECOND UINT64_C(1000000000)
/* Periods of displays of 60, 90 and 120 Hz; that of 90 as measured. */
#define V60 UINT64_C(16666667)
#define V90 UINT64_C(11128400)
#define V120 UINT64_C(8333333)

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* A test: TEST(what_it_shows) { ... }. The tests of a program run in the order of their lines. Each
 * runs between the two functions of the last FIXTURE above it; either may be NULL. */
#define TEST(function)                                                                             \
	static void function(void **unit_state);                                                   \
	__attribute__((constructor(1000 + __LINE__))) static void add_##function(void)             \
	{                                                                                          \
		unit_add(#function, function);                                                     \
	}                                                                                          \
	static void function(void **unit_state)
#define FIXTURE(set_up, tear_down)                                                                 \
	__attribute__((constructor(1000 + __LINE__))) static void fixture_##set_up##_##tear_down(  \
		void)                                                                              \
	{                                                                                          \
		unit_fixture(set_up, tear_down);                                                   \
	}
void unit_add(const char *name, CMUnitTestFunction test);
void unit_fixture(CMFixtureFunction set_up, CMFixtureFunction tear_down);

/* Up to eight fields of the structure at @from: assert_fields(row, frames == 3, jank == 1). */
#define assert_fields(from, ...)                                                                   \
	FIELDS_OF(__VA_ARGS__, FIELDS_8, FIELDS_7, FIELDS_6, FIELDS_5, FIELDS_4, FIELDS_3,         \
		  FIELDS_2, FIELDS_1, 0)                                                           \
	(from, __VA_ARGS__)
#define FIELDS_OF(a, b, c, d, e, f, g, h, fields, ...) fields
#define FIELDS_8(from, a, ...) FIELDS_1(from, a), FIELDS_7(from, __VA_ARGS__)
#define FIELDS_7(from, a, ...) FIELDS_1(from, a), FIELDS_6(from, __VA_ARGS__)
#define FIELDS_6(from, a, ...) FIELDS_1(from, a), FIELDS_5(from, __VA_ARGS__)
#define FIELDS_5(from, a, ...) FIELDS_1(from, a), FIELDS_4(from, __VA_ARGS__)
#define FIELDS_4(from, a, ...) FIELDS_1(from, a), FIELDS_3(from, __VA_ARGS__)
#define FIELDS_3(from, a, ...) FIELDS_1(from, a), FIELDS_2(from, __VA_ARGS__)
#define FIELDS_2(from, a, b) FIELDS_1(from, a), FIELDS_1(from, b)
#define FIELDS_1(from, a) _assert_true((from)->a, #a, __FILE__, __LINE__)

/* The first argument of the program; NULL: none. */
extern const char *unit_argument;

#endif
