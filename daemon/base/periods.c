/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/base/periods.h"

#define MS UINT64_C(1000000)

PERIODS_CONST struct periods periods = {
	.drain_most_ns = 1850 * MS,
	.drain_fresh_ns = 250 * MS,
	.drain_delayed_least_ns = 800 * MS,
	.tick_ns = 850 * MS,
	.silent_ns = 1200 * MS,
	.asleep_ns = 4000 * MS,
	.restore_ns = 700 * MS,
	.restores_ns = 60000 * MS,
	.flush_ns = 450 * MS,
	.flush_few_ns = 650 * MS,
	.flush_many_ns = 990 * MS,
	.flush_idle_ns = 2000 * MS,
	.flush_long_drain_ns = 200 * MS,
	.flush_most_ns = 2000 * MS,
	.disk_stall_ns = 2000 * MS,
	.events_held_ns = 3000 * MS,
	.watch_ns = 800 * MS,
	.client_ns = 5000 * MS,
	.front_app_ns = 2000 * MS,
};
