/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a file: the text in HTML and JSON does not depend on how it is read. */
#include <stdlib.h>
#include <string.h>

#include "parser/container.h"
#include "tests/fuzz/target.h"

/* Reads @data in pieces of 1 to @most bytes; the data determine the sizes. */
static void unwrap(struct container_html html, const uint8_t *data, size_t size, size_t most)
{
	size_t begin = 0, end = 0;
	bool last;

	do {
		struct span input, text;

		end += size - end > most ? 1 + data[end] % most : size - end;
		last = end == size;
		input = (struct span){ (const char *)data + begin, end - begin };
		while (container_html_next(&html, &input, last, &text))
			note(text.ptr, text.len);
		begin = (size_t)(input.ptr - (const char *)data);
		if (!last && end - begin >= CONTAINER_HTML_KEEP_MAX)
			abort();
	} while (!last);
}

static void check_recognition(const uint8_t *data, size_t size)
{
	struct span head = { (const char *)data, size };
	size_t skip;

	NOTE(container_recognise(head, &skip), skip);
	if (skip > size)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct container_html begins[] = { CONTAINER_HTML_INIT, CONTAINER_JSON_INIT };

	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++) {
		uint64_t before = fuzz_sum, whole;

		unwrap(begins[i], data, size, SIZE_MAX);
		whole = fuzz_sum;
		for (size_t most = 1; most <= 40; most += 39) {
			fuzz_sum = before;
			unwrap(begins[i], data, size, most);
			if (fuzz_sum != whole)
				abort();
		}
	}
	check_recognition(data, size);
	return 0;
}
