/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's boot id: a new one after each boot. */
#ifndef JANKD_DAEMON_BASE_BOOT_ID_H
#define JANKD_DAEMON_BASE_BOOT_ID_H

#define BOOT_ID_SIZE 64

/* Sets @id to "" if it cannot be read. */
void boot_id_read(char id[static BOOT_ID_SIZE]);

#endif
