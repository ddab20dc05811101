/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/base/ids.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/random.h>

#include "daemon/base/text_file.h"

void session_id_make(char id[static SESSION_ID_SIZE])
{
	uint64_t number;

	id[0] = '\0';
	if (getrandom(&number, sizeof(number), 0) == (ssize_t)sizeof(number))
		snprintf(id, SESSION_ID_SIZE, "%016" PRIx64, number);
}

void boot_id_read(char id[static BOOT_ID_SIZE])
{
	text_file_read(id, BOOT_ID_SIZE, "/proc/sys/kernel/random/boot_id");
}
