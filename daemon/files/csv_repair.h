/* SPDX-License-Identifier: Apache-2.0 */
/* What a kill or a power cut left of a CSV file. */
#ifndef JANKD_DAEMON_FILES_CSV_REPAIR_H
#define JANKD_DAEMON_FILES_CSV_REPAIR_H

/**
 * heal_file() - make a file end with its last whole row
 * @name: in the folder; @header: its first line
 *
 * Half a row at the end is cut off, and so is all from the first NUL on: a power cut can leave
 * blocks of them, and no row has one. A file that has no whole header is removed. One that does
 * not begin like ours is left as it is, and so is what is no regular file. What is left is on the
 * disk when this returns. Returns 0 or -errno; no such file is 0.
 */
int csv_repair_file(int folder_fd, const char *name, const char *header);

#endif
