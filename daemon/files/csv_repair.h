/* SPDX-License-Identifier: Apache-2.0 */
/* Repairs a CSV file after a kill or a power cut. */
#ifndef JANKD_DAEMON_FILES_CSV_REPAIR_H
#define JANKD_DAEMON_FILES_CSV_REPAIR_H

/**
 * csv_repair_file() - make a file end with its last whole row
 * @name: in the folder; @header: its first line
 *
 * Removes half a row at the end, and all from the first NUL on: a power cut can leave blocks of
 * NULs, and no row has one. A file without a whole header is removed. A file that does not begin
 * with our header is not changed, nor is what is no regular file. What is left is on the disk when
 * this returns. Returns 0 or -errno; no such file is 0.
 */
int csv_repair_file(int folder_fd, const char *name, const char *header);

#endif
