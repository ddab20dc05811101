/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the model of a session, see session.h. */
#ifndef JANKD_TOOLS_REPORT_MODEL_H
#define JANKD_TOOLS_REPORT_MODEL_H

#include "tools/report/session.h"

/**
 * model_read() - the model of one session
 * @session: made; session_free() must be called in any case
 * @files: of its folder
 * @number: of the session in it
 * @selection: its range of time, of which all frames are kept
 *
 * Returns 0; MODEL_NOTHING if no file has a row; or -ENOMEM. Whatever is wrong with a file is a
 * notice.
 */
enum { MODEL_NOTHING = 1 };
int model_read(struct session *session, const struct folder_files *files, uint32_t number,
	       const struct selection *selection);

#endif
