/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cli/cmd.h"

#include <stdio.h>
#include <unistd.h>

#include "daemon/files/files.h"

int cmd_files(struct options *options)
{
	if (options->read_name)
		return file_list_read(STDOUT_FILENO, options->folder, options->read_name,
				      options->read_from);
	return file_list_print(stdout, options->folder, options->list_times);
}
