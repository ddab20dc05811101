/* SPDX-License-Identifier: Apache-2.0 */
/* The scan: where in a stream of ftrace text may a marker line or a loss be? */
#ifndef JANKD_PARSER_ANCHOR_H
#define JANKD_PARSER_ANCHOR_H

/**
 * anchor_find() - the first anchor in [@at, @end)
 * @begin: begin of the memory that may be read, @begin <= @at
 *
 * An anchor is a ':' that ends a time stamp and has a blank and the first letters of a function
 * that writes markers behind it, or that of "CPU:". Most are what they look like; the caller
 * looks closer. Nothing outside [@begin, @end) is read.
 *
 * Returns the ':', or NULL.
 */
const char *anchor_find(const char *begin, const char *at, const char *end);

/* The same in wider steps: for processors with AVX2, which anchor_find() asks about. */
const char *anchor_find_wide(const char *begin, const char *at, const char *end);

#endif
