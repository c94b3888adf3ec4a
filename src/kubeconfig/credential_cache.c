/* SPDX-License-Identifier: Apache-2.0 */
/* credential_cache.c -- decides when credentials are read again, and by which thread.
 *
 * States of the credential of a plugin, see plugin_need_locked:
 *   none ──run──▶ good ──expires - leeway──▶ soon ──expires──▶ needed
 *                  └────── rejected by the server ─────────────▶ needed
 * A plugin that fails does not run again within a second; until then its error is returned. */
#include "kubeconfig/credential_cache.h"

#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/thread/cancel.h"
#include "kubeconfig/exec.h"
#include "kubeconfig/secret.h"

static const int64_t cancel_period_ns = 20 * LW_NS_PER_MS;
static const int64_t check_period_ns = LW_NS_PER_S; /* between checks of the files */
static const int64_t plugin_pause_ns = LW_NS_PER_S; /* between failed runs of the plugin */
static const int64_t leeway_most_ns =
    10 * LW_NS_PER_S; /* how long before the expiry a plugin runs again */
static const int64_t refusal_age_ns =
    60 * LW_NS_PER_S; /* after this time, another 401 triggers a refresh again */

typedef enum need {
    NEED_NOTHING,
    NEED_SOON,  /* the current credential still works */
    NEED_NOW,   /* there is no usable credential */
    NEED_PAUSE, /* there is none, and the last run has just failed */
} need;

void lw_credentials_init(lw_credentials *credentials)
{
    *credentials = (lw_credentials){ 0 };
    lw_buf_init(&credentials->token, LW_TOKEN_LIMIT);
    lw_buf_init(&credentials->basic, LW_TOKEN_LIMIT);
    lw_buf_init(&credentials->ca_pem, LW_WHOLE_FILE_LIMIT);
    lw_buf_init(&credentials->cert_pem, LW_WHOLE_FILE_LIMIT);
    lw_buf_init(&credentials->key_pem, LW_WHOLE_FILE_LIMIT);
}

void lw_credentials_done(lw_credentials *credentials)
{
    lw_secret_done(&credentials->token);
    lw_secret_done(&credentials->basic);
    lw_secret_done(&credentials->ca_pem);
    lw_secret_done(&credentials->cert_pem);
    lw_secret_done(&credentials->key_pem);
    lw_credentials_init(credentials);
}

void lw_credential_cache_init(lw_credential_cache *cache)
{
    *cache = (lw_credential_cache){ .checked_ns = INT64_MIN, .retry_ns = INT64_MIN };
    cache->refused_ns = INT64_MIN;
    lw_rotating_init(&cache->token, LW_ROTATING_TOKEN);
    lw_rotating_init(&cache->ca, LW_ROTATING_PEM);
    lw_rotating_init(&cache->cert, LW_ROTATING_PEM);
    lw_rotating_init(&cache->key, LW_ROTATING_PEM);
    lw_exec_credential_init(&cache->given);
    lw_credentials_init(&cache->current);
    lw_mutex_init(&cache->mu);
    lw_cond_init(&cache->idle);
}

void lw_credential_cache_done(lw_credential_cache *cache)
{
    lw_exec_spec_done(&cache->plugin);
    lw_rotating_done(&cache->token);
    lw_rotating_done(&cache->ca);
    lw_rotating_done(&cache->cert);
    lw_rotating_done(&cache->key);
    lw_exec_credential_done(&cache->given);
    lw_credentials_done(&cache->current);
    lw_cond_done(&cache->idle);
    lw_mutex_done(&cache->mu);
}

static bool buf_equal(const lw_buf *a, const lw_buf *b)
{
    return lw_str_equal(lw_buf_view(a), lw_buf_view(b));
}

