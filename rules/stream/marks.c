/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/stream/marks.h"

#include <string.h>

/* Makes one of the two that are closest. */
static void merge_two(struct marks *marks)
{
	unsigned int closest = 1;

	for (unsigned int i = 2; i < marks->n; i++)
		if (marks->at_ns[i] - marks->at_ns[i - 1] <
		    marks->at_ns[closest] - marks->at_ns[closest - 1])
			closest = i;
	marks->n--;
	memmove(&marks->at_ns[closest], &marks->at_ns[closest + 1],
		(marks->n - closest) * sizeof(marks->at_ns[0]));
}

bool marks_add(struct marks *marks, uint64_t time_ns)
{
	bool has_space = marks->n < MARKS_MAX;
	unsigned int at;

	if (!has_space)
		merge_two(marks);
	at = marks->n;
	for (; at > 0 && marks->at_ns[at - 1] > time_ns; at--)
		marks->at_ns[at] = marks->at_ns[at - 1];
	marks->at_ns[at] = time_ns;
	marks->n++;
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
