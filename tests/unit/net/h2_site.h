/* SPDX-License-Identifier: Apache-2.0 */
/* h2_site.h -- a server for the tests of HTTP/2: remembers what it was asked and answers by path.
 *
 *     /echo    200, with what was asked as its body
 *     /hold    nothing: the test answers
 *     /deny    401 as soon as the head is in
 *     /small   takes 10 bytes of body, else as /echo */
#ifndef LW_TESTS_UNIT_NET_H2_SITE_H
#define LW_TESTS_UNIT_NET_H2_SITE_H

#include "base/alloc.h"
#include "base/str.h"
#include "support/h2_pair.h"
#include "unit/test.h"

enum {
    SITE_HELD_MAX = 2048,
    SITE_TEXT_MAX = 8 * 1024 * 1024,
};

typedef struct h2_site {
    h2_pair pair;
    lw_http_stream *held[SITE_HELD_MAX]; /* of /hold, each with a reference of ours */
    size_t held_count;
    unsigned heads, requests, too_large, closed, drained;
    lw_http_request last; /* as on_request saw it; its views die with the stream */
    bool is_on_head_missing;
} h2_site;

static inline void site_free_text(void *owner)
{
    lw_free(owner);
}

/* Hands over the bytes of |buf|. */
static inline lw_bytes site_bytes(lw_buf *buf)
{
    size_t len = buf->len;
    char *text = lw_buf_take_text(buf);
    assert_non_null(text);
    return (lw_bytes){ text, len, site_free_text, text };
}

static inline void site_closed(lw_http_stream *stream, void *arg)
{
    (void)stream;
    ((h2_site *)arg)->closed++;
}

static inline void site_echo(lw_http_stream *stream)
{
    const lw_http_request *request = &stream->request;
    lw_buf text;
    lw_buf_init(&text, SITE_TEXT_MAX);
    lw_buf_printf(&text, "%.*s %.*s ? %.*s\n", LW_STR_ARG(request->method_text),
                  LW_STR_ARG(request->path), LW_STR_ARG(request->query));
    for (size_t i = 0; i < request->header_count; i++)
        lw_buf_printf(&text, "%.*s: %.*s\n", LW_STR_ARG(request->headers[i].name),
                      LW_STR_ARG(request->headers[i].value));
    lw_buf_append_char(&text, '\n');
    lw_buf_append_str(&text, request->body);
    const lw_http_reply reply = { .status = 200 };
    assert_int_equal(lw_http_reply_whole(stream, &reply, site_bytes(&text)), LW_OK);
}

static inline size_t site_on_head(lw_http_stream *stream, void *arg)
{
    h2_site *site = arg;
    const lw_http_reply denied = { .status = 401 };
    site->heads++;
    stream->on_closed = site_closed;
    stream->arg = site;
    assert_true(lw_str_is_empty(stream->request.body));
    if (lw_str_equal(stream->request.path, LW_STR("/deny")))
        (void)lw_http_reply_whole(stream, &denied, lw_bytes_static(LW_STR("denied")));
    return lw_str_equal(stream->request.path, LW_STR("/small")) ? 10 : SIZE_MAX;
}

static inline void site_on_too_large(lw_http_stream *stream, void *arg)
{
    h2_site *site = arg;
    const lw_http_reply reply = { .status = 413 };
    site->too_large++;
    (void)lw_http_reply_whole(stream, &reply, lw_bytes_static(LW_STR("too large")));
}

static inline void site_on_request(lw_http_stream *stream, void *arg)
{
    h2_site *site = arg;
    site->requests++;
    site->last = stream->request;
    if (!lw_str_equal(stream->request.path, LW_STR("/hold"))) {
        site_echo(stream);
        return;
    }
    assert_true(site->held_count < SITE_HELD_MAX);
    site->held[site->held_count++] = lw_http_stream_ref(stream);
}

/* Begins with nghttp2's default windows, or those of |window| bytes. */
static inline h2_site *site_open_with(uint32_t window)
{
    h2_site *site = calloc(1, sizeof(*site));
    assert_non_null(site);
    const lw_http_handler handler = { site_on_head, site_on_too_large, site_on_request, site };
    assert_int_equal(h2_pair_open(&site->pair, &handler, window), LW_OK);
    h2_pair_run(&site->pair);
    return site;
}

static inline h2_site *site_open(void)
{
    return site_open_with(0);
}

static inline void site_release(h2_site *site, size_t index)
{
    lw_http_stream_unref(site->held[index]);
    site->held[index] = NULL;
}

/* Every stream the handler has heard of is closed once, and none is left. */
static inline void site_close(h2_site *site)
{
    h2_pair_close(&site->pair);
    assert_int_equal(site->closed, site->heads);
    assert_int_equal(site->pair.conn.streams, 0);
    for (size_t i = 0; i < site->held_count; i++)
        lw_http_stream_unref(site->held[i]);
    free(site);
}

/* Asks for /hold and gives the stream to answer. */
static inline lw_http_stream *site_hold(h2_site *site, int32_t *id)
{
    size_t before = site->held_count;
    *id = h2_pair_request(&site->pair, "GET", "/hold", NULL);
    h2_pair_run(&site->pair);
    assert_int_equal(site->held_count, before + 1);
    return site->held[before];
}

static inline void site_begin(lw_http_stream *stream)
{
    const lw_http_reply reply = { .status = 200 };
    assert_int_equal(lw_http_reply_begin(stream, &reply), LW_OK);
}

static inline lw_status site_write(lw_http_stream *stream, const char *text)
{
    lw_bytes piece = lw_bytes_static(lw_str_of(text));
    return lw_http_write(stream, &piece, 1);
}

static inline const h2_answer *site_answer(const h2_site *site, int32_t id)
{
    const h2_answer *answer = h2_pair_answer(&site->pair, id);
    assert_non_null(answer);
    return answer;
}

static inline bool site_has_header(const h2_answer *answer, const char *line)
{
    return memmem(answer->headers.data, answer->headers.len, line, strlen(line)) != NULL;
}

/* The answer is |status| and |body|, and complete. */
static inline void assert_replied(const h2_site *site, int32_t id, int status, const char *body)
{
    const h2_answer *answer = site_answer(site, id);
    assert_int_equal(answer->status, status);
    assert_str_equal(lw_buf_view(&answer->body), body);
    assert_true(answer->is_ended);
}

/* And so is the request. */
static inline void assert_answer(const h2_site *site, int32_t id, int status, const char *body)
{
    assert_replied(site, id, status, body);
    assert_int_equal(site_answer(site, id)->error, NGHTTP2_NO_ERROR);
}

#endif
