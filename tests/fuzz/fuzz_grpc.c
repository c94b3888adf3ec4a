/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_grpc.c -- a stream of gRPC messages, and each message as one of etcd's.  The input is a byte
 * that selects the message, a byte that selects how the rest is split, and the stream.  All splits
 * give the same messages, and decoded values respect their limits. */
#include <stdlib.h>

#include "base/str.h"
#include "etcd/grpc_frame.h"
#include "etcd/watch.h"
#include "fuzz/fuzz.h"

enum {
    MESSAGE_MAX = 1 << 20,
};

static void must(bool holds)
{
    if (!holds)
        abort();
}

static const ProtobufCMessageDescriptor *type_of(unsigned choice)
{
    static const ProtobufCMessageDescriptor *const types[] = {
        &lw_etcd__range_response__descriptor,
        &lw_etcd__txn_response__descriptor,
        &lw_etcd__compaction_response__descriptor,
        &lw_etcd__watch_response__descriptor,
        &lw_etcd__lease_grant_response__descriptor,
        &lw_etcd__lease_keep_alive_response__descriptor,
        &lw_etcd__lease_revoke_response__descriptor,
        &lw_etcd__status_response__descriptor,
        &lw_etcd__authenticate_response__descriptor,
    };
    return types[choice % (sizeof(types) / sizeof(types[0]))];
}

static void decode(const ProtobufCMessageDescriptor *type, lw_str message)
{
    lw_arena arena;
    ProtobufCMessage *decoded = NULL;
    lw_arena_init(&arena, 0);
    lw_status st = lw_etcd_decode(&decoded, type, message, &arena);
    must(st == LW_OK || st == LW_ERR_INTERNAL || st == LW_ERR_LIMIT);
    must(arena.taken <= 4096 + message.len * LW_ETCD_DECODED_FACTOR);
    must(st != LW_OK || decoded->descriptor == type);
    lw_arena_done(&arena);
}

/* Events are in order, and none is repeated. */
static void add_to_batch(lw_etcd_watch_batch *batch, lw_str message)
{
    const LwEtcd__WatchResponse *reply = NULL;
    const uint64_t next = 3;
    lw_status st = lw_etcd_watch_batch_add(batch, message, next, &reply);
    must(st == LW_OK || st == LW_ERR_INTERNAL || st == LW_ERR_LIMIT);
    for (size_t i = 0; st == LW_OK && i < batch->count; i++) {
        must(batch->events[i].kv.mod_revision >= next);
        must(i == 0 || batch->events[i].kv.mod_revision >= batch->events[i - 1].kv.mod_revision);
    }
    if (st < 0 || !batch->is_partial)
        lw_etcd_watch_batch_clear(batch);
}

/* Reads |input| in pieces of |step| bytes; writes each message with its length to |out|. */
static int read_stream(lw_str input, size_t step, lw_buf *out)
{
    lw_grpc_frames frames;
    lw_str message;
    int got = 0;
    lw_grpc_frames_init(&frames, MESSAGE_MAX);
    while (got >= 0 && input.len > 0) {
        lw_str piece = lw_str_make(input.ptr, step < input.len ? step : input.len);
        input = lw_str_skip(input, step);
        while ((got = lw_grpc_frames_next(&frames, &piece, &message, NULL)) > 0) {
            must(message.len <= MESSAGE_MAX);
            lw_buf_append_uint(out, message.len);
            lw_buf_append_str(out, message);
        }
        must(got < 0 || piece.len == 0);
    }
    lw_buf_append_char(out, lw_grpc_frames_is_between(&frames) ? '.' : '?');
    lw_grpc_frames_done(&frames);
    return got;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lw_etcd_watch_batch batch;
    lw_grpc_frames frames;
    lw_buf whole, cut;
    lw_str message;
    if (size < 2)
        return 0;
    const lw_str input = lw_str_make((const char *)data + 2, size - 2);
    lw_buf_init(&whole, 64 << 20);
    lw_buf_init(&cut, 64 << 20);
    int got = read_stream(input, size, &whole);
    must(read_stream(input, 1 + data[1], &cut) == got);
    must(lw_str_equal(lw_buf_view(&whole), lw_buf_view(&cut)));
    lw_buf_done(&whole);
    lw_buf_done(&cut);

    decode(type_of(data[0]), input);
    lw_etcd_watch_batch_init(&batch);
    lw_grpc_frames_init(&frames, MESSAGE_MAX);
    lw_str rest = input;
    while (lw_grpc_frames_next(&frames, &rest, &message, NULL) > 0) {
        decode(type_of(data[0]), message);
        add_to_batch(&batch, message);
    }
    lw_grpc_frames_done(&frames);
    lw_etcd_watch_batch_done(&batch);
    return 0;
}
