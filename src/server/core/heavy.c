/* SPDX-License-Identifier: Apache-2.0 */
/* heavy.c -- the queue of heavy requests.
 *
 * Ownership: a request is freed when its relay is, by any thread; a user is freed with its last
 * request.
 * Threads: |mu| guards everything.  A worker's task is posted at most once at a time. */
#include "server/core/heavy.h"

#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/container_of.h"
#include "base/str.h"
#include "base/sync.h"
#include "net/relay.h"
#include "server/core/loops.h"
#include "server/core/reply.h"

typedef struct heavy_user {
    lw_dlist_node link; /* in heavy->users */
    lw_str name;        /* behind the user */
    lw_dlist queue;     /* of heavy_request */
    size_t queued;
    size_t body_bytes;
    size_t requests; /* that are not freed */
} heavy_user;

typedef struct heavy_request {
    lw_dlist_node link; /* in user->queue until a worker takes it */
    lw_heavy *heavy;
    heavy_user *user;
    const lw_user *caller;
    lw_relay *relay;
    size_t body_bytes;
} heavy_request;

typedef struct heavy_worker {
    lw_heavy *heavy;
    lw_loop *loop;
    lw_task task;
    bool is_posted, is_busy;
} heavy_worker;

struct lw_heavy {
    lw_api *api;
    heavy_worker workers[LW_LOOPS_WORKERS_MAX];
    size_t worker_count;

    lw_mutex mu;    /* guards the members below, the users, and the flags of the workers */
    lw_dlist users; /* of heavy_user; the first one is next */
    size_t queued, requests, body_bytes;
    uint64_t taken, refused;
    bool is_draining;
};

lw_status lw_heavy_new(lw_heavy **out)
{
    lw_heavy *heavy = lw_alloc_zero(1, sizeof(*heavy));
    if (!heavy)
        return LW_ERR_NOMEM;
    lw_mutex_init(&heavy->mu);
    lw_dlist_init(&heavy->users);
    *out = heavy;
    return LW_OK;
}

static heavy_user *find_user_locked(lw_heavy *heavy, lw_str name)
{
    LW_DLIST_FOR_EACH(heavy_user, user, &heavy->users, link)
    {
        if (lw_str_equal(user->name, name))
            return user;
    }
    heavy_user *user = lw_alloc_zero(1, sizeof(*user) + name.len);
    if (!user)
        return NULL;
    char *copy = (char *)(user + 1);
    if (name.len > 0)
        memcpy(copy, name.ptr, name.len);
    user->name = lw_str_make(copy, name.len);
    lw_dlist_init(&user->queue);
    lw_dlist_push_back(&heavy->users, &user->link);
    return user;
}

static void drop_user_locked(heavy_user *user)
{
    if (user->requests > 0)
        return;
    lw_dlist_remove(&user->link);
    lw_free(user);
}

/* See heavy.h: a user may fill what is left. */
static bool has_room_locked(const lw_heavy *heavy, const heavy_user *user, size_t bytes)
{
    return !heavy->is_draining && user->queued < LW_HEAVY_REQUESTS_MAX - heavy->queued &&
           heavy->body_bytes + bytes <= LW_HEAVY_BODY_BYTES_MAX &&
           user->body_bytes + bytes <= LW_HEAVY_BODY_BYTES_MAX - heavy->body_bytes;
}

/* The relay, and with it the request, is freed. */
static void request_freed(void *arg)
{
    heavy_request *request = arg;
    lw_heavy *heavy = request->heavy;
    lw_mutex_lock(&heavy->mu);
    heavy->requests--;
    heavy->body_bytes -= request->body_bytes;
    request->user->body_bytes -= request->body_bytes;
    request->user->requests--;
    drop_user_locked(request->user);
    lw_mutex_unlock(&heavy->mu);
    lw_free(request);
}

/* Counts the request, if there is room. */
static lw_status reserve(lw_heavy *heavy, heavy_request *request, lw_str name)
{
    lw_mutex_lock(&heavy->mu);
    heavy_user *user = find_user_locked(heavy, name);
    lw_status st = !user                                               ? LW_ERR_NOMEM
                   : has_room_locked(heavy, user, request->body_bytes) ? LW_OK
                                                                       : LW_ERR_TOO_MANY;
    if (st == LW_OK) {
        request->user = user;
        user->requests++;
        user->body_bytes += request->body_bytes;
        heavy->requests++;
        heavy->body_bytes += request->body_bytes;
    } else if (st == LW_ERR_TOO_MANY) {
        heavy->refused++;
        drop_user_locked(user);
    }
    lw_mutex_unlock(&heavy->mu);
    return st;
}

/* Wakes a worker that has nothing to do; if all are busy, the first one that is done continues with
 * the queue. */
static void wake_locked(lw_heavy *heavy)
{
    heavy_worker *chosen = NULL;
    for (size_t i = 0; i < heavy->worker_count; i++) {
        heavy_worker *worker = &heavy->workers[i];
        if (!worker->is_posted && (!chosen || (chosen->is_busy && !worker->is_busy)))
            chosen = worker;
    }
    if (!chosen)
        return;
    chosen->is_posted = true;
    lw_loop_post(chosen->loop, &chosen->task);
}

