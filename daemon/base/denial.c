/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/base/denial.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/base/text_file.h"

/* More groups than Android gives to a process. */
#define GROUPS_MAX 128

struct selinux selinux_read(void)
{
	struct selinux selinux = { .is_present = false };
	char enforce[16];

	selinux.is_present = text_file_read(enforce, sizeof(enforce), "/sys/fs/selinux/enforce");
	selinux.is_enforcing = strcmp(enforce, "1") == 0;
	if (selinux.is_present)
		text_file_read(selinux.context, sizeof(selinux.context), "/proc/self/attr/current");
	return selinux;
}

bool denial_is_in_group(gid_t gid)
{
	gid_t groups[GROUPS_MAX];
	int n = getgroups(GROUPS_MAX, groups);

	for (int i = 0; i < n; i++)
		if (groups[i] == gid)
			return true;
	return getegid() == gid;
}

/* Returns true if the modes allow @access (R_OK, W_OK, X_OK) to this process. */
static bool mode_allows(const struct stat *info, int access)
{
	mode_t mode = info->st_mode;

	if (geteuid() == 0)
		return true;
	if (info->st_uid == geteuid())
		mode >>= 6;
	else if (denial_is_in_group(info->st_gid))
		mode >>= 3;
	return ((int)mode & access) == access;
}

/* Checks the folders of an absolute path, then the file. If the modes of all folders above allow
 * to search them, but stat() fails, that was not denied by modes, either. */
static bool modes_allow(const char *path, int access)
{
	char part[PATH_MAX];
	struct stat info;

	if (path[0] != '/' || strlen(path) >= sizeof(part))
		return false;
	strcpy(part, path);
	for (char *slash = part + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
		*slash = '\0';
		if (stat(part, &info) < 0)
			return errno == EACCES;
		if (!mode_allows(&info, X_OK))
			return false;
	}
	return stat(part, &info) < 0 ? errno == EACCES : mode_allows(&info, access);
}

bool denial_describe(char why[static DENIAL_SIZE], const char *path, int access, int error)
{
	struct selinux selinux = { .is_enforcing = false };

	if (error == -EACCES && modes_allow(path, access))
		selinux = selinux_read();
	if (selinux.is_enforcing)
		snprintf(why, DENIAL_SIZE, "SELinux denies access from %s",
			 selinux.context[0] ? selinux.context : "this process");
	else
		snprintf(why, DENIAL_SIZE, "%s", strerror(-error));
	return selinux.is_enforcing;
}
