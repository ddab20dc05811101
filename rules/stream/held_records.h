/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of records that are processed later, or never. A record borrows its text, so a copy
 * includes it. */
#ifndef JANKD_RULES_STREAM_HELD_RECORDS_H
#define JANKD_RULES_STREAM_HELD_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parser/record.h"

struct held_records {
	char *bytes;	   /* the owner's, of which only those that are used are ever touched */
	size_t size, used; /* the records are in bytes[0] to bytes[used - 1] */
};

/* Adds a copy of @record. @note: of the caller. Returns false if there is no space. */
bool held_add(struct held_records *held, const struct trace_record *record, uint64_t note);

/* Reads the record at the place @at, which is 0 for the first. Its text is valid until the next
 * call of another function. Returns the place of the next record. */
size_t held_read(const struct held_records *held, size_t at, struct trace_record *record,
		 uint64_t *note);

/* Removes the records before the place @at. Places become smaller by @at. */
void held_remove(struct held_records *held, size_t at);

#endif
