/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/report/pack.h"

#include <errno.h>
#include <stdlib.h>
#include <zlib.h>

#define NUMBER_BYTES 8
#define NUMBER_MAX ((UINT64_C(1) << 53) - 1)

void pack_add(struct pack *pack, uint64_t number)
{
	if (pack->n + NUMBER_BYTES > pack->max) {
		size_t max = pack->max ? 2 * pack->max : 4096;
		unsigned char *bytes = realloc(pack->bytes, max);

		if (!bytes) {
			pack->failed = true;
			return;
		}
		pack->bytes = bytes;
		pack->max = max;
	}
	if (number > NUMBER_MAX)
		number = NUMBER_MAX;
	for (; number > 127; number >>= 7)
		pack->bytes[pack->n++] = (unsigned char)(number & 127) | 128;
	pack->bytes[pack->n++] = (unsigned char)number;
}

void pack_add_signed(struct pack *pack, int64_t number)
{
	pack_add(pack, number < 0 ? 2 * (uint64_t) - (number + 1) + 1 : 2 * (uint64_t)number);
}

int pack_print(struct pack *pack, FILE *out)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	uLongf n = compressBound(pack->n);
	unsigned char *packed = pack->failed ? NULL : malloc(n);
	int error = packed && compress2(packed, &n, pack->bytes, pack->n, 6) == Z_OK ? 0 : -ENOMEM;

	for (size_t i = 0; error == 0 && i < n; i += 3) {
		uint32_t three = (uint32_t)packed[i] << 16 |
				 (i + 1 < n ? (uint32_t)packed[i + 1] << 8 : 0) |
				 (i + 2 < n ? packed[i + 2] : 0);
		char text[4] = { digits[three >> 18], digits[three >> 12 & 63],
				 i + 1 < n ? digits[three >> 6 & 63] : '=',
				 i + 2 < n ? digits[three & 63] : '=' };

		fwrite(text, 1, sizeof(text), out);
	}
	free(packed);
	free(pack->bytes);
	*pack = (struct pack){ 0 };
	return error;
}
