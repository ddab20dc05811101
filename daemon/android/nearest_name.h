/* SPDX-License-Identifier: Apache-2.0 */
/* The name that a user may have meant. */
#ifndef JANKD_DAEMON_ANDROID_NEAREST_NAME_H
#define JANKD_DAEMON_ANDROID_NEAREST_NAME_H

/* Longer names are compared by their first bytes. */
#define NEAREST_NAME_BYTES 128

/* The number of bytes to insert, remove or replace to make one name from the other (Levenshtein's
 * distance). */
unsigned int nearest_name_distance(const char *a, const char *b);

#endif
