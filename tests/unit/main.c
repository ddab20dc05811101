/* SPDX-License-Identifier: Apache-2.0 */
/* The main() of the unit tests: runs the tests that unit.h's macros have added. */
#include "tests/unit/unit.h"

#include <dirent.h>
#include <signal.h>
#include <sys/stat.h>

#define TESTS_MAX 100

const char *unit_argument;

static struct CMUnitTest tests[TESTS_MAX], next;
static size_t n_tests;

void unit_add(const char *name, CMUnitTestFunction test)
{
	if (n_tests == TESTS_MAX)
		abort();
	next.name = name;
	next.test_func = test;
	tests[n_tests++] = next;
}

void unit_fixture(CMFixtureFunction set_up, CMFixtureFunction tear_down)
{
	next.setup_func = set_up;
	next.teardown_func = tear_down;
}

/* How many descriptors are open; 0: there is no /proc. */
static int count_descriptors(void)
{
	DIR *folder = opendir("/proc/self/fd");
	int n = 0;

	while (folder && readdir(folder))
		n++;
	if (folder)
		closedir(folder);
	return n;
}

int main(int argc, char **argv)
{
	int before = count_descriptors(), failed, after;
	const char *needed;

	/* Under nohup(1) SIGHUP is ignored, and in the background of a script SIGINT. The programs
	 * that a test starts would inherit that, and a umask with which others can write. */
	signal(SIGHUP, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	umask(022);
	/* The file systems that meson.build names for this test. */
	needed = getenv("UNIT_NEEDS");
	if (needed && access(needed, F_OK) < 0) {
		printf("skipped: no %s here: mount the file system that has it\n", needed);
		return 77;
	}
	unit_argument = argc > 1 ? argv[1] : NULL;
	failed = _cmocka_run_group_tests(program_invocation_short_name, tests, n_tests, NULL, NULL);
	/* A capture of days must not run out of descriptors. */
	after = count_descriptors();
	if (after != before)
		printf("%d descriptors were left open\n", after - before);
	return failed ? failed : after != before;
}
