/* SPDX-License-Identifier: Apache-2.0 */
/* page.c -- serves the page.
 *
 * The Content-Security-Policy allows only scripts, styles, images and requests of this server, and
 * no frames. */
#include "server/endpoints/page.h"

#include "api/media/accept.h"
#include "api/media/ascii.h"
#include "server/core/reply.h"

#define POLICY                                                                                     \
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "                    \
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

static bool accepts_html(const lw_http_request *request)
{
    lw_str accept;
    lw_accept_clause clauses[LW_ACCEPT_CLAUSES_MAX];
    if (!lw_http_request_header(request, "accept", &accept))
        return false;
    size_t count = lw_accept_parse(accept, clauses);
    for (size_t i = 0; i < count; i++) {
        if (lw_ascii_equal(clauses[i].type, LW_STR("text")) &&
            lw_ascii_equal(clauses[i].subtype, LW_STR("html")))
            return true;
    }
    return false;
}

bool lw_page_is_for(const lw_http_request *request)
{
    if (lw_str_equal(request->path, LW_STR("/")))
        return accepts_html(request);
    return lw_str_starts_with(request->path, LW_STR("/ui/"));
}

static const lw_page_file *find(lw_str path)
{
    if (lw_str_equal(path, LW_STR("/")))
        path = LW_STR("/ui/index.html");
    for (size_t i = 0; i < lw_page_file_count; i++) {
        if (lw_str_equal(lw_page_files[i].path, path))
            return &lw_page_files[i];
    }
    return NULL;
}

/* True if |tags|, an If-None-Match header, contains |etag|, weak or strong (RFC 9110, section
 * 13.1.2). */
static bool has_tag(lw_str tags, lw_str etag)
{
    while (tags.len > 0) {
        lw_str one;
        (void)lw_str_cut(tags, ',', &one, &tags);
        one = lw_str_trim(one);
        if (lw_str_starts_with(one, LW_STR("W/")))
            one = lw_str_skip(one, 2);
        if (lw_str_equal(one, etag))
            return true;
    }
    return false;
}

void lw_page_serve(lw_http_stream *stream)
{
    const lw_http_request *request = &stream->request;
    const lw_page_file *file = find(request->path);
    lw_str value;
    if (!file) {
        lw_reply_text(stream, 404, "404 page not found\n");
        return;
    }
    bool is_known =
        lw_http_request_header(request, "if-none-match", &value) && has_tag(value, file->etag);
    bool is_packed = lw_http_request_header(request, "accept-encoding", &value) &&
                     lw_accept_takes_coding(value, LW_STR("gzip"));
    const lw_http_header headers[] = {
        { LW_STR("Cache-Control"), LW_STR("no-cache") },
        { LW_STR("Content-Security-Policy"), LW_STR(POLICY) },
        { LW_STR("Content-Type"), file->content_type },
        { LW_STR("ETag"), file->etag },
        { LW_STR("Referrer-Policy"), LW_STR("no-referrer") },
        { LW_STR("Vary"), LW_STR("Accept, Accept-Encoding") },
        { LW_STR("X-Content-Type-Options"), LW_STR("nosniff") },
        /* Must be last: it is omitted if the reply is not compressed. */
        { LW_STR("Content-Encoding"), LW_STR("gzip") },
    };
    const lw_http_reply head = { is_known ? 304 : 200, headers,
                                 sizeof(headers) / sizeof(headers[0]) - !is_packed };
    lw_str body = is_packed ? file->packed : file->plain;
    if (is_known)
        body = lw_str_make(NULL, 0);
    /* The client may have disconnected. */
    (void)lw_http_reply_whole(stream, &head, lw_bytes_static(body));
}
