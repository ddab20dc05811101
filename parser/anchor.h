/* SPDX-License-Identifier: Apache-2.0 */
/* The scan: where in a stream of ftrace text may a marker line or a loss be? */
#ifndef JANKD_PARSER_ANCHOR_H
#define JANKD_PARSER_ANCHOR_H

#include <stddef.h>

/* Anchors that one scan finds at most. */
#define ANCHORS_MAX 192

/* A stretch of text while it is scanned. */
struct anchor_scan {
	const char *begin; /* of the memory that may be read: the begin of a line */
	const char *at;	   /* so far */
	const char *end;
};

/**
 * anchor_scan() - the next anchors, in order
 * @scan: at is moved on: to the end, or less far where @found is full
 * @found: ANCHORS_MAX entries
 *
 * An anchor is a ':' that ends a time stamp and has a blank and the first letters of a function
 * that writes markers behind it, or that of "CPU:". Most are what they look like; the caller
 * looks closer. Nothing outside [begin, end) is read.
 *
 * Returns how many were found.
 */
size_t anchor_scan(struct anchor_scan *scan, const char **found);

/* The first anchor in [@at, @end), or NULL. */
const char *anchor_find(const char *begin, const char *at, const char *end);

/* What anchor_scan() chooses from, by what the processor has. All give the same. */
size_t anchor_scan_portable(struct anchor_scan *scan, const char **found);
#if defined(__SSE2__) || defined(__ARM_NEON)
#define ANCHOR_HAS_VECTOR 1
size_t anchor_scan_vector(struct anchor_scan *scan, const char **found);
#endif
#ifdef __x86_64__
size_t anchor_scan_avx2(struct anchor_scan *scan, const char **found);
#endif

#endif
