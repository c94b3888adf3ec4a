/* SPDX-License-Identifier: Apache-2.0 */
/* proto_value.c -- times, quantities, integers or strings, and arbitrary JSON. */
#include "schema/proto/proto_value.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/str.h"
#include "base/text/time_text.h"
#include "schema/proto/proto_put.h"
#include "schema/validation/check_value.h"
#include "json/scan.h"
#include "json/text.h"

enum {
    NS_PER_US = 1000,
    NS_PER_S = 1000000000,
    DOUBLE_DIGITS = 17,      /* enough to distinguish all doubles */
    EXPONENT_HIGH = 21,      /* Go writes an exponent from 1e21 on ... */
    EXPONENT_LOW = -6,       /* ... and below 1e-6 */
    NEAR_TIME_S = INT32_MAX, /* any time before this and after 1970 has a text */
};

/* 0001-01-01T00:00:00Z, the zero time of Go. */
static const int64_t zero_time_s = -62135596800;

bool lw_proto_put_time(lw_buf *out, lw_str text, bool is_micro)
{
    lw_time time;
    if (!lw_time_parse(text, &time))
        return false;
    int32_t ns = is_micro ? time.ns / NS_PER_US * NS_PER_US : 0;
    if (time.s == zero_time_s && time.ns == 0)
        return true;
    char message[LW_PROTO_TIME_MAX], *at = lw_proto_write_tag(message, 1, LW_PROTO_VARINT);
    at = lw_proto_write_varint(at, (uint64_t)time.s);
    at = lw_proto_write_tag(at, 2, LW_PROTO_VARINT);
    at = lw_proto_write_varint(at, (uint64_t)ns);
    lw_buf_append(out, message, (size_t)(at - message));
    return true;
}

static bool read_time(lw_str message, lw_time *time)
{
    lw_proto_reader reader = { message, NULL };
    lw_proto_item item;
    *time = (lw_time){ message.len > 0 ? 0 : zero_time_s, 0 };
    while (lw_proto_next(&reader, &item)) {
        if (item.number > 2)
            continue;
        if (item.wire != LW_PROTO_VARINT)
            return false;
        if (item.number == 1)
            time->s = (int64_t)item.value;
        else
            time->ns = (int32_t)item.value;
    }
    return !reader.error && time->ns >= 0 && time->ns < NS_PER_S;
}

bool lw_proto_time_is_zero(lw_str message)
{
    lw_time time;
    return read_time(message, &time) && time.s == zero_time_s && time.ns == 0;
}

bool lw_proto_check_time(lw_str message)
{
    lw_time time;
    char text[LW_TIME_TEXT_SIZE];
    if (!read_time(message, &time))
        return false;
    return (time.s >= 0 && time.s < NEAR_TIME_S) || lw_time_format(text, time) == LW_OK;
}

bool lw_proto_write_time(lw_json_writer *w, lw_str message, bool is_micro)
{
    lw_time time;
    char text[LW_TIME_TEXT_SIZE];
    if (!read_time(message, &time))
        return false;
    if (time.s == zero_time_s && (time.ns == 0 || !is_micro)) {
        lw_json_write_null(w);
        return true;
    }
    lw_status st = is_micro ? lw_time_format_micro(text, time) : lw_time_format(text, time);
    if (st < 0)
        return false;
    lw_json_write_string(w, lw_str_of(text));
    return true;
}

void lw_proto_put_int_or_string(lw_buf *out, bool is_string, int32_t number, lw_str text)
{
    lw_proto_put_int(out, 1, is_string);
    lw_proto_put_int(out, 2, number);
    lw_proto_put_bytes(out, 3, text);
}

