/* SPDX-License-Identifier: Apache-2.0 */
/* Why the kernel does not let this process open a file: the modes of the file, or SELinux. Both
 * give the same error. */
#ifndef JANKD_DAEMON_BASE_DENIAL_H
#define JANKD_DAEMON_BASE_DENIAL_H

#include <stdbool.h>
#include <sys/types.h>

#define SELINUX_CONTEXT_SIZE 128

struct selinux {
	bool is_present, is_enforcing;
	char context[SELINUX_CONTEXT_SIZE]; /* of this process; "": unknown */
};

struct selinux selinux_read(void);

/* Returns true if the modes for group @gid apply to this process. */
bool denial_is_in_group(gid_t gid);

#define DENIAL_SIZE 192

/* Sets @why to "SELinux denies access from CONTEXT", or else to the text of @error (-errno). It is
 * SELinux if that is enforcing, and the modes of the file and of the folders above allow @access
 * (R_OK, W_OK). Returns true then. */
bool denial_describe(char why[static DENIAL_SIZE], const char *path, int access, int error);

#endif
