/* SPDX-License-Identifier: Apache-2.0 */
/* response.c -- what a handler says about a request. */
#include <stdarg.h>
#include <stdio.h>

#include "base/str.h"
#include "server/hook_server/review.h"
#include "json/text.h"

enum {
    TEXT_SIZE = 4096, /* longer messages are cut */
    FORBIDDEN = 403,
};

void lw_review_response_init(lw_webhook_response *response)
{
    *response = (lw_webhook_response){ .is_denied = false };
    lw_buf_init(&response->message, LW_REVIEW_ANSWER_MAX);
    lw_buf_init(&response->patch, LW_REVIEW_ANSWER_MAX);
    lw_buf_init(&response->warnings, LW_REVIEW_ANSWER_MAX);
    lw_buf_init(&response->annotations, LW_REVIEW_ANSWER_MAX);
    lw_buf_init(&response->converted, LW_REVIEW_ANSWER_MAX);
}

void lw_review_response_done(lw_webhook_response *response)
{
    lw_buf_done(&response->message);
    lw_buf_done(&response->patch);
    lw_buf_done(&response->warnings);
    lw_buf_done(&response->annotations);
    lw_buf_done(&response->converted);
}

void lw_webhook_deny(lw_webhook_response *response, int status, const char *format, ...)
{
    char text[TEXT_SIZE];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    response->is_denied = true;
    response->status = status != 0 ? status : FORBIDDEN;
    lw_buf_reset(&response->message);
    lw_buf_append_text(&response->message, text);
}

void lw_webhook_patch(lw_webhook_response *response, lw_str patch)
{
    lw_buf_reset(&response->patch);
    lw_buf_append_str(&response->patch, patch);
}

void lw_webhook_warn(lw_webhook_response *response, const char *format, ...)
{
    char text[TEXT_SIZE];
    va_list args;
    if (response->warning_count == LW_REVIEW_TEXTS_MAX)
        return;
    va_start(args, format);
    (void)vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    if (response->warning_count++ > 0)
        lw_buf_append_char(&response->warnings, ',');
    lw_json_append_quoted(&response->warnings, lw_str_of(text));
}

void lw_webhook_annotate(lw_webhook_response *response, const char *key, const char *value)
{
    if (response->annotation_count == LW_REVIEW_TEXTS_MAX)
        return;
    if (response->annotation_count++ > 0)
        lw_buf_append_char(&response->annotations, ',');
    lw_json_append_quoted(&response->annotations, lw_str_of(key));
    lw_buf_append_char(&response->annotations, ':');
    lw_json_append_quoted(&response->annotations, lw_str_of(value));
}

void lw_webhook_converted(lw_webhook_response *response, lw_str object)
{
    lw_buf_reset(&response->converted);
    lw_buf_append_str(&response->converted, object);
}
