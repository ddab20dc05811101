/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/android/android.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "daemon/base/text.h"
#include "daemon/base/text_file.h"

#define MINUTE_NS (60 * UINT64_C(1000000000))

/* Sensors that are not connected report values such as 0, -40000 or 125000. Some old drivers
 * report whole degrees. A value that small or that large is unknown. */
#define LEAST_MC 1000
#define MOST_MC 120000

/* Smaller changes are noise, and cause no event. */
#define BODY_CHANGE_MC 1000
#define CPU_CHANGE_MC 10000
#define BRIGHTNESS_CHANGE 10 /* a tenth of its maximum */

/* Files of one kind, so that the CPUs' zones leave space for others. */
#define KIND_MAX 8

/* --- reading --- */

/* Reads a short text without its line end. Returns false if there is none. */
static bool read_text(int fd, char *text, size_t size)
{
	ssize_t n = text_file_read_begin(fd, text, size - 1);

	text[n > 0 ? n : 0] = '\0';
	text[strcspn(text, "\r\n")] = '\0';
	return text[0] != '\0';
}

/* Returns the number in the file, or DEVICE_UNKNOWN if it is not one from @least to @most. */
static int read_number(int fd, int least, int most)
{
	char text[32], *end;
	long value;

	if (!read_text(fd, text, sizeof(text)))
		return DEVICE_UNKNOWN;
	errno = 0;
	value = strtol(text, &end, 10);
	if (errno != 0 || end == text || *end != '\0' || value < least || value > most)
		return DEVICE_UNKNOWN;
	return (int)value;
}

/* DEVICE_UNKNOWN is less than every value. */
static int larger(int a, int b)
{
	return a > b ? a : b;
}

/* A phone that folds has a light for each panel: that of the brightest one counts. */
static void read_screen(const struct device_state *state, struct device_values *values)
{
	const struct device_file *end = state->files + state->n_files;
	int dpms = DEVICE_UNKNOWN;

	for (const struct device_file *file = state->files; file < end; file++) {
		char text[16];

		if (file->kind == DEVICE_FILE_BRIGHTNESS) {
			int brightness = read_number(file->fd, 0, INT_MAX);

			/* That of a light that is switched off is 0, whatever its file says. */
			if (file + 1 < end && file[1].kind == DEVICE_FILE_BL_POWER &&
			    read_number(file[1].fd, 1, INT_MAX) != DEVICE_UNKNOWN)
				brightness = 0;
			if (brightness <= values->brightness)
				continue;
			values->brightness = brightness;
			values->brightness_max = file->max;
		} else if (file->kind == DEVICE_FILE_DPMS &&
			   read_text(file->fd, text, sizeof(text))) {
			dpms = larger(dpms, strcmp(text, "On") == 0);
		}
	}
	if (values->brightness == 0 || dpms == 0)
		values->screen_on = 0;
	else if (values->brightness > 0 || dpms > 0)
		values->screen_on = 1;
}

/* The files with a number of their own, and what it is multiplied by. */
static const struct {
	size_t value; /* offset in struct device_values */
	int least, most, unit;
} numbers[] = {
	[DEVICE_FILE_CAPACITY] = { offsetof(struct device_values, battery_percent), 0, 100, 1 },
	[DEVICE_FILE_BATTERY_TEMP] = { offsetof(struct device_values, battery_mc), -300,
				       MOST_MC / 100, 100 },
	[DEVICE_FILE_ZONE_SKIN] = { offsetof(struct device_values, skin_mc), LEAST_MC, MOST_MC, 1 },
	[DEVICE_FILE_ZONE_BATTERY] = { offsetof(struct device_values, battery_mc), LEAST_MC,
				       MOST_MC, 1 },
	[DEVICE_FILE_ZONE_CPU] = { offsetof(struct device_values, cpu_mc), LEAST_MC, MOST_MC, 1 },
	[DEVICE_FILE_COOLING] = { offsetof(struct device_values, cpu_cooling), 0, 1000, 1 },
};

struct device_values device_state_read(const struct device_state *state)
{
	struct device_values values = DEVICE_VALUES_NONE, zones = DEVICE_VALUES_NONE;

