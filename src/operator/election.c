/* SPDX-License-Identifier: Apache-2.0 */
/* election.c -- a leader election with asynchronous requests.
 *
 *   waiting ──due──▶ reading ──absent, or free──▶ writing ──▶ waiting
 *      │                └──held by another──▶ waiting
 *      └──due, held──▶ renewing ──conflict──▶ reading
 *
 *   any ──close──▶ releasing (if it led, and releases) ──written, or too late──▶ closed
 *
 * The dispatching thread owns everything but the members after |mu|.  At most one request is in
 * progress.  The time of a successful renewal is the time when it was sent: that is what the other
 * copies can have seen at the latest. */
#include <listwatch/election.h>

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <listwatch/async.h>
#include <listwatch/config.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/clock_waker.h"
#include "base/error.h"
#include "base/log.h"
#include "base/options.h"
#include "base/random.h"
#include "base/str.h"
#include "operator/lease.h"
#include "operator/poll_set.h"
#include "operator/runner.h"

static const char component[] = "election";

/* As in client-go: candidates wait for the retry period times [1, 2.2). */
#define COMPETING_JITTER 1.2

struct lw_election {
    lw_election_options options; /* its strings and pointers are those of the caller; not used */
    char *ns, *name;
    char identity[LW_ELECTION_IDENTITY_SIZE];
    lw_logger logger;
    const lw_clock *clock;
    lw_clock_waker waker;
    lw_lease_times times;
    lw_async *async;
    lw_poll_set polls;
    lw_runner runner;
    lw_random random;

    lw_lease_view view;
    lw_object *held;     /* the Lease as we wrote it last; NULL: read it again */
    lw_request *request; /* in progress; NULL: none */
    int64_t due_ns;      /* time of the next attempt */
    int64_t asked_ns;    /* when the current attempt began */
    int64_t renewed_ns;  /* when the last successful renewal was sent */
    /* While releasing; on the system clock, so that a stop ends with any clock. */
    int64_t release_by_ns;
    bool is_releasing;
    bool has_read; /* the Lease, in this attempt */
    bool has_told; /* on_new_leader was called with |told| */
    char told[LW_ELECTION_IDENTITY_SIZE];

    atomic_bool has_begun; /* it was dispatched */
    atomic_bool is_leader;
    atomic_bool is_closed;
    lw_mutex mu; /* guards what follows */
    char leader[LW_ELECTION_IDENTITY_SIZE];
    bool must_close;
    int close_ms;
};

static lw_gvr leases(void)
{
    return lw_gvr_make("coordination.k8s.io", "v1", "leases");
}

static int64_t now_of(const lw_election *e)
{
    return lw_clock_now(e->clock);
}

static void schedule(lw_election *e)
{
    int64_t wait_ns = e->times.retry_ns;
    if (!e->is_leader)
        wait_ns += (int64_t)((double)wait_ns * COMPETING_JITTER * lw_random_unit(&e->random));
    e->due_ns = now_of(e) + wait_ns;
    lw_log(&e->logger, LW_LOG_DEBUG, component, "lease %s/%s: next attempt in %.3f s", e->ns,
           e->name, (double)wait_ns / (double)LW_NS_PER_S);
}

static void set_leader(lw_election *e, bool is_leader)
{
    bool was = atomic_exchange(&e->is_leader, is_leader);
    if (is_leader)
        e->renewed_ns = e->asked_ns;
    if (was == is_leader)
        return;
    lw_log(&e->logger, LW_LOG_INFO, component, "%s %s the lease %s/%s", e->identity,
           is_leader ? "holds" : "has lost", e->ns, e->name);
    lw_election_fn fn = is_leader ? e->options.on_acquired : e->options.on_lost;
    if (fn)
        fn(e->options.arg);
}

static void tell_leader(lw_election *e, const char *holder)
{
    if (e->has_told && strcmp(e->told, holder) == 0)
        return;
    e->has_told = true;
    (void)snprintf(e->told, sizeof(e->told), "%s", holder);
    lw_mutex_lock(&e->mu);
    memcpy(e->leader, e->told, sizeof(e->leader));
    lw_mutex_unlock(&e->mu);
    lw_log(&e->logger, LW_LOG_DEBUG, component, "the leader of %s/%s is \"%s\"", e->ns, e->name,
           holder);
    if (e->options.on_new_leader)
        e->options.on_new_leader(e->told, e->options.arg);
}

