/* SPDX-License-Identifier: Apache-2.0 */
/* Windows has UTF-16 where Linux has bytes, and paths of 260 characters unless they are absolute
 * and begin with \\?\. Its C library has UTF-8 neither in arguments nor in paths nor on a console:
 * all of them are converted here. */
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <process.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "tools/report/os.h"

/* --- texts and paths --- */

static char *utf8_of(const wchar_t *wide)
{
	int length = WideCharToMultiByte(CP_UTF8, 0, wide, -1, NULL, 0, NULL, NULL);
	char *text = malloc((size_t)length);

	if (text)
		WideCharToMultiByte(CP_UTF8, 0, wide, -1, text, length, NULL, NULL);
	return text;
}

static int os_error(DWORD error)
{
	switch (error) {
	case ERROR_FILE_NOT_FOUND:
	case ERROR_PATH_NOT_FOUND:
	case ERROR_INVALID_NAME:
	case ERROR_INVALID_DRIVE:
	case ERROR_NOT_READY:
	case ERROR_BAD_NETPATH:
	case ERROR_BAD_NET_NAME:
		return -ENOENT;
	case ERROR_ACCESS_DENIED:
		return -EACCES;
	case ERROR_SHARING_VIOLATION:
	case ERROR_LOCK_VIOLATION:
		return -EBUSY;
	case ERROR_DIRECTORY:
		return -ENOTDIR;
	case ERROR_DISK_FULL:
	case ERROR_HANDLE_DISK_FULL:
		return -ENOSPC;
	case ERROR_NOT_ENOUGH_MEMORY:
	case ERROR_OUTOFMEMORY:
		return -ENOMEM;
	default:
		return -EIO;
	}
}

/* The longest path that needs no prefix: a folder must have space for a name of 8.3 in it. */
#define PLAIN_PATH_MAX (MAX_PATH - 13)

/* The path for a system call. NULL: out of memory. */
static wchar_t *system_path(const char *path)
{
	int size = MultiByteToWideChar(CP_UTF8, 0, path, -1, NULL, 0);
	wchar_t *wide = malloc((size_t)size * sizeof(*wide)), *whole;
	const wchar_t *prefix = L"\\\\?\\", *rest;
	DWORD length;

	if (!wide)
		return NULL;
	MultiByteToWideChar(CP_UTF8, 0, path, -1, wide, size);
	if (wcsncmp(wide, L"\\\\?\\", 4) == 0 || wcsncmp(wide, L"\\\\.\\", 4) == 0) {
		/* Behind it '/' separates nothing. */
		for (wchar_t *at = wide; *at; at++)
			if (*at == L'/')
				*at = L'\\';
		return wide;
	}
	length = GetFullPathNameW(wide, 0, NULL, NULL);
	if (length <= PLAIN_PATH_MAX)
		return wide;
	whole = malloc((length + 8) * sizeof(*whole));
	rest = whole + 8;
	if (whole && GetFullPathNameW(wide, length, whole + 8, NULL) < length) {
		/* "\\server\share" becomes "\\?\UNC\server\share". */
		if (wcsncmp(rest, L"\\\\", 2) == 0)
			prefix = L"\\\\?\\UNC", rest++;
		memmove(whole + wcslen(prefix), rest, (wcslen(rest) + 1) * sizeof(*whole));
		memcpy(whole, prefix, wcslen(prefix) * sizeof(*whole));
	}
	free(wide);
	return whole;
}

bool os_is_separator(char c)
{
	/* "C:" is the current folder of that drive, "C:/" its top. */
	return c == '/' || c == '\\' || c == ':';
}

/* --- arguments and the console --- */

/* What is written to the console goes through a pipe to this thread. */
static struct {
	HANDLE console, thread;
	int from; /* end of the pipe */
	int streams[2];
	unsigned int n_streams;
} screen;

/* The bytes of @text that are whole characters. */
static size_t whole_characters(const char *text, size_t size)
{
	size_t back = 1;

	while (back < size && back < 4 && ((unsigned char)text[size - back] & 0xc0) == 0x80)
		back++;
	if (size < back || (unsigned char)text[size - back] < 0xc0)
		return size;
	return ((unsigned char)text[size - back] >= 0xf0   ? 4u
		: (unsigned char)text[size - back] >= 0xe0 ? 3u
							   : 2u) > back
		       ? size - back
		       : size;
}

