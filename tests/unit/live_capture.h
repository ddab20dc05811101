/* SPDX-License-Identifier: Apache-2.0 */
/* A capture of the program jankd that reads a fake tracefs: no root, no phone. */
#ifndef JANKD_TESTS_LIVE_CAPTURE_H
#define JANKD_TESTS_LIVE_CAPTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/unit/fake_tracefs.h"
#include "tests/unit/program.h"

#define LIVE_LAYER "com.example.app/com.example.app.Main#7"

struct live_capture {
	struct scratch scratch; /* holds "tr", the tracefs, and "out", the folder with files */
	int pipe;		/* for writing to the trace_pipe */
	struct program program; /* 'jankd run' */
};

/* Makes the folder and the tracefs; live_capture_remove() removes them, and kills a program that
 * still runs. */
void live_capture_make(struct live_capture *capture);
void live_capture_remove(struct live_capture *capture);

/* The same as fixtures of cmocka. *state is a struct live_capture. */
int live_capture_set_up(void **state);
int live_capture_tear_down(void **state);

/* Starts 'jankd run --tracefs tr -F out' with more options, up to NULL, and waits until it
 * captures. False: it ended instead. */
bool live_capture_run(struct live_capture *capture, const char *first, ...)
	__attribute__((sentinel));

/* The same with 'jankd start'. Its pid is in the file out/.lock. */
bool live_capture_start(struct live_capture *capture, const char *first, ...)
	__attribute__((sentinel));
pid_t live_capture_pid(const struct live_capture *capture);

/* Sends it a signal and waits for its end. Returns the exit code of 'jankd run'; for 'jankd start'
 * 0 when the process has ended. */
int live_capture_signal(struct live_capture *capture, int number);

/* Writes text into the trace_pipe. */
void live_capture_write(struct live_capture *capture, const char *text);

/* The current time of the trace's clock. */
uint64_t live_capture_now_us(void);

/* Writes @n frames of a layer, 16.667 ms apart, the first one at @from_us. */
void live_capture_frames_at(struct live_capture *capture, const char *layer, uint64_t from_us,
			    unsigned int n);

/* The same of LIVE_LAYER, the last one at the current time. */
void live_capture_frames(struct live_capture *capture, unsigned int n);

/* Runs 'jankd COMMAND -F out' with one more word or NULL. Returns its exit code; what it printed is
 * in COMMAND.out and COMMAND.err of the scratch folder. */
int live_capture_ask(struct live_capture *capture, const char *command, const char *word);

/* Waits until a CSV file of the folder has at least @n rows after its header. */
bool live_capture_has_rows(const struct live_capture *capture, const char *name, unsigned int n);
unsigned int live_capture_rows(const struct live_capture *capture, const char *name);

/* Waits until a file of the tracefs begins with @value. */
bool live_capture_is_set(const struct live_capture *capture, const char *name, const char *value);

/* Sets a file of the tracefs, as another program does. */
void live_capture_set(const struct live_capture *capture, const char *name, const char *value);

#endif
