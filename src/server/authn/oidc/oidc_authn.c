/* SPDX-License-Identifier: Apache-2.0 */
/* oidc_authn.c -- the configuration in force, the tokens that have been verified, and the file. */
#include "server/authn/oidc/oidc_authn.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/container_of.h"
#include "base/error.h"
#include "base/file/file_mark.h"
#include "base/file/files.h"
#include "base/log.h"
#include "base/str.h"
#include "base/sync.h"
#include "crypto/digest.h"
#include "server/authn/account_cache.h"
#include "server/authn/oidc/oidc_source.h"
#include "server/authn/oidc/oidc_token.h"
#include "server/authn/refusal_log.h"

enum {
    WHY_MAX = 64 * 1024,
};

#define LOOK_INTERVAL_NS LW_NS_PER_S

struct lw_oidc_authn {
    const lw_str *own_issuers;
    size_t own_issuer_count;
    lw_loop *loop;
    const lw_oidc_fetcher *fetcher;
    const lw_clock *clock;
    const lw_logger *logger;
    lw_digester *digester;
    lw_refusal_log refusals;
    lw_account_cache cache;
    /* Of the configuration and all keys; entries of the cache that have another one are verified
     * again. */
    atomic_uint_least64_t revision;
    lw_oidc_config *initial; /* of the start, for |anonymous| */

    lw_rwlock lock; /* guards the pointer config */
    lw_oidc_config *config;

    /* Of the loop. */
    char *path; /* NULL: no file */
    lw_file_mark mark;
    lw_timer timer;
    bool is_running;
};

static void keys_changed(void *arg)
{
    lw_oidc_authn *authn = arg;
    atomic_fetch_add(&authn->revision, 1);
}

static lw_oidc_config *config_ref(lw_oidc_authn *authn)
{
    lw_rwlock_read(&authn->lock);
    lw_oidc_config *config = lw_oidc_config_ref(authn->config);
    lw_rwlock_unlock(&authn->lock);
    return config;
}

/* Returns the source of the same keys in |old| (may be NULL); NULL: there is none. */
static lw_oidc_source *find_source(const lw_oidc_config *old, const lw_oidc_issuer *issuer)
{
    for (size_t i = 0; old && i < old->issuers.count; i++) {
        lw_oidc_source *source = lw_oidc_issuer_at(old, i)->source;
        if (lw_oidc_source_is_for(source, issuer->url, issuer->discovery_url,
                                  issuer->certificate_authority))
            return source;
    }
    return NULL;
}

/* Gives each issuer its source: that of |old|, or a new one. */
static lw_status set_sources(lw_oidc_authn *authn, lw_oidc_config *config,
                             const lw_oidc_config *old, lw_error *err)
{
    lw_status st = LW_OK;
    for (size_t i = 0; i < config->issuers.count && st == LW_OK; i++) {
        lw_oidc_issuer *issuer = lw_oidc_issuer_at(config, i);
        lw_oidc_source *known = find_source(old, issuer);
        const lw_oidc_source_options options = {
            .url = issuer->url,
            .discovery_url = issuer->discovery_url,
            .ca = issuer->certificate_authority,
            .loop = authn->loop,
            .fetcher = authn->fetcher,
            .logger = authn->logger,
            .changed = keys_changed,
            .arg = authn,
        };
        if (known)
            issuer->source = lw_oidc_source_ref(known);
        else
            st = lw_oidc_source_new(&issuer->source, &options, err);
    }
    return st;
}

static lw_status validate(const lw_oidc_authn *authn, lw_oidc_config *config, lw_error *err)
{
    lw_buf why;
    lw_buf_init(&why, WHY_MAX);
    lw_status st =
        lw_oidc_config_validate(config, authn->own_issuers, authn->own_issuer_count, &why);
    if (st == LW_ERR_INVALID)
        (void)lw_error_set(err, st, "invalid authentication configuration: %.*s",
                           LW_STR_ARG(lw_buf_view(&why)));
    else if (st < 0)
        (void)lw_error_nomem(err);
    lw_buf_done(&why);
    return st;
}

static lw_status read_file(const lw_oidc_authn *authn, lw_oidc_config **out, lw_error *err)
{
    lw_buf text;
    lw_error why = LW_ERROR_INIT;
    lw_oidc_config *config = NULL;
    lw_buf_init(&text, LW_OIDC_CONFIG_MAX);
    lw_status st = lw_file_read(authn->path, &text, err);
    if (st == LW_OK) {
        st = lw_oidc_config_read(&config, lw_buf_view(&text), &why);
        if (st == LW_OK)
            st = validate(authn, config, &why);
        if (st < 0)
            (void)lw_error_set(err, st, "%s: %s", authn->path, why.message);
    }
    lw_buf_done(&text);
    if (st < 0) {
        lw_oidc_config_unref(config);
        return st;
    }
    *out = config;
    return LW_OK;
}

