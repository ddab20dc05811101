/* SPDX-License-Identifier: Apache-2.0 */
/* The versions of Android whose markers a scenario can be written in. */
#ifndef JANKD_TOOLS_PHONE_ANDROID_H
#define JANKD_TOOLS_PHONE_ANDROID_H

#include "tools/phone/simulation.h"

extern const struct vocabulary android_9;
extern const struct vocabulary android_11;
extern const struct vocabulary android_14;
extern const struct vocabulary android_15;

#endif
