/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/android/android.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/child.h"
#include "daemon/base/wall_clock.h"

#define BUDGET_MS 4000
#define ANSWER_MS 2000

struct property_budget property_budget_begin(bool until_signal)
{
	return (struct property_budget){
		.deadline_ms = clock_monotonic_ms() + BUDGET_MS,
		.until_signal = until_signal,
		.is_over = !child_program_exists("getprop"),
	};
}

static int rest_ms(const struct property_budget *budget)
{
	int64_t rest_ms = budget->deadline_ms - clock_monotonic_ms();

	return rest_ms < ANSWER_MS ? (int)rest_ms : ANSWER_MS;
}

bool android_getprop(struct property_budget *budget, const char *name, char *value, size_t size)
{
	char *argv[] = { "getprop", (char *)name, NULL };
	int status = -ENOENT;

	value[0] = '\0';
	if (!budget->is_over)
		status = child_run(argv, rest_ms(budget), 0, budget->until_signal, value, size);
	budget->is_over |= status < 0;
	if (status != 0)
		value[0] = '\0';
	value[strcspn(value, "\r\n")] = '\0';
	return status == 0;
}

int android_setprop(struct property_budget *budget, const char *name, const char *value)
{
	char *argv[] = { "setprop", (char *)name, (char *)value, NULL };
	char output[256];
	int status =
		child_run(argv, rest_ms(budget), 0, budget->until_signal, output, sizeof(output));

	return status > 0 ? -EACCES : status;
}

/* The begin of a property area, since Android 5. */
struct area {
	uint32_t used, serial, magic, version;
};

#define AREA_MAGIC 0x504f5250
#define AREA_VERSION 0xfc6ed0ab

/* Since Android 7 there is an area for each SELinux context, and one for the number. */
static const char *const areas[] = {
	"/dev/__properties__/properties_serial",
	"/dev/__properties__",
};

int property_serial_open(const char *root)
{
	for (size_t i = 0; i < sizeof(areas) / sizeof(areas[0]); i++) {
		char path[PATH_MAX];
		int fd;

		snprintf(path, sizeof(path), "%s%s", root, areas[i]);
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
		if (fd >= 0 && property_serial_read(fd) >= 0)
			return fd;
		if (fd >= 0)
			close(fd);
	}
	return -1;
}

int64_t property_serial_read(int fd)
{
	struct area area;

	if (pread(fd, &area, sizeof(area), 0) != (ssize_t)sizeof(area) ||
	    area.magic != AREA_MAGIC || area.version != AREA_VERSION)
		return -1;
	return area.serial;
}

void android_device_read(struct property_budget *budget, struct android_device *device)
{
	android_getprop(budget, "ro.serialno", device->id, sizeof(device->id));
	android_getprop(budget, "ro.product.model", device->model, sizeof(device->model));
	android_getprop(budget, "ro.build.version.sdk", device->sdk, sizeof(device->sdk));
	android_getprop(budget, "ro.build.fingerprint", device->build, sizeof(device->build));
}
