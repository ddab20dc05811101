/* SPDX-License-Identifier: Apache-2.0 */
/* Android's system properties, through getprop and setprop. */
#ifndef JANKD_DAEMON_ANDROID_PROPERTIES_H
#define JANKD_DAEMON_ANDROID_PROPERTIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/device_values.h"

/* A time limit for several calls of getprop and setprop together. */
struct property_budget {
	int64_t deadline_ms; /* CLOCK_MONOTONIC */
	bool until_signal;   /* see child_run() */
	bool is_over;	     /* getprop does not exist, or a call failed: it is not run again */
};

/* Returns a budget of two seconds, from now on. */
struct property_budget property_budget_begin(bool until_signal);

/* Reads a property; one that is not set is "". Returns false, with "", if it cannot be read. */
bool android_getprop(struct property_budget *budget, const char *name, char *value, size_t size);

/* Returns 0 or -errno; -EACCES if setprop failed. */
int android_setprop(struct property_budget *budget, const char *name, const char *value);

/**
 * property_serial_open() - open the number that the C library of Android adds 1 to whenever any
 * property is set: the serial of its property area (bionic, libc/system_properties/prop_area.h)
 * @root: prefix of its path
 *
 * Returns a descriptor, or -1 if this device has none. The caller closes it.
 */
int property_serial_open(const char *root);

/* Returns that number, or -1 if it is unknown. */
int64_t property_serial_read(int fd);

/* Reads them; those that cannot be read are "". */
void android_device_read(struct property_budget *budget, struct android_device *device);

#endif
