/* SPDX-License-Identifier: Apache-2.0 */
/* manager.c -- the life of a manager: its parts, and the steps from one state to the next.
 *
 *   NEW ──start──▶ SYNCING ──▶ ELECTING ──▶ RUNNING
 *                     └───────────┴────────────┴──stop, lost──▶ STOPPING ──▶ STOPPED
 *
 * One thread dispatches all parts but the workers of reconcilers.  The election takes part from
 * ELECTING on: a copy leads only with full caches. */
#include <listwatch/manager.h>

#include <poll.h>
#include <string.h>

#include <listwatch/config.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/log.h"
#include "base/options.h"
#include "base/str.h"
#include "operator/manager_internal.h"
#include "operator/signals.h"

enum {
    STOP_TIMEOUT_MS = 50,
};

static const char component[] = "manager";

static void set_state(lw_manager *m, lw_manager_state state)
{
    atomic_store(&m->state, (int)state);
}

/* Callbacks of the election, in its dispatch. */

static void on_acquired(void *arg)
{
    ((lw_manager *)arg)->is_leader = true;
}

static void on_lost(void *arg)
{
    lw_manager *m = arg;
    m->has_lost = m->state < MANAGER_STOPPING;
    m->is_leader = false;
}

/* Parts. */

static lw_status make_client(lw_manager *m, lw_client *given, lw_error *err)
{
    lw_config *config = NULL;
    if (given) {
        m->client = lw_client_ref(given);
        return LW_OK;
    }
    lw_status st = lw_config_load(&config, NULL, err);
    if (st == LW_OK)
        st = lw_client_new(&m->client, config, NULL, err);
    lw_config_unref(config);
    return st;
}

static lw_status make_factory(lw_manager *m, const lw_factory_options *given, lw_error *err)
{
    lw_factory_options options = LW_FACTORY_OPTIONS_INIT;
    lw_status st = lw_options_read(&options, sizeof(options), given, "lw_factory_options", err);
    if (st < 0)
        return st;
    options.size = sizeof(options);
    options.client = m->client;
    options.provider = NULL;
    options.logger = &m->logger;
    m->clock = options.clock;
    return lw_factory_new(&m->factory, &options, err);
}

static lw_status make_recorder(lw_manager *m, lw_error *err)
{
    lw_recorder_options options = LW_RECORDER_OPTIONS_INIT;
    options.client = m->client;
    options.component = m->name;
    options.clock = m->clock;
    options.logger = &m->logger;
    return lw_recorder_new(&m->recorder, &options, err);
}

static lw_status make_election(lw_manager *m, const lw_election_options *given, lw_error *err)
{
    lw_election_options options = LW_ELECTION_OPTIONS_INIT;
    if (!given)
        return LW_OK;
    lw_status st = lw_options_read(&options, sizeof(options), given, "lw_election_options", err);
    if (st < 0)
        return st;
    m->lease = lw_str_dup(lw_str_of(options.name ? options.name : m->name));
    if (!m->lease)
        return lw_error_nomem(err);
    options.size = sizeof(options);
    options.client = m->client;
    options.name = m->lease;
    options.releases = true;
    options.observes = false;
    options.on_acquired = on_acquired;
    options.on_lost = on_lost;
    options.on_new_leader = NULL;
    options.arg = m;
    options.clock = m->clock;
    options.logger = &m->logger;
    return lw_election_new(&m->election, &options, err);
}

static lw_status make_endpoints(lw_manager *m, const lw_manager_options *o, lw_error *err)
{
    lw_status st = LW_OK;
    if (o->health_address)
        st = lw_health_server_new(&m->health, o->health_address, lw_manager__serve_health, m, err);
    bool is_shared = o->health_address && o->metrics_address &&
                     strcmp(o->health_address, o->metrics_address) == 0;
    if (is_shared)
        m->metrics = m->health;
    else if (st == LW_OK && o->metrics_address)
        st = lw_health_server_new(&m->metrics, o->metrics_address, lw_manager__serve_metrics, m,
                                  err);
    return st;
}