static void write_to_console(const char *text, size_t size)
{
	static wchar_t wide[4096];
	int length = MultiByteToWideChar(CP_UTF8, 0, text, (int)size, wide, 4096);
	DWORD written;

	for (int at = 0; at < length; at += (int)written)
		if (!WriteConsoleW(screen.console, wide + at, (DWORD)(length - at), &written,
				   NULL) ||
		    written == 0)
			return;
}

static unsigned int __stdcall show(void *unused)
{
	static char text[4096];
	size_t size = 0;
	int got;

	while ((got = _read(screen.from, text + size, (unsigned int)(sizeof(text) - size))) > 0) {
		size_t whole = whole_characters(text, size += (size_t)got);

		write_to_console(text, whole);
		size -= whole;
		memmove(text, text + whole, size);
	}
	write_to_console(text, size);
	return 0;
}

static void end_screen(void)
{
	fflush(stdout);
	fflush(stderr);
	for (unsigned int i = 0; i < screen.n_streams; i++)
		_close(screen.streams[i]);
	WaitForSingleObject(screen.thread, INFINITE);
}

void os_begin(int *argc, char ***argv)
{
	HANDLE handles[] = { GetStdHandle(STD_OUTPUT_HANDLE), GetStdHandle(STD_ERROR_HANDLE) };
	wchar_t **wide = CommandLineToArgvW(GetCommandLineW(), argc);
	char **all = wide ? calloc((size_t)*argc + 1, sizeof(*all)) : NULL;
	int ends[2];
	DWORD mode;

	for (int i = 0; all && i < *argc; i++)
		all[i] = utf8_of(wide[i]);
	LocalFree(wide);
	if (all)
		*argv = all;

	if (_pipe(ends, 4096, _O_BINARY | _O_NOINHERIT) == 0) {
		for (int i = 0; i < 2; i++) {
			if (!GetConsoleMode(handles[i], &mode))
				continue;
			/* The stream's own end keeps another handle of it. */
			if (!screen.console &&
			    !DuplicateHandle(GetCurrentProcess(), handles[i], GetCurrentProcess(),
					     &screen.console, 0, FALSE, DUPLICATE_SAME_ACCESS))
				break;
			_dup2(ends[1], i + 1);
			screen.streams[screen.n_streams++] = i + 1;
		}
		_close(ends[1]);
		screen.from = ends[0];
		if (screen.n_streams == 0)
			_close(ends[0]);
		else
			screen.thread = (HANDLE)_beginthreadex(NULL, 0, show, NULL, 0, NULL);
		if (screen.thread)
			atexit(end_screen);
	}
	/* Else each character is written by itself. */
	setvbuf(stderr, NULL, _IOFBF, BUFSIZ);
	/* No CR before each LF. */
	_setmode(1, _O_BINARY);
	_setmode(2, _O_BINARY);
}

unsigned int os_columns(void)
{
	CONSOLE_SCREEN_BUFFER_INFO info;

	for (unsigned int i = 0; i < screen.n_streams; i++)
		if (screen.streams[i] == 1 && GetConsoleScreenBufferInfo(screen.console, &info))
			return (unsigned int)(info.srWindow.Right - info.srWindow.Left + 1);
	return 0;
}

/* --- folders and files --- */

static int64_t joined(DWORD high, DWORD low)
{
	return (int64_t)((uint64_t)high << 32 | low);
}

int os_list(const char *path, int (*add)(void *context, const struct os_entry *entry),
	    void *context)
{
	char *every = malloc(strlen(path) + 3);
	wchar_t *pattern = NULL, *folder = system_path(path);
	WIN32_FIND_DATAW found;
	int result = -ENOMEM;

	if (every) {
		strcpy(every, path);
		strcat(every, os_is_separator(path[strlen(path) - 1]) ? "*" : "/*");
		pattern = system_path(every);
	}
	if (pattern && folder) {
		HANDLE handle = FindFirstFileW(pattern, &found);
		DWORD error = GetLastError();
		bool has_next = handle != INVALID_HANDLE_VALUE;

		result = has_next ? 0 : os_error(error);
		if (!has_next) {
			DWORD attributes = GetFileAttributesW(folder);

			if (attributes == INVALID_FILE_ATTRIBUTES)
				result = os_error(GetLastError());
			else if (!(attributes & FILE_ATTRIBUTE_DIRECTORY))
				result = -ENOTDIR;
		}
		while (has_next && result == 0) {
			char *name = utf8_of(found.cFileName);
			struct os_entry entry = {
				.name = name,
				.is_folder = found.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY,
				.size = joined(found.nFileSizeHigh, found.nFileSizeLow),
				/* Units of 100 ns since 1601; in ns they are more than 63 bits. */
				.changed_ns = joined(found.ftLastWriteTime.dwHighDateTime,
						     found.ftLastWriteTime.dwLowDateTime),
			};

			result = name ? add(context, &entry) : -ENOMEM;
			free(name);
			has_next = FindNextFileW(handle, &found);
		}
		if (handle != INVALID_HANDLE_VALUE)
			FindClose(handle);
	}
	free(every);
	free(pattern);
	free(folder);
	return result;
}

