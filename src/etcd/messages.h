/* SPDX-License-Identifier: Apache-2.0 */
/* messages.h -- encodes and decodes etcd's messages, and converts its keys and values to those of
 * etcd.h. */
#ifndef LW_ETCD_MESSAGES_H
#define LW_ETCD_MESSAGES_H

#include <protobuf-c/protobuf-c.h>

#include <listwatch/error.h>
#include <listwatch/str.h>

#include "base/arena.h"
#include "base/buf.h"
#include "etcd/etcd.h"
#include "etcd/rpc.pb-c.h"

enum {
    /* Maximum size of a request in bytes; etcd's own default is 1.5 MiB. */
    LW_ETCD_REQUEST_MAX = 32 << 20,
    /* Memory limit of a decoded reply: bytes per byte of the message, and in total. */
    LW_ETCD_DECODED_FACTOR = 32,
};
#define LW_ETCD_DECODED_MAX ((size_t)4 << 30)

/* A message with its gRPC prefix, which can be sent several times. */
typedef struct lw_etcd_frame lw_etcd_frame;

/* Encodes a message.  LW_ERR_LIMIT (see LW_ETCD_REQUEST_MAX), LW_ERR_NOMEM. */
lw_status lw_etcd_frame_new(lw_etcd_frame **out, const ProtobufCMessage *message);

/* Releases the caller's reference; NULL does nothing. */
void lw_etcd_frame_free(lw_etcd_frame *frame);

/* Returns the bytes to send, with their own reference. */
lw_bytes lw_etcd_frame_bytes(lw_etcd_frame *frame);

/* Decodes |bytes| as a message of |type| into |arena|, which owns it.  LW_ERR_INTERNAL: invalid;
 * LW_ERR_LIMIT, LW_ERR_NOMEM. */
lw_status lw_etcd_decode(ProtobufCMessage **out, const ProtobufCMessageDescriptor *type,
                         lw_str bytes, lw_arena *arena);

/* Returns |s| as a field to send; it is not modified. */
ProtobufCBinaryData lw_etcd_bytes_of(lw_str s);

/* Returns a received field as a view. */
static inline lw_str lw_etcd_view_of(ProtobufCBinaryData data)
{
    return lw_str_make((const char *)data.data, data.len);
}

/* Converts |kv|; NULL gives an empty one. */
lw_etcd_kv lw_etcd__kv_of(const LwEtcd__KeyValue *kv);

/* Returns the revision of |header|; 0 if it is NULL. */
uint64_t lw_etcd__revision_of(const LwEtcd__ResponseHeader *header);

#endif
