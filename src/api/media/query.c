/* SPDX-License-Identifier: Apache-2.0 */
/* query.c -- query parameters, split and decoded as in Go's url.ParseQuery. Decoded text is never
 * longer, so the buffer is reserved once and views into it stay valid. */
#include "api/media/query.h"

#include <string.h>

#include "api/media/ascii.h"
#include "api/media/percent.h"
#include "base/str.h"

enum {
    QUERY_MAX = 1024 * 1024, /* bytes; much more than the head of a request can have */
};

/* Appends |raw| decoded.  False: an escape is malformed, and nothing was appended. */
static bool decode(lw_query *query, lw_str raw, lw_str *out)
{
    size_t before = query->text.len;
    if (!lw_percent_decode(raw, true, &query->text)) {
        lw_buf_truncate(&query->text, before);
        return false;
    }
    *out = lw_str_skip(lw_buf_view(&query->text), before);
    return true;
}

static lw_status add_pair(lw_query *query, lw_str pair)
{
    lw_str raw_name, raw_value, name, value;
    if (pair.len == 0 || memchr(pair.ptr, ';', pair.len))
        return LW_OK;
    (void)lw_str_cut(pair, '=', &raw_name, &raw_value);
    if (!decode(query, raw_name, &name) || !decode(query, raw_value, &value))
        return LW_OK;
    if (query->count == LW_QUERY_PARAMETERS_MAX)
        return LW_ERR_LIMIT;
    query->parameters[query->count++] = (lw_query_parameter){ name, value };
    return LW_OK;
}

lw_status lw_query_parse(lw_query *query, lw_str raw)
{
    lw_buf_init(&query->text, QUERY_MAX);
    query->count = 0;
    lw_status st = lw_buf_reserve(&query->text, raw.len);
    while (st == LW_OK && raw.len > 0) {
        lw_str pair;
        (void)lw_str_cut(raw, '&', &pair, &raw);
        st = add_pair(query, pair);
    }
    return st;
}

void lw_query_done(lw_query *query)
{
    lw_buf_done(&query->text);
    query->count = 0;
}

bool lw_query_find(const lw_query *query, const char *name, lw_str *value)
{
    lw_str wanted = lw_str_of(name);
    for (size_t i = 0; i < query->count; i++) {
        if (lw_str_equal(query->parameters[i].name, wanted)) {
            *value = query->parameters[i].value;
            return true;
        }
    }
    return false;
}

lw_str lw_query_get(const lw_query *query, const char *name)
{
    lw_str value;
    return lw_query_find(query, name, &value) ? value : lw_str_make(NULL, 0);
}

bool lw_query_bool(const lw_query *query, const char *name)
{
    lw_str value;
    if (!lw_query_find(query, name, &value))
        return false;
    return !lw_str_equal(value, LW_STR("0")) && !lw_ascii_equal(value, LW_STR("false"));
}
