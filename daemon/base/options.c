/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/base/options.h"

#include <sys/stat.h>

#define ANDROID_TMP "/data/local/tmp"

const char *options_command_name(enum options_command command)
{
	static const char *const names[] = {
		[OPTIONS_RUN] = "run",
		[OPTIONS_START] = "start",
		[OPTIONS_ANALYZE] = "analyze",
	};

	return names[command];
}

const char *options_default_folder(void)
{
	struct stat info;

	if (stat(ANDROID_TMP, &info) == 0 && S_ISDIR(info.st_mode))
		return ANDROID_TMP "/fps";
	return "./fps";
}
