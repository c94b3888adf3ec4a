/* SPDX-License-Identifier: Apache-2.0 */
/* grpc_stream.h -- one call of gRPC on a connection: messages come until it ends, once. */
#ifndef LW_ETCD_GRPC_STREAM_H
#define LW_ETCD_GRPC_STREAM_H

#include "etcd/grpc_frame.h"
#include "etcd/grpc_status.h"
#include "net/h2_client.h"

/* How it ended. */
typedef struct lw_grpc_end {
    /* LW_OK: with a status of gRPC's, below.  Else why there is none: LW_ERR_UNAVAILABLE (cut off,
     * or a proxy's answer), LW_ERR_INTERNAL (that was not gRPC), LW_ERR_LIMIT, LW_ERR_NOMEM, ... */
    lw_status st;
    lw_grpc_code code;
    const char *message; /* one line; dies with the callback */
    bool is_unseen;      /* it is certain that nobody began to handle it */
} lw_grpc_end;

typedef struct lw_grpc_stream lw_grpc_stream;

/* The callbacks may reset the stream, and free its memory then. */
typedef struct lw_grpc_sink {
    void (*on_message)(lw_grpc_stream *stream, lw_str message);
    void (*on_end)(lw_grpc_stream *stream, const lw_grpc_end *end);
} lw_grpc_sink;

/* Lives in its owner's memory; starts zeroed. */
struct lw_grpc_stream {
    lw_h2_call *h2; /* NULL: not open */
    const lw_grpc_sink *sink;
    lw_grpc_frames frames;
    lw_grpc_status status;
    uint64_t *activity; /* counts what comes */
    bool is_heard;      /* something came */
    bool is_paused;
    lw_buf held;   /* bytes that came while it was paused */
    bool *is_gone; /* set when it is reset while messages are told */
};

/* Opens one to |path|; |*activity| grows with what comes.  As lw_h2_call_open. */
lw_status lw_grpc_open(lw_grpc_stream *stream, lw_h2_client *client, lw_str path,
                       const lw_http_header *headers, size_t count, size_t message_max,
                       const lw_grpc_sink *sink, uint64_t *activity);

/* Sends a message with its prefix; takes it, on error too. */
lw_status lw_grpc_send(lw_grpc_stream *stream, lw_bytes frame, bool is_last);

/* Ends it at once; nothing more is told.  Does nothing when it is not open. */
void lw_grpc_reset(lw_grpc_stream *stream);

/* Nothing is told while it is paused.  What came meanwhile is told by lw_grpc_pump, not from inside
 * of this. */
void lw_grpc_set_paused(lw_grpc_stream *stream, bool is_paused);

/* Tells what was held back. */
void lw_grpc_pump(lw_grpc_stream *stream);

#endif
