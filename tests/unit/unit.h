/* SPDX-License-Identifier: Apache-2.0 */
/* What every unit test includes first: cmocka wants these four before itself. */
#ifndef JANKD_TESTS_UNIT_H
#define JANKD_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define MS UINT64_C(1000000)
#define SECOND UINT64_C(1000000000)

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

#endif
