/* SPDX-License-Identifier: Apache-2.0 */
#include "parser/anchor.h"

size_t anchor_scan_portable(struct anchor_scan *scan, const char **found)
{
	const char *at = scan->at + (scan->at == scan->begin), *end = scan->end;
	size_t n = 0;

	/* anchor_is() reads three bytes more. */
	while (n < ANCHORS_MAX && end - at > 3 && (at = memchr(at, ':', (size_t)(end - at) - 3))) {
		found[n] = at;
		n += anchor_is(at++);
	}
	scan->at = n < ANCHORS_MAX ? end : at;
	return n;
}

size_t anchor_scan(struct anchor_scan *scan, const char **found)
{
#ifdef __x86_64__
	if (__builtin_cpu_supports("avx2"))
		return anchor_scan_avx2(scan, found);
#endif
#ifdef ANCHOR_HAS_VECTOR
	return anchor_scan_vector(scan, found);
#else
	return anchor_scan_portable(scan, found);
#endif
}

const char *anchor_find(const char *begin, const char *at, const char *end)
{
	struct anchor_scan scan = { begin, at, end };
	const char *found[ANCHORS_MAX];

	while (scan.at < end)
		if (anchor_scan(&scan, found) > 0)
			return found[0];
	return NULL;
}
