/* SPDX-License-Identifier: Apache-2.0 */
/* Each unit test includes this header first: cmocka needs these four headers before its own. */
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
