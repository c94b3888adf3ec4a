/* SPDX-License-Identifier: Apache-2.0 */
/* control.c -- creates the controllers, and starts and frees them as the lease is acquired and
 * lost.
 *
 *     fill ──informers are synced──▶ wait ──leads──▶ work ──lease lost──▶ wait
 *
 * One thread does that (frame_run); controllers work on their own threads. */
#include "control.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controllers.h"
#include "runtime/controller.h"
#include "runtime/informer_reporter.h"
#include "runtime/report.h"
#include "runtime/stop_limit.h"
#include "runtime/trace.h"

const lw_controller_type *const lw_controller_types[] = {
    &lw_deployment_controller,
    &lw_replicaset_controller,
    &lw_replication_controller,
    &lw_job_controller,
    &lw_cronjob_controller,
    &lw_scheduler,
    &lw_hollow_nodes,
    &lw_node_lifecycle_controller,
    &lw_endpoints_controller,
    &lw_endpointslice_controller,
    &lw_service_accounts_controller,
    &lw_root_ca_controller,
    NULL,
};

enum {
    TYPES_MAX = 32,
    SYNC_LOOK_S = 10, /* interval of the message that informers are not synced */
    NODES_MAX = 10000,
    NODE_GRACE_S = 40,
    STOP_S = 5,
    STOP_MAX_S = 3600,
    LEASE_MAX_S = 86400,
};

typedef struct member {
    const lw_controller_type *type;
    lw_control_env env; /* with its own client */
    void *self;         /* NULL: not created */
} member;

struct lw_control {
    lw_control_env env;
    lw_logger silent;
    char *node_prefix;
    char *root_ca;                  /* NULL: none */
    lw_election *election;          /* NULL: is_alone */
    lw_informer_reporter *reporter; /* NULL: informers are not reported */
    member members[TYPES_MAX];
    size_t member_count;
    pthread_t thread;
    int stop_s;
    pthread_mutex_t mu; /* guards is_leader and terms */
    pthread_cond_t change;
    bool is_leader;
    unsigned terms; /* that have ended */
    atomic_bool is_stopping;
    atomic_bool is_working;
};

/* True if |name| is in the list "a,b,c". */
static bool is_listed(const char *list, const char *name)
{
    size_t len = strlen(name);
    for (const char *at = list; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, name, len) == 0 && (at[len] == ',' || at[len] == '\0'))
            return true;
        if (*at == '\0')
            return false;
    }
    return false;
}

/* True if the |len| bytes at |name| are the name of a controller. */
static bool is_known(const char *name, size_t len)
{
    for (size_t i = 0; lw_controller_types[i]; i++) {
        const char *known = lw_controller_types[i]->name;
        if (strlen(known) == len && memcmp(known, name, len) == 0)
            return true;
    }
    return false;
}

static lw_status check_only(const char *only, lw_error *err)
{
    for (const char *at = only; at && *at;) {
        size_t len = strcspn(at, ",");
        if (!is_known(at, len))
            return lw_report_error(err, LW_ERR_INVALID, "unknown controller \"%.*s\"", (int)len,
                                   at);
        at += len + (at[len] == ',');
    }
    return LW_OK;
}

static lw_status choose_members(lw_control *c, const lw_control_options *options, lw_error *err)
{
    lw_status st = check_only(options->only, err);
    for (size_t i = 0; st == LW_OK && lw_controller_types[i]; i++) {
        const lw_controller_type *type = lw_controller_types[i];
        if (options->only && !is_listed(options->only, type->name))
            continue;
        if (c->member_count == TYPES_MAX)
            return lw_report_error(err, LW_ERR_LIMIT, "too many controllers");
        c->members[c->member_count++] = (member){ .type = type };
    }
    return st;
}

/* Gives each controller its environment, with a client of its own if the options say so. */
static lw_status equip_members(lw_control *c, lw_error *err)
{
    lw_status st = LW_OK;
    for (size_t i = 0; st == LW_OK && i < c->member_count; i++) {
        member *m = &c->members[i];
        m->env = c->env;
        st = lw_client_set_make(c->env.clients, m->type->user, NULL, &m->env.client, err);
    }
    return st;
}

static lw_status make_members(lw_control *c, lw_error *err)
{
    for (size_t i = 0; i < c->member_count; i++) {
        member *m = &c->members[i];
        lw_status st = m->self ? LW_OK : m->type->make(&m->self, &m->env, err);
        if (st < 0)
            return st;
    }
    return LW_OK;
}

static lw_status start_members(lw_control *c, bool needing_lease, lw_error *err)
{
    for (size_t i = 0; i < c->member_count; i++) {
        const member *m = &c->members[i];
        lw_status st = m->type->needs_lease == needing_lease ? m->type->start(m->self, err) : LW_OK;
        if (st < 0)
            return st;
    }
    return LW_OK;
}

static void free_members(lw_control *c, bool only_needing_lease)
{
    for (size_t i = c->member_count; i-- > 0;) {
        member *m = &c->members[i];
        if (!m->self || (only_needing_lease && !m->type->needs_lease))
            continue;
        m->type->free(m->self);
        m->self = NULL;
    }
}

