/* SPDX-License-Identifier: Apache-2.0 */
/* Memory between two unreadable pages: a read of one byte too far is a fault. */
#ifndef JANKD_TESTS_GUARDED_H
#define JANKD_TESTS_GUARDED_H

#include <stddef.h>

struct guarded {
	char *first; /* first readable byte: a page begins here, the one before is unreadable */
	char *end;   /* after the last readable byte: an unreadable page begins here */
};

/* Allocates at least @size readable bytes, to be freed with guarded_free(). Aborts if out of
 * memory. */
struct guarded guarded_new(size_t size);

void guarded_free(struct guarded *memory);

/* Such memory for each test of a file: FIXTURE(guarded_set_up, guarded_tear_down). */
#define GUARDED_SIZE ((size_t)1 << 20)
extern struct guarded guarded;
int guarded_set_up(void **state);
int guarded_tear_down(void **state);

#endif
