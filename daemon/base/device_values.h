/* SPDX-License-Identifier: Apache-2.0 */
/* What identifies a device (android/properties.c), and what it measures of itself at one moment
 * (android/device_state.c). */
#ifndef JANKD_DAEMON_BASE_DEVICE_VALUES_H
#define JANKD_DAEMON_BASE_DEVICE_VALUES_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* An id of a device, a serial number or one that its owner gives it, with its NUL. */
#define DEVICE_ID_SIZE 128

/* From properties; "": unknown. */
struct android_device {
	char id[DEVICE_ID_SIZE]; /* ro.serialno; the owner may set another one */
	char model[128], build[256], sdk[16];
};

/* In any field of struct device_values: the device does not have the value, or it cannot be read.
 */
#define DEVICE_UNKNOWN INT_MIN

/* The words of the kernel's power_supply class. */
enum device_charging {
	DEVICE_CHARGING,
	DEVICE_DISCHARGING,
	DEVICE_NOT_CHARGING,
	DEVICE_FULL,
};

struct device_values {
	int battery_percent;
	int charging;	/* enum device_charging */
	int screen_on;	/* 0 or 1 */
	int brightness; /* 0 to brightness_max, in units of the panel's driver */
	int brightness_max;
	int cpu_cooling; /* the highest step of the kernel's coolers of CPUs; 0: full speed */
	/* Thousandths of a degree Celsius; of several sensors the highest. */
	int battery_mc, skin_mc, cpu_mc;
};

/* No value is known. */
#define DEVICE_VALUES_NONE                                                                         \
	((struct device_values){                                                                   \
		.battery_percent = DEVICE_UNKNOWN,                                                 \
		.charging = DEVICE_UNKNOWN,                                                        \
		.screen_on = DEVICE_UNKNOWN,                                                       \
		.brightness = DEVICE_UNKNOWN,                                                      \
		.brightness_max = DEVICE_UNKNOWN,                                                  \
		.cpu_cooling = DEVICE_UNKNOWN,                                                     \
		.battery_mc = DEVICE_UNKNOWN,                                                      \
		.skin_mc = DEVICE_UNKNOWN,                                                         \
		.cpu_mc = DEVICE_UNKNOWN,                                                          \
	})

/* True: at least one value is known. */
static inline bool device_values_any(const struct device_values *values)
{
	return memcmp(values, &DEVICE_VALUES_NONE, sizeof(*values)) != 0;
}

/* As it is printed: "charging", "not charging" and so on. NULL: unknown. */
static inline const char *device_charging_name(int charging)
{
	static const char *const names[] = {
		[DEVICE_CHARGING] = "charging",
		[DEVICE_DISCHARGING] = "discharging",
		[DEVICE_NOT_CHARGING] = "not charging",
		[DEVICE_FULL] = "full",
	};

	return charging >= DEVICE_CHARGING && charging <= DEVICE_FULL ? names[charging] : NULL;
}

#endif
