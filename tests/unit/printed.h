/* SPDX-License-Identifier: Apache-2.0 */
/* What a function prints to standard error or standard output. */
#ifndef JANKD_TESTS_PRINTED_H
#define JANKD_TESTS_PRINTED_H

/* From now on what is written to the descriptor @fd (1 or 2) goes to a file without a name. No
 * assertion may stand before printed_end(): its message would go there, too. */
void printed_begin(int fd);

/* As it was before. Returns what was written; the text lives until the next call. */
const char *printed_end(void);

#endif
