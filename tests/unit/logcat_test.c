/* SPDX-License-Identifier: Apache-2.0 */
/* Lines for Android's log, received by a socket of the test. */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "daemon/android/logcat.h"
#include "tests/unit/scratch.h"

/* Bytes of the header: id, tid, time. */
#define HEADER 11

static struct logcat logcat = { .fd = -1 };
static int logd = -1;
static unsigned char datagram[8192];

static void start_logd(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	logd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	assert_true(snprintf(address.sun_path, sizeof(address.sun_path), "%s/dev/socket/logdw",
			     scratch_root) < (int)sizeof(address.sun_path));
	unlink(address.sun_path);
	assert_int_equal(bind(logd, (struct sockaddr *)&address, sizeof(address)), 0);
}

static int set_up(void **state)
{
	scratch_set_up(state);
	scratch_mkdir("dev/socket");
	logcat_open(&logcat, scratch_root);
	return 0;
}

static int tear_down(void **state)
{
	logcat_close(&logcat);
	if (logd >= 0)
		close(logd);
	logd = -1;
	return scratch_tear_down(state);
}

FIXTURE(set_up, tear_down)

/* The text of the next line, or NULL. */
static const char *next_line(void)
{
	ssize_t n = recv(logd, datagram, sizeof(datagram) - 1, 0);

	if (n < 0)
		return NULL;
	assert_true(n > HEADER + 1 + (ssize_t)sizeof("jankd"));
	assert_int_equal(datagram[n - 1], '\0');
	assert_string_equal((char *)datagram + HEADER + 1, "jankd");
	return (char *)datagram + HEADER + 1 + sizeof("jankd");
}

TEST(line_has_the_form_of_logd)
{
	uint16_t tid;
	uint32_t s, ns;

	start_logd();
	logcat_write(&logcat, LOGCAT_WARNING, "tracing was switched off");
	assert_string_equal(next_line(), "tracing was switched off");
	assert_int_equal(datagram[0], 0); /* the main log */
	memcpy(&tid, datagram + 1, sizeof(tid));
	assert_int_equal(tid, (uint16_t)gettid());
	memcpy(&s, datagram + 3, sizeof(s));
	memcpy(&ns, datagram + 7, sizeof(ns));
	assert_in_range(s, time(NULL) - 60, time(NULL) + 60);
	assert_in_range(ns, 0, 999999999);
	assert_int_equal(datagram[HEADER], 5);
	assert_null(next_line());
}

/* A line may have a name from the trace. */
TEST(bytes_that_are_no_text_are_escaped)
{
	char longest[10000];

	start_logd();
	logcat_write(&logcat, LOGCAT_INFO, "a\nb\xff");
	assert_string_equal(next_line(), "a\\x0Ab\\xFF");
	memset(longest, 'x', sizeof(longest));
	longest[sizeof(longest) - 1] = '\0';
	logcat_write(&logcat, LOGCAT_INFO, longest);
	assert_in_range(strlen(next_line()), 1000, 4000);
}

TEST(without_logd_nothing_happens)
{
	logcat_write(&logcat, LOGCAT_INFO, "to no one");
	start_logd();
	logcat_write(&logcat, LOGCAT_INFO, "first");
	assert_string_equal(next_line(), "first");
	/* logd was restarted. */
	close(logd);
	logcat_write(&logcat, LOGCAT_INFO, "to no one");
	start_logd();
	logcat_write(&logcat, LOGCAT_INFO, "second");
	assert_string_equal(next_line(), "second");
	logcat_close(&logcat);
	logcat_open(&logcat, NULL);
	logcat_write(&logcat, LOGCAT_INFO, "not on Android");
	assert_null(next_line());
}

/* A logd that does not read blocks nothing; and there is a limit of lines. */
TEST(many_lines_are_limited)
{
	unsigned int n = 0;

	start_logd();
	for (int i = 0; i < 1000; i++)
		logcat_write(&logcat, LOGCAT_INFO, "again");
	while (next_line())
		n++;
	assert_in_range(n, 1, 30);
	assert_int_equal(logcat.left_out, 970);
	/* A minute later. */
	logcat.limit = (struct rate_limit){ .allowed = 0 };
	logcat_write(&logcat, LOGCAT_INFO, "last");
	assert_string_equal(next_line(), "(970 lines left out) last");
}
