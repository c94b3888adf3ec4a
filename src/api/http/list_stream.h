/* SPDX-License-Identifier: Apache-2.0 */
/* list_stream.h -- a list that is streamed: its state, whose portions are sent as the client takes
 * them.
 *
 * JSON is sent as references to the bytes that objects hold, protobuf as references to the
 * encodings that are kept with them; packed objects and other forms through a buffer that is sent
 * whenever it is full, and made only while the client takes data and its user has room for held
 * bytes.  So what a list costs in memory does not depend on how long it is.  Protobuf begins with
 * its length: such a list is gone through twice.
 *
 *     started ──▶ sending ──(client takes nothing)──▶ waiting for on_drained ──▶ sending ──▶ ended
 *                    ├──(enough for a turn)──▶ posted to the loop ───────────────▲
 *                    └──(user holds too much)──▶ waiting for room ───────────────┘
 *
 * Everything on the stream's loop.  The state is freed by whoever notices last that it is over: the
 * sender, the stream's closing, or the posted task. */
#ifndef LW_API_HTTP_LIST_STREAM_H
#define LW_API_HTTP_LIST_STREAM_H

#include "api/http/call.h"
#include "api/media/forms_ahead.h"
#include "api/media/gzip.h"
#include "api/media/list_pieces.h"
#include "api/media/list_proto.h"
#include "api/media/list_writer.h"

enum {
    LW_LIST_PORTION = 128 * 1024,     /* bytes sent at a time */
    LW_LIST_PIECES = 512,             /* pieces sent at a time */
    LW_LIST_TURN_BYTES = 1024 * 1024, /* sent before others get their turn */
};

typedef struct lw_list_stream {
    lw_http_stream *stream;
    lw_loop *loop;
    lw_cache_list list;
    size_t next; /* the first object not sent yet */
    lw_list_writer writer;
    lw_list_proto proto;   /* instead of |writer|, if |is_proto| */
    lw_list_pieces pieces; /* instead of |writer|, if |convert_item| */
    size_t measured;       /* objects that |proto| knows the size of */
    size_t encoded;        /* of them; the others had been encoded before */
    lw_forms_ahead *ahead; /* of the API; NULL: the rest was offered to it, or is not worth it */
    lw_forms_run *run;     /* what encodes the objects from the last on; NULL: nothing does */
    lw_buf portion;        /* what the writer writes to */
    lw_compact_reader *reader; /* of packed objects, for one turn; NULL: not used so far */
    lw_gzip *gzip;             /* NULL: as it is */
    lw_registry *registry;     /* held: has the custom kind that is listed; else NULL */
    lw_account account;        /* of the call */
    const lw_user *user;
    bool is_stored; /* items go out as they are stored */
    bool is_indented;
    bool is_proto;
    /* Of YAML and CBOR: appends an item; else NULL. */
    void (*convert_item)(lw_list_pieces *list, const lw_object *obj, lw_buf *out);
    bool is_ended;  /* the last byte has been written */
    bool is_busy;   /* in send_portions: whoever closes the stream leaves the state to it */
    bool is_posted; /* the task will run, unless |room| is cancelled */
    lw_task task;
    lw_held_bytes *held; /* of the API, which outlives the stream */
    lw_str holder;       /* the name of the user, for |held| */
    lw_held_waiter room;
} lw_list_stream;

/* Makes the state of a streamed reply, with the beginning of the document in its buffer; takes
 * |list|.  LW_ERR_NOMEM, LW_ERR_LIMIT, and what an encoding fails with. */
LW_MUST_CHECK lw_status lw_list_stream_new(lw_list_stream **out, const lw_api_call *call,
                                           lw_cache_list *list, const lw_table_form *form,
                                           const lw_api_list_metadata *metadata, bool is_gzip);
void lw_list_stream_free(lw_list_stream *ls);

/* Sends the list, whose reply has begun, and frees the state in the end. */
void lw_list_stream_start(lw_list_stream *ls);

/* list_portion.c: sends the next portion and adds its bytes to |*sent|; of protobuf, measures as
 * much before it has begun. */
lw_status lw_list_portion_send(lw_list_stream *ls, size_t *sent);

/* Sends what is in the buffer, if |st| says that it was written. */
lw_status lw_list_portion_flush(lw_list_stream *ls, lw_status st, size_t *sent);

/* Writes pieces, of which those that only this reply has are counted for its user. */
lw_status lw_list_portion_write(lw_list_stream *ls, lw_bytes *pieces, size_t count);

void lw_list_portion_release(const lw_bytes *pieces, size_t count);

/* list_portion_proto.c: the same in protobuf. */
lw_status lw_list_portion_measure(lw_list_stream *ls, size_t *sent);
lw_status lw_list_portion_send_proto(lw_list_stream *ls, size_t *sent);

#endif
