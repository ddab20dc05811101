/* SPDX-License-Identifier: Apache-2.0 */
#include "parser/protobuf.h"

unsigned int protobuf_varint_slow(struct span bytes, uint64_t *value)
{
	*value = 0;
	for (unsigned int i = 0; i < 10 && i < bytes.len; i++) {
		uint8_t byte = (uint8_t)bytes.ptr[i];

		*value |= (uint64_t)(byte & 0x7f) << (7 * i);
		if (!(byte & 0x80))
			return i + 1;
	}
	return 0;
}

unsigned int protobuf_fixed(struct span bytes, enum protobuf_type type, uint64_t *value)
{
	unsigned int size = type == PROTOBUF_FIXED64 ? 8 : type == PROTOBUF_FIXED32 ? 4 : 0;

	if (bytes.len < size)
		return 0;
	*value = word_load_some(bytes.ptr, size);
	return size;
}

bool protobuf_read(struct span message, const struct protobuf_member *members, unsigned int n,
		   void *out)
{
	struct protobuf_field field;

	while (protobuf_next(&message, &field))
		if (field.number < n)
			protobuf_set(&members[field.number], &field, out);
	return message.len == 0;
}
