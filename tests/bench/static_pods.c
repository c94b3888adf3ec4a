/* SPDX-License-Identifier: Apache-2.0 */
/* static_pods.c -- generated pods as bytes that need only be sent. */
#include "bench/static_pods.h"

#include <stdlib.h>

#include "bench/pod_gen_pod.h"
#include "bench/static_protobuf.h"

enum {
    SEED = 1,
};

static const size_t bytes_limit = (size_t)8 << 30;

lw_str static_text(const static_texts *texts, uint64_t index)
{
    size_t start = texts->starts[index];
    return lw_str_make(texts->bytes.data + start, texts->starts[index + 1] - start);
}

/* |count| texts of |pods| pods in turn; the first has |rv|, each next one more. */
static bool make_texts(static_texts *texts, uint64_t count, uint64_t pods, uint64_t rv)
{
    gen_pod pod;
    lw_buf one;
    texts->count = count;
    texts->starts = calloc(count + 1, sizeof(*texts->starts));
    lw_buf_init(&texts->bytes, bytes_limit);
    lw_buf_init(&one, 1 << 20);
    for (uint64_t i = 0; texts->starts && i < count; i++) {
        gen_pod_decide(&pod, SEED, i % pods);
        pod.resource_version = rv + i;
        lw_buf_reset(&one);
        gen_write_pod(&one, &pod, false);
        texts->starts[i] = texts->bytes.len;
        if (one.st == LW_OK)
            lw_buf_append(&texts->bytes, one.data + 1, one.len - 1);
        texts->starts[i + 1] = texts->bytes.len;
    }
    bool is_good = texts->starts && one.st == LW_OK && texts->bytes.st == LW_OK;
    lw_buf_done(&one);
    return is_good;
}

static bool make_protobuf(static_pods *pods)
{
    uint64_t rv = STATIC_POD_RV + pods->pods.count;
    lw_buf_init(&pods->list_pb, bytes_limit);
    lw_buf_init(&pods->initial_pb, bytes_limit);
    lw_buf_init(&pods->events_pb, bytes_limit);
    return static_protobuf_list(&pods->pods, rv, &pods->list_pb) &&
           static_protobuf_events(&pods->pods, LW_WATCH_ADDED, &pods->initial_pb) &&
           static_protobuf_bookmark(rv, &pods->initial_pb) &&
           static_protobuf_events(&pods->events, LW_WATCH_MODIFIED, &pods->events_pb);
}

bool static_pods_make(static_pods *pods, const static_source_options *options)
{
    *pods = (static_pods){ .pods = { .count = 0 } };
    return make_texts(&pods->pods, options->pods, options->pods, STATIC_POD_RV) &&
           make_texts(&pods->events, options->events, options->pods, STATIC_EVENT_RV) &&
           make_protobuf(pods);
}