/* Copies all of |from| into |to|, or nothing. */
static lw_status credentials_copy(lw_credentials *to, const lw_credentials *from)
{
    lw_credentials copy;
    lw_credentials_init(&copy);
    lw_secret_append(&copy.token, lw_buf_view(&from->token));
    lw_secret_append(&copy.basic, lw_buf_view(&from->basic));
    lw_secret_append(&copy.ca_pem, lw_buf_view(&from->ca_pem));
    lw_secret_append(&copy.cert_pem, lw_buf_view(&from->cert_pem));
    lw_secret_append(&copy.key_pem, lw_buf_view(&from->key_pem));
    if (copy.token.st < 0 || copy.basic.st < 0 || copy.ca_pem.st < 0 || copy.cert_pem.st < 0 ||
        copy.key_pem.st < 0) {
        lw_credentials_done(&copy);
        return LW_ERR_NOMEM;
    }
    copy.generation = from->generation;
    copy.tls_generation = from->tls_generation;
    lw_credentials_done(to);
    *to = copy;
    return LW_OK;
}

/* Combines the current contents of the sources; compares them with |current|. */
static lw_status compose(const lw_credential_cache *cache, lw_credentials *out)
{
    const lw_exec_credential *given = &cache->given;
    const lw_buf *token = given->token.len > 0 ? &given->token : &cache->token.content;
    const lw_buf *cert = given->cert_pem.len > 0 ? &given->cert_pem : &cache->cert.content;
    const lw_buf *key = given->key_pem.len > 0 ? &given->key_pem : &cache->key.content;
    const lw_credentials *was = &cache->current;
    const lw_credentials parts = { .token = *token,
                                   .basic = was->basic,
                                   .ca_pem = cache->ca.content,
                                   .cert_pem = *cert,
                                   .key_pem = *key };
    lw_status st = credentials_copy(out, &parts);
    if (st < 0)
        return st;
    bool is_same_tls = was->generation > 0 && buf_equal(&out->ca_pem, &was->ca_pem) &&
                       buf_equal(&out->cert_pem, &was->cert_pem) &&
                       buf_equal(&out->key_pem, &was->key_pem);
    bool is_same = is_same_tls && buf_equal(&out->token, &was->token);
    out->generation = was->generation + !is_same;
    out->tls_generation = was->tls_generation + !is_same_tls;
    return LW_OK;
}

/* Publishes the contents of the sources as |current|.  Called by the busy thread without the lock.
 * LW_ERR_NOMEM: |current| does not change. */
static lw_status publish(lw_credential_cache *cache)
{
    lw_credentials fresh;
    lw_credentials_init(&fresh);
    lw_status st = compose(cache, &fresh);
    if (st == LW_OK && fresh.generation != cache->current.generation) {
        lw_mutex_lock(&cache->mu);
        lw_credentials old = cache->current;
        cache->current = fresh;
        lw_mutex_unlock(&cache->mu);
        fresh = old;
    }
    lw_credentials_done(&fresh);
    return st;
}

static void describe_cluster(lw_credential_cache *cache, lw_cluster *cluster,
                             const lw_config_endpoint *endpoint)
{
    cache->cluster = (lw_exec_cluster){ .server = endpoint->server,
                                        .tls_server_name = endpoint->tls_server_name,
                                        .proxy_url = endpoint->proxy_url,
                                        .config_json = cluster->exec_config,
                                        .is_insecure = endpoint->is_insecure,
                                        .is_compression_off = endpoint->is_compression_off };
}

/* Takes |*path|. */
static lw_status open_file(lw_rotating *rotating, char **path, lw_buf *content, const char *what,
                           lw_error *err)
{
    char *taken = *path;
    *path = NULL;
    /* Data takes precedence over the file. */
    if (content->len > 0 && rotating->kind == LW_ROTATING_PEM) {
        lw_free(taken);
        taken = NULL;
    }
    return lw_rotating_open_take(rotating, taken, content, what, err);
}

