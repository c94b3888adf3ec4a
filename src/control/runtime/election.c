/* SPDX-License-Identifier: Apache-2.0 */
/* election.c -- leader election with a Lease, on its own thread.
 * Only that thread accesses |view| and |held|; other members are guarded by the mutex. */
#include "runtime/election.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "runtime/report.h"

static const char lease_namespace[] = "kube-system";
static const char lease_name[] = "listwatch-control";

struct lw_election {
    lw_client *client;
    const lw_clock *clock;
    const lw_logger *logger;
    lw_lease_times times;
    char identity[LW_LEASE_IDENTITY_SIZE];
    lw_lease_view view;
    lw_object *held; /* the lease as we wrote it last; NULL: read it again */
    pthread_t thread;
    pthread_mutex_t mu;    /* guards the members below */
    pthread_cond_t change; /* uses CLOCK_MONOTONIC */
    bool is_holder;
    int64_t renewed_ns; /* when the last successful renewal was sent */
    bool is_closed;     /* lw_election_wait returns false */
    bool is_stopping;
};

static lw_gvr leases(void)
{
    return lw_gvr_make("coordination.k8s.io", "v1", "leases");
}

static int64_t now_of(const lw_election *e)
{
    return e->clock->now_ns(e->clock->arg);
}

static bool is_leading_locked(const lw_election *e)
{
    return e->is_holder && now_of(e) - e->renewed_ns < e->times.renew_ns;
}

/* Waits for a change, at most |ns|. */
static void wait_locked(lw_election *e, int64_t ns)
{
    struct timespec until;
    (void)clock_gettime(CLOCK_MONOTONIC, &until);
    int64_t at = until.tv_nsec + ns;
    until.tv_sec += (time_t)(at / LW_NS_PER_S);
    until.tv_nsec = (long)(at % LW_NS_PER_S);
    (void)pthread_cond_timedwait(&e->change, &e->mu, &until);
}

static void set_holder(lw_election *e, bool is_holder, int64_t asked_ns)
{
    (void)pthread_mutex_lock(&e->mu);
    bool was = e->is_holder;
    e->is_holder = is_holder;
    if (is_holder)
        e->renewed_ns = asked_ns;
    (void)pthread_cond_broadcast(&e->change);
    (void)pthread_mutex_unlock(&e->mu);
    if (was != is_holder)
        lw_report_log(e->logger, LW_LOG_INFO, "election", "%s %s the lease", e->identity,
                      is_holder ? "holds" : "has lost");
}

/* Writes the lease |doc|; |is_new|: creates it. */
static lw_status write_lease(lw_election *e, lw_document *doc, bool is_new, lw_error *err)
{
    lw_object *wanted = NULL, *written = NULL;
    lw_status st = lw_document_to_object(doc, &wanted, err);
    if (st == LW_OK && is_new)
        st = lw_client_create(e->client, leases(), wanted, NULL, &written, err);
    else if (st == LW_OK)
        st = lw_client_update(e->client, leases(), wanted, NULL, &written, err);
    lw_object_unref(wanted);
    lw_object_unref(e->held);
    e->held = written;
    return st;
}

static lw_status take_absent(lw_election *e, lw_error *err)
{
    lw_document *doc = NULL;
    lw_status st = lw_document_new(&doc, err);
    if (st < 0)
        return st;
    lw_document_set_string(doc, NULL, "/metadata/namespace", lease_namespace);
    lw_document_set_string(doc, NULL, "/metadata/name", lease_name);
    lw_lease_take(doc, e->identity, &e->times, e->clock->wall_ns(e->clock->arg));
    st = write_lease(e, doc, true, err);
    lw_document_free(doc);
    return st;
}

static lw_status take_from(lw_election *e, const lw_object *lease, lw_error *err)
{
    lw_document *doc = NULL;
    lw_status st = lw_document_from_object(&doc, lease, err);
    if (st < 0)
        return st;
    lw_lease_take(doc, e->identity, &e->times, e->clock->wall_ns(e->clock->arg));
    st = write_lease(e, doc, false, err);
    lw_document_free(doc);
    return st;
}

