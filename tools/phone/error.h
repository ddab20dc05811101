/* SPDX-License-Identifier: Apache-2.0 */
/* How jank-phone ends when it cannot go on. */
#ifndef JANKD_TOOLS_PHONE_ERROR_H
#define JANKD_TOOLS_PHONE_ERROR_H

/* Prints "jank-phone: @what: @why; @remedy" and exits with 1; whatever was set up with atexit()
 * is undone. */
_Noreturn void phone_fail(const char *what, const char *why, const char *remedy);

#endif
