/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/capture/interference_format.h"

#include <stdio.h>
#include <unistd.h>

/* The last option exists only at the top level. */
static const char *const names[INTERFERENCE_FORMAT_OPTIONS] = {
	"options/context-info", "options/raw",	    "options/hex",	  "options/bin",
	"options/fields",	"options/sym-addr", "options/sym-offset", "options/printk-msg-only",
};

const char *interference_format_name(unsigned int option)
{
	return option < INTERFERENCE_FORMAT_OPTIONS ? names[option] : NULL;
}

/* Returns false if the option cannot be read. */
static bool read_option(const struct interference_format *form, int option, bool *on)
{
	char value[SETTING_SIZE];

	if (setting_read_open(form->fds[option], value) < 0)
		return false;
	*on = value[0] == '1';
	return true;
}

static bool is_changed(const struct interference_format *form, int option)
{
	bool on;

	return read_option(form, option, &on) && on != form->on[option];
}

void interference_format_open(struct interference_format *form, const char *path)
{
	form->path = path;
	for (int i = 0; i < INTERFERENCE_FORMAT_OPTIONS; i++) {
		form->fds[i] = setting_open(path, names[i]);
		read_option(form, i, &form->on[i]);
	}
}

void interference_format_close(struct interference_format *form)
{
	for (int i = 0; form->path && i < INTERFERENCE_FORMAT_OPTIONS; i++)
		if (form->fds[i] >= 0)
			close(form->fds[i]);
	form->path = NULL;
}

bool interference_format_is_changed(const struct interference_format *form)
{
	for (int i = 0; form->path && i < INTERFERENCE_FORMAT_OPTIONS; i++)
		if (is_changed(form, i))
			return true;
	return false;
}

int interference_format_write(const struct interference_format *form)
{
	int error = 0;

	for (int i = 0; form->path && error == 0 && i < INTERFERENCE_FORMAT_OPTIONS; i++)
		if (is_changed(form, i))
			error = setting_write(form->path, names[i], form->on[i] ? "1" : "0");
	return error;
}

void interference_format_print(const struct interference_format *form,
			       char text[static SETTING_SIZE])
{
	size_t len = 0;

	snprintf(text, SETTING_SIZE, "all options as at the start");
	for (int i = 0; form->path && i < INTERFERENCE_FORMAT_OPTIONS; i++) {
		int n;

		if (!is_changed(form, i))
			continue;
		n = snprintf(text + len, SETTING_SIZE - len, "%s%s %d", len > 0 ? ", " : "",
			     names[i], !form->on[i]);
		if (n < 0 || (size_t)n >= SETTING_SIZE - len) {
			text[len] = '\0';
			break;
		}
		len += (size_t)n;
	}
}
