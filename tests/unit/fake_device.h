/* SPDX-License-Identifier: Apache-2.0 */
/* Android's programs as small scripts on PATH: atrace, getprop, setprop, dumpsys. Properties are
 * files; a call of atrace and dumpsys is a line of the file "device/log". */
#ifndef JANKD_TESTS_FAKE_DEVICE_H
#define JANKD_TESTS_FAKE_DEVICE_H

#include <stdbool.h>

#include "tests/unit/scratch.h"

/* Puts them before all else on PATH, as long as fake_device_end() is not called. @tracefs: the
 * folder of @scratch that their atrace writes to. */
void fake_device_begin(const struct scratch *scratch, const char *tracefs);
void fake_device_end(void);

/* A program of them is gone, hangs, or fails with a message. */
void fake_device_remove(const struct scratch *scratch, const char *program);
void fake_device_hang(const struct scratch *scratch, const char *program);
void fake_device_fail(const struct scratch *scratch, const char *program, const char *message);

/* A property; "" where it is not set. */
void fake_device_set(const struct scratch *scratch, const char *property, const char *value);
const char *fake_device_get(const struct scratch *scratch, const char *property);

/* What 'dumpsys SERVICE' prints. */
void fake_device_dumpsys(const struct scratch *scratch, const char *service, const char *text);

#endif
