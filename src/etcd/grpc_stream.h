/* SPDX-License-Identifier: Apache-2.0 */
/* grpc_stream.h -- one gRPC call on a connection: reports messages until the end. */
#ifndef LW_ETCD_GRPC_STREAM_H
#define LW_ETCD_GRPC_STREAM_H

#include "etcd/grpc_frame.h"
#include "etcd/grpc_status.h"
#include "net/h2/h2_client.h"

/* How a call ended. */
typedef struct lw_grpc_end {
    /* LW_OK: with a gRPC status, below.  Otherwise the reason why there is none: LW_ERR_UNAVAILABLE
     * (connection lost, or a proxy's reply), LW_ERR_INTERNAL (not gRPC), LW_ERR_LIMIT,
     * LW_ERR_NOMEM, ... */
    lw_status st;
    lw_grpc_code code;
    const char *message; /* one line; valid during the callback */
    bool is_unseen;      /* it is certain that the server has not processed the request */
} lw_grpc_end;

typedef struct lw_grpc_stream lw_grpc_stream;

/* The callbacks may reset the stream and then free its memory. */
typedef struct lw_grpc_sink {
    void (*on_message)(lw_grpc_stream *stream, lw_str message);
    void (*on_end)(lw_grpc_stream *stream, const lw_grpc_end *end);
} lw_grpc_sink;

/* Embedded in its owner; must be zeroed. */
struct lw_grpc_stream {
    lw_h2_call *h2; /* NULL: not open */
    const lw_grpc_sink *sink;
    lw_grpc_frames frames;
    lw_grpc_status status;
    uint64_t *activity; /* incremented when something is received */
    bool is_heard;      /* something was received */
    bool is_paused;
    lw_buf held;   /* bytes that were received while the stream was paused */
    bool *is_gone; /* set to true if the stream is reset while messages are reported */
};

/* Opens a call to |path|; |*activity| is incremented when something is received.  Errors: those of
 * lw_h2_call_open. */
lw_status lw_grpc_open(lw_grpc_stream *stream, lw_h2_client *client, lw_str path,
                       const lw_http_header *headers, size_t count, size_t message_max,
                       const lw_grpc_sink *sink, uint64_t *activity);

/* Sends a message with its prefix; takes ownership of it, even on error. */
lw_status lw_grpc_send(lw_grpc_stream *stream, lw_bytes frame, bool is_last);

/* Ends the call at once, without a callback.  Does nothing if it is not open. */
void lw_grpc_reset(lw_grpc_stream *stream);

/* Pauses or resumes the stream.  What was received while it was paused is reported by lw_grpc_pump,
 * not by this function. */
void lw_grpc_set_paused(lw_grpc_stream *stream, bool is_paused);

/* Reports what was received while the stream was paused. */
void lw_grpc_pump(lw_grpc_stream *stream);

#endif