static void enqueue(lw_heavy *heavy, heavy_request *request)
{
    lw_mutex_lock(&heavy->mu);
    lw_dlist_push_back(&request->user->queue, &request->link);
    request->user->queued++;
    heavy->queued++;
    heavy->taken++;
    wake_locked(heavy);
    lw_mutex_unlock(&heavy->mu);
}

static lw_status take(void *arg, lw_http_stream *stream, const lw_user *caller)
{
    lw_heavy *heavy = arg;
    heavy_request *request = lw_alloc_zero(1, sizeof(*request));
    if (!request)
        return LW_ERR_NOMEM;
    request->heavy = heavy;
    request->caller = caller;
    request->body_bytes = stream->request.body.len;
    lw_status st = reserve(heavy, request, caller->name);
    if (st < 0) {
        lw_free(request);
        return st;
    }
    request->relay = lw_relay_new(stream, (lw_relay_owner){ request_freed, request });
    if (!request->relay) {
        request_freed(request);
        return LW_ERR_NOMEM;
    }
    enqueue(heavy, request);
    return LW_OK;
}

lw_offload lw_heavy_offload(lw_heavy *heavy)
{
    return (lw_offload){ take, heavy };
}

/* Takes the next request; the users take turns.  NULL: there is none. */
static heavy_request *pop_locked(lw_heavy *heavy)
{
    LW_DLIST_FOR_EACH(heavy_user, user, &heavy->users, link)
    {
        lw_dlist_node *node = lw_dlist_pop_front(&user->queue);
        if (!node)
            continue;
        user->queued--;
        heavy->queued--;
        lw_dlist_remove(&user->link);
        lw_dlist_push_back(&heavy->users, &user->link);
        return LW_DLIST_ITEM(node, heavy_request, link);
    }
    return NULL;
}

static void serve(heavy_worker *worker, heavy_request *request, bool is_draining)
{
    lw_api *api = worker->heavy->api;
    const lw_user *caller = request->caller;
    lw_http_stream *stream = lw_relay_take(request->relay, worker->loop);
    if (!stream) /* the client has disconnected; |request| is freed */
        return;
    if (is_draining)
        lw_api_refuse(api, stream, 429, LW_STR("the server is shutting down, please try again."));
    else if (!lw_api_serve(api, stream, caller))
        lw_reply_text(stream, 404, "404 page not found\n");
}

/* Serves one request and continues after the other tasks of the loop. */
static void run_worker(lw_task *task)
{
    heavy_worker *worker = LW_CONTAINER_OF(task, heavy_worker, task);
    lw_heavy *heavy = worker->heavy;
    lw_mutex_lock(&heavy->mu);
    heavy_request *request = pop_locked(heavy);
    bool is_draining = heavy->is_draining;
    worker->is_posted = heavy->queued > 0;
    if (worker->is_posted)
        lw_loop_post(worker->loop, &worker->task);
    worker->is_busy = true;
    lw_mutex_unlock(&heavy->mu);
    if (request)
        serve(worker, request, is_draining);
    lw_mutex_lock(&heavy->mu);
    worker->is_busy = false;
    lw_mutex_unlock(&heavy->mu);
}

void lw_heavy_serve(lw_heavy *heavy, lw_api *api, lw_loop *const *loops, size_t count)
{
    assert(count <= LW_LOOPS_WORKERS_MAX);
    heavy->api = api;
    for (size_t i = 0; i < count; i++) {
        heavy->workers[i].heavy = heavy;
        heavy->workers[i].loop = loops[i];
        heavy->workers[i].task.run = run_worker;
    }
    heavy->worker_count = count;
}

void lw_heavy_drain(lw_heavy *heavy)
{
    lw_mutex_lock(&heavy->mu);
    heavy->is_draining = true;
    lw_mutex_unlock(&heavy->mu);
}

void lw_heavy_close(lw_heavy *heavy)
{
    if (!heavy)
        return;
    for (;;) {
        lw_mutex_lock(&heavy->mu);
        heavy_request *request = pop_locked(heavy);
        lw_mutex_unlock(&heavy->mu);
        if (!request)
            return;
        lw_http_stream *stream = lw_relay_take(request->relay, heavy->workers[0].loop);
        assert(!stream && "the connection of a queued request is still open");
        (void)stream;
    }
}

void lw_heavy_free(lw_heavy *heavy)
{
    if (!heavy)
        return;
    assert(lw_dlist_is_empty(&heavy->users) && "a heavy request outlives the server");
    lw_mutex_done(&heavy->mu);
    lw_free(heavy);
}

void lw_heavy_read_stats(lw_heavy *heavy, lw_heavy_stats *stats)
{
    lw_mutex_lock(&heavy->mu);
    *stats = (lw_heavy_stats){
        .queued = heavy->queued,
        .running = heavy->requests - heavy->queued,
        .body_bytes = heavy->body_bytes,
        .taken = heavy->taken,
        .refused = heavy->refused,
    };
    lw_mutex_unlock(&heavy->mu);
}
