/* SPDX-License-Identifier: Apache-2.0 */
/* reply_head.c -- parses the head of a response from its lines. */
#include "transport/reply_head.h"

#include <string.h>
#include <strings.h>

#include "base/str.h"

enum {
    STATUS_FINAL = 200, /* lower status codes are interim */
};

lw_str lw_reply_value_view(const lw_reply_value *value)
{
    return lw_str_make(value->text, value->len);
}

/* "HTTP/1.1 200 OK", "HTTP/2 200": three digits after the first space. */
static bool take_status_line(lw_transport_reply_head *head, lw_str line)
{
    lw_str version, rest;
    if (!lw_str_cut(line, ' ', &version, &rest) || rest.len < 3)
        return false;
    if (rest.len > 3 && rest.ptr[3] != ' ')
        return false;
    uint64_t status = 0;
    if (!lw_str_to_uint64(lw_str_make(rest.ptr, 3), &status) || status < 100)
        return false;
    size_t bytes = head->bytes;
    *head = (lw_transport_reply_head){ .status = (int)status, .bytes = bytes };
    head->is_http1 = lw_str_starts_with(version, LW_STR("HTTP/1"));
    return true;
}

static bool is_named(lw_str name, lw_str wanted)
{
    return name.len == wanted.len && strncasecmp(name.ptr, wanted.ptr, name.len) == 0;
}

/* The first of several is used; a value that is too long is ignored. */
static void keep_value(lw_reply_value *value, lw_str text)
{
    if (value->len > 0 || text.len > sizeof(value->text) || text.len == 0)
        return;
    memcpy(value->text, text.ptr, text.len);
    value->len = text.len;
}

static void take_header(lw_transport_reply_head *head, lw_str line)
{
    lw_str name, value;
    if (!lw_str_cut(line, ':', &name, &value))
        return;
    value = lw_str_trim(value);
    if (is_named(name, LW_STR("Content-Type")))
        keep_value(&head->content_type, value);
    else if (is_named(name, LW_STR("Retry-After")))
        keep_value(&head->retry_after, value);
}

lw_head_step lw_transport_reply_head_take(lw_transport_reply_head *head, lw_str line)
{
    if (line.len > LW_REPLY_HEAD_MAX - head->bytes)
        return LW_HEAD_INVALID;
    head->bytes += line.len;
    if (head->is_complete)
        return LW_HEAD_MORE;
    line = lw_str_trim(line);
    if (lw_str_starts_with(line, LW_STR("HTTP/")))
        return take_status_line(head, line) ? LW_HEAD_MORE : LW_HEAD_INVALID;
    if (head->status == 0)
        return LW_HEAD_INVALID;
    if (line.len > 0) {
        take_header(head, line);
        return LW_HEAD_MORE;
    }
    head->is_complete = head->status >= STATUS_FINAL;
    return head->is_complete ? LW_HEAD_COMPLETE : LW_HEAD_MORE;
}
