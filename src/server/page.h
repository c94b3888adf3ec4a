/* SPDX-License-Identifier: Apache-2.0 */
/* page.h -- the page for browsers (web/), which is part of the program: at / for those who accept
 * HTML, and what it consists of below /ui/.  It holds nothing of the cluster, so anybody may have
 * it; what it asks for then is asked with the person's own credentials. */
#ifndef LW_SERVER_PAGE_H
#define LW_SERVER_PAGE_H

#include "base/str.h"
#include "net/http.h"

/* One file of the page. */
typedef struct lw_page_file {
    lw_str path; /* "/ui/app.js" */
    lw_str content_type;
    lw_str etag;          /* with its quotes */
    lw_str plain, packed; /* as it is, and in gzip */
} lw_page_file;

/* Made from web/ (tools/page_c.py), in the order of their paths. */
extern const lw_page_file lw_page_files[];
extern const size_t lw_page_file_count;

/* True when |request| is for the page: its path is below /ui/, or it is / and HTML is accepted. */
bool lw_page_is_for(const lw_http_request *request);

/* Replies with the file (lw_page_is_for), 304 when the client has it, or 404. */
void lw_page_serve(lw_http_stream *stream);

#endif