gzFile os_gzopen(const char *path)
{
	wchar_t *wide = system_path(path);
	gzFile file;

	errno = 0;
	file = wide ? gzopen_w(wide, "rb") : NULL;
	free(wide);
	return file;
}

FILE *os_create(const char *path)
{
	wchar_t *wide = system_path(path);
	FILE *file = NULL;

	errno = ENOMEM;
	if (wide)
		file = _wfopen(wide, L"wb");
	free(wide);
	return file;
}

int os_check_place(const char *path)
{
	wchar_t *wide = system_path(path);
	DWORD attributes = wide ? GetFileAttributesW(wide) : INVALID_FILE_ATTRIBUTES;

	free(wide);
	return attributes != INVALID_FILE_ATTRIBUTES && attributes & FILE_ATTRIBUTE_DIRECTORY
		       ? -EISDIR
		       : 0;
}

/* A program that reads the file, as a browser, keeps its name for that time. */
#define REPLACE_TRIES 20
#define REPLACE_WAIT_MS 50

int os_replace(const char *from, const char *to)
{
	wchar_t *old = system_path(from), *new = system_path(to);
	int error = -ENOMEM;

	for (int i = 0; old && new &&error < 0 && i < REPLACE_TRIES; i++) {
		if (i > 0)
			Sleep(REPLACE_WAIT_MS);
		error = 0;
		if (!MoveFileExW(old, new, MOVEFILE_REPLACE_EXISTING))
			error = os_error(GetLastError());
	}
	free(old);
	free(new);
	return error;
}

void os_remove(const char *path)
{
	wchar_t *wide = system_path(path);

	if (wide)
		DeleteFileW(wide);
	free(wide);
}

/* --- memory --- */

/* There is no stream into memory: a file that is never written to the disk while memory is free,
 * and is removed when it is closed. */
FILE *os_memory_open(char **text, size_t *size)
{
	wchar_t folder[MAX_PATH + 1], path[MAX_PATH + 1];

	*text = NULL;
	*size = 0;
	if (GetTempPathW(MAX_PATH + 1, folder) == 0 ||
	    GetTempFileNameW(folder, L"jnk", 0, path) == 0) {
		errno = -os_error(GetLastError());
		return NULL;
	}
	/* T: temporary, D: removed when closed */
	return _wfopen(path, L"w+bTD");
}

int os_memory_close(FILE *out, char **text, size_t *size)
{
	int64_t end = fflush(out) == 0 && !ferror(out) ? _ftelli64(out) : -1;
	int error = end < 0 ? -EIO : 0;

	if (error == 0) {
		*size = (size_t)end;
		*text = malloc(*size + 1);
		rewind(out);
		if (!*text)
			error = -ENOMEM;
		else if (fread(*text, 1, *size, out) != *size)
			error = -EIO;
	}
	fclose(out);
	return error;
}

/* --- interrupts --- */

static HANDLE interrupted;

static BOOL WINAPI interrupt(DWORD kind)
{
	SetEvent(interrupted);
	/* When this returns after the console was closed, the program ends. */
	if (kind == CTRL_CLOSE_EVENT)
		Sleep(INFINITE);
	return TRUE;
}

void os_keep_interrupts(void)
{
	interrupted = CreateEventW(NULL, TRUE, FALSE, NULL);
	SetConsoleCtrlHandler(interrupt, TRUE);
}

bool os_wait(unsigned int seconds)
{
	return WaitForSingleObject(interrupted, seconds * 1000) == WAIT_OBJECT_0;
}
