/* SPDX-License-Identifier: Apache-2.0 */
/* Memory between two unreadable pages: a read of one byte too far is a fault. */
#ifndef JANKD_TESTS_GUARDED_H
#define JANKD_TESTS_GUARDED_H

#include <stddef.h>

struct guarded {
	char *first; /* first readable byte: a page begins here, the one before is unreadable */
	char *end;   /* behind the last readable byte: an unreadable page begins here */
};

/* At least @size readable bytes; guarded_free() gives them back. Aborts without memory. */
struct guarded guarded_new(size_t size);

void guarded_free(struct guarded *memory);

#endif
