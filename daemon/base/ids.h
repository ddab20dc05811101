/* SPDX-License-Identifier: Apache-2.0 */
#ifndef JANKD_DAEMON_BASE_IDS_H
#define JANKD_DAEMON_BASE_IDS_H

/* The id of a session: random, a new one at each start of a capture. A program that copies files
 * sees from it that another capture has begun. A device without a serial number has such an id,
 * too. 16 hexadecimal digits and a NUL. */
#define SESSION_ID_SIZE 17

/* Sets @id to "" if the kernel gives no random number. */
void session_id_make(char id[static SESSION_ID_SIZE]);

/* The kernel's boot id: a new one after each boot. */
#define BOOT_ID_SIZE 64

/* Sets @id to "" if it cannot be read. */
void boot_id_read(char id[static BOOT_ID_SIZE]);

#endif