static void end_closing(lw_election *e)
{
    lw_request_cancel(e->request);
    e->request = NULL;
    e->is_releasing = false;
    atomic_store(&e->is_closed, true);
}

/* The attempt has failed, e.g. the server does not respond: the leader stays one until the renew
 * deadline. */
static void attempt_failed(lw_election *e, const lw_error *err)
{
    lw_log(&e->logger, LW_LOG_WARN, component, "%s lease %s/%s: %s",
           e->is_releasing ? "cannot release the" : "cannot get or renew the", e->ns, e->name,
           err->message);
    if (e->is_releasing)
        end_closing(e);
    else
        schedule(e);
}

static void read_lease(lw_election *e);

static void on_written(const lw_result *result, void *arg)
{
    lw_election *e = arg;
    e->request = NULL;
    lw_object_unref(e->held);
    e->held = result->st == LW_OK ? lw_object_ref(result->object) : NULL;
    bool is_stale = result->st == LW_ERR_CONFLICT || result->st == LW_ERR_NOT_FOUND;
    if (is_stale && !e->has_read) {
        read_lease(e); /* something else has changed it, maybe only an annotation */
    } else if (e->is_releasing) {
        if (result->st < 0)
            attempt_failed(e, result->err);
        else
            end_closing(e);
    } else if (is_stale || result->st == LW_ERR_EXISTS) {
        schedule(e); /* another copy was faster */
    } else if (result->st < 0) {
        attempt_failed(e, result->err);
    } else {
        lw_lease_look(&e->view, result->object, now_of(e));
        set_leader(e, true);
        tell_leader(e, e->identity);
        schedule(e);
    }
}

/* Writes |lease| (NULL: creates it) with this copy as its holder, or released. */
static void write_lease(lw_election *e, const lw_object *lease)
{
    lw_document *doc = NULL;
    lw_object *wanted = NULL;
    lw_error err = LW_ERROR_INIT;
    /* As in client-go, two requests fit into the renew deadline. */
    const int timeout_ms = (int)(e->times.renew_ns / LW_NS_PER_MS / 2) + 1;
    lw_status st = lease ? lw_document_from_object(&doc, lease, &err) : lw_document_new(&doc, &err);
    if (st == LW_OK) {
        int64_t wall_ns = lw_clock_wall(e->clock);
        lw_document_set_string(doc, NULL, "/metadata/namespace", e->ns);
        lw_document_set_string(doc, NULL, "/metadata/name", e->name);
        if (e->is_releasing)
            lw_lease_release(doc, wall_ns);
        else
            lw_lease_take(doc, e->identity, &e->times, wall_ns);
        st = lw_document_to_object(doc, &wanted, &err);
    }
    if (st == LW_OK && lease)
        st = lw_async_update(e->async, leases(), wanted,
                             &(const lw_update_options){ .size = sizeof(lw_update_options),
                                                         .timeout_ms = timeout_ms },
                             on_written, e, &e->request, &err);
    else if (st == LW_OK)
        st = lw_async_create(e->async, leases(), wanted,
                             &(const lw_create_options){ .size = sizeof(lw_create_options),
                                                         .timeout_ms = timeout_ms },
                             on_written, e, &e->request, &err);
    lw_object_unref(wanted);
    lw_document_free(doc);
    if (st < 0)
        attempt_failed(e, &err);
}

static void use_lease(lw_election *e, const lw_object *lease)
{
    lw_lease_look(&e->view, lease, now_of(e));
    bool is_ours = strcmp(e->view.holder, e->identity) == 0;
    if (e->is_releasing) {
        if (is_ours)
            write_lease(e, lease);
        else
            end_closing(e);
        return;
    }
    bool may_take = lw_lease_may_take(&e->view, e->identity, now_of(e));
    if (!is_ours)
        set_leader(e, false);
    if (!may_take || e->options.observes)
        tell_leader(e, e->view.holder);
    if (may_take && !e->options.observes)
        write_lease(e, lease);
    else
        schedule(e);
}

static void on_read(const lw_result *result, void *arg)
{
    lw_election *e = arg;
    e->request = NULL;
    if (result->st == LW_OK) {
        use_lease(e, result->object);
    } else if (result->st == LW_ERR_NOT_FOUND && e->is_releasing) {
        end_closing(e);
    } else if (result->st == LW_ERR_NOT_FOUND && !e->options.observes) {
        write_lease(e, NULL);
    } else if (result->st == LW_ERR_NOT_FOUND) {
        tell_leader(e, "");
        schedule(e);
    } else {
        attempt_failed(e, result->err);
    }
}

