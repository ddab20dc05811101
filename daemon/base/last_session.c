/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/base/last_session.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <json.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "daemon/base/ids.h"
#include "daemon/base/folder.h"
#include "daemon/base/text_file.h"
#include "daemon/base/wall_clock.h"
#include "rules/base/row.h"

/* Most bytes of a session.json: those of jankd have some 10 KB. Its values take more memory than
 * its text. */
#define SIZE_MAX_BYTES (1 << 17)

/* The member @key of @json, which may be NULL; NULL: there is none of that type. */
static struct json_object *member(struct json_object *json, const char *key, enum json_type type)
{
	struct json_object *value = NULL;

	if (json_object_is_type(json, json_type_object))
		json_object_object_get_ex(json, key, &value);
	return json_object_is_type(value, type) ? value : NULL;
}

static const char *string_of(struct json_object *json, const char *key)
{
	struct json_object *value = member(json, key, json_type_string);

	return value ? json_object_get_string(value) : "";
}

/* Only an id as jankd writes it: it is printed. */
static void copy_id(char id[static SESSION_ID_SIZE], const char *text)
{
	id[0] = '\0';
	if (strlen(text) == SESSION_ID_SIZE - 1 &&
	    strspn(text, "0123456789abcdef") == SESSION_ID_SIZE - 1)
		memcpy(id, text, SESSION_ID_SIZE);
}

/* Any program can set a later time, which is none in ns. */
#define TIME_MAX_S (INT64_MAX / INT64_C(1000000000) - 1)

/* The time of the newest file that a capture writes. */
static int64_t last_write(const char *folder)
{
	DIR *directory = opendir(folder);
	int64_t last_ns = ROW_UNKNOWN;
	struct dirent *entry;
	struct stat info;

	while (directory && (entry = readdir(directory))) {
		const char *name = entry->d_name, *dot = strrchr(name, '.');
		int64_t time_s, time_ns;

		if (!dot || name[0] == '.' ||
		    (strcmp(dot, ".csv") != 0 && strcmp(dot, ".json") != 0) ||
		    fstatat(dirfd(directory), name, &info, AT_SYMLINK_NOFOLLOW) < 0 ||
		    !S_ISREG(info.st_mode))
			continue;
		time_s = info.st_mtim.tv_sec;
		if (time_s < 0 || time_s > TIME_MAX_S)
			continue;
		time_ns = time_s * INT64_C(1000000000) + info.st_mtim.tv_nsec;
		if (time_ns > last_ns)
			last_ns = time_ns;
	}
	if (directory)
		closedir(directory);
	return last_ns;
}

int last_session_read(struct last_session *last, const char *folder)
{
	struct json_object *clock, *began, *options;
	const char *command, *then;
	char path[PATH_MAX], boot_id[BOOT_ID_SIZE], *text;
	struct stat info;
	ssize_t n = snprintf(path, sizeof(path), "%s/session.json", folder);

	*last = (struct last_session){ .last_ns = ROW_UNKNOWN, .booted_ns = ROW_UNKNOWN };
	if (n < 0 || n >= (ssize_t)sizeof(path))
		return -ENAMETOOLONG;
	n = text_file_read_all(&text, folder_open_regular(AT_FDCWD, path, O_RDONLY, &info),
			       SIZE_MAX_BYTES);
	if (n < 0)
		return n == -EFBIG ? -EPROTO : (int)n;
	last->json = json_tokener_parse(text);
	free(text);
	/* That of 'analyze' has no session_id. */
	command = string_of(last->json, "command");
	if (!string_of(last->json, "jankd")[0] ||
	    (strcmp(command, "run") != 0 && strcmp(command, "start") != 0)) {
		last_session_free(last);
		return -EPROTO;
	}
	last->is_trusted = info.st_uid == geteuid() && !(info.st_mode & 022);
	copy_id(last->id, string_of(last->json, "session_id"));
	copy_id(last->device, string_of(member(last->json, "device", json_type_object), "id"));
	then = string_of(last->json, "boot_id");
	boot_id_read(boot_id);
	/* Earlier versions did not write "ended". */
	if (!json_object_object_get_ex(last->json, "ended", NULL))
		last->end = LAST_SESSION_NONE;
	else if (string_of(last->json, "ended")[0])
		last->end = LAST_SESSION_ENDED;
	else if (then[0] && boot_id[0] && strcmp(then, boot_id) != 0)
		last->end = LAST_SESSION_REBOOTED;
	else
		last->end = LAST_SESSION_KILLED;
	last->last_ns = last_write(folder);
	last->booted_ns = wall_clock_now() - clock_read(CLOCK_BOOTTIME);
	last->is_daemon = strcmp(command, "start") == 0;
	clock = member(last->json, "clock", json_type_object);
	last->clock = string_of(clock, "name");
	began = member(clock, "began_ns", json_type_int);
	last->begin_ns = began ? json_object_get_int64(began) : ROW_UNKNOWN;
	options = member(last->json, "arguments", json_type_array);
	last->n_options = options ? (ssize_t)json_object_array_length(options) : -1;
	return 0;
}

void last_session_free(struct last_session *last)
{
	json_object_put(last->json);
	last->json = NULL;
}

const char *last_session_option(const struct last_session *last, size_t i)
{
	struct json_object *options = member(last->json, "arguments", json_type_array);
	struct json_object *word = json_object_array_get_idx(options, i);

	return json_object_is_type(word, json_type_string) ? json_object_get_string(word) : NULL;
}

enum last_session_end last_session_describe(char text[static LAST_SESSION_TEXT], const char *folder)
{
	char wrote[WALL_CLOCK_TEXT], booted[WALL_CLOCK_TEXT];
	struct last_session last;

	last_session_read(&last, folder);
	last_session_free(&last);
	wall_clock_format(wrote, last.last_ns);
	wall_clock_format(booted, last.booted_ns);
	text[0] = '\0';
	if (last.end == LAST_SESSION_REBOOTED)
		snprintf(text, LAST_SESSION_TEXT,
			 "the last one was ended by a reboot at %s, after its last write at %s",
			 booted, wrote);
	else if (last.end == LAST_SESSION_KILLED)
		snprintf(text, LAST_SESSION_TEXT,
			 "the last one was killed, or could not complete its files, after its last "
			 "write at %s",
			 wrote);
	return last.end;
}
