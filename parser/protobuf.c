/* SPDX-License-Identifier: Apache-2.0 */
#include "parser/protobuf.h"

bool protobuf_varint_slow(struct span *rest, uint64_t *value)
{
	uint64_t bits = 0;

	for (unsigned int i = 0; i < 10 && i < rest->len; i++) {
		uint8_t byte = (uint8_t)rest->ptr[i];

		bits |= (uint64_t)(byte & 0x7f) << (7 * i);
		if (!(byte & 0x80)) {
			*rest = span_skip(*rest, i + 1);
			*value = bits;
			return true;
		}
	}
	return false;
}

/* Little-endian, as all numbers of fixed size are. */
static uint64_t fixed(const char *at, unsigned int size)
{
	uint64_t value = 0;

	while (size-- > 0)
		value = value << 8 | (uint8_t)at[size];
	return value;
}

bool protobuf_fixed(struct span *rest, struct protobuf_field *field)
{
	unsigned int size = field->type == PROTOBUF_FIXED64 ? 8 : 4;

	if ((field->type != PROTOBUF_FIXED64 && field->type != PROTOBUF_FIXED32) ||
	    rest->len < size)
		return false;
	field->value = fixed(rest->ptr, size);
	*rest = span_skip(*rest, size);
	return true;
}

static void set(const struct protobuf_member *member, const struct protobuf_field *field, char *out)
{
	void *at = out + member->offset;

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
		*(bool *)(out + member->has_offset) = true;
}

bool protobuf_read(struct span message, const struct protobuf_member *members, unsigned int n,
		   void *out)
{
	struct protobuf_field field;

	while (protobuf_next(&message, &field))
		if (field.number < n)
			set(&members[field.number], &field, out);
	return message.len == 0;
}
