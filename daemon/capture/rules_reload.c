/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/capture/beside.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/report.h"
#include "daemon/base/rules_file.h"

/* A disk that sleeps needs a second or two. */
#define READ_MS 2000

static void on_bytes(struct child *child, struct span bytes)
{
	struct rules_reload *reload = child->context;

	if (bytes.len > RULES_FILE_MAX - reload->len)
		bytes.len = RULES_FILE_MAX - reload->len;
	memcpy(reload->text + reload->len, bytes.ptr, bytes.len);
	reload->len += bytes.len;
	if (reload->len == RULES_FILE_MAX)
		child_signal(child, SIGKILL);
}

/* @rules: NULL: they could not be loaded, which was reported. */
static void use(struct rules_reload *reload, struct ruleset *rules)
{
	drain_for_request(reload->drain);
	session_set_rules(reload->session, rules);
	free(reload->text);
	reload->text = NULL;
}

static void on_end(struct child *child, int status)
{
	struct rules_reload *reload = child->context;
	const char *path = reload->session->options->rules;
	const char *why = child_last_error(child), *colon = strrchr(why, ':');
	struct ruleset *rules = NULL;

	if (status == -ETIMEDOUT)
		report("--rules %s: reading it takes more than 2 s; name a regular file", path);
	else if (status != 0 || reload->len == RULES_FILE_MAX)
		report("--rules %s: %s; " RULES_ADVICE, path,
		       reload->len == RULES_FILE_MAX ? strerror(EFBIG)
		       : colon			     ? colon + 2
						     : "cannot be read");
	else
		rules = rules_parse(path, (struct span){ reload->text, reload->len });
	use(reload, rules);
}

void rules_reload_begin(struct rules_reload *reload, struct session *session, struct drain *drain,
			struct loop *loop)
{
	const char *path = session->options->rules;
	char *argv[] = { "cat", "--", (char *)path, NULL };
	int error;

	rules_reload_end(reload);
	reload->session = session;
	reload->drain = drain;
	reload->len = 0;
	reload->child = (struct child){
		.bytes = on_bytes, .waits = true, .ended = on_end, .context = reload
	};
	if (ruleset_builtin(path).ptr) {
		use(reload, rules_load(path));
		return;
	}
	reload->text = malloc(RULES_FILE_MAX);
	error = reload->text ? child_start(&reload->child, loop, argv, READ_MS) : -ENOMEM;
	if (error == 0)
		return;
	report("--rules %s: %s; %s", path, strerror(-error), report_advice(error, "try again"));
	use(reload, NULL);
}

void rules_reload_end(struct rules_reload *reload)
{
	child_kill(&reload->child);
	free(reload->text);
	reload->text = NULL;
}
