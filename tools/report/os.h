/* SPDX-License-Identifier: Apache-2.0 */
/* The operating system, as far as Linux (os_posix.c) and Windows (os_windows.c) differ in it.
 * Paths, arguments and what is printed are UTF-8 on both. */
#ifndef JANKD_TOOLS_REPORT_OS_H
#define JANKD_TOOLS_REPORT_OS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <zlib.h>

/* Must be called first: the arguments, and the standard streams. On Windows a console shows every
 * character, whatever its code page is; a pipe or a file gets UTF-8 with LF. */
void os_begin(int *argc, char ***argv);

/* Columns of the terminal that is standard output; 0: it is none. */
unsigned int os_columns(void);

struct os_entry {
	const char *name;
	bool is_folder;
	int64_t size;	    /* bytes */
	int64_t changed_ns; /* since any moment; another number after a change */
};

/* Calls @add for each file and folder in the folder @path. What is neither, as a pipe, which would
 * be waited for, is not there. Returns 0, -errno, or what @add returned if that
 * is not 0; then it ends. */
int os_list(const char *path, int (*add)(void *context, const struct os_entry *entry),
	    void *context);

/* True: it ends the name of a folder in a path. */
bool os_is_separator(char c);

/* Opens a file, plain or packed, to read it. NULL: failed; errno says why, 0 if memory is short. */
gzFile os_gzopen(const char *path);

/* Creates a file, or empties it. NULL: failed; errno says why. */
FILE *os_create(const char *path);

/* Whether a new file may take the place of what @path names. Returns 0, also if that is nothing;
 * -EISDIR if it is a folder, -EINVAL if it is a device or the like, which would be lost. */
int os_check_place(const char *path);

/* Gives a file another name, in place of the file that has it. Returns 0 or -errno. */
int os_replace(const char *from, const char *to);

void os_remove(const char *path);

/* A stream into memory, as open_memstream() makes it. NULL: failed; errno says why. */
FILE *os_memory_open(char **text, size_t *size);

/* Closes it. Then *text has what was printed; free() it. Returns 0 or -errno. */
int os_memory_close(FILE *out, char **text, size_t *size);

/* From now on an interrupt (Ctrl-C, SIGTERM) ends os_wait(), not the program. */
void os_keep_interrupts(void);

/* Waits. Returns true if an interrupt came, also before. */
bool os_wait(unsigned int seconds);

#endif
