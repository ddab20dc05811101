/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <spawn.h>
#include <sys/wait.h>

#include "tests/unit/emulated.h"

void needs_errors_of_spawn(void)
{
	char *argv[] = { "/no/such/program", NULL };
	pid_t pid;

	if (posix_spawn(&pid, argv[0], NULL, NULL, argv, NULL) != 0)
		return;
	waitpid(pid, NULL, 0);
	print_message("skipped: posix_spawn() does not return the error of exec (qemu-user)\n");
	skip();
}