	for (unsigned int i = 0; i < state->n_files; i++) {
		enum device_file_kind kind = state->files[i].kind;
		void *of = kind == DEVICE_FILE_ZONE_BATTERY ? &zones : &values;
		int *value = (int *)((char *)of + numbers[kind].value), number;
		char text[32];

		if (kind == DEVICE_FILE_STATUS && read_text(state->files[i].fd, text, sizeof(text)))
			/* POWER_SUPPLY_STATUS, drivers/power/supply/power_supply_sysfs.c. */
			for (int k = DEVICE_CHARGING; k <= DEVICE_FULL; k++)
				if (strcasecmp(text, device_charging_name(k)) == 0)
					values.charging = k;
		if (numbers[kind].unit == 0)
			continue;
		number = read_number(state->files[i].fd, numbers[kind].least, numbers[kind].most);
		if (number != DEVICE_UNKNOWN)
			*value = larger(*value, number * numbers[kind].unit);
	}
	if (values.battery_mc == DEVICE_UNKNOWN)
		values.battery_mc = zones.battery_mc;
	read_screen(state, &values);
	return values;
}

bool device_state_is_screen_off(const struct device_state *state)
{
	struct device_values values = DEVICE_VALUES_NONE;

	read_screen(state, &values);
	return values.screen_on == 0;
}

/* --- events --- */

static bool differs(int before, int now, int least)
{
	if (before == DEVICE_UNKNOWN || now == DEVICE_UNKNOWN)
		return before != now;
	return before < now ? now - before >= least : before - now >= least;
}

/* Adds a part of an event, with a comma before it. */
#define add(text, format, ...)                                                                     \
	text_append(text, DEVICE_STATE_TEXT, "%s" format, (text)[0] ? ", " : "", __VA_ARGS__)

bool device_state_event(struct device_state *state, uint64_t now_ns,
			char text[static DEVICE_STATE_TEXT])
{
	const struct device_values *before = &state->reported;
	struct device_values now;
	int step, percent;

	if (state->n_files == 0 || now_ns < state->next_ns)
		return false;
	state->next_ns = now_ns + MINUTE_NS;
	now = device_state_read(state);
	step = larger(now.brightness_max / BRIGHTNESS_CHANGE, 1);
	if (!differs(before->battery_percent, now.battery_percent, 1) &&
	    !differs(before->charging, now.charging, 1) &&
	    !differs(before->screen_on, now.screen_on, 1) &&
	    !differs(before->brightness, now.brightness, step) &&
	    !differs(before->cpu_cooling, now.cpu_cooling, 1) &&
	    !differs(before->battery_mc, now.battery_mc, BODY_CHANGE_MC) &&
	    !differs(before->skin_mc, now.skin_mc, BODY_CHANGE_MC) &&
	    !differs(before->cpu_mc, now.cpu_mc, CPU_CHANGE_MC))
		return false;

	text[0] = '\0';
	percent = now.battery_percent;
	if (percent != DEVICE_UNKNOWN && before->battery_percent != DEVICE_UNKNOWN &&
	    percent != before->battery_percent)
		add(text, "battery %d %% (%+d)", percent, percent - before->battery_percent);
	else if (percent != DEVICE_UNKNOWN)
		add(text, "battery %d %%", percent);
	if (now.battery_mc != DEVICE_UNKNOWN)
		add(text, "%s%.1f C", percent == DEVICE_UNKNOWN ? "battery " : "",
		    now.battery_mc / 1e3);
	if (now.charging != DEVICE_UNKNOWN)
		add(text, "%s", device_charging_name(now.charging));
	if (now.screen_on != DEVICE_UNKNOWN)
		add(text, "screen %s", now.screen_on ? "on" : "off");
	if (now.brightness != DEVICE_UNKNOWN && now.brightness_max != DEVICE_UNKNOWN)
		add(text, "brightness %d/%d", now.brightness, now.brightness_max);
	else if (now.brightness != DEVICE_UNKNOWN)
		add(text, "brightness %d", now.brightness);
	if (now.skin_mc != DEVICE_UNKNOWN)
		add(text, "skin %.1f C", now.skin_mc / 1e3);
	if (now.cpu_mc != DEVICE_UNKNOWN)
		add(text, "CPU %.1f C", now.cpu_mc / 1e3);
	if (now.cpu_cooling != DEVICE_UNKNOWN)
		add(text, "CPU cooling %d", now.cpu_cooling);
	state->reported = now;
	return text[0] != '\0';
}

/* --- finding the files --- */

