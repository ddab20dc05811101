/* SPDX-License-Identifier: Apache-2.0 */
/* Every implementation of the scan finds the same anchors as a test of each byte. */
#include "tests/unit/unit.h"

#include "parser/anchor.h"
#include "tests/unit/guarded.h"

#define TEXT_MAX 16000

FIXTURE(guarded_set_up, guarded_tear_down)

static bool is_anchor(const char *begin, const char *at, const char *end)
{
	if (at == begin || end - at < 4 || at[0] != ':')
		return false;
	if (at[-1] == 'U')
		return true;
	if (at[-1] < '0' || at[-1] > '9' || at[1] != ' ')
		return false;
	return memcmp(at + 2, "tr", 2) == 0 || memcmp(at + 2, "pr", 2) == 0 ||
	       memcmp(at + 2, "wr", 2) == 0 || memcmp(at + 2, "0:", 2) == 0 ||
	       memcmp(at + 2, "0x", 2) == 0;
}

/* Scans to the end in as many calls as needed. */
static void check(size_t (*scan)(struct anchor_scan *, const char **), const char *begin,
		  const char *at, const char *end)
{
	static const char *found[TEXT_MAX];
	struct anchor_scan state = { begin, at, end };
	const char *some[ANCHORS_MAX];
	size_t n = 0, expected = 0;

	while (state.at < end) {
		size_t more = scan(&state, some);

		assert_true(more <= ANCHORS_MAX);
		memcpy(found + n, some, more * sizeof(some[0]));
		n += more;
	}
	for (const char *byte = at; byte < end; byte++) {
		if (!is_anchor(begin, byte, end))
			continue;
		assert_true(expected < n);
		assert_ptr_equal(found[expected++], byte);
	}
	assert_int_equal(n, expected);
}

static void check_all(const char *begin, const char *at, const char *end)
{
	check(anchor_scan, begin, at, end);
	check(anchor_scan_portable, begin, at, end);
#ifdef ANCHOR_HAS_VECTOR
	check(anchor_scan_vector, begin, at, end);
#endif
#ifdef __x86_64__
	if (__builtin_cpu_supports("avx2"))
		check(anchor_scan_avx2, begin, at, end);
#endif
}

/* Random text, most of it of the bytes that the scan looks for, at both ends of readable memory;
 * some has more anchors than one call returns, even one beside the other. */
TEST(all_scans_agree_on_random_text)
{
	static const char letters[] = "::::  UU00trpwx9\n\xba\xf0";

	srand(1);
	for (int n = 0; n < 3000; n++) {
		size_t size = (size_t)rand() % (n % 10 ? 200 : TEXT_MAX);
		char *begin = n % 2 ? guarded.end - size : guarded.first;
		size_t skipped = size ? (size_t)rand() % size : 0;

		for (size_t i = 0; i < size; i++)
			begin[i] = rand() % 8 ? letters[(size_t)rand() % (sizeof(letters) - 1)]
					      : (char)rand();
		for (size_t i = 0; n % 100 == 0 && i + 2 <= size; i += 2)
			memcpy(begin + i, "U:", 2);
		check_all(begin, begin, begin + size);
		check_all(begin, begin + skipped, begin + size);
	}
#ifdef __x86_64__
	if (!__builtin_cpu_supports("avx2")) {
		printf("skipped: anchor_scan_avx2: this CPU has no AVX2\n");
		exit(77);
	}
#endif
}
