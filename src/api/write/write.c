/* SPDX-License-Identifier: Apache-2.0 */
/* write.c -- the engine of all writes. */
#include "api/write/write.h"

#include <assert.h>

#include "api/context/cache_lookup.h"
#include "api/http/failures.h"
#include "api/pending/pending_object.h"
#include "api/write/write_conversion.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/container_of.h"
#include "base/str.h"
#include "schema/kinds/conversion.h"

static void write_step(lw_write *write);
static void conclude(lw_write *write);
static void write_resumed(lw_task *task);

static const lw_map_type by_stored_key = LW_MAP_STR_TYPE(lw_write, txn.key);

void lw_write_port_init(lw_api_port *port)
{
    lw_map_init(&port->storing, &by_stored_key, lw_hash_seed_random(), LW_STORE_QUEUE_MAX);
}

void lw_write_port_done(lw_api_port *port)
{
    lw_map_done(&port->storing);
}

lw_write_decision lw_write_fail(lw_write *write, lw_status st)
{
    lw_api_status_of_failure(&write->status, st);
    return LW_WRITE_REFUSE;
}

lw_status lw_write_read_current(const lw_write *write, lw_tree **out, bool *is_stored)
{
    lw_buf shown;
    lw_budget_enter(write->budget, LW_BUDGET_STORED);
    *is_stored = lw_kind_shows_as_stored(write->kind, write->current);
    if (write->kind->conversion)
        return lw_kind_parse_converted(write->kind, write->current, write->budget, out);
    if (*is_stored)
        return lw_tree_parse_stored(out, lw_object_json(write->current), LW_STR("fieldsV1"),
                                    write->budget, NULL);
    lw_buf_init(&shown, LW_CALL_REPLY_MAX);
    lw_kind_append_object(write->kind, write->current, &shown);
    lw_status st = shown.st;
    if (st == LW_OK)
        st = lw_tree_parse_within(out, lw_buf_view(&shown), 0, write->budget, NULL);
    lw_buf_done(&shown);
    return st;
}

/* Which states may follow each; bits of 1 << state. */
static const unsigned next_states[] = {
    [LW_WRITE_NEW] = 1 << LW_WRITE_WAITING | 1 << LW_WRITE_DECIDING,
    [LW_WRITE_WAITING] = 1 << LW_WRITE_WAITING | 1 << LW_WRITE_DECIDING,
    [LW_WRITE_DECIDING] = 1 << LW_WRITE_CONFIRMING | 1 << LW_WRITE_ASKING | 1 << LW_WRITE_GRANTING |
                          1 << LW_WRITE_WAITING | 1 << LW_WRITE_STORING | 1 << LW_WRITE_DONE,
    [LW_WRITE_ASKING] = 1 << LW_WRITE_DECIDING | 1 << LW_WRITE_DONE,
    [LW_WRITE_CONFIRMING] = 1 << LW_WRITE_DECIDING | 1 << LW_WRITE_GRANTING | 1 << LW_WRITE_DONE,
    [LW_WRITE_GRANTING] = 1 << LW_WRITE_WAITING | 1 << LW_WRITE_STORING | 1 << LW_WRITE_DONE,
    [LW_WRITE_STORING] = 1 << LW_WRITE_DECIDING | 1 << LW_WRITE_DONE,
    [LW_WRITE_DONE] = 0,
};

/* Counts a transaction that the store has answered after |ns|. */
static void count_stored(const lw_write *write, int64_t ns)
{
    lw_resource_metrics *resource = lw_request_metrics_resource(&write->port->metrics, write->kind);
    if (!resource)
        return;
    lw_store_request request = write->txn.op == LW_STORE_DELETE ? LW_STORE_REQUEST_DELETE
                               : write->txn.expected == 0       ? LW_STORE_REQUEST_CREATE
                                                                : LW_STORE_REQUEST_UPDATE;
    lw_histogram_add(&resource->store[request].durations, lw_duration_bounds,
                     ns > 0 ? (uint64_t)ns : 0);
    if (write->txn.st < 0 && write->txn.st != LW_ERR_CONFLICT)
        lw_counter_add(&resource->store[request].errors, 1);
}

