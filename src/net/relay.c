/* SPDX-License-Identifier: Apache-2.0 */
/* relay.c -- queues the parts of a reply between two loops.
 *
 * The worker appends messages to |messages| and posts |to_origin|; the connection's loop delivers
 * them while the client takes data.  What is queued here is bounded as in a connection: above
 * LW_HTTP_QUEUE_HIGH the producer waits for on_drained.
 *
 * Ownership: |holders| counts the relay's stream (until its last reference is released), the
 * connection's side (until the origin is closed) and each task that is posted to the connection's
 * loop.  After the origin is closed nothing is posted to its loop, so that loop may be freed before
 * the worker's.
 * Threads: |base| and its members belong to the worker's loop once it is taken; |origin| belongs to
 * the connection's loop until it is closed; |mu| guards the rest. */
#include "net/relay.h"

#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "base/container_of.h"
#include "base/sync.h"

typedef enum message_kind {
    MESSAGE_REPLY, /* headers and one piece */
    MESSAGE_BEGIN, /* headers */
    MESSAGE_WRITE, /* pieces */
} message_kind;

/* One allocation: the message, its pieces, its headers and their text. */
typedef struct message {
    lw_dlist_node link;
    message_kind kind;
    lw_http_reply reply;
    lw_str annotations;
    size_t bytes; /* of all pieces */
    size_t piece_count;
    lw_bytes pieces[];
} message;

struct lw_relay {
    lw_http_stream base;             /* first */
    lw_http_observation observation; /* the ID of the origin's; its observer sees the origin */
    lw_http_stream *origin;
    lw_relay_owner owner;
    lw_ref holders;
    lw_task to_origin, to_worker;

    lw_mutex mu; /* guards the members below */
    lw_dlist messages;
    _Atomic size_t bytes; /* of |messages|; read without the lock */
    bool is_taken;
    bool is_origin_closed;
    bool is_origin_posted;
    bool is_worker_posted;
    bool is_ended, is_aborted; /* by the handler */
    bool is_over;              /* the origin has got the end, or could not be sent to */
    bool has_room;             /* the client took data when the connection's loop last looked */
    bool is_waiting;           /* the producer waits for on_drained */
    bool is_drained;           /* on_drained is due */
};

static lw_relay *relay_of(lw_http_stream *stream)
{
    return (lw_relay *)(void *)stream;
}

static void relay_unref(lw_relay *relay)
{
    if (!lw_ref_dec(&relay->holders))
        return;
    lw_mutex_done(&relay->mu);
    lw_free(relay);
}

static void message_free(message *m)
{
    for (size_t i = 0; i < m->piece_count; i++)
        lw_bytes_release(m->pieces[i]);
    lw_free(m);
}

static void free_all(lw_dlist *messages)
{
    lw_dlist_node *node;
    while ((node = lw_dlist_pop_front(messages)) != NULL)
        message_free(LW_DLIST_ITEM(node, message, link));
}

/* The caller holds relay->mu. */
static void post_worker_locked(lw_relay *relay)
{
    if (!relay->is_taken || relay->is_worker_posted)
        return;
    relay->is_worker_posted = true;
    lw_loop_post(relay->base.loop, &relay->to_worker);
}

/* On the connection's loop: passes |m| to the origin and frees it. */
static lw_status deliver(lw_http_stream *origin, message *m)
{
    lw_status st = LW_OK;
    size_t count = m->piece_count;
    m->piece_count = 0; /* the origin takes the pieces */
    origin->annotations = m->annotations;
    switch (m->kind) {
    case MESSAGE_REPLY: st = lw_http_reply_whole(origin, &m->reply, m->pieces[0]); break;
    case MESSAGE_BEGIN: st = lw_http_reply_begin(origin, &m->reply); break;
    case MESSAGE_WRITE: st = lw_http_write(origin, m->pieces, count); break;
    }
    origin->annotations = lw_str_make(NULL, 0);
    message_free(m);
    return st;
}

