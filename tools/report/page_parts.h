/* SPDX-License-Identifier: Apache-2.0 */
/* The files that the page is made of, as the build embeds them: those of tools/report/page/, and
 * dygraphs, which are empty if it was not installed. */
#ifndef JANKD_TOOLS_REPORT_PAGE_PARTS_H
#define JANKD_TOOLS_REPORT_PAGE_PARTS_H

#include "parser/span.h"

extern const struct span page_head_html, page_page_css, page_body_html, page_tail_html;
extern const struct span page_words_js, page_base_js, page_charts_js, page_session_js,
	page_devices_js, page_verdict_js, page_compare_js, page_page_js;
extern const struct span page_dygraph_min_js, page_dygraph_min_css;

#endif
