/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/trace/archive_library.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>

/* The interface has had this number since 2013. */
#define FILE_NAME "libarchive.so.13"

const struct archive_library *archive_library(void)
{
	static struct archive_library library;
	static bool tried, is_there;
	void *handle;

	if (tried)
		return is_there ? &library : NULL;
	tried = true;
	handle = dlopen(FILE_NAME, RTLD_NOW | RTLD_LOCAL);
	if (!handle)
		return NULL;
	is_there = true;
#define X(name)                                                                                    \
	*(void **)&library.name = dlsym(handle, #name);                                            \
	is_there &= library.name != NULL;
	ARCHIVE_FUNCTIONS(X)
#undef X
	return is_there ? &library : NULL;
}
