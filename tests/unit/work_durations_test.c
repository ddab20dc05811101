/* SPDX-License-Identifier: Apache-2.0 */
/* The durations of frames in the output of 'dumpsys SurfaceFlinger' of each Android version, and in
 * hostile text. The expected values were computed by hand. */
#include "tests/unit/unit.h"

#include "rules/vsync/work_durations.h"

static struct work_durations read_text(const char *text)
{
	struct surfaceflinger_dump dump = SURFACEFLINGER_DUMP_NONE;

	while (*text) {
		size_t len = strcspn(text, "\n");

		surfaceflinger_dump_line(&dump, (struct span){ text, len });
		text += len + (text[len] == '\n');
	}
	return work_durations_of(&dump);
}

static const struct {
	const char *what, *text;
	struct work_durations expected;
} rows[] = {
	{ "Android 7",
	  "DispSync configuration: app phase 2000000 ns, sf phase 6000000 ns, present offset 0 ns "
	  "(refresh 16666667 ns)\n",
	  { 20666667, 10666667, 16666667 } },
	{ "Android 9: the early phases are others",
	  "DispSync configuration: app phase 3000000 ns, sf phase 1000000 ns, early app phase 5 "
	  "ns, early sf phase 6 ns, early app gl phase 7 ns, early sf gl phase 8 ns, present "
	  "offset 0 ns (refresh 16666666 ns)\n",
	  { 31333332, 15666666, 16666666 } },
	{ "Android 10: offsets below 0, at 90 Hz",
	  "VSYNC configuration:\n"
	  "         app phase:   1000000 ns\t         SF phase:  -4000000 ns\n"
	  "   early app phase:   2000000 ns\t   early SF phase:   3000000 ns\n"
	  "GL early app phase:   2000000 ns\tGL early SF phase:   3000000 ns\n"
	  "    present offset:         0 ns\t     VSYNC period:  11111111 ns\n",
	  { 17222222, 15111111, 11111111 } },
	{ "Android 11",
	  "           app phase:   2000000 ns\t         SF phase:   6000000 ns\n"
	  "next VSYNC threshold: 9223372036854775807 ns\n"
	  "      present offset:         0 ns\t     VSYNC period:  16666666 ns\r\n",
	  { 20666666, 10666666, 16666666 } },
	{ "Android 13: durations are printed, phases do not matter",
	  "           app phase:      2400001 ns\t         SF phase:    -10933333 ns\n"
	  "           app duration:  20000000 ns\t         SF duration:  27600000 ns\n"
	  "     early app phase:      1000000 ns\t   early SF phase:      1000000 ns\n"
	  "     early app duration:  11111111 ns\t   early SF duration:  22222222 ns\n"
	  "  GL early app duration:  33333333 ns\tGL early SF duration:  44444444 ns\n"
	  "       HWC min duration:  17000000 ns\n"
	  "      present offset:         0 ns\t     VSYNC period:  16666667 ns\n",
	  { 20000000, 27600000, 16666667 } },
	{ "Android 15: the period is some lines away",
	  "           app phase:      6233334 ns\t         SF phase:      6166667 ns\n"
	  "           app duration:  16600000 ns\t         SF duration:  10500000 ns\n"
	  "       HWC min duration:         0 ns\n\nScreenOff: 1d23:40:27.309\n"
	  "debugDisplayModeSetByBackdoor=false\n\n"
	  "         present offset:         0 ns\t        VSYNC period:  16666667 ns\n",
	  { 16600000, 10500000, 16666667 } },
	{ "the period is phase and duration of SurfaceFlinger",
	  "app phase: 233334 ns\tSF phase: 166667 ns\napp duration: 16600000 ns\tSF duration: "
	  "8166666 ns\n",
	  { 16600000, 8166666, 8333333 } },
	{ "the first line counts: later ones may be names of layers",
	  "app duration: 1000000 ns\tSF duration: 2000000 ns\n"
	  "present offset: 0 ns\tVSYNC period: 8333333 ns\n"
	  "* Layer 0x7f (x\napp duration: 3000000 ns\tSF duration: 4000000 ns\n"
	  "present offset: 0 ns\tVSYNC period: 16666666 ns\n",
	  { 1000000, 2000000, 8333333 } },
	{ "the limit is 200 ms",
	  "app duration: 200000000 ns\tSF duration: 200000001 ns\n"
	  "present offset: 0 ns\tVSYNC period: 16666666 ns\n",
	  { 200000000, 0, 16666666 } },
	{ "a stated value that is not possible is not replaced by phases",
	  "app phase: 1000000 ns\tSF phase: 1000000 ns\n"
	  "app duration: -1 ns\tSF duration: 0 ns\n"
	  "present offset: 0 ns\tVSYNC period: 16666666 ns\n",
	  { 0, 0, 16666666 } },
	{ "phases without a period", "app phase: 1000000 ns\tSF phase: 1000000 ns\n", { 0, 0, 0 } },
	{ "periods that no display has",
	  "DispSync configuration: app phase 1 ns, sf phase 1 ns (refresh 1999999 ns)\n",
	  { 0, 0, 0 } },
	{ "periods that no display has",
	  "DispSync configuration: app phase 1 ns, sf phase 1 ns (refresh 1000000001 ns)\n",
	  { 0, 0, 0 } },
	{ "a phase of more than a period",
	  "DispSync configuration: app phase 1 ns, sf phase 17000000 ns (refresh 16666666 ns)\n",
	  { 33666665, 0, 16666666 } },
	{ "the largest numbers",
	  "app phase: -999999999999999999 ns\tSF phase: 999999999999999999 ns\n"
	  "present offset: 0 ns\tVSYNC period: 16666666 ns\n",
	  { 0, 0, 16666666 } },
	{ "the largest numbers, the other way",
	  "app phase: 999999999999999999 ns\tSF phase: -999999999999999999 ns\n"
	  "app duration: 999999999999999999 ns\tSF duration: 9999999999999999999 ns\n"
	  "present offset: 0 ns\tVSYNC period: 99999999999999999999 ns\n",
	  { 0, 0, 0 } },
	{ "no numbers",
	  "app phase: ns\tSF phase: - ns\napp duration: 1.5 ns\tSF duration: 5 ms\n"
	  "app duration:\tSF duration:\npresent offset: 0 ns\tVSYNC period: 0x10 ns\n",
	  { 0, 0, 0 } },
};

TEST(durations_of_each_version)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct work_durations got = read_text(rows[i].text);

		if (got.app_ns != rows[i].expected.app_ns || got.sf_ns != rows[i].expected.sf_ns ||
		    got.period_ns != rows[i].expected.period_ns)
			fail_msg("%s: app %llu, sf %llu, period %llu", rows[i].what,
				 (unsigned long long)got.app_ns, (unsigned long long)got.sf_ns,
				 (unsigned long long)got.period_ns);
	}
}

/* The rest is read only as long as it may change the result. */
TEST(complete_when_durations_and_period_are_known)
{
	struct surfaceflinger_dump dump = SURFACEFLINGER_DUMP_NONE;

	surfaceflinger_dump_line(&dump, span_of("app phase: 1 ns\tSF phase: 1 ns"));
	surfaceflinger_dump_line(&dump, span_of("present offset: 0 ns\tVSYNC period: 16666666 ns"));
	assert_false(surfaceflinger_dump_is_complete(&dump));
	surfaceflinger_dump_line(&dump, span_of("app duration: 2 ns\tSF duration: 3 ns"));
	assert_true(surfaceflinger_dump_is_complete(&dump));
}