lw_status lw_credential_cache_open(lw_credential_cache *cache, lw_cluster *cluster,
                                   lw_kubeconfig_user *user, const lw_config_endpoint *endpoint,
                                   lw_error *err)
{
    cache->plugin = user->exec;
    user->exec = (lw_exec_spec){ 0 };
    describe_cluster(cache, cluster, endpoint);
    lw_secret_move(&cache->current.basic, &user->basic);
    lw_status st =
        open_file(&cache->ca, &cluster->ca_file, &cluster->ca_pem, "certificate authority", err);
    if (st == LW_OK)
        st = open_file(&cache->cert, &user->cert_file, &user->cert_pem, "client certificate", err);
    if (st == LW_OK)
        st = open_file(&cache->key, &user->key_file, &user->key_pem, "client key", err);
    if (st == LW_OK)
        st = open_file(&cache->token, &user->token_file, &user->token, "token", err);
    if (st < 0)
        return st;
    return publish(cache) < 0 ? lw_error_nomem(err) : LW_OK;
}

static need plugin_need_locked(const lw_credential_cache *cache, int64_t now_ns, int64_t wall_ns)
{
    if (!cache->plugin.command)
        return NEED_NOTHING;
    bool is_paused = now_ns < cache->retry_ns;
    bool is_over = cache->does_expire && wall_ns >= cache->expires_ns;
    if (!cache->is_given || cache->is_refused || is_over) {
        if (!is_paused)
            return NEED_NOW;
        return cache->plugin_st < 0 ? NEED_PAUSE : NEED_NOTHING;
    }
    if (cache->does_expire && cache->expires_ns - wall_ns <= cache->leeway_ns && !is_paused)
        return NEED_SOON;
    return NEED_NOTHING;
}

static bool files_are_due_locked(const lw_credential_cache *cache, int64_t now_ns)
{
    return cache->is_forced || cache->checked_ns == INT64_MIN ||
           now_ns - cache->checked_ns >= check_period_ns;
}

/* Records the result of a run. */
static void plugin_note_locked(lw_credential_cache *cache, lw_status st, const lw_error *err,
                               const lw_clock *clock)
{
    int64_t wall_ns = lw_clock_wall(clock);
    cache->plugin_st = st;
    cache->retry_ns = lw_clock_now(clock) + plugin_pause_ns;
    if (st < 0) {
        cache->plugin_err = *err;
        return;
    }
    const lw_exec_credential *given = &cache->given;
    cache->is_given = true;
    cache->is_refused = false;
    cache->does_expire = given->does_expire;
    cache->expires_ns = given->expires_ns;
    /* A credential that is valid for a few seconds is used for half of that time. */
    int64_t half = given->expires_ns > wall_ns ? (given->expires_ns - wall_ns) / 2 : 0;
    cache->leeway_ns = half < leeway_most_ns ? half : leeway_most_ns;
}

/* Runs the plugin and replaces its last credential on success.  The busy thread, without the
 * lock. */
static lw_status plugin_run(lw_credential_cache *cache, lw_error *err)
{
    lw_exec_credential given;
    lw_exec_credential_init(&given);
    lw_exec_cluster cluster = cache->cluster;
    cluster.ca_pem = lw_buf_view(&cache->ca.content);
    lw_status st =
        lw_exec_plugin_run(&cache->plugin, &cluster, cache->plugin_timeout_ms, &given, err);
    if (st == LW_OK) {
        lw_exec_credential old = cache->given;
        cache->given = given;
        given = old;
    }
    lw_exec_credential_done(&given);
    return st;
}

/* Refreshes what is due.  The lock is held again on return, and the thread is not busy any more.
 * LW_ERR_NOMEM: |current| may be outdated. */
