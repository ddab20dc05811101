/* SPDX-License-Identifier: Apache-2.0 */
/* What qemu-user cannot do. */
#ifndef JANKD_TESTS_EMULATED_H
#define JANKD_TESTS_EMULATED_H

/*
 * Skips the test, with the reason, if posix_spawn() does not return the error of exec: qemu-user
 * implements vfork() as fork().
 */
void needs_errors_of_spawn(void);

#endif
