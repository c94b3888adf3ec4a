/* SPDX-License-Identifier: Apache-2.0 */
/* messages.c -- encodes and decodes etcd's messages. */
#include "etcd/messages.h"

#include <string.h>

#include "base/alloc.h"
#include "base/ref.h"
#include "etcd/grpc_frame.h"

struct lw_etcd_frame {
    lw_ref refs;
    size_t len;
    char bytes[];
};

lw_status lw_etcd_frame_new(lw_etcd_frame **out, const ProtobufCMessage *message)
{
    size_t len = protobuf_c_message_get_packed_size(message);
    if (len > LW_ETCD_REQUEST_MAX)
        return LW_ERR_LIMIT;
    lw_etcd_frame *frame = lw_alloc(sizeof(*frame) + LW_GRPC_PREFIX + len);
    if (!frame)
        return LW_ERR_NOMEM;
    lw_ref_init(&frame->refs);
    frame->len = LW_GRPC_PREFIX + len;
    lw_grpc_prefix(frame->bytes, (uint32_t)len);
    protobuf_c_message_pack(message, (uint8_t *)frame->bytes + LW_GRPC_PREFIX);
    *out = frame;
    return LW_OK;
}

void lw_etcd_frame_free(lw_etcd_frame *frame)
{
    if (frame && lw_ref_dec(&frame->refs))
        lw_free(frame);
}

static void frame_release(void *owner)
{
    lw_etcd_frame_free(owner);
}

lw_bytes lw_etcd_frame_bytes(lw_etcd_frame *frame)
{
    lw_ref_inc(&frame->refs);
    return (lw_bytes){ frame->bytes, frame->len, frame_release, frame };
}

static void *arena_alloc(void *arena, size_t size)
{
    return lw_arena_take(arena, size);
}

/* The arena frees everything at once. */
static void arena_free(void *arena, void *pointer)
{
    (void)arena;
    (void)pointer;
}

lw_status lw_etcd_decode(ProtobufCMessage **out, const ProtobufCMessageDescriptor *type,
                         lw_str bytes, lw_arena *arena)
{
    ProtobufCAllocator allocator = { arena_alloc, arena_free, arena };
    size_t most = arena->taken + 4096;
    if (bytes.len < (LW_ETCD_DECODED_MAX - most) / LW_ETCD_DECODED_FACTOR)
        arena->limit = most + bytes.len * LW_ETCD_DECODED_FACTOR;
    else
        arena->limit = LW_ETCD_DECODED_MAX;
    ProtobufCMessage *message =
        protobuf_c_message_unpack(type, &allocator, bytes.len,
                                  (const uint8_t *)(bytes.ptr ? bytes.ptr : ""));
    if (arena->st < 0)
        return arena->st;
    if (!message)
        return LW_ERR_INTERNAL;
    *out = message;
    return LW_OK;
}

ProtobufCBinaryData lw_etcd_bytes_of(lw_str s)
{
    /* protobuf-c has no type for read-only bytes. */
    union {
        const char *given;
        uint8_t *taken;
    } ptr = { s.ptr };
    return (ProtobufCBinaryData){ s.len, ptr.taken };
}