static void enter(lw_write *write, lw_write_state state)
{
    const unsigned waits = 1 << LW_WRITE_WAITING | 1 << LW_WRITE_CONFIRMING | 1 << LW_WRITE_ASKING |
                           1 << LW_WRITE_GRANTING | 1 << LW_WRITE_STORING;
    (void)next_states;
    assert(next_states[write->state] & 1u << state);
    if (waits & (1u << write->state | 1u << state)) {
        int64_t now = lw_clock_now(lw_loop_clock(write->port->loop));
        if (waits & 1u << write->state)
            write->waited_ns += now - write->since_ns;
        if (write->state == LW_WRITE_STORING)
            count_stored(write, now - write->since_ns);
        write->since_ns = now;
    }
    write->state = state;
}

static void unclaim(lw_write *write)
{
    if (write->is_claimed)
        (void)lw_map_remove(&write->port->storing, &write->txn.key);
    write->is_claimed = false;
}

/* Takes a write out of the way of others of its key, and lets the first of them look: in a turn of
 * its own, since any number may be waiting. */
static void make_way(lw_write *write)
{
    unclaim(write);
    lw_write *next = LW_DLIST_ITEM(lw_dlist_pop_front(&write->waiting), lw_write, link);
    if (!next)
        return;
    lw_dlist_append_all(&next->waiting, &write->waiting);
    next->task = (lw_task){ .run = write_resumed };
    next->port->under_way++;
    lw_loop_post(next->port->loop, &next->task);
}

static void drop_grant(lw_write *write, bool is_stored)
{
    if (write->grant)
        write->grant->free(write->grant, is_stored);
    write->grant = NULL;
}

static void drop_question(lw_write *write)
{
    if (write->question)
        write->question->free(write->question);
    write->question = NULL;
}

static void finish(lw_write *write, lw_write_decision outcome)
{
    bool is_change = outcome == LW_WRITE_PUT || outcome == LW_WRITE_DELETE;
    enter(write, LW_WRITE_DONE);
    make_way(write);
    drop_question(write);
    drop_grant(write, outcome == LW_WRITE_PUT && !write->is_dry_run);
    write->outcome = outcome;
    if (is_change && !write->is_dry_run)
        write->port->api->write_hooks->after_commit(write);
    lw_write_convert_result(write);
}

static void drop_objects(lw_write *write)
{
    lw_object_unref(write->current);
    lw_object_unref(write->next);
    lw_object_unref(write->result);
    write->current = write->next = write->result = NULL;
    lw_tree_free(write->asked);
    write->asked = NULL;
    drop_question(write);
    drop_grant(write, false);
}

void lw_write_release(lw_write *write)
{
    drop_objects(write);
    lw_buf_done(&write->store_key);
    lw_free(write->renamed);
    write->renamed = NULL;
    if (write->outcome == LW_WRITE_REFUSE)
        lw_api_status_done(&write->status);
}

/* The object as it stands after the change at |revision|: from the cache, which has it already,
 * unless it has moved on. */
static void take_result(lw_write *write, uint64_t revision)
{
    const lw_object *shown = write->next ? write->next : write->current;
    lw_object *cached = NULL;
    if (write->txn.op == LW_STORE_PUT)
        cached = lw_cache_get_ref(lw_api_resource(write->port->api, write->kind), write->key.ns,
                                  write->key.name);
    if (cached && lw_object_revision(cached) == revision) {
        write->result = cached;
        return;
    }
    lw_object_unref(cached);
    if (shown && lw_object_with_revision(&write->result, shown, revision) < 0)
        write->result = NULL; /* it is stored: what can be shown is shown */
}

