/* SPDX-License-Identifier: Apache-2.0 */
/* The periods of jankd-quick: those of jankd, divided by the number in the variable JANKD_QUICK. */
#define PERIODS_CONST
#include "daemon/base/periods.c"

#include <stdlib.h>

static void __attribute__((constructor)) divide(void)
{
	const char *by = getenv("JANKD_QUICK");
	uint64_t *each = (uint64_t *)&periods;

	for (size_t i = 0; by && i < sizeof(periods) / sizeof(*each); i++)
		each[i] /= strtoul(by, NULL, 10);
}
