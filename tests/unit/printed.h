/* SPDX-License-Identifier: Apache-2.0 */
/* What a function prints to standard error or standard output. */
#ifndef JANKD_TESTS_PRINTED_H
#define JANKD_TESTS_PRINTED_H

/* Redirects the descriptor @fd (1 or 2) to a temporary file. Do not assert anything before
 * printed_end(): the message would go into that file. */
void printed_begin(int fd);

/* Ends the redirection. Returns the text; it is valid until the next call. */
const char *printed_end(void);

#endif