static int open_in(const char *folder, const char *entry, const char *name)
{
	char path[2 * PATH_MAX]; /* open() refuses what is too long */

	snprintf(path, sizeof(path), "%s/%s/%s", folder, entry, name);
	return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

static bool add_file(struct device_state *state, enum device_file_kind kind, const char *folder,
		     const char *entry, const char *name)
{
	unsigned int same = 0;
	int fd;

	for (unsigned int i = 0; i < state->n_files; i++)
		same += state->files[i].kind == kind;
	if (same == KIND_MAX || state->n_files == DEVICE_STATE_FILES_MAX)
		return false;
	fd = open_in(folder, entry, name);
	if (fd < 0)
		return false;
	state->files[state->n_files++] = (struct device_file){ kind, fd, DEVICE_UNKNOWN };
	return true;
}

static void add_light(struct device_state *state, const char *folder, const char *entry)
{
	int fd;

	if (!add_file(state, DEVICE_FILE_BRIGHTNESS, folder, entry, "brightness"))
		return;
	fd = open_in(folder, entry, "max_brightness");
	if (fd >= 0) {
		state->files[state->n_files - 1].max = read_number(fd, 1, INT_MAX);
		close(fd);
	}
	add_file(state, DEVICE_FILE_BL_POWER, folder, entry, "bl_power");
}

/* The folders, in the order in which they are searched. */
enum folder { POWER_SUPPLY, BACKLIGHT, LEDS, DRM, THERMAL, FOLDERS };

static const char *const folders[FOLDERS] = {
	[POWER_SUPPLY] = "/sys/class/power_supply",
	[BACKLIGHT] = "/sys/class/backlight",
	[LEDS] = "/sys/class/leds",
	[DRM] = "/sys/class/drm",
	[THERMAL] = "/sys/class/thermal",
};

static void add_entry(struct device_state *state, enum folder which, const char *folder,
		      const char *entry)
{
	char type[64] = "", scope[32];

	if (which == POWER_SUPPLY || which == THERMAL)
		text_file_read(type, sizeof(type), "%s/%s/type", folder, entry);
	for (char *c = type; which == THERMAL && *c; c++)
		*c = (char)tolower((unsigned char)*c);
	switch (which) {
	case POWER_SUPPLY:
		/* The first battery. A mouse or a pen that is connected has one, too, with the
		 * scope Device. Chargers are not asked for theirs. */
		if (state->n_files > 0 || strcmp(type, "Battery") != 0 ||
		    (text_file_read(scope, sizeof(scope), "%s/%s/scope", folder, entry) &&
		     strcmp(scope, "Device") == 0))
			break;
		add_file(state, DEVICE_FILE_CAPACITY, folder, entry, "capacity");
		add_file(state, DEVICE_FILE_BATTERY_TEMP, folder, entry, "temp");
		add_file(state, DEVICE_FILE_STATUS, folder, entry, "status");
		break;
	case BACKLIGHT:
		add_light(state, folder, entry);
		break;
	case LEDS:
		if (strncmp(entry, "lcd-backlight", strlen("lcd-backlight")) == 0)
			add_light(state, folder, entry);
		break;
	case DRM:
		/* Only connectors of built-in panels: the state of a television is not that of the
		 * device. */
		if (strstr(entry, "-DSI-") || strstr(entry, "-eDP-"))
			add_file(state, DEVICE_FILE_DPMS, folder, entry, "dpms");
		break;
	default:
		/* Vendors choose the names of zones and coolers: "skin", "VIRTUAL-SKIN",
		 * "cpu-0-0-usr", "mtktscpu"; "thermal-cpufreq-0", "cpufreq-cpu4". */
		if (strncmp(entry, "cooling_device", strlen("cooling_device")) == 0) {
			if (strstr(type, "cpu"))
				add_file(state, DEVICE_FILE_COOLING, folder, entry, "cur_state");
		} else if (strstr(type, "skin")) {
			add_file(state, DEVICE_FILE_ZONE_SKIN, folder, entry, "temp");
		} else if (strstr(type, "battery")) {
			add_file(state, DEVICE_FILE_ZONE_BATTERY, folder, entry, "temp");
		} else if (strstr(type, "cpu")) {
			add_file(state, DEVICE_FILE_ZONE_CPU, folder, entry, "temp");
		}
	}
}

void device_state_open(struct device_state *state, const char *root)
{
	unsigned int battery_files = 0;
	struct dirent **entries;
	char path[PATH_MAX];

	*state = (struct device_state){ .reported = DEVICE_VALUES_NONE };
	for (int which = 0; root && which < FOLDERS; which++) {
		int n;

		if (which == BACKLIGHT)
			battery_files = state->n_files;
		/* Old drivers have the panel's light among the LEDs. */
		if (which == LEDS && state->n_files > battery_files)
			continue;
		snprintf(path, sizeof(path), "%s%s", root, folders[which]);
		/* In the order of names, so that the choice among many is the same at each start.
		 */
		n = scandir(path, &entries, NULL, alphasort);
		for (int i = 0; i < n; i++) {
			if (entries[i]->d_name[0] != '.')
				add_entry(state, (enum folder)which, path, entries[i]->d_name);
			free(entries[i]);
		}
		if (n >= 0)
			free(entries);
	}
}

void device_state_close(struct device_state *state)
{
	while (state->n_files > 0)
		close(state->files[--state->n_files].fd);
}
