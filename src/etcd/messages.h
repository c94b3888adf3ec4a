/* SPDX-License-Identifier: Apache-2.0 */
/* messages.h -- etcd's messages: to bytes for the wire, and back. */
#ifndef LW_ETCD_MESSAGES_H
#define LW_ETCD_MESSAGES_H

#include <protobuf-c/protobuf-c.h>

#include <listwatch/error.h>
#include <listwatch/str.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "etcd/rpc.pb-c.h"

enum {
    LW_ETCD_REQUEST_MAX = 32 << 20, /* bytes of a request; etcd itself takes 1.5 MiB by default */
    /* Bytes that a reply may take in memory for each of its own, and all in all. */
    LW_ETCD_DECODED_FACTOR = 32,
};
#define LW_ETCD_DECODED_MAX ((size_t)4 << 30)

/* A message with its prefix of gRPC, to send as often as it takes. */
typedef struct lw_etcd_frame lw_etcd_frame;

/* LW_ERR_LIMIT (see LW_ETCD_REQUEST_MAX), LW_ERR_NOMEM. */
lw_status lw_etcd_frame_new(lw_etcd_frame **out, const ProtobufCMessage *message);

/* Lets go of the caller's reference; NULL does nothing. */
void lw_etcd_frame_free(lw_etcd_frame *frame);

/* The bytes to send, with a reference of their own. */
lw_bytes lw_etcd_frame_bytes(lw_etcd_frame *frame);

/* Decodes |bytes| as a message of |type| into |arena|, where it lives.  LW_ERR_INTERNAL: it is
 * none; LW_ERR_LIMIT, LW_ERR_NOMEM. */
lw_status lw_etcd_decode(ProtobufCMessage **out, const ProtobufCMessageDescriptor *type,
                         lw_str bytes, lw_arena *arena);

/* |s| as a field to send, which is not changed. */
ProtobufCBinaryData lw_etcd_bytes_of(lw_str s);

/* A field that came, as a view. */
static inline lw_str lw_etcd_view_of(ProtobufCBinaryData data)
{
    return lw_str_make((const char *)data.data, data.len);
}

#endif
