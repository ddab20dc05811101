/* SPDX-License-Identifier: Apache-2.0 */
/* What Android's dumpsys says of the display's period and of the app in front, in the words of its
 * versions. The text is a hostile app's as far as names of windows go. */
#ifndef JANKD_PARSER_DUMPSYS_H
#define JANKD_PARSER_DUMPSYS_H

#include <stdbool.h>
#include <stdint.h>

#include "parser/span.h"

#define DUMPSYS_NAME_SIZE 512

/* What a line says of the focus; the later ones are the better ones. */
enum dumpsys_rank {
	DUMPSYS_NOTHING,
	DUMPSYS_APP,	/* an app has the focus; which of its windows, nobody said */
	DUMPSYS_WINDOW, /* a window has it */
	DUMPSYS_DISPLAY /* and it is on the display in focus */
};

/* All zeros at the begin of an answer. */
struct dumpsys_focus {
	enum dumpsys_rank rank;	      /* of the name */
	enum dumpsys_rank block;      /* of the lines that belong to a headline above them */
	int64_t display;	      /* in focus; 0 until it is said */
	bool is_past;		      /* these lines tell of the last ANR, not of now */
	char name[DUMPSYS_NAME_SIZE]; /* "package/activity", the activity's name in full; "" */
};

/**
 * dumpsys_focus_line() - take the next line of 'dumpsys input' or 'dumpsys window'
 *
 * In 'dumpsys input' versions until 9 name the focused window in a line, until 11 mark it with
 * hasFocus=true; from 10 on there is a list with one for each display.
 */
void dumpsys_focus_line(struct dumpsys_focus *focus, struct span line);

/* The period in ns that 'dumpsys SurfaceFlinger --latency' begins with; 0 where it does not. */
uint64_t dumpsys_period_ns(struct span line);

#endif