static void read_lease(lw_election *e)
{
    lw_error err = LW_ERROR_INIT;
    e->has_read = true;
    const lw_get_options options = { .size = sizeof(lw_get_options),
                                     .timeout_ms =
                                         (int)(e->times.renew_ns / LW_NS_PER_MS / 2) + 1 };
    if (lw_async_get(e->async, leases(), e->ns, e->name, &options, on_read, e, &e->request, &err) <
        0)
        attempt_failed(e, &err);
}

static void attempt(lw_election *e)
{
    e->asked_ns = now_of(e);
    e->has_read = false;
    if (e->held)
        write_lease(e, e->held);
    else
        read_lease(e);
}

static void begin_closing(lw_election *e, int timeout_ms)
{
    bool was_leader = e->is_leader;
    lw_request_cancel(e->request);
    e->request = NULL;
    set_leader(e, false); /* first: what the leader does must end before another copy begins */
    if (!was_leader || !e->options.releases || timeout_ms <= 0) {
        end_closing(e);
        return;
    }
    e->is_releasing = true;
    e->release_by_ns = lw_clock_now(lw_clock_system()) + timeout_ms * LW_NS_PER_MS;
    attempt(e);
}

/* Returns true if a close was requested, and since when it has been. */
static bool is_close_due(lw_election *e, int *timeout_ms)
{
    lw_mutex_lock(&e->mu);
    bool is_due = e->must_close;
    *timeout_ms = e->close_ms;
    lw_mutex_unlock(&e->mu);
    return is_due;
}

static int64_t deadline_of(const lw_election *e)
{
    return e->is_leader ? e->renewed_ns + e->times.renew_ns : INT64_MAX;
}

void lw_election_dispatch(lw_election *e)
{
    int timeout_ms;
    if (e->is_closed)
        return;
    e->has_begun = true;
    lw_poll_set_clear(&e->polls);
    lw_async_dispatch(e->async);
    if (!e->is_releasing && !e->is_closed && is_close_due(e, &timeout_ms)) {
        begin_closing(e, timeout_ms);
        lw_async_dispatch(e->async);
    }
    if (e->is_releasing && lw_clock_now(lw_clock_system()) >= e->release_by_ns)
        end_closing(e);
    if (e->is_closed || e->is_releasing)
        return;
    if (now_of(e) >= deadline_of(e)) {
        /* What hangs may hang for longer; the next attempt begins with reading. */
        lw_request_cancel(e->request);
        e->request = NULL;
        lw_object_unref(e->held);
        e->held = NULL;
        set_leader(e, false);
        schedule(e);
    }
    if (!e->request && now_of(e) >= e->due_ns)
        attempt(e);
}

int lw_election_fd(const lw_election *e)
{
    return e->polls.fd;
}

int lw_election_timeout_ms(const lw_election *e)
{
    if (e->is_closed)
        return -1;
    int64_t due_ns = e->request ? INT64_MAX : e->due_ns;
    if (deadline_of(e) < due_ns)
        due_ns = deadline_of(e);
    int ms = e->is_releasing ? lw_timeout_until(e->release_by_ns, lw_clock_now(lw_clock_system()))
                             : lw_timeout_until(due_ns, now_of(e));
    return lw_timeout_min(lw_async_timeout_ms(e->async), ms);
}

static int fd_of(const void *self)
{
    return lw_election_fd(self);
}

static int timeout_of(const void *self)
{
    return lw_election_timeout_ms(self);
}

static void dispatch(void *self)
{
    lw_election_dispatch(self);
}

static bool is_closed(const void *self)
{
    return lw_election_is_closed(self);
}

static const lw_runner_type runner_type = { component, fd_of, timeout_of, dispatch, is_closed };

static lw_status name_self(lw_election *e, const char *identity, lw_error *err)
{
    char host[128] = "";
    int len;
    if (identity) {
        len = snprintf(e->identity, sizeof(e->identity), "%s", identity);
    } else {
        (void)gethostname(host, sizeof(host) - 1);
        len = snprintf(e->identity, sizeof(e->identity), "%s_%ld_%08x", host, (long)getpid(),
                       (unsigned)(lw_random_next(&e->random) >> 32));
    }
    return len > 0 && (size_t)len < sizeof(e->identity)
               ? LW_OK
               : lw_error_set(err, LW_ERR_INVALID, "the identity must have 1 to %zu bytes",
                              sizeof(e->identity) - 1);
}