/* After a part that could not be sent, nothing may follow: the reply must not look complete. */
static void give_up(lw_relay *relay, lw_status st)
{
    lw_mutex_lock(&relay->mu);
    relay->is_over = true;
    lw_mutex_unlock(&relay->mu);
    if (st != LW_ERR_STOPPED)
        lw_http_abort(relay->origin);
}

/* Takes the next message that the origin accepts now; NULL: there is none. */
static message *next_message(lw_relay *relay)
{
    bool is_full = lw_http_pending(relay->origin) > LW_HTTP_QUEUE_HIGH;
    lw_mutex_lock(&relay->mu);
    message *m = LW_DLIST_ITEM(lw_dlist_first(&relay->messages), message, link);
    if (relay->is_over || relay->is_aborted || (m && m->kind == MESSAGE_WRITE && is_full))
        m = NULL;
    if (m) {
        lw_dlist_remove(&m->link);
        relay->bytes -= m->bytes;
    }
    lw_mutex_unlock(&relay->mu);
    return m;
}

/* Ends the reply if the handler has, and all parts before the end are delivered. */
static void deliver_end(lw_relay *relay)
{
    lw_dlist dropped;
    lw_dlist_init(&dropped);
    lw_mutex_lock(&relay->mu);
    bool is_aborted = relay->is_aborted && !relay->is_over;
    bool is_ended = relay->is_ended && !relay->is_over && lw_dlist_is_empty(&relay->messages);
    if (is_aborted || relay->is_over) {
        lw_dlist_append_all(&dropped, &relay->messages);
        relay->bytes = 0;
    }
    relay->is_over = relay->is_over || is_aborted || is_ended;
    lw_mutex_unlock(&relay->mu);
    free_all(&dropped);
    if (is_aborted)
        lw_http_abort(relay->origin);
    else if (is_ended)
        lw_http_end(relay->origin);
}

/* Notifies a waiting producer if the client takes data. */
static void update_room(lw_relay *relay)
{
    bool has_room = lw_http_wants_more(relay->origin);
    lw_mutex_lock(&relay->mu);
    relay->has_room = has_room;
    if (relay->is_waiting && has_room && relay->bytes <= LW_HTTP_QUEUE_LOW) {
        relay->is_waiting = false;
        relay->is_drained = true;
        post_worker_locked(relay);
    }
    lw_mutex_unlock(&relay->mu);
}

/* Delivers what the client takes, and lets a waiting producer continue. */
static void pump(lw_relay *relay)
{
    message *m;
    lw_status st = LW_OK;
    lw_ref_inc(&relay->holders);
    while (st == LW_OK && (m = next_message(relay)) != NULL)
        st = deliver(relay->origin, m);
    if (st < 0)
        give_up(relay, st);
    deliver_end(relay);
    update_room(relay);
    relay_unref(relay);
}

static void run_on_origin(lw_task *task)
{
    lw_relay *relay = LW_CONTAINER_OF(task, lw_relay, to_origin);
    lw_mutex_lock(&relay->mu);
    relay->is_origin_posted = false;
    bool is_closed = relay->is_origin_closed;
    lw_mutex_unlock(&relay->mu);
    if (!is_closed)
        pump(relay);
    relay_unref(relay);
}

static void origin_drained(lw_http_stream *origin, void *arg)
{
    (void)origin;
    pump(arg);
}

static void origin_closed(lw_http_stream *origin, void *arg)
{
    lw_relay *relay = arg;
    lw_dlist left;
    (void)origin;
    lw_dlist_init(&left);
    lw_mutex_lock(&relay->mu);
    relay->is_origin_closed = true;
    lw_dlist_append_all(&left, &relay->messages);
    relay->bytes = 0;
    post_worker_locked(relay);
    lw_mutex_unlock(&relay->mu);
    free_all(&left);
    relay_unref(relay);
}