/* What the store says when it will not, other than that it was not as expected. */
static void refuse_stored(lw_write *write, lw_status st, const char *message)
{
    lw_str why = lw_str_of(message[0] ? message : lw_status_name(st));
    switch (st) {
    case LW_ERR_TOO_MANY:
        lw_api_status_too_many(&write->status, LW_STR("Too many requests, please try again later."),
                               1);
        break;
    case LW_ERR_LIMIT: lw_api_status_too_large(&write->status, why); break;
    case LW_ERR_UNAVAILABLE:
    case LW_ERR_STOPPED: lw_api_status_away(&write->status, why); break;
    case LW_ERR_TIMEOUT: lw_api_status_timeout(&write->status, why, 0); break;
    case LW_ERR_NO_SPACE: lw_api_status_no_space(&write->status, why); break;
    case LW_ERR_NOMEM:
        lw_api_status_init(&write->status);
        write->status.st = st;
        break;
    default: lw_api_status_internal(&write->status, why); break;
    }
    finish(write, LW_WRITE_REFUSE);
}

/* On the loop again. */
static void write_answered(lw_task *task)
{
    lw_write *write = LW_DLIST_ITEM(&task->link, lw_write, task.link);
    lw_status st = write->txn.st;
    write->port->under_way--;
    if (st == LW_ERR_CONFLICT) {
        unclaim(write); /* its key may become another; those who wait for it still do */
        write_step(write);
        return;
    }
    if (st < 0) {
        refuse_stored(write, st, write->txn.err.message);
        return;
    }
    if (write->decided == LW_WRITE_PUT_FIRST) {
        unclaim(write);
        write->has_stored = true;
        write_step(write);
        return;
    }
    take_result(write, write->txn.revision);
    finish(write, write->decided);
}

/* On the store's thread. */
static void write_committed(lw_store_txn *txn)
{
    lw_write *write = txn->arg;
    lw_loop_post(write->port->loop, &write->task);
}

/* True when another write of the key is under way, which this one now waits for. */
static bool waits(lw_write *write)
{
    lw_write *other = lw_map_get_str(&write->port->storing, lw_buf_view(&write->store_key));
    if (!other || other == write)
        return false;
    enter(write, LW_WRITE_WAITING);
    lw_dlist_push_back(&other->waiting, &write->link);
    lw_dlist_append_all(&other->waiting, &write->waiting);
    return true;
}

/* Goes before others of the key.  Without memory it does not: then they decide more often. */
static void claim(lw_write *write)
{
    void *replaced = NULL;
    if (!write->is_claimed)
        write->is_claimed =
            lw_map_put(&write->port->storing, &write->txn.key, write, &replaced) == LW_OK;
}

static void write_store(lw_write *write)
{
    bool is_put = write->decided != LW_WRITE_DELETE;
    enter(write, LW_WRITE_STORING);
    write->txn = (lw_store_txn){
        .op = is_put ? LW_STORE_PUT : LW_STORE_DELETE,
        .key = lw_buf_view(&write->store_key),
        .value = is_put ? lw_object_json(write->next) : LW_STR(""),
        .expected = write->current ? lw_object_revision(write->current) : 0,
        .ttl_s = is_put && write->kind->ttl_s > 0 ? write->port->api->event_ttl_s : 0,
        .attachment = is_put ? write->next : NULL,
        .done = write_committed,
        .arg = write,
    };
    write->task = (lw_task){ .run = write_answered };
    claim(write);
    write->port->under_way++;
    lw_status st = lw_store_submit(write->port->api->store, &write->txn);
    if (st < 0) {
        write->port->under_way--;
        write->txn.st = st;
        refuse_stored(write, st, "");
    }
}

/* Shows what would have been, under the revision there is. */
static void finish_dry(lw_write *write)
{
    const lw_object *shown = write->next ? write->next : write->current;
    if (!write->current)
        write->result = lw_object_ref(shown);
    else if (lw_object_with_revision(&write->result, shown, lw_object_revision(write->current)) < 0)
        write->result = NULL;
    finish(write, write->decided);
}

