/* SPDX-License-Identifier: Apache-2.0 */
/* session_headers.c -- the header lines of a request. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "base/text/base64.h"
#include "client/session_internal.h"

/* Returns true if |value| may be part of a header line; other characters could end the line (RFC
 * 9110 5.5). */
static bool fits_a_line(lw_str value)
{
    for (size_t i = 0; i < value.len; i++) {
        unsigned char c = (unsigned char)value.ptr[i];
        if ((c < 0x20 && c != '\t') || c == 0x7F)
            return false;
    }
    return true;
}

static void append_line(lw_buf *text, const char *name, lw_str value)
{
    lw_buf_append_text(text, name);
    lw_buf_append_text(text, ": ");
    lw_buf_append_str(text, value);
    lw_buf_append_char(text, '\0');
}

/* A token takes precedence over a password, like in client-go. */
static lw_status append_authorization(lw_buf *text, const lw_credentials *credentials,
                                      lw_error *err)
{
    lw_str token = lw_buf_view(&credentials->token);
    lw_str basic = lw_buf_view(&credentials->basic);
    if (!fits_a_line(token))
        return lw_error_set(err, LW_ERR_INVALID, "the token contains a control character");
    if (token.len > 0) {
        lw_buf_append_text(text, "Authorization: Bearer ");
        lw_buf_append_str(text, token);
        lw_buf_append_char(text, '\0');
    } else if (basic.len > 0) {
        lw_buf_append_text(text, "Authorization: Basic ");
        lw_base64_encode(text, basic);
        lw_buf_append_char(text, '\0');
    }
    return LW_OK;
}

static lw_status append_lines(lw_buf *text, const lw_session *session,
                              const lw_session_request *request, lw_str lines, lw_error *err)
{
    const lw_config *config = session->client->config;
    append_line(text, "Accept", lw_str_of(request->accept));
    append_line(text, "User-Agent", lw_str_of(session->client->user_agent));
    if (request->content_type)
        append_line(text, "Content-Type", lw_str_of(request->content_type));
    if (lw_config_get_endpoint(config)->is_compression_off)
        append_line(text, "Accept-Encoding", LW_STR("identity"));
    const char *const *more = lw_config_headers(config);
    for (; more && *more; more++) {
        lw_buf_append_text(text, *more);
        lw_buf_append_char(text, '\0');
    }
    lw_buf_append_str(text, lines);
    return append_authorization(text, &session->credentials, err);
}

/* Sets a pointer to each line of the text. */
static lw_status index_lines(lw_session_headers *headers)
{
    const lw_buf *text = &headers->text;
    size_t count = 0, next = 0;
    for (size_t i = 0; i < text->len; i++)
        count += text->data[i] == '\0';
    headers->lines = lw_alloc_zero(count + 1, sizeof(char *));
    if (!headers->lines)
        return LW_ERR_NOMEM;
    for (size_t at = 0; at < text->len; at += strlen(text->data + at) + 1)
        headers->lines[next++] = text->data + at;
    return LW_OK;
}

lw_status lw_session__make_headers(lw_session_headers *headers, const lw_session *session,
                                   const lw_session_request *request, lw_str more, lw_error *err)
{
    headers->lines = NULL;
    lw_buf_init(&headers->text, LW_SESSION_HEADERS_MAX);
    /* Growing the buffer would leave a copy of the token in freed memory. */
    (void)lw_buf_reserve(&headers->text, 4096 + 2 * session->credentials.token.len +
                                             2 * session->credentials.basic.len);
    lw_status st = append_lines(&headers->text, session, request, more, err);
    if (st == LW_OK && headers->text.st == LW_ERR_LIMIT)
        st = lw_error_set(err, LW_ERR_LIMIT, "the headers of the request are too long");
    else if (st == LW_OK && (headers->text.st < 0 || index_lines(headers) < 0))
        st = lw_error_nomem(err);
    if (st < 0)
        lw_session__free_headers(headers);
    return st;
}

void lw_session__free_headers(lw_session_headers *headers)
{
    if (headers->text.data)
        explicit_bzero(headers->text.data, headers->text.len); /* the rest was never written */
    lw_buf_done(&headers->text);
    lw_free(headers->lines);
    headers->lines = NULL;
}
