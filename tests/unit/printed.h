/* SPDX-License-Identifier: Apache-2.0 */
/* What a function prints to standard error or standard output, and checks of texts. */
#ifndef JANKD_TESTS_PRINTED_H
#define JANKD_TESTS_PRINTED_H

/* Redirects the descriptor @fd (1 or 2) to a temporary file. Do not assert anything before
 * printed_end(): the message would go into that file. */
void printed_begin(int fd);

/* Ends the redirection. Returns the text; it is valid until the next call. */
const char *printed_end(void);

/* What a statement prints to standard error. */
#define printed_by(statement) (printed_begin(2), (statement), printed_end())

/* A text has each of some parts, or none of them; or begins with one. */
#define assert_contains(text, ...)                                                                 \
	printed_check_parts(text, 1, __FILE__, __LINE__, __VA_ARGS__, (const char *)NULL)
#define assert_lacks(text, ...)                                                                    \
	printed_check_parts(text, 0, __FILE__, __LINE__, __VA_ARGS__, (const char *)NULL)
void printed_check_parts(const char *text, int wanted, const char *file, int line, ...);
#define assert_begins(text, begin) printed_check_begin(text, begin, __FILE__, __LINE__)
void printed_check_begin(const char *text, const char *begin, const char *file, int line);

/* A message is one line for the user that begins with "jankd: ". */
#define assert_one_line(text) printed_check_line(text, __FILE__, __LINE__)
void printed_check_line(const char *text, const char *file, int line);

#endif
