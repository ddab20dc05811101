/* SPDX-License-Identifier: Apache-2.0 */
/* CSV files of folders that a program generates, with numbers that are the same in each run. */
#ifndef JANKD_TESTS_REPORT_MADE_FILES_H
#define JANKD_TESTS_REPORT_MADE_FILES_H

#include <stdio.h>

/* Creates a file with its header line; @columns is NULL: without one. Ends the program if that
 * fails. */
FILE *made_file(const char *folder, const char *name, const char *columns);

/* A number from 0 to @n - 1. */
unsigned int random_below(unsigned int n);

#endif
