/* SPDX-License-Identifier: Apache-2.0 */
/* urls.c -- URLs as in HTTP requests: absolute, or a path from the root. */
#include "base/str.h"
#include "cel/functions.h"

enum {
    ENTRIES_MAX = 1000, /* different names in a query */
};

static bool is_scheme(lw_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        bool is_other = lw_char_is_digit(c) || c == '+' || c == '-' || c == '.';
        if (!is_letter && (i == 0 || !is_other))
            return false;
    }
    return text.len > 0;
}

/* True if the percent escapes are complete, and there are no control characters and whitespace. */
static bool is_clean(lw_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if (c <= ' ' || c == 0x7f)
            return false;
        if (c == '%' && (i + 2 >= text.len || lw_char_hex_value(text.ptr[i + 1]) < 0 ||
                         lw_char_hex_value(text.ptr[i + 2]) < 0))
            return false;
    }
    return true;
}

/* Returns the part of a host after its last ':', outside of brackets. */
static lw_str port_of(lw_str host)
{
    for (size_t i = host.len; i-- > 0;) {
        if (host.ptr[i] == ']')
            break;
        if (host.ptr[i] == ':')
            return lw_str_skip(host, i + 1);
    }
    return LW_STR("");
}

static bool is_host(lw_str host)
{
    lw_str port = port_of(host);
    for (size_t i = 0; i < port.len; i++) {
        if (!lw_char_is_digit(port.ptr[i]))
            return false;
    }
    bool is_open = host.len > 0 && host.ptr[0] == '[';
    return !is_open || memchr(host.ptr, ']', host.len);
}

static bool parse(lw_str text, lw_cel_url *out)
{
    lw_str scheme, rest, unused, user;
    *out = (lw_cel_url){ .text = text };
    if (text.len == 0 || !is_clean(text))
        return false;
    if (text.ptr[0] == '/') {
        rest = text;
    } else {
        if (!lw_str_cut(text, ':', &scheme, &rest) || !is_scheme(scheme))
            return false;
        out->scheme = scheme;
    }
    (void)lw_str_cut(rest, '?', &rest, &out->query);
    if (out->scheme.len > 0 && lw_str_starts_with(rest, LW_STR("//"))) {
        lw_str host = lw_str_skip(rest, 2);
        size_t end = 0;
        while (end < host.len && host.ptr[end] != '/')
            end++;
        rest = lw_str_skip(host, end);
        host.len = end;
        while (lw_str_cut(host, '@', &user, &unused))
            host = unused;
        out->host = host;
    }
    out->path = rest;
    return is_host(out->host);
}

bool lw_cel_is_url(lw_str text)
{
    lw_cel_url url;
    return parse(text, &url);
}

lw_cel_value lw_cel_fn_url(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    lw_cel_url *url = lw_arena_take_zero(&run->arena, 1, sizeof(*url));
    (void)count;
    if (!url)
        return lw_cel_over(run);
    if (!parse(args[0].text, url))
        return lw_cel_fail(run, "URL parse error during conversion from string: parse \"%.*s\"",
                           LW_STR_ARG(args[0].text));
    return (lw_cel_value){ .kind = LW_CEL_URL, .url = url };
}

lw_cel_value lw_cel_fn_is_url(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    (void)run, (void)count;
    return lw_cel_of_bool(lw_cel_is_url(args[0].text));
}

lw_cel_value lw_cel_fn_url_scheme(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    lw_cel_value scheme[1] = { lw_cel_of_text(args[0].url->scheme) };
    return lw_cel_fn_lower(run, scheme, count);
}

lw_cel_value lw_cel_fn_url_host(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    (void)run, (void)count;
    return lw_cel_of_text(args[0].url->host);
}

lw_cel_value lw_cel_fn_url_hostname(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    lw_str host = args[0].url->host, port = port_of(host);
    (void)run, (void)count;
    if (port.ptr != NULL && port.len > 0)
        host.len -= port.len + 1;
    else if (lw_str_ends_with(host, LW_STR(":")))
        host.len--;
    if (host.len > 1 && host.ptr[0] == '[' && host.ptr[host.len - 1] == ']')
        host = lw_str_make(host.ptr + 1, host.len - 2);
    return lw_cel_of_text(host);
}

lw_cel_value lw_cel_fn_url_port(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    (void)run, (void)count;
    return lw_cel_of_text(port_of(args[0].url->host));
}

lw_cel_value lw_cel_fn_url_path(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    (void)run, (void)count;
    return lw_cel_of_text(args[0].url->path);
}

/* Unescapes a part of a query. */
static lw_cel_value decoded(lw_cel_run *run, lw_str text)
{
    char *made = lw_arena_take_zero(&run->arena, text.len + 1, 1);
    size_t len = 0;
    if (!made)
        return lw_cel_over(run);
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i] == '+' ? ' ' : text.ptr[i];
        if (c == '%') {
            c = (char)(lw_char_hex_value(text.ptr[i + 1]) << 4 |
                       lw_char_hex_value(text.ptr[i + 2]));
            i += 2;
        }
        made[len++] = c;
    }
    return lw_cel_of_text(lw_str_make(made, len));
}

/* Adds |value| to the list of |name|. */
static void add(lw_cel_run *run, lw_cel_entry *entries, size_t *count, lw_cel_value name,
                lw_cel_value value)
{
    size_t i = 0;
    while (i < *count && !lw_cel_equal(run, &entries[i].key, &name))
        i++;
    size_t before = i < *count ? entries[i].value.list.count : 0;
    lw_cel_value *items = lw_arena_take_zero(&run->arena, before + 1, sizeof(*items));
    if (!items || !lw_cel_charge_work(run, before))
        return;
    if (before > 0)
        memcpy(items, entries[i].value.list.items, before * sizeof(*items));
    items[before] = value;
    entries[i] = (lw_cel_entry){ name, lw_cel_of_list(items, before + 1) };
    *count += i == *count;
}

lw_cel_value lw_cel_fn_url_query(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    lw_cel_entry *entries = lw_arena_take_zero(&run->arena, ENTRIES_MAX, sizeof(*entries));
    lw_str rest = args[0].url->query, pair, name, value;
    size_t made = 0;
    (void)count;
    if (!entries)
        return lw_cel_over(run);
    while (rest.len > 0 && made < ENTRIES_MAX && !lw_cel_is_over(run)) {
        (void)lw_str_cut(rest, '&', &pair, &rest);
        if (pair.len == 0)
            continue;
        (void)lw_str_cut(pair, '=', &name, &value);
        add(run, entries, &made, decoded(run, name), decoded(run, value));
    }
    return (lw_cel_value){ .kind = LW_CEL_MAP, .map = { entries, made } };
}
