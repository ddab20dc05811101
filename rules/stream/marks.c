/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/stream/marks.h"

#include <string.h>

bool marks_add(struct marks *marks, uint64_t time_ns)
{
	bool has_space = marks->n < MARKS_MAX;
	uint64_t *at_ns = marks->at_ns;
	unsigned int closest = 1, at;

	for (unsigned int i = 2; !has_space && i < marks->n; i++)
		if (at_ns[i] - at_ns[i - 1] < at_ns[closest] - at_ns[closest - 1])
			closest = i;
	if (!has_space) {
		marks->n--;
		memmove(&at_ns[closest], &at_ns[closest + 1],
			(marks->n - closest) * sizeof(at_ns[0]));
	}
	for (at = marks->n++; at > 0 && at_ns[at - 1] > time_ns; at--)
		at_ns[at] = at_ns[at - 1];
	at_ns[at] = time_ns;
	return has_space;
}

bool marks_pass(struct marks *marks, uint64_t time_ns)
{
	unsigned int n = 0;

	while (n < marks->n && marks->at_ns[n] <= time_ns)
		n++;
	marks->n -= n;
	memmove(marks->at_ns, &marks->at_ns[n], marks->n * sizeof(marks->at_ns[0]));
	return n > 0;
}
