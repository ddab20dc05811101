/* SPDX-License-Identifier: Apache-2.0 */
/* Memory between two unreadable pages: a read of one byte too far is a fault. */
#ifndef JANKD_TESTS_GUARDED_H
#define JANKD_TESTS_GUARDED_H

#include <stddef.h>

#define GUARDED_SIZE ((size_t)1 << 20) /* whole pages */

/* Such memory for each test of a file: FIXTURE(guarded_set_up, guarded_tear_down). */
extern struct guarded {
	char *first; /* first readable byte: a page begins here, the one before is unreadable */
	char *end;   /* after the last readable byte: an unreadable page begins here */
} guarded;
int guarded_set_up(void **state);
int guarded_tear_down(void **state);

#endif