static lw_status load(lw_oidc_authn *authn, const lw_oidc_authn_options *options, lw_error *err)
{
    lw_status st;
    if (options->config_file) {
        authn->path = lw_str_dup(lw_str_of(options->config_file));
        if (!authn->path)
            return lw_error_nomem(err);
        /* Before reading: a change in between is then noticed by the next check. */
        (void)lw_file_mark_read(authn->path, &authn->mark);
        st = read_file(authn, &authn->config, err);
    } else {
        st = lw_oidc_config_of_flags(&authn->config, options->flags, err);
        if (st == LW_OK)
            st = validate(authn, authn->config, err);
    }
    if (st == LW_OK)
        st = set_sources(authn, authn->config, NULL, err);
    if (st == LW_OK)
        authn->initial = lw_oidc_config_ref(authn->config);
    return st;
}

static void on_time(lw_timer *timer);

lw_status lw_oidc_authn_new(lw_oidc_authn **out, const lw_oidc_authn_options *options,
                            lw_error *err)
{
    lw_oidc_authn *authn = lw_alloc_zero(1, sizeof(*authn));
    if (!authn)
        return lw_error_nomem(err);
    authn->own_issuers = options->own_issuers;
    authn->own_issuer_count = options->own_issuer_count;
    authn->loop = options->loop;
    authn->fetcher = options->fetcher;
    authn->clock = options->clock;
    authn->logger = options->logger;
    authn->timer.fire = on_time;
    lw_refusal_log_init(&authn->refusals, options->clock, options->logger);
    lw_account_cache_init(&authn->cache);
    lw_rwlock_init(&authn->lock);
    atomic_init(&authn->revision, 1);
    lw_status st = lw_digester_new(&authn->digester, err);
    if (st == LW_OK)
        st = load(authn, options, err);
    if (st < 0) {
        lw_oidc_authn_free(authn);
        return st;
    }
    *out = authn;
    return LW_OK;
}

void lw_oidc_authn_free(lw_oidc_authn *authn)
{
    if (!authn)
        return;
    lw_oidc_config_unref(authn->config);
    lw_oidc_config_unref(authn->initial);
    lw_account_cache_done(&authn->cache);
    lw_rwlock_done(&authn->lock);
    lw_digester_free(authn->digester);
    lw_free(authn->path);
    lw_free(authn);
}

/* Starts the sources of |config| that |other| (may be NULL) does not have, or stops them. */
static void start_or_stop(const lw_oidc_config *config, const lw_oidc_config *other, bool is_start)
{
    for (size_t i = 0; i < config->issuers.count; i++) {
        lw_oidc_issuer *issuer = lw_oidc_issuer_at(config, i);
        if (find_source(other, issuer) == issuer->source)
            continue;
        if (is_start)
            lw_oidc_source_start(issuer->source);
        else
            lw_oidc_source_stop(issuer->source);
    }
}

/* Puts |config|, which is taken, in place of the present one. */
static void put_in_force(lw_oidc_authn *authn, lw_oidc_config *config)
{
    lw_rwlock_write(&authn->lock);
    lw_oidc_config *old = authn->config;
    authn->config = config;
    lw_rwlock_unlock(&authn->lock);
    atomic_fetch_add(&authn->revision, 1);
    start_or_stop(old, config, false);
    start_or_stop(config, old, true);
    lw_oidc_config_unref(old);
}

static void reload(lw_oidc_authn *authn)
{
    lw_oidc_config *config = NULL;
    lw_error err = LW_ERROR_INIT;
    lw_status st = read_file(authn, &config, &err);
    if (st == LW_OK && !lw_oidc_anonymous_equal(&config->anonymous, &authn->initial->anonymous))
        st = lw_error_set(&err, LW_ERR_INVALID,
                          "%s: anonymous: Forbidden: changed from initial configuration file; "
                          "restart the server to change it",
                          authn->path);
    if (st == LW_OK)
        st = set_sources(authn, config, authn->config, &err);
    if (st < 0) {
        lw_log(authn->logger, LW_LOG_WARN, "authn", "%s; the previous configuration stays in force",
               err.message);
        lw_oidc_config_unref(config);
        return;
    }
    lw_log(authn->logger, LW_LOG_INFO, "authn", "reloaded %s: %zu token issuers", authn->path,
           config->issuers.count);
    put_in_force(authn, config);
}

