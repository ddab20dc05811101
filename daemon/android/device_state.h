/* SPDX-License-Identifier: Apache-2.0 */
/* Battery, screen and temperatures of the device, from sysfs: Android has no service that could be
 * asked without a child process. The files are found and opened once, and then read again and
 * again, so a reading costs some microseconds.
 *
 *     /sys/class/power_supply/(type Battery)   capacity, temp, status
 *     /sys/class/backlight, leds/lcd-backlight brightness, bl_power
 *     /sys/class/drm/(DSI or eDP connector)    dpms
 *     /sys/class/thermal/thermal_zone(skin, battery, cpu)     temp
 *     /sys/class/thermal/cooling_device(cpufreq, cpu)         cur_state
 *
 * Android's own thermal status is in no file. What a device does not have, or does not let this
 * user read, is unknown. */
#ifndef JANKD_DAEMON_ANDROID_DEVICE_STATE_H
#define JANKD_DAEMON_ANDROID_DEVICE_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/device_values.h"

/* A device has up to a hundred thermal zones, several of them for each CPU. */
#define DEVICE_STATE_FILES_MAX 32

/* Bytes of an event's text with its NUL. */
#define DEVICE_STATE_TEXT 256

/* What a file says. */
enum device_file_kind {
	DEVICE_FILE_CAPACITY,
	DEVICE_FILE_BATTERY_TEMP, /* tenths of a degree */
	DEVICE_FILE_STATUS,
	DEVICE_FILE_BRIGHTNESS,
	DEVICE_FILE_BL_POWER, /* of the light before it */
	DEVICE_FILE_DPMS,
	DEVICE_FILE_ZONE_SKIN,
	DEVICE_FILE_ZONE_BATTERY,
	DEVICE_FILE_ZONE_CPU,
	DEVICE_FILE_COOLING,
};

struct device_state {
	struct device_file {
		enum device_file_kind kind;
		int fd;
		int max; /* DEVICE_FILE_BRIGHTNESS: the driver's maximum, or DEVICE_UNKNOWN */
	} files[DEVICE_STATE_FILES_MAX];
	unsigned int n_files;
	struct device_values reported; /* of the last event */
	uint64_t next_ns;	       /* the next event, on the clock of the caller */
};

/* Finds and opens the files. @root: prefix of all paths, "" for those of the kernel; NULL: this is
 * no Android device, and no value is known. */
void device_state_open(struct device_state *state, const char *root);

/* Reads all values. */
struct device_values device_state_read(const struct device_state *state);

/* Reads only the files of the screen. True: the screen is known to be off. */
bool device_state_is_screen_off(const struct device_state *state);

/* True: an event is due: at the first call that finds a value; after that once a minute at most, if
 * a value has changed by more than noise. @now_ns: any clock that does not go back. @text: set to
 * "battery 81 % (-1), 31.2 C, discharging, screen on, brightness 120/255, skin 34.1 C" */
bool device_state_event(struct device_state *state, uint64_t now_ns,
			char text[static DEVICE_STATE_TEXT]);

/* May be called in any state. */
void device_state_close(struct device_state *state);

#endif
