/* SPDX-License-Identifier: Apache-2.0 */
/* reply_head.c -- parses the head of a response from its lines, and Retry-After. */
#include "transport/reply_head.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/str.h"
#include "base/text/time_text.h"

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

bool lw_transport_reply_head_is_final(const lw_transport_reply_head *head)
{
    return head->status >= STATUS_FINAL && !head->is_complete;
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

enum {
    DATE_LEN = 29, /* "Sun, 06 Nov 1994 08:49:37 GMT" */
    MONTHS = 12,
};

/* Returns the number of the month, 1 to 12; 0 if it is not a month. */
static unsigned month_of(const char *name)
{
    static const char names[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    for (unsigned i = 0; i < MONTHS; i++)
        if (memcmp(name, names + 3 * i, 3) == 0)
            return i + 1;
    return 0;
}

/* Parses an IMF-fixdate; servers must not send the two obsolete forms of dates. */
static bool read_date(lw_str text, lw_time *out)
{
    if (text.len != DATE_LEN || text.ptr[3] != ',' || memcmp(text.ptr + 25, " GMT", 4) != 0)
        return false;
    const char *t = text.ptr;
    unsigned month = month_of(t + 8);
    if (month == 0 || t[4] != ' ' || t[7] != ' ' || t[11] != ' ' || t[16] != ' ')
        return false;
    char iso[LW_TIME_TEXT_SIZE];
    int len = snprintf(iso, sizeof(iso), "%.4s-%02u-%.2sT%.8sZ", t + 12, month, t + 5, t + 17);
    return len > 0 && lw_time_parse(lw_str_make(iso, (size_t)len), out);
}

int lw_retry_after_s(lw_str value, int64_t wall_ns)
{
    value = lw_str_trim(value);
    uint64_t seconds = 0;
    if (lw_str_to_uint64(value, &seconds))
        return seconds > LW_RETRY_AFTER_MAX_S ? LW_RETRY_AFTER_MAX_S : (int)seconds;
    lw_time until;
    if (!read_date(value, &until))
        return 0;
    int64_t left = until.s - wall_ns / LW_NS_PER_S;
    if (left <= 0)
        return 0;
    return left > LW_RETRY_AFTER_MAX_S ? LW_RETRY_AFTER_MAX_S : (int)left;
}
