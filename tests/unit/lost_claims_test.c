/* SPDX-License-Identifier: Apache-2.0 */
/* Lines about lost events, compared with the kernel's statistics, which are files of this test. */
#include "tests/unit/unit.h"

#include "daemon/trace/lost_claims.h"
#include "tests/unit/scratch.h"

static struct trace_files files;
static struct lost_claims claims;
static uint64_t reads; /* a new one for each line */

static void account(unsigned int cpu, unsigned int overrun, unsigned int read)
{
	scratch_put(formatted("per_cpu/cpu%u/stats", cpu),
		    formatted("entries: 1\noverrun: %u\ncommit overrun: 0\ndropped events: 0\n"
			      "read events: %u\n",
			      overrun, read));
}

static int set_up(void **state)
{
	scratch_set_up(state);
	account(0, 0, 0);
	scratch_put("tracing_on", "1\n");
	trace_files_open(&files, scratch_root);
	lost_claims_begin(&claims, &files);
	return scratch_inherited();
}

static int tear_down(void **state)
{
	trace_files_close(&files);
	return scratch_tear_down_closed(state);
}

FIXTURE(set_up, tear_down)

/* Returns the number of events that a line counts as; -2: it is forged. */
static int64_t accepted_of_cpu(int32_t cpu, int64_t events)
{
	struct trace_record record = { .kind = TRACE_LOST, .cpu = cpu, .value = events };

	return lost_claims_accept(&claims, &record, ++reads) ? record.value : -2;
}

static int64_t accepted(int64_t events)
{
	return accepted_of_cpu(0, events);
}

TEST(lost_claims_of_the_kernel_are_counted)
{
	struct trace_record record = { .kind = TRACE_LOST, .value = 5 };

	account(0, 700, 10);
	assert_int_equal(accepted(700), 700);
	account(0, 1000, 20);
	assert_int_equal(accepted(200), 200);
	assert_int_equal(accepted(100), 100);
	lost_claims_drained(&claims);
	/* the line has no number, but the kernel has counted them */
	account(0, 1042, 30);
	assert_int_equal(accepted(TRACE_LOST_UNKNOWN), 42);
	assert_int_equal(claims.forged, 0);
	/* the statistics are read once for each read of the trace */
	account(0, 1043, 40);
	reads++;
	assert_true(lost_claims_accept(&claims, &record, reads));
	assert_int_equal(record.value, 1);
	account(0, 1050, 50);
	assert_true(lost_claims_accept(&claims, &record, reads));
	assert_int_equal(record.value, 0);
}

TEST(forged_lost_claims_are_ignored)
{
	char text[200];

	assert_int_equal(accepted(99999), -2);
	assert_int_equal(accepted(TRACE_LOST_UNKNOWN), -2);
	account(0, 700, 10);
	assert_int_equal(accepted(700), 700);
	lost_claims_drained(&claims);
	assert_int_equal(accepted(1), -2);
	assert_int_equal(accepted_of_cpu(-1, 1), -2);
	assert_int_equal(accepted_of_cpu(INT32_MAX, 1), -2);
	assert_int_equal(claims.forged, 5);
	/* Of this CPU the kernel says nothing. */
	scratch_mkdir("per_cpu/cpu63");
	assert_int_equal(accepted_of_cpu(63, 3), 3);
	assert_true(lost_claims_report(&claims, false, text));
	assert_string_equal(text,
			    "ignored 5 forged lines claiming lost events, the last one 1 on CPU "
			    "2147483647: the kernel's statistics show none");
	assert_int_equal(accepted(99999), -2);
	assert_false(lost_claims_report(&claims, false, text));
	assert_true(lost_claims_report(&claims, true, text));
	assert_string_equal(text, "ignored a forged line claiming 99999 lost events on CPU 0: the "
				  "kernel's statistics show none");
	assert_false(lost_claims_report(&claims, true, text));
}

/* A forged line that comes first gets the number, but the real one is still a hole. */
TEST(forged_claim_does_not_hide_a_real_loss)
{
	account(0, 700, 10);
	assert_int_equal(accepted(99999), 700);
	assert_int_equal(accepted(700), 0);
	lost_claims_drained(&claims);
	assert_int_equal(accepted(700), -2);
	account(0, 710, 20);
	assert_int_equal(accepted(4), 4);
	assert_int_equal(accepted(10), 6);
	/* a loss that was counted before the buffers were read to their end was reported by then */
	account(0, 720, 30);
	lost_claims_drained(&claims);
	assert_false(claims.has_new);
	lost_claims_update(&claims);
	assert_true(claims.has_new);
	lost_claims_drained(&claims);
	assert_false(claims.has_new);
	assert_int_equal(accepted(1), -2);
}

TEST(losses_before_the_begin_may_be_claimed)
{
	account(0, 5000, 10);
	lost_claims_begin(&claims, &files);
	assert_int_equal(accepted(5000), 5000);
	lost_claims_begin(&claims, &files);
	lost_claims_drained(&claims);
	assert_int_equal(accepted(5000), -2);
}

TEST(emptied_buffer_restarts_the_statistics)
{
	account(0, 700, 1000);
	assert_int_equal(accepted(700), 700);
	lost_claims_drained(&claims);
	/* only the statistics show it: the line may be an older one */
	account(0, 30, 20);
	assert_int_equal(accepted(99), 99);
	lost_claims_drained(&claims);
	assert_int_equal(accepted(1), -2);
	/* the write to the files was detected: the number is equal to the previous one by chance */
	account(0, 700, 2000);
	lost_claims_emptied(&claims);
	assert_int_equal(accepted(700), 700);
	lost_claims_drained(&claims);
	assert_int_equal(accepted(700), -2);
}

TEST(claims_are_accepted_without_statistics)
{
	unlink(scratch_path("per_cpu/cpu0/stats"));
	trace_files_close(&files);
	trace_files_open(&files, scratch_root);
	lost_claims_begin(&claims, &files);
	assert_int_equal(accepted(700), 700);
	assert_int_equal(accepted(TRACE_LOST_UNKNOWN), TRACE_LOST_UNKNOWN);
	assert_int_equal(accepted_of_cpu(7, 700), 700);
}
