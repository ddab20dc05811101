/* SPDX-License-Identifier: Apache-2.0 */
/* The wire format of protocol buffers: the fields of a message, one after the other.
 *
 * Nothing is copied or allocated; nothing outside of the span is read, whatever the bytes are.
 */
#ifndef JANKD_PARSER_PROTOBUF_H
#define JANKD_PARSER_PROTOBUF_H

#include <stdbool.h>
#include <stdint.h>

#include "parser/span.h"

enum protobuf_type {
	PROTOBUF_VARINT = 0,
	PROTOBUF_FIXED64 = 1,
	PROTOBUF_BYTES = 2, /* text, bytes, a message, a packed array */
	PROTOBUF_FIXED32 = 5,
};

struct protobuf_field {
	uint32_t number;
	enum protobuf_type type;
	uint64_t value;	   /* of a number; 0 for bytes */
	struct span bytes; /* PROTOBUF_BYTES, borrowed; else empty */
};

/* Reads a varint and advances @rest. Returns false if it is incomplete, or has more than 10 bytes;
 * then @rest is unchanged. */
static inline bool protobuf_varint(struct span *rest, uint64_t *value)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < 10 && i < rest->len; i++) {
		uint8_t byte = (uint8_t)rest->ptr[i];

		sum |= (uint64_t)(byte & 0x7f) << (7 * i);
		if (!(byte & 0x80)) {
			*rest = (struct span){ rest->ptr + i + 1, rest->len - i - 1 };
			*value = sum;
			return true;
		}
	}
	return false;
}

/**
 * protobuf_next() - the next field of a message
 * @rest: unread bytes of the message; advanced past the field
 *
 * Returns false at the end, where @rest is empty, and at a field that is cut or invalid, where it
 * is not.
 */
bool protobuf_next(struct span *rest, struct protobuf_field *field);

#endif
