/* SPDX-License-Identifier: Apache-2.0 */
#include "parser/protobuf.h"

/* Little-endian, as all numbers of fixed size are. */
static uint64_t fixed(const char *at, unsigned int size)
{
	uint64_t value = 0;

	while (size-- > 0)
		value = value << 8 | (uint8_t)at[size];
	return value;
}

static bool read_fixed(struct span *rest, unsigned int size, uint64_t *value)
{
	if (rest->len < size)
		return false;
	*value = fixed(rest->ptr, size);
	*rest = span_skip(*rest, size);
	return true;
}

static bool read_bytes(struct span *rest, struct span *bytes)
{
	uint64_t len;

	if (!protobuf_varint(rest, &len) || len > rest->len)
		return false;
	*bytes = (struct span){ rest->ptr, (size_t)len };
	*rest = span_skip(*rest, (size_t)len);
	return true;
}

bool protobuf_next(struct span *rest, struct protobuf_field *field)
{
	struct span at = *rest;
	uint64_t tag;
	bool complete = false;

	if (!protobuf_varint(&at, &tag) || tag >> 3 == 0 || tag >> 32 != 0)
		return false;
	field->number = (uint32_t)(tag >> 3);
	field->type = (enum protobuf_type)(tag & 7);
	field->value = 0;
	field->bytes = SPAN_NULL;
	switch (field->type) {
	case PROTOBUF_VARINT:
		complete = protobuf_varint(&at, &field->value);
		break;
	case PROTOBUF_FIXED64:
		complete = read_fixed(&at, 8, &field->value);
		break;
	case PROTOBUF_BYTES:
		complete = read_bytes(&at, &field->bytes);
		break;
	case PROTOBUF_FIXED32:
		complete = read_fixed(&at, 4, &field->value);
		break;
	}
	if (complete)
		*rest = at;
	return complete;
}
