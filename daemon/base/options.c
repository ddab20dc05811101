/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/base/options.h"

#include <sys/stat.h>

#define ANDROID_TMP "/data/local/tmp"

const char *options_command_name(enum options_command command)
{
	static const char *const names[OPTIONS_COMMANDS] = {
		[OPTIONS_RUN] = "run",	     [OPTIONS_START] = "start",
		[OPTIONS_STOP] = "stop",     [OPTIONS_STATUS] = "status",
		[OPTIONS_TOP] = "top",	     [OPTIONS_MARK] = "mark",
		[OPTIONS_ROTATE] = "rotate", [OPTIONS_FILES] = "files",
		[OPTIONS_DOCTOR] = "doctor", [OPTIONS_ANALYZE] = "analyze",
		[OPTIONS_RULES] = "rules",
	};

	return names[command];
}

struct options options_default(enum options_command command)
{
	struct stat info;
	bool android = stat(ANDROID_TMP, &info) == 0 && S_ISDIR(info.st_mode);

	return (struct options){
		.command = command,
		.folder = android ? ANDROID_TMP "/fps" : "./fps",
		.device_root = android ? "" : NULL,
		.pipeline = PIPELINE_OPTIONS_DEFAULT,
		.rules = "default",
		.categories = "gfx view",
		.buffer_kb = 1024,
		.snapshot_length_ns = UINT64_C(10000000000),
	};
}