/* Sets |*number|, or |*text| if it is a string, whose pointer is otherwise NULL. */
static bool read_int_or_string(lw_str message, int32_t *number, lw_str *text)
{
    lw_proto_reader reader = { message, NULL };
    lw_proto_item item;
    int64_t type = 0;
    *number = 0;
    *text = LW_STR("");
    while (lw_proto_next(&reader, &item)) {
        if (item.number > 3)
            continue;
        if (item.wire != (item.number == 3 ? LW_PROTO_BYTES : LW_PROTO_VARINT))
            return false;
        if (item.number == 1)
            type = (int64_t)item.value;
        else if (item.number == 2)
            *number = (int32_t)item.value;
        else
            *text = item.bytes;
    }
    if (type == 0)
        text->ptr = NULL;
    return !reader.error && (type == 0 || type == 1);
}

bool lw_proto_check_int_or_string(lw_str message)
{
    int32_t number;
    lw_str text;
    return read_int_or_string(message, &number, &text) && (!text.ptr || lw_utf8_is_valid(text));
}

bool lw_proto_write_int_or_string(lw_json_writer *w, lw_str message)
{
    int32_t number;
    lw_str text;
    if (!read_int_or_string(message, &number, &text))
        return false;
    if (text.ptr)
        lw_json_write_string(w, text);
    else
        lw_json_write_int(w, number);
    return true;
}

bool lw_proto_read_text(lw_str message, lw_str *text)
{
    lw_proto_reader reader = { message, NULL };
    lw_proto_item item;
    *text = lw_str_make(NULL, 0);
    while (lw_proto_next(&reader, &item)) {
        if (item.number != 1)
            continue;
        if (item.wire != LW_PROTO_BYTES)
            return false;
        *text = item.bytes;
    }
    return !reader.error;
}

static bool read_quantity(lw_str message, lw_str *text)
{
    char complaint[128];
    lw_buf error = { .data = complaint, .cap = sizeof(complaint), .limit = sizeof(complaint) };
    size_t digits = 0;
    if (!lw_proto_read_text(message, text))
        return false;
    if (!text->ptr)
        *text = LW_STR("0");
    while (digits < text->len && lw_char_is_digit(text->ptr[digits]))
        digits++;
    lw_str suffix = lw_str_skip(*text, digits);
    /* Most are numbers with a common suffix. */
    if (digits > 0 && (suffix.len == 0 || (suffix.len == 1 && suffix.ptr[0] == 'm') ||
                       (suffix.len == 2 && suffix.ptr[1] == 'i' &&
                        (suffix.ptr[0] == 'M' || suffix.ptr[0] == 'G' || suffix.ptr[0] == 'K'))))
        return true;
    lw_check_quantity(*text, &error);
    return error.len == 0;
}

bool lw_proto_check_quantity(lw_str message)
{
    lw_str text;
    return read_quantity(message, &text);
}

bool lw_proto_write_quantity(lw_json_writer *w, lw_str message)
{
    lw_str text;
    if (!read_quantity(message, &text))
        return false;
    lw_json_write_string(w, text);
    return true;
}

/* Returns the escape that Go writes for the character at |p|, and its length; NULL: no escape. */
static const char *html_escape(const char *p, const char *end, size_t *len)
{
    *len = 1;
    switch (*p) {
    case '<': return "\\u003c";
    case '>': return "\\u003e";
    case '&': return "\\u0026";
    default: break;
    }
    if (end - p < 3 || memcmp(p, "\xE2\x80", 2) != 0 || ((unsigned char)p[2] & 0xFE) != 0xA8)
        return NULL;
    *len = 3;
    return p[2] == '\xA8' ? "\\u2028" : "\\u2029";
}

/* Appends the valid |json| without whitespace between its tokens. */
static void append_squeezed(lw_buf *out, lw_str json)
{
    const char *end = json.ptr + json.len, *from = json.ptr;
    bool is_inside = false; /* inside a string */
    for (const char *p = json.ptr; p < end;) {
        size_t len = 1;
        const char *instead = !is_inside && lw_char_is_blank(*p) ? "" : html_escape(p, end, &len);
        if (instead) {
            lw_buf_append(out, from, (size_t)(p - from));
            lw_buf_append_text(out, instead);
            from = p + len;
        } else if (*p == '"') {
            is_inside = !is_inside;
        } else if (*p == '\\') {
            len = 2;
        }
        p += len;
    }
    lw_buf_append(out, from, (size_t)(end - from));
}

