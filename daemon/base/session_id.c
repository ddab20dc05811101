/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/base/session_id.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/random.h>

void session_id_make(char id[static SESSION_ID_SIZE])
{
	uint64_t number;

	id[0] = '\0';
	if (getrandom(&number, sizeof(number), 0) == (ssize_t)sizeof(number))
		snprintf(id, SESSION_ID_SIZE, "%016" PRIx64, number);
}