static void on_time(lw_timer *timer)
{
    lw_oidc_authn *authn = LW_CONTAINER_OF(timer, lw_oidc_authn, timer);
    lw_file_mark mark;
    (void)lw_file_mark_read(authn->path, &mark);
    if (!lw_file_mark_equal(&mark, &authn->mark)) {
        authn->mark = mark;
        reload(authn);
    }
    if (lw_timer_set(authn->loop, timer, lw_loop_now(authn->loop) + LOOK_INTERVAL_NS) < 0)
        lw_log(authn->logger, LW_LOG_ERROR, "authn",
               "out of memory: changes of %s are not noticed until the server restarts",
               authn->path);
}

void lw_oidc_authn_start(lw_oidc_authn *authn)
{
    authn->is_running = true;
    start_or_stop(authn->config, NULL, true);
    if (authn->path &&
        lw_timer_set(authn->loop, &authn->timer, lw_loop_now(authn->loop) + LOOK_INTERVAL_NS) < 0)
        lw_log(authn->logger, LW_LOG_ERROR, "authn",
               "out of memory: changes of %s are not noticed until the server restarts",
               authn->path);
}

void lw_oidc_authn_stop(lw_oidc_authn *authn)
{
    if (!authn || !authn->is_running)
        return;
    authn->is_running = false;
    start_or_stop(authn->config, NULL, false);
    lw_timer_cancel(authn->loop, &authn->timer);
}

lw_status lw_oidc_authn_recall(lw_oidc_authn *authn, lw_str token, const lw_user **user)
{
    uint8_t digest[LW_DIGEST_SIZE];
    if (!lw_jwt_looks_like(token))
        return LW_ERR_UNAUTHORIZED;
    lw_status st = lw_digest(authn->digester, token, digest);
    if (st < 0)
        return st;
    lw_verified_token *entry = lw_account_cache_get_ref(&authn->cache, digest);
    if (!entry)
        return LW_ERR_UNAUTHORIZED;
    const lw_oidc_times times = { entry->claims.expires_s, entry->claims.issued_s };
    bool is_valid = atomic_load(&entry->account_revision) == atomic_load(&authn->revision) &&
                    lw_oidc_times_check(&times, lw_clock_wall(authn->clock), NULL) == LW_OK;
    if (is_valid)
        *user = lw_user_ref(entry->user);
    else
        lw_account_cache_drop(&authn->cache, entry);
    lw_verified_token_unref(entry);
    return is_valid ? LW_OK : LW_ERR_UNAUTHORIZED;
}

/* Remembers a verified token, if there is memory for it.  |revision| is that before it was
 * verified: if keys changed meanwhile, the entry is not used. */
static void remember(lw_oidc_authn *authn, lw_str token, const lw_oidc_times *times,
                     const lw_user *user, uint64_t revision)
{
    uint8_t digest[LW_DIGEST_SIZE];
    lw_verified_token *entry = NULL;
    const lw_account_claims claims = { .expires_s = times->expires_s,
                                       .issued_s = times->not_before_s };
    if (lw_digest(authn->digester, token, digest) < 0 ||
        lw_verified_token_new(&entry, digest, &claims, false, user) < 0)
        return;
    atomic_store(&entry->account_revision, revision);
    lw_account_cache_put(&authn->cache, entry);
    lw_verified_token_unref(entry);
}

lw_status lw_oidc_authn_find(lw_oidc_authn *authn, lw_str token, const lw_user **user)
{
    lw_error why = LW_ERROR_INIT;
    lw_oidc_times times = { 0, 0 };
    if (!lw_jwt_looks_like(token))
        return LW_ERR_UNAUTHORIZED;
    uint64_t revision = atomic_load(&authn->revision);
    lw_oidc_config *config = config_ref(authn);
    lw_status st =
        lw_oidc_token_verify(config, token, lw_clock_wall(authn->clock), &times, user, &why);
    lw_oidc_config_unref(config);
    if (st == LW_OK)
        remember(authn, token, &times, *user, revision);
    if (st == LW_OK || st == LW_ERR_NOMEM)
        return st;
    return lw_refusal_log_write(&authn->refusals, "a token", &why);
}

const lw_oidc_anonymous *lw_oidc_authn_anonymous(const lw_oidc_authn *authn)
{
    return &authn->initial->anonymous;
}
