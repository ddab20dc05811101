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