/* Reads the lease and takes it if that is allowed.  Sets |*is_held| if we hold it now. */
static lw_status look_and_take(lw_election *e, bool *is_held, lw_error *err)
{
    lw_object *lease = NULL;
    lw_status st =
        lw_client_get(e->client, leases(), lease_namespace, lease_name, NULL, &lease, err);
    if (st == LW_ERR_NOT_FOUND) {
        st = take_absent(e, err);
        *is_held = st == LW_OK;
        return st;
    }
    if (st < 0)
        return st;
    lw_lease_look(&e->view, lease, now_of(e));
    if (lw_lease_may_take(&e->view, e->identity, now_of(e))) {
        st = take_from(e, lease, err);
        *is_held = st == LW_OK;
    }
    lw_object_unref(lease);
    return st;
}

/* Renews or tries to acquire the lease once. */
static void compete(lw_election *e)
{
    lw_error err = LW_ERROR_INIT;
    int64_t asked_ns = now_of(e);
    bool is_held = false;
    lw_status st = LW_ERR_CONFLICT;
    lw_object *held = e->held;
    e->held = NULL;
    if (held) {
        st = take_from(e, held, &err);
        is_held = st == LW_OK;
    }
    lw_object_unref(held);
    if (st == LW_ERR_CONFLICT || st == LW_ERR_NOT_FOUND)
        st = look_and_take(e, &is_held, &err);
    /* If the server does not respond, the holder is unchanged until the lease expires. */
    if (st == LW_OK || st == LW_ERR_CONFLICT || st == LW_ERR_EXISTS)
        set_holder(e, is_held, asked_ns);
    else
        lw_report_log(e->logger, LW_LOG_WARN, "election", "lease %s/%s: %s", lease_namespace,
                      lease_name, err.message);
}

static void give_back(lw_election *e)
{
    lw_document *doc = NULL;
    lw_error err = LW_ERROR_INIT;
    lw_object *held = e->held;
    e->held = NULL;
    if (!held || lw_document_from_object(&doc, held, &err) < 0) {
        lw_object_unref(held);
        return;
    }
    lw_lease_release(doc, e->clock->wall_ns(e->clock->arg));
    if (write_lease(e, doc, false, &err) < 0)
        lw_report_log(e->logger, LW_LOG_WARN, "election", "cannot release the lease: %s",
                      err.message);
    lw_document_free(doc);
    lw_object_unref(held);
}

static void *election_run(void *arg)
{
    lw_election *e = arg;
    (void)pthread_mutex_lock(&e->mu);
    while (!e->is_stopping) {
        (void)pthread_mutex_unlock(&e->mu);
        compete(e);
        (void)pthread_mutex_lock(&e->mu);
        int64_t end = now_of(e) + e->times.retry_ns, left;
        while (!e->is_stopping && (left = end - now_of(e)) > 0)
            wait_locked(e, left);
    }
    (void)pthread_mutex_unlock(&e->mu);
    give_back(e);
    return NULL;
}

static lw_status name_self(lw_election *e, const char *identity, lw_error *err)
{
    char host[128] = "";
    uint32_t random = 0;
    int len;
    if (identity) {
        len = snprintf(e->identity, sizeof(e->identity), "%s", identity);
    } else {
        (void)gethostname(host, sizeof(host) - 1);
        if (getrandom(&random, sizeof(random), 0) < 0)
            random = 0; /* host and process are different */
        len =
            snprintf(e->identity, sizeof(e->identity), "%s_%ld_%08x", host, (long)getpid(), random);
    }
    return len > 0 && (size_t)len < sizeof(e->identity)
               ? LW_OK
               : lw_report_error(err, LW_ERR_INVALID, "the identity must have 1 to %zu characters",
                                 sizeof(e->identity) - 1);
}

static void election_free(lw_election *e)
{
    (void)pthread_cond_destroy(&e->change);
    (void)pthread_mutex_destroy(&e->mu);
    lw_object_unref(e->held);
    free(e);
}

static void init_sync(lw_election *e)
{
    pthread_condattr_t monotonic;
    (void)pthread_mutex_init(&e->mu, NULL);
    (void)pthread_condattr_init(&monotonic);
    (void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&e->change, &monotonic);
    (void)pthread_condattr_destroy(&monotonic);
}

