/* SPDX-License-Identifier: Apache-2.0 */
/* Repairs a CSV file after a kill or a power cut. */
#ifndef JANKD_DAEMON_FILES_CSV_REPAIR_H
#define JANKD_DAEMON_FILES_CSV_REPAIR_H

/**
 * csv_repair_file() - make a file end with its last whole row
 * @name: in the folder; @header: its first line
 *
 * Removes an incomplete row at the end. Removes everything from the first NUL on: a power cut can
 * leave blocks of NULs, and no row has one. Removes a file that ends within its header. Does not
 * change a file that begins with something else or is not a regular file. The file is synced when
 * this returns. Returns 0 or -errno; 0 if there is no such file.
 */
int csv_repair_file(int folder_fd, const char *name, const char *header);

#endif