/* On the worker's loop: tells the handler what has happened to the connection. */
static void run_on_worker(lw_task *task)
{
    lw_relay *relay = LW_CONTAINER_OF(task, lw_relay, to_worker);
    lw_http_stream *stream = &relay->base;
    lw_mutex_lock(&relay->mu);
    relay->is_worker_posted = false;
    bool is_closed = relay->is_origin_closed, is_drained = relay->is_drained;
    relay->is_drained = false;
    lw_mutex_unlock(&relay->mu);
    if (is_closed) {
        lw_http_stream_closed(stream);
        lw_http_stream_unref(stream); /* the relay's own reference */
    } else if (is_drained && stream->on_drained) {
        stream->on_drained(stream, stream->arg);
    }
}

/* The caller holds relay->mu. */
static void post_origin_locked(lw_relay *relay)
{
    if (relay->is_origin_closed || relay->is_origin_posted)
        return;
    relay->is_origin_posted = true;
    lw_ref_inc(&relay->holders);
    lw_loop_post(relay->origin->loop, &relay->to_origin);
}

/* Appends |m|, which it takes, even on error. */
static lw_status post_message(lw_relay *relay, message *m)
{
    lw_mutex_lock(&relay->mu);
    bool is_closed = relay->is_origin_closed;
    if (!is_closed) {
        lw_dlist_push_back(&relay->messages, &m->link);
        relay->bytes += m->bytes;
        relay->is_waiting = relay->is_waiting || relay->bytes > LW_HTTP_QUEUE_HIGH;
        post_origin_locked(relay);
    }
    lw_mutex_unlock(&relay->mu);
    if (is_closed)
        message_free(m);
    return is_closed ? LW_ERR_STOPPED : LW_OK;
}

static char *copy_text(char *at, lw_str *text)
{
    if (text->len > 0)
        memcpy(at, text->ptr, text->len);
    text->ptr = at;
    return at + text->len;
}

/* Creates a message with a copy of |reply| (may be NULL) and takes the pieces, even on error. */
static message *message_new(message_kind kind, const lw_http_reply *reply, lw_str annotations,
                            const lw_bytes *pieces, size_t piece_count)
{
    size_t header_count = reply ? reply->header_count : 0;
    size_t size =
        sizeof(message) + piece_count * sizeof(lw_bytes) + header_count * sizeof(lw_http_header);
    size_t text_at = size;
    size += annotations.len;
    for (size_t i = 0; i < header_count; i++)
        size += reply->headers[i].name.len + reply->headers[i].value.len;
    message *m = lw_alloc(size);
    if (!m) {
        for (size_t i = 0; i < piece_count; i++)
            lw_bytes_release(pieces[i]);
        return NULL;
    }
    lw_http_header *headers = (lw_http_header *)(void *)(m->pieces + piece_count);
    char *text = (char *)m + text_at;
    for (size_t i = 0; i < header_count; i++) {
        headers[i] = reply->headers[i];
        text = copy_text(text, &headers[i].name);
        text = copy_text(text, &headers[i].value);
    }
    (void)copy_text(text, &annotations);
    *m = (message){ .kind = kind, .piece_count = piece_count, .annotations = annotations };
    m->reply = (lw_http_reply){ reply ? reply->status : 0, headers, header_count };
    for (size_t i = 0; i < piece_count; i++) {
        m->pieces[i] = pieces[i];
        m->bytes += pieces[i].len;
    }
    return m;
}

static lw_status post_new(lw_http_stream *stream, message_kind kind, const lw_http_reply *reply,
                          const lw_bytes *pieces, size_t count)
{
    message *m = message_new(kind, reply, stream->annotations, pieces, count);
    return m ? post_message(relay_of(stream), m) : LW_ERR_NOMEM;
}

