/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/base/boot_id.h"

#include "daemon/base/text_file.h"

void boot_id_read(char id[static BOOT_ID_SIZE])
{
	text_file_read(id, BOOT_ID_SIZE, "/proc/sys/kernel/random/boot_id");
}