static lw_status refresh_locked(lw_credential_cache *cache, const lw_clock *clock, bool runs_plugin,
                                int64_t now_ns)
{
    bool is_forced = cache->is_forced;
    lw_error err = LW_ERROR_INIT;
    cache->is_busy = true;
    lw_mutex_unlock(&cache->mu);
    lw_rotating_refresh(&cache->ca, now_ns, is_forced);
    lw_rotating_refresh(&cache->cert, now_ns, is_forced);
    lw_rotating_refresh(&cache->key, now_ns, is_forced);
    lw_rotating_refresh(&cache->token, now_ns, is_forced);
    lw_status ran = runs_plugin ? plugin_run(cache, &err) : LW_OK;
    lw_status st = publish(cache);
    if (ran == LW_OK && st < 0)
        ran =
            lw_error_nomem(&err); /* the credential could not be stored: the run counts as failed */
    lw_mutex_lock(&cache->mu);
    if (runs_plugin && ran != LW_ERR_STOPPED) /* a cancelled run is not a failure of the plugin */
        plugin_note_locked(cache, ran, &err, clock);
    cache->is_busy = false;
    cache->checked_ns = now_ns;
    if (is_forced) {
        cache->is_forced = false;
        cache->refused_ns = now_ns;
    }
    lw_cond_broadcast(&cache->idle);
    return st;
}

/* Refreshes what is due, or waits for the thread that does.  LW_OK: |current| can be used. */
static lw_status bring_up_to_date_locked(lw_credential_cache *cache, const lw_clock *clock,
                                         lw_error *err)
{
    for (;;) {
        int64_t now_ns = lw_clock_now(clock);
        need wants = plugin_need_locked(cache, now_ns, lw_clock_wall(clock));
        if (wants == NEED_PAUSE) {
            if (err)
                *err = cache->plugin_err;
            return cache->plugin_st;
        }
        if (wants == NEED_NOTHING && !files_are_due_locked(cache, now_ns))
            return LW_OK;
        if (cache->is_busy && wants != NEED_NOW)
            return LW_OK;
        if (lw_cancel_is_due())
            return lw_error_set(err, LW_ERR_STOPPED, "the request was cancelled");
        if (cache->is_busy) /* for a while: this thread may be cancelled, and the other one not */
            (void)lw_cond_wait_until(&cache->idle, &cache->mu,
                                     lw_clock_now(lw_clock_system()) + cancel_period_ns);
        else if (refresh_locked(cache, clock, wants != NEED_NOTHING, now_ns) < 0)
            return lw_error_nomem(err);
    }
}

lw_status lw_credential_cache_get(lw_credential_cache *cache, const lw_clock *clock,
                                  lw_credentials *credentials, lw_error *err)
{
    lw_mutex_lock(&cache->mu);
    if (cache->refused_generation != 0 && cache->refused_ns != INT64_MIN &&
        lw_clock_now(clock) - cache->refused_ns >= refusal_age_ns)
        cache->refused_generation = 0;
    lw_status st = bring_up_to_date_locked(cache, clock, err);
    if (st == LW_OK && credentials->generation != cache->current.generation &&
        credentials_copy(credentials, &cache->current) < 0)
        st = lw_error_nomem(err);
    lw_mutex_unlock(&cache->mu);
    return st;
}

static bool can_change(const lw_credential_cache *cache)
{
    return cache->plugin.command || cache->token.path || cache->ca.path || cache->cert.path ||
           cache->key.path;
}

bool lw_credential_cache_refused(lw_credential_cache *cache, uint64_t generation)
{
    if (!can_change(cache))
        return false;
    lw_mutex_lock(&cache->mu);
    bool makes_sense = true;
    if (generation == cache->current.generation) {
        if (cache->refused_generation != generation) {
            cache->refused_generation = generation;
            cache->refused_ns = INT64_MIN;
            cache->is_forced = true;
            cache->is_refused = cache->plugin.command != NULL;
            cache->retry_ns = INT64_MIN;
        } else {
            /* Another thread may still be refreshing. */
            makes_sense = cache->is_forced;
        }
    }
    lw_mutex_unlock(&cache->mu);
    return makes_sense;
}
