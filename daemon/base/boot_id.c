/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/base/boot_id.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

void boot_id_read(char id[static BOOT_ID_SIZE])
{
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, id, BOOT_ID_SIZE - 1);

	if (fd >= 0)
		close(fd);
	id[n > 0 ? n : 0] = '\0';
	id[strcspn(id, "\n")] = '\0';
}
