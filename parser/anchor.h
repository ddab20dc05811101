/* SPDX-License-Identifier: Apache-2.0 */
/* The scan: finds the places in a stream of ftrace text that may be a marker line or a loss. */
#ifndef JANKD_PARSER_ANCHOR_H
#define JANKD_PARSER_ANCHOR_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* The most anchors that one call finds. */
#define ANCHORS_MAX 192

/* True: the ':' at @at is an anchor. Reads one byte before it and three after it. */
static inline bool anchor_is(const char *at)
{
	if (at[0] != ':')
		return false;
	if (at[-1] == 'U')
		return true;
	if (at[1] != ' ' || at[-1] < '0' || at[-1] > '9')
		return false;
	return at[2] == '0' ? at[3] == ':' || at[3] == 'x'
			    : at[3] == 'r' && (at[2] == 't' || at[2] == 'p' || at[2] == 'w');
}

/* False: there is no anchor in [@at, @end), which is a part of a line. Reads one byte before it. */
static inline bool anchor_may_be_in(const char *at, const char *end)
{
	for (; (at = memchr(at, ':', (size_t)(end - at))); at++)
		if (end - at < 3 || anchor_is(at))
			return true;
	return false;
}

/* A piece of text that is scanned. */
struct anchor_scan {
	const char *begin; /* start of the readable memory and of a line */
	const char *at;	   /* next byte to scan */
	const char *end;
};

/**
 * anchor_scan() - find the next anchors, in order
 * @scan: at is advanced to the end, or less far if @found gets full
 * @found: array of ANCHORS_MAX entries
 *
 * An anchor is the ':' of "CPU:", or a ':' that ends a time stamp and is followed by a blank and
 * the first letters of a function that writes markers. Nearly all of them are marker lines; the
 * caller checks. Nothing outside of [begin, end) is read.
 *
 * Returns the number of anchors.
 */
size_t anchor_scan(struct anchor_scan *scan, const char **found);

/* The first anchor in [@at, @end), or NULL. */
const char *anchor_find(const char *begin, const char *at, const char *end);

/* The implementations of anchor_scan(), chosen by the processor's features. All give the same
 * result. */
size_t anchor_scan_portable(struct anchor_scan *scan, const char **found);
#if defined(__x86_64__) || defined(__aarch64__)
#define ANCHOR_HAS_VECTOR 1
size_t anchor_scan_vector(struct anchor_scan *scan, const char **found);
#endif
#ifdef __x86_64__
size_t anchor_scan_avx2(struct anchor_scan *scan, const char **found);
#endif

#endif
