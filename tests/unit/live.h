/* SPDX-License-Identifier: Apache-2.0 */
/* A capture of the program jankd that reads a fake tracefs: no root, no phone. Its files are in the
 * folder "out". All functions here fail the test if they cannot do what they say. */
#ifndef JANKD_TESTS_LIVE_H
#define JANKD_TESTS_LIVE_H

#include <stdint.h>

#include "tests/unit/fake_tracefs.h"
#include "tests/unit/program.h"

#define LIVE_LAYER "com.example.app/com.example.app.Main#7"

extern pid_t live_pid; /* of 'jankd run'; 0: it does not run */
extern int live_pipe;  /* for writing to the trace_pipe */

/* Fixtures of cmocka: make scratch folder and tracefs; remove them, and kill what still runs. */
int live_set_up(void **state);
int live_tear_down(void **state);

/* Starts 'jankd run --tracefs tr -F out' with more options, up to NULL, and waits until it
 * captures. */
void live_run(const char *first, ...) __attribute__((sentinel));
void live_wait_until_it_captures(void);

/* The same, but it ends at once with exit code 1; the reason is in the file run.err. */
void live_fails(const char *first, ...) __attribute__((sentinel));

/* The same with 'jankd start'. */
void live_start(const char *first, ...) __attribute__((sentinel));
pid_t live_daemon(void);

/* Sends it a signal and waits for its end. Returns the exit code of 'jankd run'; for 'jankd start'
 * 0 when the process has ended. */
int live_signal(int number);

/* SIGTERM, with exit code 0; SIGKILL. */
void live_stop(void);
void live_kill(void);

/* Waits for the end of 'jankd run' by itself, with exit code 0. */
void live_end(void);

/* Writes text into the trace_pipe. */
void live_write(const char *text);

/* The current time of the trace's clock. */
uint64_t live_now_us(void);

/* Writes @n frames of a layer, 16.667 ms apart, the first one at @from_us. */
void live_frames_at(const char *layer, uint64_t from_us, unsigned int n);

/* The same of LIVE_LAYER, the last one at the current time. */
void live_frames(unsigned int n);

/* Runs 'jankd COMMAND -F out' with one more word or NULL. Returns its exit code. */
int live_ask(const char *command, const char *word);

/* The number of rows after the header of a CSV file in the folder; waits until there are @n. */
unsigned int live_rows(const char *name);
void live_wait_rows(const char *name, unsigned int n);

/* Waits until events.csv has @text. */
#define live_wait_event(text) wait_for_text("out/events.csv", text)

/* Waits until a file of the tracefs begins with @value. */
void live_wait_setting(const char *name, const char *value);

/* Sets a file of the tracefs, as another program does. */
void live_set(const char *name, const char *value);

#endif