/* Adds the descriptors of all parts, except those of reconcilers. */
static lw_status make_polls(lw_manager *m, lw_error *err)
{
    lw_status st = lw_poll_set_init(&m->polls, err);
    const int fds[] = {
        lw_factory_fd(m->factory),
        lw_recorder_fd(m->recorder),
        lw_async_fd(m->async),
        m->election ? lw_election_fd(m->election) : -1,
        m->health ? lw_health_server_fd(m->health) : -1,
        m->metrics && m->metrics != m->health ? lw_health_server_fd(m->metrics) : -1,
    };
    for (size_t i = 0; st == LW_OK && i < sizeof(fds) / sizeof(fds[0]); i++) {
        if (fds[i] >= 0)
            st = lw_poll_set_add(&m->polls, fds[i], err);
    }
    return st;
}

static lw_status make_parts(lw_manager *m, const lw_manager_options *o, lw_error *err)
{
    m->name = lw_str_dup(lw_str_of(o->name));
    lw_status st = m->name ? make_client(m, o->client, err) : lw_error_nomem(err);
    if (st == LW_OK)
        st = make_factory(m, o->factory, err);
    if (st == LW_OK)
        st = make_recorder(m, err);
    if (st == LW_OK)
        st = make_election(m, o->election, err);
    if (st == LW_OK)
        st = lw_async_new(&m->async, m->client, err);
    if (st == LW_OK)
        st = make_endpoints(m, o, err);
    if (st == LW_OK)
        st = make_polls(m, err);
    return st;
}

lw_status lw_manager_new(lw_manager **out, const lw_manager_options *given, lw_error *err)
{
    lw_manager_options o = LW_MANAGER_OPTIONS_INIT;
    lw_status st = lw_options_read(&o, sizeof(o), given, "lw_manager_options", err);
    if (st < 0)
        return st;
    if (!o.name || !o.name[0])
        return lw_error_set(err, LW_ERR_INVALID, "a manager needs a name");
    lw_manager *m = lw_alloc_zero(1, sizeof(*m));
    if (!m)
        return lw_error_nomem(err);
    if (o.logger)
        m->logger = *o.logger;
    m->stop_timeout_ms = o.stop_timeout_ms > 0 ? o.stop_timeout_ms : STOP_TIMEOUT_MS;
    m->handles_signals = o.handles_signals;
    m->polls = (lw_poll_set)LW_POLL_SET_NONE;
    m->error = (lw_error)LW_ERROR_INIT;
    lw_mutex_init(&m->mu);
    st = make_parts(m, &o, err);
    if (st < 0) {
        lw_manager_free(m);
        return st;
    }
    *out = m;
    return LW_OK;
}

static void restore_signals(lw_manager *m)
{
    if (m->has_signals)
        lw_signals_restore();
    m->has_signals = false;
}

void lw_manager_free(lw_manager *m)
{
    if (!m)
        return;
    restore_signals(m);
    for (size_t i = m->reconciler_count; i-- > 0;)
        lw_reconciler_stop(m->reconcilers[i]);
    if (m->async)
        lw_async_cancel_all(m->async); /* pending keys end */
    for (size_t i = m->reconciler_count; i-- > 0;)
        lw_reconciler_free(m->reconcilers[i]);
    lw_async_free(m->async);
    lw_election_free(m->election);
    lw_recorder_free(m->recorder);
    lw_factory_free(m->factory);
    if (m->metrics != m->health)
        lw_health_server_free(m->metrics);
    lw_health_server_free(m->health);
    lw_poll_set_done(&m->polls);
    lw_client_unref(m->client);
    for (size_t i = 0; i < m->check_count; i++)
        lw_free(m->checks[i].name);
    lw_mutex_done(&m->mu);
    lw_free(m->lease);
    lw_free(m->name);
    lw_free(m);
}

/* Additions. */

