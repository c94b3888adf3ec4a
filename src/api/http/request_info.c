/* SPDX-License-Identifier: Apache-2.0 */
/* request_info.c -- from method, path and query to the attributes of a request. */
#include "api/http/request_info.h"

#include <string.h>

#include "base/str.h"

enum {
    PARTS_MAX = 12, /* apis/g/v/watch/namespaces/n/resource/name/sub, and some more */
};

typedef struct path_parts {
    lw_str at[PARTS_MAX];
    size_t count;
} path_parts;

/* Takes the next decoded byte of |*text|, which is not empty; -1: the escape is malformed. */
static int next_byte(lw_str *text)
{
    char c = text->ptr[0];
    if (c != '%') {
        *text = lw_str_skip(*text, 1);
        return (unsigned char)(c == '+' ? ' ' : c);
    }
    int high = text->len > 2 ? lw_char_hex_value(text->ptr[1]) : -1;
    int low = text->len > 2 ? lw_char_hex_value(text->ptr[2]) : -1;
    *text = lw_str_skip(*text, 3);
    return high < 0 || low < 0 ? -1 : 16 * high + low;
}

/* Whether |raw| is |plain| when it is decoded. */
static bool decodes_to(lw_str raw, lw_str plain)
{
    while (raw.len > 0 && plain.len > 0) {
        if (next_byte(&raw) != (unsigned char)plain.ptr[0])
            return false;
        plain = lw_str_skip(plain, 1);
    }
    return raw.len == 0 && plain.len == 0;
}

static bool is_well_formed(lw_str raw)
{
    while (raw.len > 0) {
        if (next_byte(&raw) < 0)
            return false;
    }
    return true;
}

bool lw_query_raw(lw_str query, lw_str name, lw_str *value)
{
    while (query.len > 0) {
        lw_str pair, key;
        (void)lw_str_cut(query, '&', &pair, &query);
        if (memchr(pair.ptr, ';', pair.len))
            continue;
        (void)lw_str_cut(pair, '=', &key, value);
        if (decodes_to(key, name) && is_well_formed(*value))
            return true;
    }
    *value = LW_STR("");
    return false;
}

bool lw_query_raw_bool(lw_str query, lw_str name)
{
    lw_str value;
    char plain[8];
    size_t len = 0;
    if (!lw_query_raw(query, name, &value))
        return false;
    while (value.len > 0 && len < sizeof(plain))
        plain[len++] = (char)next_byte(&value);
    lw_str text = lw_str_make(plain, len);
    return !lw_http_name_is(text, LW_STR("false")) && !lw_str_equal(text, LW_STR("0"));
}

static void split(path_parts *parts, lw_str path)
{
    size_t count = 0;
    path = lw_str_skip(path, 1);
    if (path.len > 0 && path.ptr[path.len - 1] == '/')
        path.len--;
    const char *end = path.len > 0 ? path.ptr + path.len : path.ptr;
    for (const char *at = path.ptr, *slash; at != end && count < PARTS_MAX; count++) {
        slash = memchr(at, '/', (size_t)(end - at));
        if (!slash)
            slash = end;
        parts->at[count] = lw_str_make(at, (size_t)(slash - at));
        at = slash != end ? slash + 1 : end;
    }
    parts->count = count;
}

static lw_str method_verb(const lw_http_request *request)
{
    switch (request->method) {
    case LW_HTTP_GET: return LW_STR("get");
    case LW_HTTP_HEAD: return LW_STR("head");
    case LW_HTTP_POST: return LW_STR("post");
    case LW_HTTP_PUT: return LW_STR("put");
    case LW_HTTP_PATCH: return LW_STR("patch");
    case LW_HTTP_DELETE: return LW_STR("delete");
    case LW_HTTP_OPTIONS: return LW_STR("options");
    case LW_HTTP_OTHER: break;
    }
    return request->method_text;
}

static lw_str resource_verb(lw_http_method method)
{
    switch (method) {
    case LW_HTTP_GET:
    case LW_HTTP_HEAD: return LW_STR("get");
    case LW_HTTP_POST: return LW_STR("create");
    case LW_HTTP_PUT: return LW_STR("update");
    case LW_HTTP_PATCH: return LW_STR("patch");
    case LW_HTTP_DELETE: return LW_STR("delete");
    case LW_HTTP_OPTIONS:
    case LW_HTTP_OTHER: break;
    }
    return LW_STR("");
}

