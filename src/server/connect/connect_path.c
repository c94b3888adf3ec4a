/* SPDX-License-Identifier: Apache-2.0 */
/* connect_path.c -- reads the paths of proxied requests. */
#include "server/connect/connect_path.h"

#include <string.h>

#include "api/media/percent.h"
#include "base/str.h"

/* Takes the next segment off |*path|. */
static lw_str take(lw_str *path)
{
    lw_str segment;
    (void)lw_str_cut(*path, '/', &segment, path);
    return segment;
}

/* Decodes |*segment|, which becomes a part of a key in the cache. */
static bool decode(lw_str *segment, lw_buf *text)
{
    size_t before = text->len;
    if (segment->len > 0 && memchr(segment->ptr, '%', segment->len)) {
        if (!lw_percent_decode(*segment, false, text))
            return false;
        *segment = lw_str_skip(lw_buf_view(text), before);
    }
    return segment->len > 0 && !memchr(segment->ptr, '/', segment->len) &&
           !memchr(segment->ptr, '\0', segment->len);
}

static bool read_resource(lw_str word, bool is_namespaced, lw_connect_resource *out)
{
    if (is_namespaced && lw_str_equal(word, LW_STR("pods")))
        *out = LW_CONNECT_PODS;
    else if (is_namespaced && lw_str_equal(word, LW_STR("services")))
        *out = LW_CONNECT_SERVICES;
    else if (!is_namespaced && lw_str_equal(word, LW_STR("nodes")))
        *out = LW_CONNECT_NODES;
    else
        return false;
    return true;
}

static bool read_action(lw_str word, lw_connect_resource resource, lw_connect_action *out)
{
    static const lw_str words[] = { LW_STR_INIT("proxy"), LW_STR_INIT("log"), LW_STR_INIT("exec"),
                                    LW_STR_INIT("attach"), LW_STR_INIT("portforward") };
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (lw_str_equal(words[i], word)) {
            *out = (lw_connect_action)i;
            return i == LW_CONNECT_PROXY || resource == LW_CONNECT_PODS;
        }
    }
    return false;
}

bool lw_connect_path_read(lw_connect_path *out, lw_str path, lw_buf *text)
{
    static const lw_str root = LW_STR_INIT("/api/v1/");
    *out = (lw_connect_path){ .ns = LW_STR("") };
    if (!lw_str_starts_with(path, root))
        return false;
    lw_str end = lw_str_skip(path, path.len), rest = lw_str_skip(path, root.len);
    lw_str word = take(&rest);
    bool is_namespaced = lw_str_equal(word, LW_STR("namespaces"));
    if (is_namespaced) {
        out->ns = take(&rest);
        word = take(&rest);
    }
    if (!read_resource(word, is_namespaced, &out->resource))
        return false;
    out->name = take(&rest);
    lw_str action = take(&rest);
    if (!read_action(action, out->resource, &out->action))
        return false;
    const char *after = action.ptr + action.len;
    out->rest = lw_str_make(after, (size_t)(end.ptr - after));
    if (out->action != LW_CONNECT_PROXY && out->rest.len > 1)
        return false;
    /* The names are decoded into one buffer, whose views must stay where they are. */
    return lw_buf_reserve(text, path.len) == LW_OK && decode(&out->name, text) &&
           (!is_namespaced || decode(&out->ns, text));
}

/* A name or number of a port, or nothing. */
static bool is_port(lw_str text)
{
    if (text.len == 0)
        return true;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (!lw_char_is_digit(c) && !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && c != '-')
            return false;
    }
    return true;
}

bool lw_connect_id_split(lw_connect_id *out, lw_str id)
{
    lw_str first, second, third, rest;
    *out = (lw_connect_id){ LW_STR(""), id, LW_STR("") };
    if (!lw_str_cut(id, ':', &first, &rest))
        return id.len > 0;
    if (!lw_str_cut(rest, ':', &second, &third)) {
        out->name = first;
        out->port = rest;
        return first.len > 0 && is_port(rest);
    }
    bool is_scheme = first.len == 0 || lw_str_equal(first, LW_STR("http")) ||
                     lw_str_equal(first, LW_STR("https"));
    *out = (lw_connect_id){ first, second, third };
    return is_scheme && second.len > 0 && is_port(third);
}
