/* SPDX-License-Identifier: Apache-2.0 */
/* bench_proto.c -- generated pods from JSON to protobuf and back: how fast, by one thread.
 *
 *     ninja -C build tests/bench/bench-proto && build/tests/bench/bench-proto [pods]
 *
 * The same pods over and over; the best of the rounds counts. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <listwatch/object_list.h>

#include "base/buf.h"
#include "base/str.h"
#include "bench/pod_gen.h"
#include "schema/proto/proto.h"
#include "schema/proto/proto_similar.h"

enum {
    ROUNDS = 20,
};

typedef struct bench {
    lw_object_list *pods;
    const lw_type *type;
    lw_buf *messages;          /* one for each pod */
    lw_buf *documents;         /* likewise: its JSON with its kind */
    lw_buf json;               /* what was read back last */
    lw_proto_similar *similar; /* NULL: none of the pods was encoded */
} bench;

/* Processor time: other programs on the machine do not count. */
static double now_s(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static bool append(const char *bytes, size_t len, void *arg)
{
    lw_buf *list = arg;
    lw_buf_append(list, bytes, len);
    return list->st == LW_OK;
}

static void prepare(bench *b, uint64_t pods, bool drops_managed_fields)
{
    const pod_gen_options options = { .pods = pods,
                                      .seed = 1,
                                      .drops_managed_fields = drops_managed_fields };
    const lw_read_options read = { .keeps_managed_fields = true };
    lw_buf list;
    lw_buf_init(&list, SIZE_MAX / 2);
    lw_buf_init(&b->json, SIZE_MAX / 2);
    b->type = lw_proto_type(LW_STR("v1"), LW_STR("Pod"));
    b->messages = calloc(pods, sizeof(*b->messages));
    b->documents = calloc(pods, sizeof(*b->documents));
    if (!b->messages || !b->documents || !pod_gen_list(&options, append, &list, NULL) ||
        lw_object_list_from_json(&b->pods, list.data, list.len, &read, NULL) < 0)
        abort();
    for (size_t i = 0; i < pods; i++) {
        lw_buf_init(&b->messages[i], SIZE_MAX / 2);
        lw_buf_init(&b->documents[i], SIZE_MAX / 2);
        lw_buf_append_text(&b->documents[i], "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",");
        lw_buf_append_str(&b->documents[i],
                          lw_str_skip(lw_object_json(lw_object_list_at(b->pods, i)), 1));
    }
    lw_buf_done(&list);
}

static void encode(bench *b, size_t i)
{
    lw_buf_reset(&b->messages[i]);
    if (lw_proto_write(b->type, lw_object_json(lw_object_list_at(b->pods, i)), &b->messages[i],
                       NULL) < 0)
        abort();
}

/* As a list of all pods does it: the first is like no other. */
static void encode_similar(bench *b, size_t i)
{
    if (i == 0) {
        lw_proto_similar_free(b->similar);
        b->similar = NULL;
        if (lw_proto_similar_new(&b->similar) < 0)
            abort();
    }
    lw_buf_reset(&b->messages[i]);
    if (lw_proto_write_similar(b->similar, lw_buf_view(&b->documents[i]), &b->messages[i], NULL) <
        0)
        abort();
}

static void decode(bench *b, size_t i)
{
    lw_buf_reset(&b->json);
    if (lw_proto_read(b->type, NULL, lw_buf_view(&b->messages[i]), &b->json, NULL) < 0)
        abort();
}

static void measure(bench *b, const char *what, void (*work)(bench *b, size_t i))
{
    double best = 0;
    size_t json = 0, proto = 0, count = lw_object_list_count(b->pods);
    for (int round = 0; round < ROUNDS; round++) {
        double start = now_s();
        for (size_t i = 0; i < count; i++)
            work(b, i);
        double seconds = now_s() - start;
        best = round == 0 || seconds < best ? seconds : best;
    }
    for (size_t i = 0; i < count; i++) {
        json += lw_object_json(lw_object_list_at(b->pods, i)).len;
        proto += b->messages[i].len;
    }
    printf("%-44s %8.2f us each %8.0f MB/s of JSON  (%zu bytes, %zu in protobuf)\n", what,
           best * 1e6 / (double)count, (double)json / 1e6 / best, json / count, proto / count);
}

int main(int argc, char **argv)
{
    uint64_t pods = 1000;
    if (argc > 1 && (!lw_str_to_uint64(lw_str_of(argv[1]), &pods) || pods == 0)) {
        fputs("usage: bench-proto [pods]\n", stderr);
        return 2;
    }
    for (int drops = 0; drops <= 1; drops++) {
        bench b = { .similar = NULL };
        prepare(&b, pods, drops);
        measure(&b, drops ? "to protobuf, without managedFields" : "to protobuf", encode);
        measure(&b, drops ? "from protobuf, without managedFields" : "from protobuf", decode);
        measure(&b, drops ? "one after the other, without managedFields" : "one after the other",
                encode_similar);
        lw_proto_similar_free(b.similar);
        for (size_t i = 0; i < pods; i++) {
            lw_buf_done(&b.messages[i]);
            lw_buf_done(&b.documents[i]);
        }
        free(b.messages);
        free(b.documents);
        lw_buf_done(&b.json);
        lw_object_list_free(b.pods);
    }
    return 0;
}