/* Returns the name that a field selector demands: fieldSelector=metadata.name=x; empty: none.  A
 * name that is escaped needlessly does not count: cut or decoded wrongly, it could be another's. */
static lw_str selected_name(lw_str query)
{
    static const lw_str field = LW_STR_INIT("metadata.name");
    lw_str selector;
    if (!lw_query_raw(query, LW_STR("fieldSelector"), &selector) ||
        !lw_str_starts_with(selector, field))
        return LW_STR("");
    selector = lw_str_skip(selector, field.len);
    size_t equals = 0;
    for (;;) {
        size_t len = lw_str_starts_with(selector, LW_STR("="))     ? 1
                     : lw_str_starts_with(selector, LW_STR("%3D")) ? 3
                     : lw_str_starts_with(selector, LW_STR("%3d")) ? 3
                                                                   : 0;
        if (len == 0)
            break;
        selector = lw_str_skip(selector, len);
        equals++;
    }
    lw_str name, rest, last = selector;
    (void)lw_str_cut(selector, ',', &name, &rest);
    if (lw_str_cut(name, '%', &name, &last) && !lw_str_starts_with(last, LW_STR("2C")) &&
        !lw_str_starts_with(last, LW_STR("2c")))
        return LW_STR("");
    bool is_plain =
        name.len > 0 && !memchr(name.ptr, '+', name.len) && !memchr(name.ptr, '\\', name.len);
    return is_plain && (equals == 1 || equals == 2) ? name : LW_STR("");
}

/* Reads what follows /api/v1 or /apis/g/v. */
static void read_resource(lw_request_info *info, const lw_http_request *request, const lw_str *at,
                          size_t count)
{
    bool is_watch_path = count > 1 && lw_str_equal(at[0], LW_STR("watch"));
    info->verb = is_watch_path ? LW_STR("watch") : resource_verb(request->method);
    if (is_watch_path) {
        at++;
        count--;
    }
    if (lw_str_equal(at[0], LW_STR("namespaces")) && count > 1) {
        info->ns = at[1];
        if (count > 2 && !lw_str_equal(at[2], LW_STR("status")) &&
            !lw_str_equal(at[2], LW_STR("finalize"))) {
            at += 2;
            count -= 2;
        }
    }
    info->resource = at[0];
    if (count > 1)
        info->name = at[1];
    if (count > 2)
        info->subresource = at[2];
    if (info->name.len > 0)
        return;
    if (lw_str_equal(info->verb, LW_STR("get"))) {
        info->verb =
            lw_query_raw_bool(request->query, LW_STR("watch")) ? LW_STR("watch") : LW_STR("list");
        info->name = selected_name(request->query);
    } else if (lw_str_equal(info->verb, LW_STR("delete"))) {
        info->verb = LW_STR("deletecollection");
    }
}

void lw_request_info_read(lw_request_info *info, const lw_http_request *request)
{
    path_parts parts;
    *info = (lw_request_info){ .verb = method_verb(request), .path = request->path };
    split(&parts, request->path);
    bool is_core = parts.count > 2 && lw_str_equal(parts.at[0], LW_STR("api"));
    bool is_group = parts.count > 3 && lw_str_equal(parts.at[0], LW_STR("apis"));
    if (!is_core && !is_group)
        return;
    size_t first = is_core ? 2 : 3;
    info->is_resource = true;
    info->group = is_core ? LW_STR("") : parts.at[1];
    info->version = parts.at[first - 1];
    read_resource(info, request, parts.at + first, parts.count - first);
}

bool lw_request_info_is_read_only(const lw_request_info *info)
{
    return lw_str_equal(info->verb, LW_STR("get")) || lw_str_equal(info->verb, LW_STR("list")) ||
           lw_str_equal(info->verb, LW_STR("watch"));
}

bool lw_request_info_is_long_running(const lw_request_info *info)
{
    static const lw_str subresources[] = { LW_STR_INIT("attach"), LW_STR_INIT("exec"),
                                           LW_STR_INIT("log"), LW_STR_INIT("portforward"),
                                           LW_STR_INIT("proxy") };
    for (size_t i = 0; i < sizeof(subresources) / sizeof(subresources[0]); i++) {
        if (lw_str_equal(info->subresource, subresources[i]))
            return true;
    }
    return false;
}
