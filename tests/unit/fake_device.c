/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/fake_device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

static const char getprop[] = "#!/bin/sh\ncat \"$DEVICE/properties/$1\" 2>/dev/null || echo\n";
/* A property is set completely or not at all, even if the script is killed. */
static const char setprop[] = "#!/bin/sh\n"
			      "echo \"$2\" > \"$DEVICE/$1.$$\" &&\n"
			      "mv \"$DEVICE/$1.$$\" \"$DEVICE/properties/$1\"\n";
static const char dumpsys[] = "#!/bin/sh\necho \"dumpsys $*\" >> \"$DEVICE/log\"\n"
			      "cat \"$DEVICE/dumpsys-$1\" 2>/dev/null || echo no service\n";

static char *usual_path;

static void put_program(const struct scratch *scratch, const char *program, const char *text)
{
	char name[64], temporary[64];

	snprintf(name, sizeof(name), "device/bin/%s", program);
	snprintf(temporary, sizeof(temporary), "device/%s.new", program);
	/* A new file: a script that runs must not be overwritten. */
	scratch_put(scratch, temporary, text);
	chmod(scratch_path(scratch, temporary), 0755);
	rename(scratch_path(scratch, temporary), scratch_path(scratch, name));
}

void fake_device_begin(const struct scratch *scratch, const char *tracefs)
{
	char path[4096];

	scratch_mkdir(scratch, "device/bin");
	scratch_mkdir(scratch, "device/properties");
	put_program(scratch, "atrace", atrace);
	put_program(scratch, "getprop", getprop);
	put_program(scratch, "setprop", setprop);
	put_program(scratch, "dumpsys", dumpsys);
	usual_path = strdup(getenv("PATH"));
	snprintf(path, sizeof(path), "%s:%s", scratch_path(scratch, "device/bin"), usual_path);
	setenv("PATH", path, 1);
	setenv("DEVICE", scratch_path(scratch, "device"), 1);
	setenv("INSTANCE", scratch_path(scratch, tracefs), 1);
}

void fake_device_end(void)
{
	setenv("PATH", usual_path, 1);
	free(usual_path);
	usual_path = NULL;
}

void fake_device_remove(const struct scratch *scratch, const char *program)
{
	char name[64];

	snprintf(name, sizeof(name), "device/bin/%s", program);
	unlink(scratch_path(scratch, name));
}

void fake_device_hang(const struct scratch *scratch, const char *program)
{
	put_program(scratch, program, "#!/bin/sh\nexec sleep 1000\n");
}

void fake_device_fail(const struct scratch *scratch, const char *program, const char *message)
{
	char text[512];

	snprintf(text, sizeof(text),
		 "#!/bin/sh\necho \"%s $*\" >> \"$DEVICE/log\"\necho '%s'\nexit 1\n", program,
		 message);
	put_program(scratch, program, text);
}

void fake_device_set(const struct scratch *scratch, const char *property, const char *value)
{
	char name[128], line[256];

	snprintf(name, sizeof(name), "device/properties/%s", property);
	snprintf(line, sizeof(line), "%s\n", value);
	scratch_put(scratch, name, line);
}

const char *fake_device_get(const struct scratch *scratch, const char *property)
{
	static char value[256];
	char name[128];

	snprintf(name, sizeof(name), "device/properties/%s", property);
	snprintf(value, sizeof(value), "%s", scratch_get(scratch, name));
	value[strcspn(value, "\n")] = '\0';
	return value;
}

void fake_device_dumpsys(const struct scratch *scratch, const char *service, const char *text)
{
	char name[128];

	snprintf(name, sizeof(name), "device/dumpsys-%s", service);
	scratch_put(scratch, name, text);
}