/* Waits until all informers are synced; false: stop was requested. */
static bool frame_fill(lw_control *c)
{
    lw_error err = LW_ERROR_INIT;
    lw_status st;
    while ((st = lw_factory_wait_for_sync(c->env.factory, SYNC_LOOK_S, &err)) == LW_ERR_TIMEOUT)
        lw_report_log(c->env.logger, LW_LOG_WARN, "control", "%s", err.message);
    return st == LW_OK && !c->is_stopping;
}

static void on_acquired(void *arg)
{
    lw_control *c = arg;
    (void)pthread_mutex_lock(&c->mu);
    c->is_leader = true;
    (void)pthread_cond_broadcast(&c->change);
    (void)pthread_mutex_unlock(&c->mu);
}

static void on_lost(void *arg)
{
    lw_control *c = arg;
    (void)pthread_mutex_lock(&c->mu);
    c->is_leader = false;
    c->terms++;
    (void)pthread_cond_broadcast(&c->change);
    (void)pthread_mutex_unlock(&c->mu);
}

/* Waits until this copy leads; false: stop was requested. */
static bool frame_wait(lw_control *c, unsigned *term)
{
    (void)pthread_mutex_lock(&c->mu);
    while (!c->is_leader && !c->is_stopping)
        (void)pthread_cond_wait(&c->change, &c->mu);
    *term = c->terms;
    (void)pthread_mutex_unlock(&c->mu);
    return !c->is_stopping;
}

/* Waits until |term| has ended or this copy must stop. */
static void frame_work(lw_control *c, unsigned term)
{
    (void)pthread_mutex_lock(&c->mu);
    while (c->terms == term && !c->is_stopping)
        (void)pthread_cond_wait(&c->change, &c->mu);
    (void)pthread_mutex_unlock(&c->mu);
}

/* Runs one term.  An error means that controllers could not be created or started: out of memory or
 * threads. */
static lw_status frame_term(lw_control *c, lw_error *err)
{
    unsigned term;
    lw_status st = make_members(c, err);
    if (st < 0 || !frame_fill(c) || !frame_wait(c, &term))
        return st;
    lw_report_log(c->env.logger, LW_LOG_INFO, "control", "controllers are running");
    c->is_working = true;
    st = start_members(c, true, err);
    if (st == LW_OK)
        frame_work(c, term);
    free_members(c, true);
    c->is_working = false;
    return st;
}

static void *frame_run(void *arg)
{
    lw_control *c = arg;
    lw_error err = LW_ERROR_INIT;
    lw_status st = frame_fill(c) ? start_members(c, false, &err) : LW_OK;
    while (st == LW_OK && !c->is_stopping)
        st = frame_term(c, &err);
    if (st < 0) {
        lw_report_log(c->env.logger, LW_LOG_ERROR, "control",
                      "controllers have stopped; restart this process: %s", err.message);
        if (c->election)
            lw_election_close(c->election, c->stop_s * 1000);
    }
    return NULL;
}

/* Frees all but the clients, which are closed if this takes too long. */
static void control_free(lw_control *c)
{
    lw_informer_reporter_stop(c->reporter);
    free_members(c, false);
    if (c->election)
        lw_election_stop(c->election, c->stop_s * 1000);
    lw_election_free(c->election);
    lw_factory_free(c->env.factory);
    if (c->env.recorder)
        lw_recorder_stop(c->env.recorder, c->stop_s * 1000);
    lw_recorder_free(c->env.recorder);
    lw_trace_free(c->env.trace);
    (void)pthread_cond_destroy(&c->change);
    (void)pthread_mutex_destroy(&c->mu);
    free(c->node_prefix);
    free(c->root_ca);
    free(c);
}

static lw_status make_factory(lw_control *c, lw_error *err)
{
    const lw_factory_options options = {
        .size = sizeof(lw_factory_options),
        .client = c->env.client,
        .clock = c->env.clock,
        .logger = c->env.logger,
    };
    return lw_factory_new(&c->env.factory, &options, err);
}

static lw_status make_recorder(lw_control *c, lw_error *err)
{
    lw_recorder_options options = LW_RECORDER_OPTIONS_INIT;
    options.client = c->env.client;
    options.component = "listwatch-control"; /* each controller passes its own */
    options.clock = c->env.clock;
    options.logger = c->env.logger;
    lw_status st = lw_recorder_new(&c->env.recorder, &options, err);
    return st < 0 ? st : lw_recorder_start(c->env.recorder, err);
}

static lw_status make_election(lw_control *c, const lw_control_options *from, lw_error *err)
{
    lw_election_options options = LW_ELECTION_OPTIONS_INIT;
    options.client = c->env.client;
    options.ns = "kube-system";
    options.name = "listwatch-control";
    options.identity = from->identity;
    options.lease_duration_ms = from->lease_s * 1000;
    options.releases = true;
    options.on_acquired = on_acquired;
    options.on_lost = on_lost;
    options.arg = c;
    options.clock = c->env.clock;
    options.logger = c->env.logger;
    lw_status st = lw_election_new(&c->election, &options, err);
    return st < 0 ? st : lw_election_start(c->election, err);
}

