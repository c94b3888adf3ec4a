/* SPDX-License-Identifier: Apache-2.0 */
/* static_protobuf.c -- the pods of the static source in protobuf. */
#include "bench/static_protobuf.h"

#include <stdio.h>

#include "api/media/watch_frame.h"
#include "base/str.h"
#include "schema/proto/proto.h"
#include "schema/proto/proto_wire.h"

enum {
    POD_MAX = 1 << 20,
};

/* The JSON of text |index|, in |json|. */
static lw_str json_of(const static_texts *texts, uint64_t index, bool is_typed, lw_buf *json)
{
    lw_buf_reset(json);
    lw_buf_append_text(json, is_typed ? "{\"kind\":\"Pod\",\"apiVersion\":\"v1\"," : "{");
    lw_buf_append_str(json, static_text(texts, index));
    return lw_buf_view(json);
}

bool static_protobuf_list(const static_texts *texts, uint64_t rv, lw_buf *out)
{
    const lw_type *type = lw_proto_type(LW_STR("v1"), LW_STR("Pod"));
    char digits[32];
    lw_buf items, json, one;
    lw_buf_init(&items, out->limit);
    lw_buf_init(&json, POD_MAX);
    lw_buf_init(&one, POD_MAX);
    (void)snprintf(digits, sizeof(digits), "%llu", (unsigned long long)rv);
    lw_proto_put_bytes(&one, 1, LW_STR(""));
    lw_proto_put_bytes(&one, 2, lw_str_of(digits));
    lw_proto_put_bytes(&one, 3, LW_STR(""));
    lw_proto_put_bytes(&items, 1, lw_buf_view(&one));
    lw_status st = LW_OK;
    for (uint64_t i = 0; i < texts->count && st == LW_OK; i++) {
        lw_buf_reset(&one);
        st = lw_proto_write(type, json_of(texts, i, false, &json), &one, NULL);
        lw_proto_put_bytes(&items, 2, lw_buf_view(&one));
    }
    lw_proto_envelope_begin(out, LW_STR("v1"), LW_STR("PodList"), items.len);
    lw_buf_append_str(out, lw_buf_view(&items));
    lw_proto_envelope_end(out);
    bool is_good = st == LW_OK && items.st == LW_OK && json.st == LW_OK && out->st == LW_OK;
    lw_buf_done(&items);
    lw_buf_done(&json);
    lw_buf_done(&one);
    return is_good;
}

bool static_protobuf_events(const static_texts *texts, lw_watch_event_type type, lw_buf *out)
{
    lw_buf json;
    lw_buf_init(&json, POD_MAX);
    for (uint64_t i = 0; i < texts->count; i++)
        lw_watch_frame_write(type, json_of(texts, i, true, &json), false, out);
    bool is_good = json.st == LW_OK && out->st == LW_OK;
    lw_buf_done(&json);
    return is_good;
}

bool static_protobuf_bookmark(uint64_t rv, lw_buf *out)
{
    char json[512];
    (void)snprintf(json, sizeof(json),
                   "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":"
                   "\"%llu\",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}}}",
                   (unsigned long long)rv);
    lw_watch_frame_write(LW_WATCH_BOOKMARK, lw_str_of(json), false, out);
    return out->st == LW_OK;
}
