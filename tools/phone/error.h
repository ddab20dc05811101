/* SPDX-License-Identifier: Apache-2.0 */
/* How jank-phone ends after an error. */
#ifndef JANKD_TOOLS_PHONE_ERROR_H
#define JANKD_TOOLS_PHONE_ERROR_H

/* Prints "jank-phone: @what: @why; @remedy" to stderr and exits with code 1. Functions registered
 * with atexit() are run. */
_Noreturn void fail(const char *what, const char *why, const char *remedy);

/* The same if memory for @what cannot be allocated. */
_Noreturn void fail_memory(const char *what);

#endif
