/* SPDX-License-Identifier: Apache-2.0 */
/* Parses what dumpsys prints about the app in the foreground and the display's period, in each
 * version of Android. Names of windows come from apps and may be any text. */
#ifndef JANKD_DAEMON_ANDROID_DUMPSYS_H
#define JANKD_DAEMON_ANDROID_DUMPSYS_H

#include <stdbool.h>
#include <stdint.h>

#include "parser/span.h"

#define DUMPSYS_NAME_SIZE 512

/* What a line names. A name of higher rank replaces one of lower rank. */
enum dumpsys_rank {
	DUMPSYS_NOTHING,
	DUMPSYS_APP,	/* the app with the focus */
	DUMPSYS_WINDOW, /* the window with the focus */
	DUMPSYS_DISPLAY /* the window with the focus, on the display with the focus */
};

/* All zeros before the first line. */
struct dumpsys_focus {
	enum dumpsys_rank rank;	      /* of the name */
	enum dumpsys_rank block;      /* of the current list, from its headline */
	uint64_t display;	      /* with the focus; 0 before its line */
	bool is_past;		      /* the lines describe the last ANR, not the current state */
	char name[DUMPSYS_NAME_SIZE]; /* "package/activity" with the full class name; or "" */
};

/* Parses the next line of 'dumpsys input' or 'dumpsys window'. 'dumpsys input' names the focused
 * window in different ways: up to Android 9 in a line of its own, up to 11 with hasFocus=true,
 * since 10 in a list with one window for each display. */
void dumpsys_focus_line(struct dumpsys_focus *focus, struct span line);

/* The display's period in ns: the first line of 'dumpsys SurfaceFlinger --latency'. 0 if @line is
 * not a period of 2 ms to 1 s. */
uint64_t dumpsys_period_ns(struct span line);

/* The refresh rates of the displays' modes, in mHz, without repetitions. All zeros at first. */
#define DUMPSYS_RATES_MAX 16

struct dumpsys_rates {
	unsigned int mhz[DUMPSYS_RATES_MAX];
	unsigned int n;
};

/* Adds the rates in @text, the output of 'dumpsys display': "fps=60.000004" of each mode. Further
 * ones than DUMPSYS_RATES_MAX are left out. */
void dumpsys_add_rates(struct dumpsys_rates *rates, struct span text);

#endif
