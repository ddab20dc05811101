/* SPDX-License-Identifier: Apache-2.0 */
/* control/: requests to a running capture, and its answers. Other rooms include only this header of
 * the room.
 *
 *     'jankd status'                                          'jankd start', 'jankd run'
 *     control_send() ── "status\n" ──► control socket ──► control_server.c ──► handler of capture/
 *     control_client.c ◄── "ok\n{...}\n" ──────────────────── its text, printed by show/
 *
 *     control_request.c  parses a request line, and writes that of a mark; the protocol
 *     control_server.c   the socket of a capture: clients, deadlines, answers that come later
 *     control_client.c   finds the socket of a folder, sends one request, reads the answer
 *
 * There are two unix stream sockets. One is the file .socket beside the folder's .lock, to which no
 * other user can connect, however many try. The other one is abstract, because that place may be
 * on a file system without sockets: its name is random, and in the second line of .lock, after the
 * pid. A client tries the file first. It connects, sends one line, and reads until the end: the
 * line "ok" and the answer, or one line "error: why". Only root and the daemon's user are served. A
 * client accepts an answer only from a process of its own user; root also from the owner of .lock.
 * A client has 5 s. If there are too many clients, the oldest one without a request gets an error
 * and is closed. 'stop' is answered when the files are complete and tracing is restored. A capture
 * never waits for a client.
 */
#ifndef JANKD_DAEMON_CONTROL_CONTROL_H
#define JANKD_DAEMON_CONTROL_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct loop;
struct state_dir;

/* --- requests: control_request.c --- */

/* A request is one line:
 *
 *     status               a JSON object: that of session.json, with pid, uptime_s and others
 *     status text COLUMNS  the same as text for people
 *     top COLUMNS LINES    the table of surfaces, of at most this size; for a terminal with colours
 *                          'colour' follows
 *     mark TEXT            a row of events.csv; in TEXT, "\n" is a line end and "\\" a backslash
 *     rotate               closes the current segments and starts new ones
 *     stop                 ends the capture
 */

/* Bytes of a request with its line end. Longer ones are refused. */
#define CONTROL_LINE_MAX 4096

/* Bytes of a mark, at most. */
#define CONTROL_MARK_MAX 1024

/* Limit of the columns or lines of a table: no screen is larger. */
#define CONTROL_SIDE_MAX 4096

enum control_verb {
	CONTROL_STATUS,
	CONTROL_STATUS_TEXT,
	CONTROL_TOP,
	CONTROL_MARK,
	CONTROL_ROTATE,
	CONTROL_STOP,
};

struct control_request {
	enum control_verb verb;
	unsigned int columns, lines;
	bool colour;
	char text[CONTROL_MARK_MAX + 1]; /* of a mark */
	uint64_t ticket;		 /* for the handler; 0 at first */
};

/* Error for a client that is closed before it has sent its request. Nothing was done, so it may try
 * again. */
#define CONTROL_BUSY "too many clients; try again in a second"

/* Parses a request: @len bytes without the line end; any bytes. Returns NULL, or why the line is
 * not a request: constant text. */
const char *control_request_parse(struct control_request *request, const char *line, size_t len);

/* Writes the request for a mark with the text @text. Returns its length with the line end, or 0 if
 * @text is empty or longer than CONTROL_MARK_MAX. */
size_t control_request_mark(char line[static CONTROL_LINE_MAX], const char *text);

/* --- client: control_client.c --- */

struct control_answer {
	char *body;    /* without the line "ok", NUL-terminated, escaped; freed with free() */
	char why[512]; /* the reason of an error */
};

/* Results of control_send() above 0. */
enum {
	CONTROL_NOT_RUNNING = 1, /* no capture runs there */
	CONTROL_GONE,		 /* it ended before it answered */
	CONTROL_REFUSED,	 /* its answer is an error */
};

/* Sends a request, @line with its line end, to the capture that writes to @folder, and waits for
 * the whole answer. Returns 0 with a body; else > 0 (above) or -errno, with the reason in ->why
 * ("what: why; what to do"), which is not printed. */
int control_send(struct control_answer *answer, const char *folder, const char *line,
		 unsigned int timeout_s);

/* --- server: control_server.c --- */

/* What the capture does with requests. */
struct control_handler {
	/* Prints the whole answer to @out, and returns true; or false: there is none yet, and it is
	 * called again. @waited_ns: since the first call, which has 0. */
	bool (*answer)(void *context, struct control_request *request, uint64_t waited_ns,
		       FILE *out);
	void *context;
};

struct control;

/* Opens the sockets and listens. @loop: borrowed. @handler: copied. @dir: for the socket's file,
 * which it may lack. Returns 0, or -errno with NULL in *control. All functions below accept NULL: a
 * capture without a socket. */
int control_open(struct control **control, struct loop *loop, const struct control_handler *handler,
		 const struct state_dir *dir);

/* Makes the socket's file again in the folder at @path, which was removed and made again. */
void control_reopen(struct control *control, const char *path);

/* Returns the name of its abstract socket. */
const char *control_name(const struct control *control);

/* True: a client is connected, so control_tick() has to be called. */
bool control_has_clients(const struct control *control);

/* Closes the connections of clients whose deadline is over. Call it about once a second. */
void control_tick(struct control *control);

/* Calls ->answer for all clients that wait. */
void control_answer_waiting(struct control *control);

/* Does that a last time, closes the sockets and frees @control. */
void control_close(struct control *control);

#endif