static lw_status copy_names(lw_election *e, const lw_election_options *o)
{
    const char *ns = o->ns ? o->ns : lw_config_namespace(lw_client_config(o->client));
    e->ns = lw_str_dup(lw_str_of(ns));
    e->name = lw_str_dup(lw_str_of(o->name));
    return e->ns && e->name ? LW_OK : LW_ERR_NOMEM;
}

static lw_status open_parts(lw_election *e, lw_error *err)
{
    lw_status st = lw_poll_set_init(&e->polls, err);
    if (st == LW_OK)
        st = lw_async_new(&e->async, e->options.client, err);
    if (st == LW_OK)
        st = lw_poll_set_add(&e->polls, lw_async_fd(e->async), err);
    return st;
}

/* An election that nobody dispatches yet, such as that of a manager whose informers are not synced,
 * must not keep its descriptor readable. */
static void clock_was_advanced(void *arg)
{
    const lw_election *e = arg;
    if (e->has_begun)
        lw_poll_set_wake(&e->polls);
}

lw_status lw_election_new(lw_election **out, const lw_election_options *given, lw_error *err)
{
    lw_election_options o = LW_ELECTION_OPTIONS_INIT;
    lw_lease_times times;
    lw_status st = lw_options_read(&o, sizeof(o), given, "lw_election_options", err);
    if (st < 0)
        return st;
    if (!o.client || !o.name || !o.name[0])
        return lw_error_set(err, LW_ERR_INVALID, "an election needs a client and a name");
    st = lw_lease_times_of(&times, &o, err);
    if (st < 0)
        return st;
    lw_election *e = lw_alloc_zero(1, sizeof(*e));
    if (!e)
        return lw_error_nomem(err);
    e->options = o;
    e->times = times;
    e->clock = o.clock ? o.clock : lw_clock_system();
    if (o.logger)
        e->logger = *o.logger;
    e->polls = (lw_poll_set)LW_POLL_SET_NONE;
    lw_mutex_init(&e->mu);
    lw_runner_init(&e->runner, &runner_type, e);
    lw_random_init_from_os(&e->random);
    st = copy_names(e, &o) == LW_OK ? name_self(e, o.identity, err) : lw_error_nomem(err);
    if (st == LW_OK)
        st = open_parts(e, err);
    if (st < 0) {
        atomic_store(&e->is_closed, true);
        lw_election_free(e);
        return st;
    }
    e->waker = (lw_clock_waker){ .wake = clock_was_advanced, .arg = e };
    lw_clock_add_waker(e->clock, &e->waker);
    *out = e;
    return LW_OK;
}

lw_status lw_election_start(lw_election *e, lw_error *err)
{
    return lw_runner_start(&e->runner, err);
}

void lw_election_close(lw_election *e, int timeout_ms)
{
    lw_mutex_lock(&e->mu);
    if (!e->must_close)
        e->close_ms = timeout_ms;
    e->must_close = true;
    lw_mutex_unlock(&e->mu);
    lw_poll_set_wake(&e->polls);
}

bool lw_election_is_closed(const lw_election *e)
{
    return e->is_closed;
}

void lw_election_stop(lw_election *e, int timeout_ms)
{
    lw_election_close(e, timeout_ms);
    lw_runner_finish(&e->runner);
}

void lw_election_free(lw_election *e)
{
    if (!e)
        return;
    lw_clock_remove_waker(e->clock, &e->waker);
    if (!e->is_closed || e->runner.has_thread)
        lw_election_stop(e, 0);
    lw_async_free(e->async);
    lw_poll_set_done(&e->polls);
    lw_runner_done(&e->runner);
    lw_mutex_done(&e->mu);
    lw_object_unref(e->held);
    lw_free(e->ns);
    lw_free(e->name);
    lw_free(e);
}

bool lw_election_is_leader(const lw_election *e)
{
    return e->is_leader;
}

const char *lw_election_identity(const lw_election *e)
{
    return e->identity;
}

size_t lw_election_leader(const lw_election *e, char *dst, size_t size)
{
    /* Reading changes only the lock. */
    lw_mutex *mu = &((lw_election *)(uintptr_t)e)->mu;
    lw_mutex_lock(mu);
    int len = snprintf(dst, size, "%s", e->leader);
    lw_mutex_unlock(mu);
    return (size_t)len;
}
