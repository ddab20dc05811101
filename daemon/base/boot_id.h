/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's name for the time since it began: another one after each boot. */
#ifndef JANKD_DAEMON_BASE_BOOT_ID_H
#define JANKD_DAEMON_BASE_BOOT_ID_H

#define BOOT_ID_SIZE 64

/* "" where the kernel does not say. */
void boot_id_read(char id[static BOOT_ID_SIZE]);

#endif
