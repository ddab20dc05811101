/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/phone/error.h"

#include <stdio.h>
#include <stdlib.h>

void phone_fail(const char *what, const char *why, const char *remedy)
{
	fprintf(stderr, "jank-phone: %s: %s; %s\n", what, why, remedy);
	exit(1);
}
