/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "tests/unit/fake_device.h"

/* Changes the files as Android's atrace changes those of the kernel. */
static const char atrace[] = "#!/bin/sh\n"
			     "echo \"atrace $*\" >> \"$DEVICE/log\"\n"
			     "case \"$*\" in\n"
			     "--list_categories)\n"
			     "    echo '         gfx - Graphics'\n"
			     "    echo '        view - View System';;\n"
			     "*--async_start*)\n"
			     "    setprop debug.atrace.tags.enableflags 0xa\n"
			     "    setprop debug.atrace.app_number 0\n"
			     "    setprop debug.atrace.user_initiated 1\n"
			     "    case \"$*\" in *--only_userspace*) exit 0;; esac\n"
			     "    echo 1 > \"$INSTANCE/tracing_on\"\n"
			     "    echo 1024 > \"$INSTANCE/buffer_size_kb\"\n"
			     "    echo 8192 > \"$INSTANCE/saved_cmdlines_size\";;\n"
			     "*--async_stop*)\n"
			     "    setprop debug.atrace.tags.enableflags 0\n"
			     "    setprop debug.atrace.user_initiated ''\n"
			     "    echo 0 > \"$INSTANCE/tracing_on\"\n"
			     "    echo 1 > \"$INSTANCE/buffer_size_kb\";;\n"
			     "esac\n";

static const char getprop[] = "#!/bin/sh\ncat \"$DEVICE/properties/$1\" 2>/dev/null || echo\n"
			      "echo \"$1\" >> \"$DEVICE/queries\"\n";
/* A property is set completely or not at all, even if the script is killed. */
static const char setprop[] = "#!/bin/sh\n"
			      "echo \"$2\" > \"$DEVICE/$1.$$\" &&\n"
			      "mv \"$DEVICE/$1.$$\" \"$DEVICE/properties/$1\"\n";
/* Ends the test, and the capture, if it inherits more descriptors than a program that libc has
 * started. */
static const char dumpsys[] = "#!/bin/sh\n[ \"$(ls /proc/self/fd | wc -l)\" -le "
			      "\"$DESCRIPTORS\" ] || { kill -ABRT \"$UNIT_PID\"; kill -KILL $PPID; "
			      "}\necho \"dumpsys $*\" >> \"$DEVICE/log\"\n"
			      "cat \"$DEVICE/dumpsys-$1\" 2>/dev/null || echo no service\n";

static char *usual_path;

static void put_program(const char *program, const char *text)
{
	const char *temporary = formatted("device/%s.new", program);

	/* A new file: a script that runs must not be overwritten. */
	scratch_put(temporary, text);
	chmod(scratch_path(temporary), 0755);
	rename(scratch_path(temporary), scratch_path(formatted("device/bin/%s", program)));
}

void fake_device_begin(void)
{
	char descriptors[16] = "";
	FILE *usual = popen("ls /proc/self/fd | wc -l", "re");

	if (!usual || !fgets(descriptors, sizeof(descriptors), usual) || pclose(usual) != 0)
		abort();
	descriptors[strcspn(descriptors, "\n")] = '\0';
	setenv("DESCRIPTORS", descriptors, 1);
	setenv("UNIT_PID", formatted("%d", (int)getpid()), 1);
	scratch_mkdir("device/bin");
	scratch_mkdir("device/properties");
	put_program("atrace", atrace);
	put_program("getprop", getprop);
	put_program("setprop", setprop);
	put_program("dumpsys", dumpsys);
	usual_path = strdup(getenv("PATH"));
	setenv("PATH", formatted("%s:%s", scratch_path("device/bin"), usual_path), 1);
	setenv("DEVICE", scratch_path("device"), 1);
	setenv("INSTANCE", scratch_path("tr"), 1);
}

void fake_device_end(void)
{
	setenv("PATH", usual_path, 1);
	free(usual_path);
	usual_path = NULL;
}

int fake_device_tear_down(void **state)
{
	fake_device_end();
	return scratch_tear_down_closed(state);
}

void fake_device_remove(const char *program)
{
	unlink(scratch_path(formatted("device/bin/%s", program)));
}

void fake_device_hang(const char *program)
{
	put_program(program, "#!/bin/sh\nexec sleep 1000\n");
}

void fake_device_fail(const char *program, const char *message)
{
	put_program(program,
		    formatted("#!/bin/sh\necho \"%s $*\" >> \"$DEVICE/log\"\necho '%s'\nexit 1\n",
			      program, message));
}

void fake_device_set(const char *property, const char *value)
{
	scratch_put(formatted("device/properties/%s", property), formatted("%s\n", value));
}

const char *fake_device_get(const char *property)
{
	static char value[256];

	snprintf(value, sizeof(value), "%s",
		 scratch_get(formatted("device/properties/%s", property)));
	value[strcspn(value, "\n")] = '\0';
	return value;
}

void fake_device_dumpsys(const char *service, const char *text)
{
	scratch_put(formatted("device/dumpsys-%s", service), text);
}

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
