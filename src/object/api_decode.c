/* SPDX-License-Identifier: Apache-2.0 */
/* api_decode.c -- converts an error response of a server to an lw_error.
 *
 * If the body is not a Status (the HTML of a proxy, "404 page not found", a truncated body), the
 * HTTP status determines the error, with the messages of client-go. */
#include <limits.h>

#include "base/error.h"
#include "base/str.h"
#include "object/api_errors.h"
#include "object/quote.h"
#include "json/text.h"

enum {
    TREE_LIMIT = 16 * 1024 * 1024, /* memory for reading a body */
    SHOWN_BODY = 256,              /* bytes of an unknown body that a message contains */
};

/* Generic messages. */

/* Returns the message of |code|, or NULL if it depends on the response. */
static const char *generic_sentence(int code)
{
    switch (code) {
    case 400: return "the server rejected our request for an unknown reason";
    case 401: return "the server has asked for the client to provide credentials";
    case 404: return "the server could not find the requested resource";
    case 405: return "the server does not allow this method on the requested resource";
    case 409: return "the server reported a conflict";
    case 422: return "the server rejected our request due to an error in our request";
    case 429:
        return "the server has received too many requests and has asked us to try again later";
    case 503: return "the server is currently unable to handle the request";
    case 504:
        return "the server was unable to return a response in the time allotted, but may still be "
               "processing the request";
    default: return NULL;
    }
}

static void append_generic(lw_buf *buf, int code, lw_str text)
{
    bool is_empty = text.len == 0 || lw_str_equal(text, LW_STR("unknown"));
    const char *sentence = generic_sentence(code);
    if (sentence) {
        lw_buf_append_text(buf, sentence);
    } else if (code == 0) {
        lw_buf_append_text(buf, "unexpected object: ");
        lw_buf_append_str(buf, text);
    } else if (code == 406 && is_empty) {
        lw_buf_append_text(buf, "the server was unable to respond with a content type that the "
                                "client supports");
    } else if (code == 403 || code == 406 || code == 415) {
        lw_buf_append_str(buf, text);
    } else if (code >= 500) {
        lw_buf_append_text(buf, "an error on the server (");
        lw_quote_append(buf, text);
        lw_buf_append_text(buf, ") has prevented the request from succeeding");
    } else {
        lw_buf_printf(buf,
                      "the server responded with the status code %d but did not return more "
                      "information",
                      code);
    }
}

void lw_api_status_generic(lw_api_status *status, int code, lw_str message)
{
    lw_api_status_init(status);
    status->code = code;
    status->has_details = true;
    lw_api_status_set(status, &status->reason, lw_api_reason_text(lw_api_reason_of_code(code)));
    size_t at = status->text.len;
    append_generic(&status->text, code, message);
    if (status->text.st == LW_OK)
        status->message = (lw_api_text){ at, status->text.len - at };
}

/* Decoding. */

/* Returns the text of a body that is not a Status, for messages, or "unknown". */
static lw_str shown_body(lw_str body)
{
    lw_str text = lw_str_trim(body);
    for (size_t i = 0; i < text.len && i < SHOWN_BODY; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if (c < 0x20 && c != '\n' && c != '\r' && c != '\t')
            return LW_STR("unknown");
    }
    if (text.len > SHOWN_BODY) {
        text.len = SHOWN_BODY;
        while (text.len > 0 && ((unsigned char)text.ptr[text.len] & 0xC0) == 0x80)
            text.len--;
    }
    return text.len > 0 && lw_utf8_is_valid(text) ? text : LW_STR("unknown");
}

static bool has_cause(const lw_api_status *status, lw_str reason)
{
    for (size_t i = 0; i < status->cause_count; i++) {
        if (lw_str_equal(lw_api_status_str(status, status->causes[i].reason), reason))
            return true;
    }
    return false;
}

static int header_seconds(lw_str retry_after)
{
    uint64_t seconds;
    if (!lw_str_to_uint64(lw_str_trim(retry_after), &seconds))
        return 0; /* a date, which API servers do not send */
    return seconds > INT_MAX ? INT_MAX : (int)seconds;
}

static lw_status code_of(const lw_api_status *status, int http_status)
{
    lw_api_reason reason = lw_api_reason_of_text(lw_api_status_str(status, status->reason));
    lw_status st = lw_api_reason_status(reason, status->code ? status->code : http_status);
    if (st == LW_ERR_TIMEOUT && has_cause(status, LW_STR("ResourceVersionTooLarge")))
        return LW_ERR_TOO_LARGE_RV;
    return st;
}

static void copy_text(char *dst, size_t size, lw_str text)
{
    lw_error_copy_text(dst, size, text.ptr, text.len);
}

/* Like client-go: a response with Retry-After is retriable.  But the same request does not succeed
 * later if somebody has to change the credentials or the permissions first. */
void lw_api_error_set_retry_after(lw_error *err, int seconds)
{
    err->retry_after_s = seconds;
    if (seconds > 0 && err->code != LW_ERR_UNAUTHORIZED && err->code != LW_ERR_FORBIDDEN)
        err->retriable = true;
}

static lw_status fill_error(lw_error *err, lw_status st, const lw_api_status *status,
                            int http_status, lw_str retry_after)
{
    if (!err)
        return st;
    (void)lw_error_set(err, st, "%s", "");
    err->http_status = http_status > 0 ? http_status : status->code;
    lw_api_error_set_retry_after(err, status->retry_after_s > 0 ? status->retry_after_s
                                                                : header_seconds(retry_after));
    copy_text(err->reason, sizeof(err->reason), lw_api_status_str(status, status->reason));
    copy_text(err->message, sizeof(err->message), lw_api_status_str(status, status->message));
    if (err->message[0] == '\0')
        copy_text(err->message, sizeof(err->message), lw_str_of(lw_status_name(st)));
    return st;
}

/* Returns LW_OK if |body| is the Status of a failure; LW_ERR_NOMEM; anything else: it is not. */
static lw_status read_status(lw_api_status *status, lw_str body)
{
    lw_tree *tree = NULL;
    lw_api_status_init(status);
    lw_status st = lw_tree_parse(&tree, body, TREE_LIMIT, NULL);
    if (st < 0)
        return st;
    st = lw_api_status_from_tree(status, lw_tree_root(tree));
    lw_tree_free(tree);
    return st == LW_OK && status->is_success ? LW_ERR_INVALID : st;
}

lw_status lw_api_error_decode(lw_str body, int http_status, lw_str retry_after, lw_error *err)
{
    lw_api_status status;
    lw_status st = read_status(&status, body);
    lw_status meaning = LW_OK;
    if (st == LW_OK) {
        meaning = code_of(&status, http_status);
    } else if (st != LW_ERR_NOMEM) {
        lw_api_status_done(&status);
        lw_api_status_generic(&status, http_status, shown_body(body));
        st = lw_api_status_state(&status);
        meaning = lw_api_reason_status(LW_REASON_UNKNOWN, http_status);
    }
    st = st < 0 ? lw_error_nomem(err) : fill_error(err, meaning, &status, http_status, retry_after);
    lw_api_status_done(&status);
    return st;
}
