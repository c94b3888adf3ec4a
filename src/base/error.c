/* SPDX-License-Identifier: Apache-2.0 */
/* error.c -- names of status codes, the text of errors, and lines of text with a limited length. */
#include "base/error.h"

#include <assert.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

const char *lw_status_name(lw_status st)
{
    switch (st) {
    case LW_OK: return "ok";
    case LW_ERR_NOMEM: return "out of memory";
    case LW_ERR_INVALID: return "invalid";
    case LW_ERR_SYNTAX: return "malformed document";
    case LW_ERR_LIMIT: return "limit exceeded";
    case LW_ERR_NOT_FOUND: return "not found";
    case LW_ERR_EXISTS: return "already exists";
    case LW_ERR_CONFLICT: return "conflict";
    case LW_ERR_EXPIRED: return "expired";
    case LW_ERR_UNAUTHORIZED: return "unauthorized";
    case LW_ERR_FORBIDDEN: return "forbidden";
    case LW_ERR_TOO_MANY: return "too many requests";
    case LW_ERR_TIMEOUT: return "timeout";
    case LW_ERR_UNAVAILABLE: return "unavailable";
    case LW_ERR_TOO_LARGE_RV: return "resource version too large";
    case LW_ERR_UNSUPPORTED: return "unsupported";
    case LW_ERR_IO: return "input/output error";
    case LW_ERR_STOPPED: return "stopped";
    case LW_ERR_TEST_FAILED: return "test failed";
    case LW_ERR_INTERNAL: return "internal error";
    case LW_ERR_NO_SPACE: return "no space left";
    }
    return "unknown status";
}

static bool status_is_retriable(lw_status st)
{
    return st == LW_ERR_TOO_MANY || st == LW_ERR_TIMEOUT || st == LW_ERR_UNAVAILABLE ||
           st == LW_ERR_TOO_LARGE_RV;
}

void lw_error_copy_text(char *dst, size_t size, const char *text, size_t len)
{
    (void)lw_line_copy(dst, size, text, len);
}

/* Formats before it resets, so that an error can be wrapped in itself ("%s", err->message). */
static void error_fill(lw_error *err, lw_status st, uint64_t offset, const char *format,
                       va_list args)
{
    char message[LW_ERROR_MESSAGE_SIZE];
    size_t len = lw_line_format(message, sizeof(message), format, args);
    *err = (lw_error)LW_ERROR_INIT;
    err->code = st;
    err->offset = offset;
    err->retriable = status_is_retriable(st);
    memcpy(err->message, message, len + 1);
}

lw_status lw_error_set(lw_error *err, lw_status st, const char *format, ...)
{
    if (err) {
        va_list args;
        va_start(args, format);
        error_fill(err, st, LW_NO_OFFSET, format, args);
        va_end(args);
    }
    return st;
}

lw_status lw_error_set_at(lw_error *err, lw_status st, uint64_t offset, const char *format, ...)
{
    if (err) {
        va_list args;
        va_start(args, format);
        error_fill(err, st, offset, format, args);
        va_end(args);
    }
    return st;
}

lw_status lw_error_nomem(lw_error *err)
{
    return lw_error_set(err, LW_ERR_NOMEM, "out of memory");
}

static const char cut_mark[] = "...";

static bool continues_sequence(char c)
{
    return ((unsigned char)c & 0xC0) == 0x80;
}

/* Returns where to truncate |text| to at most |most| bytes.  A UTF-8 sequence has at most three
 * continuation bytes; if there are more, the text is not UTF-8 and is truncated at |most|. */
static size_t cut_place(const char *text, size_t most)
{
    size_t at = most;
    while (at > 0 && most - at < 3 && continues_sequence(text[at]))
        at--;
    return continues_sequence(text[at]) ? most : at;
}

static void blank_controls(char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
            text[i] = ' ';
    }
}

size_t lw_line_format(char *out, size_t size, const char *format, va_list args)
{
    assert(size >= sizeof(cut_mark));
    int wanted = vsnprintf(out, size, format, args);
    size_t len = wanted > 0 ? (size_t)wanted : 0;
    if (len >= size) {
        len = cut_place(out, size - sizeof(cut_mark));
        memcpy(out + len, cut_mark, sizeof(cut_mark));
        len += sizeof(cut_mark) - 1;
    }
    out[len] = '\0';
    blank_controls(out, len);
    return len;
}

size_t lw_line_copy(char *out, size_t size, const char *text, size_t len)
{
    assert(size >= sizeof(cut_mark));
    bool is_cut = len >= size;
    if (is_cut)
        len = cut_place(text, size - sizeof(cut_mark));
    if (len > 0)
        memcpy(out, text, len);
    blank_controls(out, len);
    if (is_cut) {
        memcpy(out + len, cut_mark, sizeof(cut_mark) - 1);
        len += sizeof(cut_mark) - 1;
    }
    out[len] = '\0';
    return len;
}