static lw_status relay_reply(lw_http_stream *stream, const lw_http_reply *reply, lw_bytes body)
{
    return post_new(stream, MESSAGE_REPLY, reply, &body, 1);
}

static lw_status relay_begin(lw_http_stream *stream, const lw_http_reply *reply)
{
    return post_new(stream, MESSAGE_BEGIN, reply, NULL, 0);
}

static lw_status relay_write(lw_http_stream *stream, const lw_bytes *pieces, size_t count)
{
    return post_new(stream, MESSAGE_WRITE, NULL, pieces, count);
}

/* Ending needs no memory, so it cannot fail. */
static void relay_end(lw_http_stream *stream)
{
    lw_relay *relay = relay_of(stream);
    lw_mutex_lock(&relay->mu);
    relay->is_ended = true;
    post_origin_locked(relay);
    lw_mutex_unlock(&relay->mu);
}

/* Drops what the client has not taken yet. */
static void relay_abort(lw_http_stream *stream)
{
    lw_relay *relay = relay_of(stream);
    lw_mutex_lock(&relay->mu);
    relay->is_aborted = true;
    post_origin_locked(relay);
    lw_mutex_unlock(&relay->mu);
}

static size_t relay_pending(const lw_http_stream *stream)
{
    return ((const lw_relay *)(const void *)stream)->bytes;
}

static bool relay_wants_more(lw_http_stream *stream)
{
    lw_relay *relay = relay_of(stream);
    lw_mutex_lock(&relay->mu);
    bool wants = relay->has_room && relay->bytes <= LW_HTTP_QUEUE_HIGH;
    relay->is_waiting = relay->is_waiting || !wants;
    lw_mutex_unlock(&relay->mu);
    return wants;
}

static void relay_free(lw_http_stream *stream)
{
    lw_relay *relay = relay_of(stream);
    lw_relay_owner owner = relay->owner;
    lw_http_stream_unref(relay->origin);
    relay_unref(relay);
    if (owner.freed)
        owner.freed(owner.arg);
}

static const lw_http_stream_ops relay_ops = {
    .reply = relay_reply,
    .begin = relay_begin,
    .write = relay_write,
    .end = relay_end,
    .abort = relay_abort,
    .pending = relay_pending,
    .wants_more = relay_wants_more,
    .free = relay_free,
};

lw_relay *lw_relay_new(lw_http_stream *origin, lw_relay_owner owner)
{
    static const lw_peer nobody = { .is_tls = false };
    lw_relay *relay = lw_alloc_zero(1, sizeof(*relay));
    if (!relay)
        return NULL;
    relay->base.ops = &relay_ops;
    lw_ref_init(&relay->base.refs);
    relay->base.request = origin->request;
    relay->base.request.peer = &nobody;
    relay->base.caller = origin->caller;
    if (origin->observation) {
        relay->observation.audit_id = origin->observation->audit_id;
        relay->base.observation = &relay->observation;
    }
    relay->origin = lw_http_stream_ref(origin);
    relay->owner = owner;
    lw_ref_init(&relay->holders);
    lw_ref_inc(&relay->holders); /* one for the stream, one for the connection's side */
    relay->to_origin.run = run_on_origin;
    relay->to_worker.run = run_on_worker;
    lw_mutex_init(&relay->mu);
    lw_dlist_init(&relay->messages);
    origin->on_drained = origin_drained;
    origin->on_closed = origin_closed;
    origin->arg = relay;
    relay->has_room = lw_http_wants_more(origin);
    return relay;
}

lw_http_stream *lw_relay_take(lw_relay *relay, lw_loop *loop)
{
    lw_mutex_lock(&relay->mu);
    bool is_closed = relay->is_origin_closed;
    relay->base.loop = loop;
    relay->is_taken = !is_closed;
    lw_mutex_unlock(&relay->mu);
    if (!is_closed)
        return &relay->base;
    lw_http_stream_unref(&relay->base);
    return NULL;
}
