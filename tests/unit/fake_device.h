/* SPDX-License-Identifier: Apache-2.0 */
/* Android's programs as small scripts on PATH: atrace, getprop, setprop, dumpsys. Properties are
 * files. Each call of atrace or dumpsys adds a line to the file "device/log", and getprop, after
 * its answer, one to "device/queries". */
#ifndef JANKD_TESTS_FAKE_DEVICE_H
#define JANKD_TESTS_FAKE_DEVICE_H

#include "tests/unit/scratch.h"

/* Puts their folder first on PATH, until fake_device_end(). Their atrace writes to folder "tr". */
void fake_device_begin(void);
void fake_device_end(void);
/* The same and scratch_tear_down_closed(). */
int fake_device_tear_down(void **state);

/* Removes one of the programs, or replaces it by one that hangs, or that fails with a message. */
void fake_device_remove(const char *program);
void fake_device_hang(const char *program);
void fake_device_fail(const char *program, const char *message);

/* Sets or returns a property; "" if it is not set. */
void fake_device_set(const char *property, const char *value);
const char *fake_device_get(const char *property);

/* Sets what 'dumpsys SERVICE' prints. */
void fake_device_dumpsys(const char *service, const char *text);

/* Skips the test, with the reason, if posix_spawn() does not return the error of exec: qemu-user
 * implements vfork() as fork(). */
void needs_errors_of_spawn(void);

#endif