lw_status lw_manager_add_reconciler(lw_manager *m, const lw_reconciler_options *given,
                                    lw_reconciler **out, lw_error *err)
{
    lw_reconciler_options options = LW_RECONCILER_OPTIONS_INIT;
    lw_workqueue_options queue = LW_WORKQUEUE_OPTIONS_INIT;
    lw_status st = lw_options_read(&options, sizeof(options), given, "lw_reconciler_options", err);
    if (st == LW_OK)
        st = lw_options_read(&queue, sizeof(queue), options.queue, "lw_workqueue_options", err);
    if (st < 0)
        return st;
    if (m->state != MANAGER_NEW)
        return lw_error_set(err, LW_ERR_INVALID, "the manager was started already");
    if (m->reconciler_count == LW_MANAGER_RECONCILERS_MAX)
        return lw_error_set(err, LW_ERR_LIMIT, "a manager can have at most %d reconcilers",
                            LW_MANAGER_RECONCILERS_MAX);
    options.size = sizeof(options);
    if (!options.logger)
        options.logger = &m->logger;
    if (!options.name)
        options.name = m->name;
    queue.size = sizeof(queue);
    if (!queue.clock)
        queue.clock = m->clock;
    options.queue = &queue;
    st = lw_reconciler_new(&m->reconcilers[m->reconciler_count], &options, err);
    if (st < 0)
        return st;
    *out = m->reconcilers[m->reconciler_count++];
    return LW_OK;
}

lw_status lw_manager_watch(lw_manager *m, lw_reconciler *reconciler, const char *resource,
                           const lw_reconciler_watch_options *options, lw_informer **out,
                           lw_error *err)
{
    lw_informer *informer = NULL;
    lw_status st = lw_factory_informer(m->factory, resource, &informer, err);
    if (st == LW_OK)
        st = lw_reconciler_watch_with(reconciler, informer, options, err);
    if (st == LW_OK && out)
        *out = informer;
    return st;
}

static lw_status add_check(lw_manager *m, bool is_ready_check, const char *name, lw_check_fn fn,
                           void *arg, lw_error *err)
{
    if (!name || !name[0] || strpbrk(name, "/?# \n"))
        return lw_error_set(err, LW_ERR_INVALID, "the name of a check must be a segment of a path");
    char *copy = lw_str_dup(lw_str_of(name));
    if (!copy)
        return lw_error_nomem(err);
    lw_mutex_lock(&m->mu);
    bool is_full = m->check_count == LW_MANAGER_CHECKS_MAX;
    if (!is_full)
        m->checks[m->check_count++] = (lw_manager_check){ copy, is_ready_check, fn, arg };
    lw_mutex_unlock(&m->mu);
    if (!is_full)
        return LW_OK;
    lw_free(copy);
    return lw_error_set(err, LW_ERR_LIMIT, "a manager can have at most %d checks",
                        LW_MANAGER_CHECKS_MAX);
}

lw_status lw_manager_add_health_check(lw_manager *m, const char *name, lw_check_fn check, void *arg,
                                      lw_error *err)
{
    return add_check(m, false, name, check, arg, err);
}

lw_status lw_manager_add_ready_check(lw_manager *m, const char *name, lw_check_fn check, void *arg,
                                     lw_error *err)
{
    return add_check(m, true, name, check, arg, err);
}

/* Steps. */

/* Ends work: reconcilers at once, then what needs the server. */
static void begin_stop(lw_manager *m, lw_status result, const lw_error *error)
{
    lw_log(&m->logger, LW_LOG_INFO, component, "%s: stopping", m->name);
    m->result = result;
    if (error)
        m->error = *error;
    set_state(m, MANAGER_STOPPING);
    restore_signals(m); /* the second signal ends the process */
    for (size_t i = m->reconciler_count; i-- > 0;)
        lw_reconciler_stop(m->reconcilers[i]);
    lw_async_cancel_all(m->async); /* pending keys end */
    if (m->election)
        lw_election_close(m->election, m->stop_timeout_ms);
    lw_recorder_close(m->recorder, m->stop_timeout_ms);
}

