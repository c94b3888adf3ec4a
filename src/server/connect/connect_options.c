/* SPDX-License-Identifier: Apache-2.0 */
/* connect_options.c -- reads the options of a CONNECT request from its path and its query. */
#include "server/connect/connect_options.h"

#include "api/media/percent.h"
#include "api/media/query.h"
#include "base/str.h"
#include "object/quote.h"
#include "json/writer.h"

lw_str lw_connect_options_kind(const lw_connect_path *path)
{
    switch (path->action) {
    case LW_CONNECT_EXEC: return LW_STR("PodExecOptions");
    case LW_CONNECT_ATTACH: return LW_STR("PodAttachOptions");
    case LW_CONNECT_PORTFORWARD: return LW_STR("PodPortForwardOptions");
    default: break;
    }
    return path->resource == LW_CONNECT_PODS       ? LW_STR("PodProxyOptions")
           : path->resource == LW_CONNECT_SERVICES ? LW_STR("ServiceProxyOptions")
                                                   : LW_STR("NodeProxyOptions");
}

/* The command has no omitempty in Go: it is null if there is none. */
static void write_command(const lw_query *query, lw_json_writer *w)
{
    bool is_begun = false;
    lw_json_write_key(w, LW_STR("command"));
    for (size_t i = 0; i < query->count; i++) {
        if (!lw_str_equal(query->parameters[i].name, LW_STR("command")))
            continue;
        if (!is_begun)
            lw_json_write_array_begin(w);
        is_begun = true;
        lw_json_write_string(w, query->parameters[i].value);
    }
    if (is_begun)
        lw_json_write_array_end(w);
    else
        lw_json_write_null(w);
}

static lw_status refuse_port(lw_str text, bool is_number, lw_buf *why)
{
    lw_buf_append_text(why, "cannot convert to []int32: strconv.ParseUint: parsing ");
    lw_quote_append(why, text);
    lw_buf_append_text(why, is_number ? ": value out of range" : ": invalid syntax");
    return LW_ERR_INVALID;
}

static bool is_number(lw_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (!lw_char_is_digit(text.ptr[i]))
            return false;
    }
    return text.len > 0;
}

/* Writes the ports of one parameter: "80" or "80,81". */
static lw_status write_port_list(lw_str list, lw_json_writer *w, lw_buf *why)
{
    bool has_more = true;
    while (has_more) {
        uint64_t port;
        lw_str text;
        has_more = lw_str_cut(list, ',', &text, &list);
        if (!is_number(text) || !lw_str_to_uint64(text, &port) || port > UINT16_MAX)
            return refuse_port(text, is_number(text), why);
        lw_json_write_int(w, (int64_t)port);
    }
    return LW_OK;
}

static lw_status write_ports(const lw_query *query, lw_json_writer *w, lw_buf *why)
{
    bool is_begun = false;
    lw_status st = LW_OK;
    for (size_t i = 0; st == LW_OK && i < query->count; i++) {
        if (!lw_str_equal(query->parameters[i].name, LW_STR("ports")))
            continue;
        if (!is_begun) {
            lw_json_write_key(w, LW_STR("ports"));
            lw_json_write_array_begin(w);
        }
        is_begun = true;
        st = write_port_list(query->parameters[i].value, w, why);
    }
    if (is_begun && st == LW_OK)
        lw_json_write_array_end(w);
    return st;
}

static void write_streams(const lw_query *query, bool has_command, lw_json_writer *w)
{
    static const char *const flags[] = { "stdin", "stdout", "stderr", "tty" };
    for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
        if (lw_query_bool(query, flags[i])) {
            lw_json_write_key(w, lw_str_of(flags[i]));
            lw_json_write_bool(w, true);
        }
    }
    if (lw_query_get(query, "container").len > 0)
        lw_json_write_member_string(w, "container", lw_query_get(query, "container"));
    if (has_command)
        write_command(query, w);
}

/* The path is decoded, as that of a URL in Go. */
static lw_status write_path(lw_str rest, lw_json_writer *w)
{
    lw_buf text;
    if (rest.len == 0)
        return LW_OK;
    lw_buf_init(&text, rest.len);
    bool is_decoded = lw_percent_decode(rest, false, &text);
    lw_json_write_member_string(w, "path", is_decoded ? lw_buf_view(&text) : rest);
    lw_status st = text.st;
    lw_buf_done(&text);
    return st;
}

static lw_status write_members(const lw_connect_path *path, const lw_query *query,
                               lw_json_writer *w, lw_buf *why)
{
    lw_str ignored;
    if (lw_query_find(query, "dryRun", &ignored)) {
        lw_buf_append_text(why, "dryRun is not supported");
        return LW_ERR_INVALID;
    }
    if (path->action == LW_CONNECT_PROXY)
        return write_path(path->rest, w);
    if (path->action == LW_CONNECT_PORTFORWARD)
        return write_ports(query, w, why);
    write_streams(query, path->action == LW_CONNECT_EXEC, w);
    return LW_OK;
}

lw_status lw_connect_options_write(const lw_connect_path *path, lw_str raw, lw_buf *out,
                                   lw_buf *why)
{
    lw_query query;
    lw_json_writer w;
    lw_status st = lw_query_parse(&query, raw);
    lw_json_writer_init(&w, out, LW_JSON_COMPACT);
    lw_json_write_object_begin(&w);
    lw_json_write_member_string(&w, "kind", lw_connect_options_kind(path));
    lw_json_write_member_string(&w, "apiVersion", LW_STR("v1"));
    if (st == LW_OK)
        st = write_members(path, &query, &w, why);
    if (st == LW_OK)
        lw_json_write_object_end(&w);
    lw_query_done(&query);
    return st < 0 ? st : lw_json_writer_status(&w);
}