static lw_status make_parts(lw_control *c, const lw_control_options *options, lw_error *err)
{
    const lw_control_env *env = &c->env;
    lw_status st = lw_client_set_new(&c->env.clients, env->client, options->client_as,
                                     options->client_arg, err);
    if (st == LW_OK)
        st = choose_members(c, options, err);
    if (st == LW_OK)
        st = lw_trace_new(&c->env.trace, options->on_step, options->arg, env->clock, err);
    if (st == LW_OK)
        st = make_recorder(c, err);
    if (st == LW_OK)
        st = make_factory(c, err);
    if (st == LW_OK)
        st = equip_members(c, err);
    if (st == LW_OK)
        st = make_members(c, err);
    if (st == LW_OK)
        st = lw_factory_start(env->factory, err);
    c->is_leader = options->is_alone;
    if (st == LW_OK && !options->is_alone)
        st = make_election(c, options, err);
    if (st == LW_OK && options->shows_informers)
        st = lw_informer_reporter_start(&c->reporter, env, err);
    return st;
}

static lw_status check_options(const lw_control_options *options, lw_error *err)
{
    if (!options->client)
        return lw_report_error(err, LW_ERR_INVALID, "controllers need a client");
    if (options->nodes > NODES_MAX)
        return lw_report_error(err, LW_ERR_INVALID, "%u hollow nodes requested; the limit is %d",
                               options->nodes, NODES_MAX);
    if (options->node_grace_s < 0 || options->pod_eviction_s < 0)
        return lw_report_error(err, LW_ERR_INVALID,
                               "node_grace_s and pod_eviction_s must not be negative");
    if (options->lease_s < 0 || options->lease_s > LEASE_MAX_S)
        return lw_report_error(err, LW_ERR_INVALID, "lease_s must be between 0 and %d",
                               LEASE_MAX_S);
    if (options->stop_s < 0 || options->stop_s > STOP_MAX_S)
        return lw_report_error(err, LW_ERR_INVALID, "stop_s must be between 0 and %d", STOP_MAX_S);
    return LW_OK;
}

lw_status lw_control_start(lw_control **out, const lw_control_options *options, lw_error *err)
{
    lw_status st = check_options(options, err);
    if (st < 0)
        return st;
    lw_control *c = calloc(1, sizeof(*c));
    if (!c)
        return lw_report_nomem(err);
    (void)pthread_mutex_init(&c->mu, NULL);
    (void)pthread_cond_init(&c->change, NULL);
    c->node_prefix = strdup(options->node_prefix ? options->node_prefix : "node");
    c->root_ca = options->root_ca ? strdup(options->root_ca) : NULL;
    c->stop_s = options->stop_s ? options->stop_s : STOP_S;
    c->env = (lw_control_env){
        .client = options->client,
        .clock = options->clock ? options->clock : lw_clock_system(),
        .logger = options->logger ? options->logger : &c->silent,
        .nodes = options->nodes,
        .node_prefix = c->node_prefix,
        .node_grace_ns =
            (options->node_grace_s ? options->node_grace_s : NODE_GRACE_S) * LW_NS_PER_S,
        .pod_eviction_ns = options->pod_eviction_s * LW_NS_PER_S,
        .root_ca = c->root_ca,
    };
    bool is_copied = c->node_prefix && (c->root_ca || !options->root_ca);
    st = is_copied ? make_parts(c, options, err) : lw_report_nomem(err);
    if (st == LW_OK && pthread_create(&c->thread, NULL, frame_run, c) != 0)
        st = lw_report_error(err, LW_ERR_IO, "cannot start the controllers' thread");
    if (st < 0) {
        lw_client_set *clients = c->env.clients;
        control_free(c);
        lw_client_set_free(clients);
        return st;
    }
    *out = c;
    return LW_OK;
}

bool lw_control_is_leading(lw_control *c)
{
    return c->is_working;
}

size_t lw_control_report(const lw_control *c, char *dst, size_t size)
{
    return lw_factory_report(c->env.factory, "listwatch controllers", dst, size);
}

void lw_control_stop(lw_control *c)
{
    lw_stop_limit limit;
    if (!c)
        return;
    lw_client_set *clients = c->env.clients;
    size_t count;
    lw_client *const *all = lw_client_set_close(clients, &count);
    lw_stop_limit_begin(&limit, all, count, c->stop_s);
    (void)pthread_mutex_lock(&c->mu);
    c->is_stopping = true;
    (void)pthread_cond_broadcast(&c->change);
    (void)pthread_mutex_unlock(&c->mu);
    lw_factory_stop(c->env.factory);
    (void)pthread_join(c->thread, NULL);
    control_free(c);
    lw_stop_limit_end(&limit);
    lw_client_set_free(clients);
}