static void fail(lw_manager *m, const lw_error *err)
{
    lw_log(&m->logger, LW_LOG_ERROR, component, "%s: %s", m->name, err->message);
    begin_stop(m, err->code, err);
}

static lw_status start_reconciler(lw_manager *m, lw_reconciler *reconciler, lw_error *err)
{
    if (m->has_threads)
        return lw_reconciler_start(reconciler, err);
    lw_status st = lw_reconciler_start_in_loop(reconciler, err);
    return st < 0 ? st : lw_poll_set_add(&m->polls, lw_reconciler_fd(reconciler), err);
}

static void start_reconcilers(lw_manager *m)
{
    lw_error err = LW_ERROR_INIT;
    lw_status st = LW_OK;
    set_state(m, MANAGER_RUNNING);
    for (size_t i = 0; st == LW_OK && i < m->reconciler_count; i++)
        st = start_reconciler(m, m->reconcilers[i], &err);
    if (st < 0)
        fail(m, &err);
    else
        lw_log(&m->logger, LW_LOG_INFO, component, "%s: running (reconcilers: %zu)", m->name,
               m->reconciler_count);
}

/* Before the health server is asked again: it says the same as lw_manager_is_ready. */
static void look_at_informers(lw_manager *m)
{
    if (m->state != MANAGER_SYNCING || lw_factory_wait_for_sync(m->factory, 0, NULL) < 0)
        return;
    lw_log(&m->logger, LW_LOG_INFO, component, "%s: informers are synced", m->name);
    set_state(m, MANAGER_ELECTING);
}

static void step(lw_manager *m)
{
    lw_error err = LW_ERROR_INIT;
    bool must_stop = m->must_stop || (m->has_signals && lw_signals_seen());
    if (must_stop && m->state < MANAGER_STOPPING)
        begin_stop(m, LW_ERR_STOPPED, NULL);
    if (m->has_lost && m->state < MANAGER_STOPPING) {
        (void)lw_error_set(&err, LW_ERR_EXPIRED, "lost the lease \"%s\"", m->lease);
        fail(m, &err);
    }
    if (m->state == MANAGER_ELECTING && (!m->election || m->is_leader))
        start_reconcilers(m);
    if (m->state == MANAGER_STOPPING && lw_recorder_is_closed(m->recorder) &&
        (!m->election || lw_election_is_closed(m->election))) {
        lw_factory_stop(m->factory);
        set_state(m, MANAGER_STOPPED);
    }
}

static void dispatch_parts(lw_manager *m)
{
    lw_poll_set_clear(&m->polls);
    (void)lw_factory_dispatch(m->factory, NULL); /* fails only after a stop */
    look_at_informers(m);
    if (m->election && m->state >= MANAGER_ELECTING)
        lw_election_dispatch(m->election);
    if (!m->has_threads && m->state == MANAGER_RUNNING) {
        for (size_t i = 0; i < m->reconciler_count; i++)
            lw_reconciler_dispatch(m->reconcilers[i]);
    }
    lw_async_dispatch(m->async);
    lw_recorder_dispatch(m->recorder);
    if (m->health)
        lw_health_server_dispatch(m->health);
    if (m->metrics && m->metrics != m->health)
        lw_health_server_dispatch(m->metrics);
}

static lw_status end_of(const lw_manager *m, lw_error *err)
{
    if (m->result == LW_ERR_STOPPED)
        return lw_error_set(err, LW_ERR_STOPPED, "the manager was stopped");
    if (err)
        *err = m->error;
    return m->result;
}

lw_status lw_manager_dispatch(lw_manager *m, lw_error *err)
{
    if (m->state == MANAGER_NEW)
        return lw_error_set(err, LW_ERR_INVALID, "the manager was not started");
    if (m->state != MANAGER_STOPPED) {
        dispatch_parts(m);
        step(m);
    }
    return m->state == MANAGER_STOPPED ? end_of(m, err) : LW_OK;
}

