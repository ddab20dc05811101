/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/android/nearest_name.h"

#include <string.h>

unsigned int nearest_name_distance(const char *a, const char *b)
{
	unsigned int row[NEAREST_NAME_BYTES + 1]; /* distances of a's begin to each begin of b */
	size_t n = strnlen(a, NEAREST_NAME_BYTES), m = strnlen(b, NEAREST_NAME_BYTES);

	for (unsigned int j = 0; j <= m; j++)
		row[j] = j;
	for (size_t i = 1; i <= n; i++) {
		unsigned int diagonal = row[0];

		row[0] = (unsigned int)i;
		for (size_t j = 1; j <= m; j++) {
			unsigned int replaced = diagonal + (a[i - 1] != b[j - 1]);
			unsigned int other = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;

			diagonal = row[j];
			row[j] = replaced < other ? replaced : other;
		}
	}
	return row[m];
}
