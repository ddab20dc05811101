/* SPDX-License-Identifier: Apache-2.0 */
/* The wire format of protocol buffers: the fields of a message, one after the other.
 *
 * Nothing is copied or allocated; nothing outside of the span is read, whatever the bytes are.
 */
#ifndef JANKD_PARSER_PROTOBUF_H
#define JANKD_PARSER_PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parser/span.h"
#include "parser/swar.h"

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

/* A varint of up to eight bytes, where as many can be read: times and most others. Returns what is
 * behind it; NULL: it is longer. */
static inline const char *protobuf_short(const char *at, uint64_t *value)
{
	uint64_t word = word_load(at), ends = ~word & WORD_HIGHS;

	if (ends == 0)
		return NULL;
	if ((ends & 0x8080) == 0x8000) { /* tags and threads */
		*value = (word & 0x7f) | (word & 0x7f00) >> 1;
		return at + 2;
	}
	/* 7 bits of each byte, without a loop. */
	word &= (ends ^ (ends - 1)) & UINT64_C(0x7f7f7f7f7f7f7f7f);
	word = (word & UINT64_C(0x007f007f007f007f)) | (word & UINT64_C(0x7f007f007f007f00)) >> 1;
	word = (word & UINT64_C(0x00003fff00003fff)) | (word & UINT64_C(0x3fff00003fff0000)) >> 2;
	*value = (word & UINT64_C(0x000000000fffffff)) | (word & UINT64_C(0x0fffffff00000000)) >> 4;
	return at + __builtin_ctzll(ends) / 8 + 1;
}

/* A varint near the end of the bytes, or of more than eight bytes, such as an address in the
 * kernel. Returns how many bytes it has; 0: it is incomplete, or has more than 10. */
unsigned int protobuf_varint_slow(struct span bytes, uint64_t *value);

/* Reads a varint and advances @rest. Returns false if it is incomplete, or has more than 10 bytes;
 * then @rest is unchanged. */
static inline bool protobuf_varint(struct span *rest, uint64_t *value)
{
	const char *end;

	if (rest->len == 0)
		return false;
	if ((uint8_t)rest->ptr[0] < 0x80) {
		*value = (uint8_t)rest->ptr[0];
		*rest = (struct span){ rest->ptr + 1, rest->len - 1 };
		return true;
	}
	end = rest->len >= 8 ? protobuf_short(rest->ptr, value) : NULL;
	if (!end) {
		uint64_t slow; /* of its own: a variable whose address is passed on is in memory */

		end = rest->ptr + protobuf_varint_slow(*rest, &slow);
		if (end == rest->ptr)
			return false;
		*value = slow;
	}
	*rest = (struct span){ end, rest->len - (size_t)(end - rest->ptr) };
	return true;
}

/* A number of fixed size. Returns how many bytes it has; 0: it is incomplete, or of another type.
 */
unsigned int protobuf_fixed(struct span bytes, enum protobuf_type type, uint64_t *value);

/**
 * protobuf_next() - the next field of a message
 * @rest: unread bytes of the message; advanced past the field
 *
 * Returns false at the end, where @rest is empty, and at a field that is cut or invalid, where it
 * is not.
 */
static inline bool protobuf_next(struct span *rest, struct protobuf_field *field)
{
	struct span at = *rest;
	uint64_t tag;

	if (!protobuf_varint(&at, &tag) || tag >> 3 == 0 || tag >> 32 != 0)
		return false;
	field->number = (uint32_t)(tag >> 3);
	field->type = (enum protobuf_type)(tag & 7);
	field->value = 0;
	field->bytes = SPAN_NULL;
	if (field->type == PROTOBUF_VARINT) {
		if (!protobuf_varint(&at, &field->value))
			return false;
	} else if (field->type == PROTOBUF_BYTES) {
		uint64_t len;

		if (!protobuf_varint(&at, &len) || len > at.len)
			return false;
		field->bytes = (struct span){ at.ptr, (size_t)len };
		at = (struct span){ at.ptr + len, at.len - (size_t)len };
	} else {
		uint64_t value;
		unsigned int size = protobuf_fixed(at, field->type, &value);

		if (size == 0)
			return false;
		field->value = value;
		at = (struct span){ at.ptr + size, at.len - size };
	}
	*rest = at;
	return true;
}

/* The member of a struct that a field sets. */
struct protobuf_member {
	enum {
		PROTOBUF_SKIPPED, /* all zeros: none */
		PROTOBUF_U64,
		PROTOBUF_I32,
		PROTOBUF_BOOL,
		PROTOBUF_FLAG, /* int32_t, 0 or 1, where another value stands for none */
		PROTOBUF_SPAN,
		PROTOBUF_FIRST_SPAN, /* of several the first; of all others the last */
	} as;
	uint16_t offset;
	uint16_t has_offset; /* of a bool that is set with it; 0: none */
};

#define PROTOBUF_MEMBER(as, type, member)                                                          \
	{                                                                                          \
		PROTOBUF_##as, offsetof(struct type, member), 0                                    \
	}
#define PROTOBUF_MEMBER_HAS(as, type, member, has)                                                 \
	{                                                                                          \
		PROTOBUF_##as, offsetof(struct type, member), offsetof(struct type, has)           \
	}

/* Sets the member of @out that a field is for. */
static inline void protobuf_set(const struct protobuf_member *member,
				const struct protobuf_field *field, void *out)
{
	void *at = (char *)out + member->offset;

	switch (member->as) {
	case PROTOBUF_SKIPPED:
		return;
	case PROTOBUF_U64:
		*(uint64_t *)at = field->value;
		break;
	case PROTOBUF_I32:
		*(int32_t *)at = (int32_t)field->value;
		break;
	case PROTOBUF_BOOL:
		*(bool *)at = field->value != 0;
		break;
	case PROTOBUF_FLAG:
		*(int32_t *)at = field->value != 0;
		break;
	case PROTOBUF_FIRST_SPAN:
		if (((struct span *)at)->ptr)
			return;
		*(struct span *)at = field->bytes;
		break;
	case PROTOBUF_SPAN:
		*(struct span *)at = field->bytes;
		break;
	}
	if (member->has_offset)
		*(bool *)((char *)out + member->has_offset) = true;
}

/* Sets the members of @out that the fields of a message are for. @members: by the number of the
 * field, below @n. Returns false if the message is damaged. */
bool protobuf_read(struct span message, const struct protobuf_member *members, unsigned int n,
		   void *out);

/* The same with an array. */
#define PROTOBUF_READ(message, members, out)                                                       \
	protobuf_read(message, members, sizeof(members) / sizeof((members)[0]), out)

#endif
