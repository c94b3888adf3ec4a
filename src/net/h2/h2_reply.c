/* SPDX-License-Identifier: Apache-2.0 */
/* h2_reply.c -- converts reply headers to HTTP/2 header fields. */
#include <assert.h>
#include <stdio.h>

#include "base/str.h"
#include "net/h2/h2.h"

enum {
    OWN_FIELDS = 3, /* :status, date, content-length */
    NUMBER_SIZE = 24,
};

/* Fields for nghttp2, which copies them and converts names to lower case. */
typedef struct field_list {
    nghttp2_nv fields[LW_H2_REPLY_HEADERS_MAX + OWN_FIELDS];
    size_t count;
} field_list;

static void add(field_list *list, lw_str name, lw_str value)
{
    assert(list->count < sizeof(list->fields) / sizeof(list->fields[0]));
    /* nghttp2's interface lacks const, but it does not write. */
    union {
        const char *as_given;
        uint8_t *as_taken;
    } n = { name.ptr ? name.ptr : "" }, v = { value.ptr ? value.ptr : "" };
    list->fields[list->count++] =
        (nghttp2_nv){ n.as_taken, v.as_taken, name.len, value.len, NGHTTP2_NV_FLAG_NONE };
}

/* Connection-specific fields (RFC 9113, 8.2.2), and those that are generated here. */
static bool is_ours(lw_str name)
{
    static const lw_str names[] = {
        LW_STR_INIT("connection"),
        LW_STR_INIT("keep-alive"),
        LW_STR_INIT("proxy-connection"),
        LW_STR_INIT("transfer-encoding"),
        LW_STR_INIT("upgrade"),
        LW_STR_INIT("content-length"),
        LW_STR_INIT("date"),
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (lw_http_name_is(name, names[i]))
            return true;
    }
    return false;
}

lw_status lw_h2__submit_head(lw_h2_stream *stream, const lw_http_reply *reply, uint64_t body_len,
                             bool has_body)
{
    lw_h2 *h2 = stream->h2;
    field_list list;
    list.count = 0;
    char status[NUMBER_SIZE];
    char length[NUMBER_SIZE];
    if (reply->header_count > LW_H2_REPLY_HEADERS_MAX)
        return LW_ERR_LIMIT;
    (void)snprintf(status, sizeof(status), "%d", reply->status);
    add(&list, LW_STR(":status"), lw_str_of(status));
    for (size_t i = 0; i < reply->header_count; i++) {
        if (!is_ours(reply->headers[i].name))
            add(&list, reply->headers[i].name, reply->headers[i].value);
    }
    if (body_len != UINT64_MAX) {
        (void)snprintf(length, sizeof(length), "%llu", (unsigned long long)body_len);
        add(&list, LW_STR("content-length"), lw_str_of(length));
    }
    add(&list, LW_STR("date"), lw_conn_date(h2->base.conn));
    nghttp2_data_provider provider = { .read_callback = lw_h2__read_data };
    int result = nghttp2_submit_response(h2->session, stream->id, list.fields, list.count,
                                         has_body ? &provider : NULL);
    return result == 0 ? LW_OK : result == NGHTTP2_ERR_NOMEM ? LW_ERR_NOMEM : LW_ERR_INTERNAL;
}