static lw_status look_up(lw_write *write)
{
    lw_buf_reset(&write->store_key);
    lw_api_append_key(write->port->api, write->kind, write->key, &write->store_key);
    lw_status st =
        lw_lookup(lw_api_resource(write->port->api, write->kind), write->key, &write->current);
    return write->store_key.st < 0 ? write->store_key.st : st;
}

/* Reads what is there now. */
static lw_status look(lw_write *write)
{
    drop_objects(write);
    write->is_admitted = write->has_asked = false;
    return look_up(write);
}

lw_status lw_write_rename(lw_write *write, lw_str name)
{
    char *renamed = lw_str_dup(name);
    if (!renamed)
        return LW_ERR_NOMEM;
    lw_free(write->renamed);
    write->renamed = renamed;
    write->key.name = lw_str_of(renamed);
    lw_object_unref(write->current);
    write->current = NULL;
    return look_up(write);
}

void lw_write_name(lw_write *write, lw_str name)
{
    lw_free(write->renamed);
    write->renamed = NULL;
    write->key.name = name;
}

/* True if the decision was about what is there now. */
static bool is_current(const lw_write *write)
{
    lw_object *now = NULL;
    lw_status st = lw_lookup(lw_api_resource(write->port->api, write->kind), write->key, &now);
    bool is_same = st == LW_OK && !now == !write->current &&
                   (!now || lw_object_revision(now) == lw_object_revision(write->current));
    lw_object_unref(now);
    return is_same;
}

/* On the loop again: what the store has is in the cache. */
static void decision_confirmed(lw_consistent_read *confirm)
{
    lw_write *write = LW_CONTAINER_OF(confirm, lw_write, confirm);
    const lw_store_confirmation *answer = &confirm->question;
    if (answer->st < 0) {
        if (write->has_asked && write->decided == LW_WRITE_REFUSE)
            lw_api_status_done(&write->status);
        refuse_stored(write, answer->st == LW_ERR_TIMEOUT ? LW_ERR_UNAVAILABLE : answer->st,
                      answer->err.message);
    } else if (write->has_asked && is_current(write)) {
        conclude(write);
    } else {
        if (write->has_asked && write->decided == LW_WRITE_REFUSE)
            lw_api_status_done(&write->status);
        write_step(write);
    }
}

/* True when |decision| changes nothing because of what may be old; it is then taken again later. */
static bool is_doubted(lw_write *write, lw_write_decision decision)
{
    bool is_final = decision == LW_WRITE_KEEP || decision == LW_WRITE_REFUSE || write->is_dry_run;
    if (!is_final || write->is_confirmed || !lw_consistent_read_is_needed(write->port, NULL))
        return false;
    if (decision == LW_WRITE_REFUSE && !write->has_asked) /* else webhooks are not asked again */
        lw_api_status_done(&write->status);
    enter(write, LW_WRITE_CONFIRMING);
    write->is_confirmed = true;
    write->confirm = (lw_consistent_read){ .port = write->port, .over = decision_confirmed };
    lw_consistent_read_begin(&write->confirm);
    return true;
}

/* Nothing is in the way of what was decided but others of the key. */
static void write_change(lw_write *write)
{
    if (write->is_dry_run)
        finish_dry(write);
    else if (!waits(write))
        write_store(write);
}

static void grant_over(lw_write *write, bool is_granted)
{
    if (is_granted)
        write_change(write);
    else
        finish(write, LW_WRITE_REFUSE);
}