/* True if append_squeezed would not change |json|, as is usual for output of servers. */
static bool is_squeezed(lw_str json)
{
    bool is_changed = false;
    for (size_t i = 0; i < json.len; i++) {
        unsigned char c = (unsigned char)json.ptr[i];
        is_changed |= c <= ' ' || c == '<' || c == '>' || c == '&' || c == 0xE2;
    }
    return !is_changed;
}

bool lw_proto_write_raw(lw_json_writer *w, lw_str message)
{
    lw_str json;
    if (!lw_proto_read_text(message, &json))
        return false;
    if (json.len > 0 && lw_json_validate(json, 0, NULL) < 0)
        return false;
    if (json.len == 0) {
        lw_json_write_null(w);
        return true;
    }
    lw_json_write_raw(w, lw_str_make(json.ptr, 0)); /* writes the comma */
    if (is_squeezed(json))
        lw_buf_append_str(w->out, json);
    else
        append_squeezed(w->out, json);
    return true;
}

/* Rounds |value| to |count| digits; returns the decimal exponent of the first digit. */
static int rounded_digits(double value, int count, char digits[DOUBLE_DIGITS + 1])
{
    char text[DOUBLE_DIGITS + 16];
    size_t len = 0;
    const char *p = text;
    (void)snprintf(text, sizeof(text), "%.*e", count - 1, value);
    for (; *p != 'e'; p++) {
        if (lw_char_is_digit(*p)) /* skips the decimal point of any locale */
            digits[len++] = *p;
    }
    digits[len] = '\0';
    return (int)strtol(p + 1, NULL, 10);
}

/* The same with the fewest digits that identify |value|. */
static int shortest_digits(double value, char digits[DOUBLE_DIGITS + 1])
{
    char text[DOUBLE_DIGITS + 16];
    int exponent = 0;
    for (int count = 1; count <= DOUBLE_DIGITS; count++) {
        exponent = rounded_digits(value, count, digits);
        (void)snprintf(text, sizeof(text), "%se%d", digits, exponent - (count - 1));
        if (lw_json_number_to_double(lw_str_of(text)) == value)
            break;
    }
    return exponent;
}

/* Appends without an exponent: 0.00012, 120, 1.2. */
static void append_plain(lw_buf *out, const char *digits, int exponent)
{
    int count = (int)strlen(digits);
    if (exponent < 0) {
        lw_buf_append_text(out, "0.");
        for (int i = -1; i > exponent; i--)
            lw_buf_append_char(out, '0');
        lw_buf_append_text(out, digits);
        return;
    }
    for (int i = 0; i <= exponent || i < count; i++) {
        if (i == exponent + 1)
            lw_buf_append_char(out, '.');
        lw_buf_append_char(out, i < count ? digits[i] : '0');
    }
}

bool lw_proto_write_double(lw_json_writer *w, double value)
{
    char digits[DOUBLE_DIGITS + 1], room[64];
    lw_buf text = { .data = room, .cap = sizeof(room), .limit = sizeof(room) };
    if (!isfinite(value))
        return false;
    if (signbit(value))
        lw_buf_append_char(&text, '-');
    int exponent = shortest_digits(fabs(value), digits);
    if (value != 0 && (exponent < EXPONENT_LOW || exponent >= EXPONENT_HIGH)) {
        lw_buf_append_char(&text, digits[0]);
        if (digits[1])
            lw_buf_append_char(&text, '.');
        lw_buf_append_text(&text, digits + 1);
        lw_buf_printf(&text, "e%c%d", exponent < 0 ? '-' : '+', abs(exponent));
    } else {
        append_plain(&text, digits, exponent);
    }
    lw_json_write_number(w, lw_buf_view(&text));
    return true;
}