int lw_manager_fd(const lw_manager *m)
{
    return m->polls.fd;
}

int lw_manager_timeout_ms(const lw_manager *m)
{
    if (m->state == MANAGER_NEW || m->state == MANAGER_STOPPED)
        return -1;
    int ms = lw_timeout_min(lw_factory_timeout_ms(m->factory), lw_async_timeout_ms(m->async));
    ms = lw_timeout_min(ms, lw_recorder_timeout_ms(m->recorder));
    if (m->election && m->state >= MANAGER_ELECTING)
        ms = lw_timeout_min(ms, lw_election_timeout_ms(m->election));
    if (m->health)
        ms = lw_timeout_min(ms, lw_health_server_timeout_ms(m->health));
    if (m->metrics && m->metrics != m->health)
        ms = lw_timeout_min(ms, lw_health_server_timeout_ms(m->metrics));
    for (size_t i = 0; !m->has_threads && m->state == MANAGER_RUNNING && i < m->reconciler_count;
         i++)
        ms = lw_timeout_min(ms, lw_reconciler_timeout_ms(m->reconcilers[i]));
    return ms;
}

static lw_status start(lw_manager *m, bool has_threads, lw_error *err)
{
    if (m->state != MANAGER_NEW)
        return lw_error_set(err, LW_ERR_EXISTS, "the manager was started before");
    lw_status st = m->handles_signals ? lw_signals_watch(&m->polls, err) : LW_OK;
    if (st < 0)
        return st;
    m->has_signals = m->handles_signals;
    m->has_threads = has_threads;
    set_state(m, MANAGER_SYNCING);
    if (m->health)
        lw_log(&m->logger, LW_LOG_INFO, component, "%s: serving health checks at port %u", m->name,
               lw_manager_health_port(m));
    if (m->metrics)
        lw_log(&m->logger, LW_LOG_INFO, component, "%s: serving metrics at port %u", m->name,
               lw_manager_metrics_port(m));
    lw_poll_set_wake(&m->polls); /* the first step needs no event */
    return LW_OK;
}

lw_status lw_manager_start_in_loop(lw_manager *m, lw_error *err)
{
    return start(m, false, err);
}

lw_status lw_manager_run(lw_manager *m, lw_error *err)
{
    lw_error end = LW_ERROR_INIT;
    lw_status st = start(m, true, err);
    if (st < 0)
        return st;
    while ((st = lw_manager_dispatch(m, &end)) == LW_OK) {
        struct pollfd fd = { .fd = m->polls.fd, .events = POLLIN };
        /* The result does not matter: dispatch checks what there is to do. */
        (void)poll(&fd, 1, lw_manager_timeout_ms(m));
    }
    if (st == LW_ERR_STOPPED)
        return LW_OK;
    if (err)
        *err = end;
    return st;
}

void lw_manager_stop(lw_manager *m)
{
    atomic_store(&m->must_stop, true);
    lw_poll_set_wake(&m->polls);
}

bool lw_manager_is_ready(const lw_manager *m)
{
    int state = m->state;
    return state == MANAGER_ELECTING || state == MANAGER_RUNNING;
}

lw_client *lw_manager_client(const lw_manager *m)
{
    return m->client;
}

lw_factory *lw_manager_factory(const lw_manager *m)
{
    return m->factory;
}

lw_recorder *lw_manager_recorder(const lw_manager *m)
{
    return m->recorder;
}

lw_election *lw_manager_election(const lw_manager *m)
{
    return m->election;
}

lw_async *lw_manager_async(const lw_manager *m)
{
    return m->async;
}

unsigned lw_manager_health_port(const lw_manager *m)
{
    return m->health ? lw_health_server_port(m->health) : 0;
}

unsigned lw_manager_metrics_port(const lw_manager *m)
{
    return m->metrics ? lw_health_server_port(m->metrics) : 0;
}