/* Looks and decides, again while the decision changes the key. */
static lw_write_decision look_and_decide(lw_write *write)
{
    lw_write_decision decision = LW_WRITE_AGAIN;
    if (write->tries > 0)
        lw_budget_rewind(write->budget);
    while (decision == LW_WRITE_AGAIN) {
        if (write->tries++ == LW_WRITE_TRIES_MAX) {
            lw_api_status_server_timeout(&write->status, lw_kind_gvr(write->kind), LW_STR("write"),
                                         1);
            return LW_WRITE_REFUSE;
        }
        lw_status st = look(write);
        if (st < 0)
            decision = lw_write_fail(write, st);
        else if (lw_write_convert_current(write, &decision))
            decision = write->decide(write);
    }
    return decision;
}

/* The client has disconnected, or the server stops. */
static void abandon(lw_write *write)
{
    lw_dlist_remove(&write->link);
    write->port->under_way--;
    lw_api_status_timeout(&write->status,
                          LW_STR("request did not complete within requested timeout"), 0);
    finish(write, LW_WRITE_REFUSE);
}

static void client_left(lw_http_stream *stream, void *arg)
{
    stream->on_closed = NULL;
    abandon(arg);
}

void lw_write_port_hurry(lw_api_port *port)
{
    for (lw_dlist_node *node; (node = lw_dlist_first(&port->asking));) {
        lw_write *write = LW_DLIST_ITEM(node, lw_write, link);
        if (write->stream)
            write->stream->on_closed = NULL;
        abandon(write);
    }
}

/* Waits for the answer.  Writes of one request that are several do not see that the client
 * disconnects: their calls end with their time limits. */
static void wait_for_answer(lw_write *write)
{
    enter(write, LW_WRITE_ASKING);
    write->has_asked = true;
    write->port->under_way++;
    lw_dlist_push_back(&write->port->asking, &write->link);
    if (write->stream && write->stream->is_closed) {
        abandon(write);
    } else if (write->stream) {
        write->stream->on_closed = client_left;
        write->stream->arg = write;
    }
}

/* Goes on with what was decided. */
static void conclude(lw_write *write)
{
    bool is_change = write->decided != LW_WRITE_KEEP && write->decided != LW_WRITE_REFUSE;
    if (!is_change) {
        finish(write, write->decided);
    } else if (!write->grant) {
        write_change(write);
    } else if (write->is_dry_run || !waits(write)) { /* else it asks when it is its turn */
        enter(write, LW_WRITE_GRANTING);
        write->grant->start(write->grant, grant_over);
    }
}

static void write_decided(lw_write *write)
{
    (void)lw_write_convert_next(write, &write->decided);
    if (write->decided == LW_WRITE_ASK)
        wait_for_answer(write);
    else if (!is_doubted(write, write->decided))
        conclude(write);
}

static void write_step(lw_write *write)
{
    enter(write, LW_WRITE_DECIDING);
    write->decided = look_and_decide(write);
    write_decided(write);
}

void lw_write_resume(lw_write *write)
{
    assert(write->state == LW_WRITE_ASKING);
    lw_dlist_remove(&write->link);
    write->port->under_way--;
    if (write->stream)
        write->stream->on_closed = NULL;
    enter(write, LW_WRITE_DECIDING);
    write->decided = write->resume(write);
    if (write->decided == LW_WRITE_AGAIN || (write->decided == LW_WRITE_KEEP && !is_current(write)))
        write->decided = look_and_decide(write);
    write_decided(write);
}

/* Looks, decides and stores, unless another write of the key is under way. */
static void write_begin(lw_write *write)
{
    lw_buf_reset(&write->store_key);
    lw_api_append_key(write->port->api, write->kind, write->key, &write->store_key);
    if (!waits(write))
        write_step(write);
}

static void write_resumed(lw_task *task)
{
    lw_write *write = LW_DLIST_ITEM(&task->link, lw_write, task.link);
    write->port->under_way--;
    write_begin(write);
}

void lw_write_start(lw_write *write)
{
    lw_buf_init(&write->store_key, LW_WRITE_KEY_MAX);
    lw_dlist_init(&write->waiting);
    lw_budget_mark(write->budget);
    write_begin(write);
}
