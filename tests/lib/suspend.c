/* SPDX-License-Identifier: Apache-2.0 */
/* Simulates a suspend of the device: loaded with LD_PRELOAD, the clocks that advance in a suspend
 * jump by SUSPEND_S seconds when CLOCK_MONOTONIC, which does not, reaches SUSPEND_AT_NS. */
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

int clock_gettime(clockid_t id, struct timespec *now)
{
	static int (*real)(clockid_t id, struct timespec * now);
	static long long at_ns;
	static long seconds;
	struct timespec monotonic;
	int result;

	if (!real) {
		*(void **)&real = dlsym(RTLD_NEXT, "clock_gettime");
		at_ns = getenv("SUSPEND_AT_NS") ? atoll(getenv("SUSPEND_AT_NS")) : 0;
		seconds = getenv("SUSPEND_S") ? atol(getenv("SUSPEND_S")) : 0;
	}
	result = real(id, now);
	if (result != 0 || (id != CLOCK_BOOTTIME && id != CLOCK_REALTIME))
		return result;
	real(CLOCK_MONOTONIC, &monotonic);
	if (monotonic.tv_sec * 1000000000LL + monotonic.tv_nsec >= at_ns)
		now->tv_sec += seconds;
	return 0;
}
