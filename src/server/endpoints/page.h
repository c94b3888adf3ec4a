/* SPDX-License-Identifier: Apache-2.0 */
/* page.h -- serves the page (web/), which is built into the program: at / for clients that accept
 * HTML, and its files below /ui/.  It contains no data of the cluster, so it needs no
 * authentication; its requests are sent with the user's own credentials. */
#ifndef LW_SERVER_ENDPOINTS_PAGE_H
#define LW_SERVER_ENDPOINTS_PAGE_H

#include "base/str.h"
#include "net/http.h"

/* One file of the page. */
typedef struct lw_page_file {
    lw_str path; /* e.g. "/ui/app.js" */
    lw_str content_type;
    lw_str etag;          /* including the quotes */
    lw_str plain, packed; /* uncompressed, and compressed with gzip */
} lw_page_file;

/* Generated from web/ (tools/page_c.py), sorted by path. */
extern const lw_page_file lw_page_files[];
extern const size_t lw_page_file_count;

/* True if |request| is for the page: its path is below /ui/, or it is / and the client accepts
 * HTML. */
bool lw_page_is_for(const lw_http_request *request);

/* Replies with the file (see lw_page_is_for), with 304 if the client has it, or with 404. */
void lw_page_serve(lw_http_stream *stream);

#endif
