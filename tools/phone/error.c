/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/phone/error.h"

#include <stdio.h>
#include <stdlib.h>

void fail(const char *what, const char *why, const char *remedy)
{
	fprintf(stderr, "jank-phone: %s: %s; %s\n", what, why, remedy);
	exit(1);
}

void fail_memory(const char *what)
{
	fail(what, "out of memory", "play a shorter trace or fewer seconds (--seconds)");
}