lw_status lw_election_start(lw_election **out, const lw_election_options *options, lw_error *err)
{
    lw_election *e = calloc(1, sizeof(*e));
    if (!e)
        return lw_report_nomem(err);
    init_sync(e);
    e->client = options->client;
    e->clock = options->clock;
    e->logger = options->logger;
    e->times = lw_lease_times_of(options->lease_s);
    lw_status st = name_self(e, options->identity, err);
    if (st == LW_OK && pthread_create(&e->thread, NULL, election_run, e) != 0)
        st = lw_report_error(err, LW_ERR_IO, "cannot start the leader election's thread");
    if (st < 0) {
        election_free(e);
        return st;
    }
    *out = e;
    return LW_OK;
}

bool lw_election_wait(lw_election *e, bool leading)
{
    (void)pthread_mutex_lock(&e->mu);
    while (!e->is_closed && is_leading_locked(e) != leading)
        wait_locked(e, leading ? e->times.retry_ns
                               : e->renewed_ns + e->times.renew_ns - now_of(e) + 1);
    bool is_closed = e->is_closed;
    (void)pthread_mutex_unlock(&e->mu);
    return !is_closed;
}

void lw_election_close(lw_election *e)
{
    (void)pthread_mutex_lock(&e->mu);
    e->is_closed = true;
    (void)pthread_cond_broadcast(&e->change);
    (void)pthread_mutex_unlock(&e->mu);
}

void lw_election_resign(lw_election *e)
{
    (void)pthread_mutex_lock(&e->mu);
    e->is_stopping = e->is_closed = true;
    (void)pthread_cond_broadcast(&e->change);
    (void)pthread_mutex_unlock(&e->mu);
}

void lw_election_stop(lw_election *e)
{
    if (!e)
        return;
    lw_election_resign(e);
    (void)pthread_join(e->thread, NULL);
    election_free(e);
}

lw_lease_times lw_lease_times_of(int lease_s)
{
    int64_t duration = (lease_s > 0 ? lease_s : 15) * LW_NS_PER_S;
    return (lw_lease_times){ duration, duration / 15 * 10, duration / 15 * 2 };
}

void lw_lease_look(lw_lease_view *view, const lw_object *lease, int64_t now_ns)
{
    const char *version = lw_object_resource_version(lease);
    if (view->seen_ns != 0 && strcmp(view->version, version) == 0)
        return;
    (void)snprintf(view->version, sizeof(view->version), "%s", version);
    (void)snprintf(view->holder, sizeof(view->holder), "%s",
                   lw_object_string(lease, "/spec/holderIdentity", ""));
    view->duration_ns = lw_object_int(lease, "/spec/leaseDurationSeconds", 0) * LW_NS_PER_S;
    view->seen_ns = now_ns;
}

bool lw_lease_may_take(const lw_lease_view *view, const char *identity, int64_t now_ns)
{
    return view->holder[0] == '\0' || strcmp(view->holder, identity) == 0 ||
           now_ns - view->seen_ns >= view->duration_ns;
}

void lw_lease_take(lw_document *doc, const char *identity, const lw_lease_times *times,
                   int64_t wall_ns)
{
    char now[LW_TIME_TEXT_SIZE];
    const char *before = lw_document_string(doc, NULL, "/spec/holderIdentity", NULL);
    int64_t transitions = lw_document_int(doc, NULL, "/spec/leaseTransitions", 0);
    bool is_change = !before || strcmp(before, identity) != 0;
    lw_time_format_micro_ns(now, wall_ns);
    lw_document_set_string(doc, NULL, "/apiVersion", "coordination.k8s.io/v1");
    lw_document_set_string(doc, NULL, "/kind", "Lease");
    lw_document_set_string(doc, NULL, "/spec/holderIdentity", identity);
    lw_document_set_int(doc, NULL, "/spec/leaseDurationSeconds", times->duration_ns / LW_NS_PER_S);
    lw_document_set_string(doc, NULL, "/spec/renewTime", now);
    if (is_change)
        lw_document_set_string(doc, NULL, "/spec/acquireTime", now);
    lw_document_set_int(doc, NULL, "/spec/leaseTransitions", transitions + (before && is_change));
}

void lw_lease_release(lw_document *doc, int64_t wall_ns)
{
    char now[LW_TIME_TEXT_SIZE];
    lw_time_format_micro_ns(now, wall_ns);
    lw_document_set_string(doc, NULL, "/spec/holderIdentity", "");
    lw_document_set_int(doc, NULL, "/spec/leaseDurationSeconds", 1);
    lw_document_set_string(doc, NULL, "/spec/renewTime", now);
    lw_document_set_string(doc, NULL, "/spec/acquireTime", now);
}
