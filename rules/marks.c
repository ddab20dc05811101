/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/marks.h"

#include <string.h>

#define OF_APPS_EVERY_NS UINT64_C(1000000000)

bool marks_add(struct marks *marks, uint64_t time_ns)
{
	unsigned int at = marks->n;

	if (marks->n == MARKS_MAX)
		return false;
	for (; at > 0 && marks->at_ns[at - 1] > time_ns; at--)
		marks->at_ns[at] = marks->at_ns[at - 1];
	marks->at_ns[at] = time_ns;
	marks->n++;
	return true;
}

bool marks_add_of_app(struct marks *marks, uint64_t time_ns)
{
	if (marks->n == MARKS_MAX ||
	    !rate_limit_allows(&marks->of_apps, 1, OF_APPS_EVERY_NS, time_ns))
		return false;
	return marks_add(marks, time_ns);
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

void marks_clear(struct marks *marks)
{
	*marks = (struct marks){ .n = 0 };
}
