/* SPDX-License-Identifier: Apache-2.0 */
/* oidc_source.c -- gets the keys of an issuer. */
#include "server/authn/oidc/oidc_source.h"

#include <stdatomic.h>

#include "base/alloc.h"
#include "base/backoff.h"
#include "base/clock.h"
#include "base/container_of.h"
#include "base/error.h"
#include "base/log.h"
#include "base/random.h"
#include "base/str.h"
#include "base/sync.h"
#include "json/fields.h"

enum {
    URL_MAX = 4096,
    DOCUMENT_TREE_MAX = 8 * 1024 * 1024,
    SHOWN = 256,
};

struct lw_oidc_source {
    lw_ref refs;
    char *url, *discovery_url, *ca;
    lw_loop *loop;
    const lw_oidc_fetcher *fetcher;
    const lw_logger *logger;
    void (*changed)(void *arg);
    void *arg;

    lw_mutex mu; /* guards keys */
    lw_oidc_keys *keys;

    lw_task task; /* of lw_oidc_source_want; it has a reference while it is posted */
    atomic_bool is_posted;

    /* Of the loop. */
    bool is_running;
    bool is_failing; /* the last attempt failed: wait for the timer */
    char *keys_url;  /* NULL: not discovered */
    void *call;      /* NULL: none */
    lw_timer timer;
    int64_t timer_ns; /* when it fires; INT64_MAX: not set */
    int64_t begun_ns; /* the last attempt */
    lw_backoff backoff;
};

static void begin(lw_oidc_source *source);

static void on_time(lw_timer *timer)
{
    lw_oidc_source *source = LW_CONTAINER_OF(timer, lw_oidc_source, timer);
    source->timer_ns = INT64_MAX;
    source->is_failing = false;
    begin(source);
}

static void run_posted(lw_task *task);

lw_status lw_oidc_source_new(lw_oidc_source **out, const lw_oidc_source_options *options,
                             lw_error *err)
{
    static const lw_backoff_options retries = { LW_OIDC_RETRY_FIRST_S * LW_NS_PER_S,
                                                LW_OIDC_RETRY_LONGEST_S * LW_NS_PER_S, 2.0, 0.5,
                                                0 };
    lw_oidc_source *source = lw_alloc_zero(1, sizeof(*source));
    if (!source)
        return lw_error_nomem(err);
    lw_ref_init(&source->refs);
    lw_mutex_init(&source->mu);
    source->loop = options->loop;
    source->fetcher = options->fetcher;
    source->logger = options->logger;
    source->changed = options->changed;
    source->arg = options->arg;
    source->task.run = run_posted;
    source->timer.fire = on_time;
    source->timer_ns = INT64_MAX;
    atomic_init(&source->is_posted, false);
    source->url = lw_str_dup(options->url);
    source->discovery_url = lw_str_dup(options->discovery_url);
    source->ca = lw_str_dup(options->ca);
    uint64_t seed = 0;
    lw_entropy_seed(&seed, 1);
    lw_status st = source->url && source->discovery_url && source->ca
                       ? lw_backoff_init(&source->backoff, &retries, seed)
                       : lw_error_nomem(err);
    if (st < 0) {
        lw_oidc_source_unref(source);
        return st;
    }
    *out = source;
    return LW_OK;
}

lw_oidc_source *lw_oidc_source_ref(lw_oidc_source *source)
{
    lw_ref_inc(&source->refs);
    return source;
}

void lw_oidc_source_unref(lw_oidc_source *source)
{
    if (!source || !lw_ref_dec(&source->refs))
        return;
    lw_oidc_keys_unref(source->keys);
    lw_mutex_done(&source->mu);
    lw_free(source->url);
    lw_free(source->discovery_url);
    lw_free(source->ca);
    lw_free(source->keys_url);
    lw_free(source);
}

bool lw_oidc_source_is_for(const lw_oidc_source *source, lw_str url, lw_str discovery_url,
                           lw_str ca)
{
    return lw_str_equal(lw_str_of(source->url), url) &&
           lw_str_equal(lw_str_of(source->discovery_url), discovery_url) &&
           lw_str_equal(lw_str_of(source->ca), ca);
}

/* Sets the timer; if there is no memory for it, the next unknown key makes another attempt. */
static void wait_until(lw_oidc_source *source, int64_t deadline_ns)
{
    bool is_set = lw_timer_set(source->loop, &source->timer, deadline_ns) == LW_OK;
    source->timer_ns = is_set ? deadline_ns : INT64_MAX;
    source->is_failing = source->is_failing && is_set;
}

/* Forgets what was discovered, and tries again later. */
static void fail(lw_oidc_source *source, const lw_error *err)
{
    int64_t now = lw_loop_now(source->loop);
    int64_t delay = lw_backoff_next(&source->backoff, now);
    lw_free(source->keys_url);
    source->keys_url = NULL;
    source->is_failing = true;
    wait_until(source, now + delay);
    lw_log(source->logger, LW_LOG_WARN, "authn",
           "the keys of the token issuer %s cannot be fetched: %s; next attempt in %lld s",
           source->url, err->message, (long long)(delay / LW_NS_PER_S));
}

/* Puts |keys|, which are taken, in place of the others. */
static void replace(lw_oidc_source *source, lw_oidc_keys *keys)
{
    lw_mutex_lock(&source->mu);
    lw_oidc_keys *old = source->keys;
    bool is_same = old && lw_oidc_keys_equal(old, keys);
    if (!is_same)
        source->keys = keys;
    lw_mutex_unlock(&source->mu);
    if (!is_same) {
        lw_log(source->logger, LW_LOG_INFO, "authn", "the token issuer %s has %zu keys",
               source->url, keys->count);
        if (source->changed)
            source->changed(source->arg);
    }
    lw_oidc_keys_unref(is_same ? keys : old);
}

static void on_keys(void *arg, lw_str body, const lw_error *err)
{
    lw_oidc_source *source = arg;
    lw_oidc_keys *keys = NULL;
    lw_error why = LW_ERROR_INIT, shown = LW_ERROR_INIT;
    source->call = NULL;
    if (err || lw_oidc_keys_read(&keys, body, &why) < 0) {
        (void)lw_error_set(&shown, LW_ERR_INVALID, "%s: %s", source->keys_url,
                           err ? err->message : why.message);
        fail(source, &shown);
        return;
    }
    lw_backoff_reset(&source->backoff);
    replace(source, keys);
    wait_until(source, lw_loop_now(source->loop) + LW_OIDC_REFRESH_S * LW_NS_PER_S);
}

/* Reads the provider metadata of OpenID Connect Discovery 1.0, section 3. */
static lw_status read_metadata(lw_oidc_source *source, lw_str body, lw_error *err)
{
    lw_tree *tree = NULL;
    lw_status st = lw_tree_parse(&tree, body, DOCUMENT_TREE_MAX, err);
    if (st < 0)
        return st;
    const lw_node *root = lw_tree_root(tree);
    lw_str issuer = lw_fields_text(root, "issuer"), keys = lw_fields_text(root, "jwks_uri");
    if (!lw_str_equal(issuer, lw_str_of(source->url)))
        st = lw_error_set(err, LW_ERR_INVALID,
                          "issuer did not match the issuer returned by provider, expected \"%s\" "
                          "got \"%.*s\"",
                          source->url, (int)(issuer.len < SHOWN ? issuer.len : SHOWN),
                          issuer.ptr ? issuer.ptr : "");
    else if (!lw_str_starts_with(keys, LW_STR("https://")) || keys.len > URL_MAX)
        st = lw_error_set(err, LW_ERR_INVALID,
                          "the provider did not return a jwks_uri that begins with https://");
    if (st == LW_OK) {
        source->keys_url = lw_str_dup(keys);
        st = source->keys_url ? LW_OK : lw_error_nomem(err);
    }
    lw_tree_free(tree);
    return st;
}

static void on_metadata(void *arg, lw_str body, const lw_error *err)
{
    lw_oidc_source *source = arg;
    lw_error why = LW_ERROR_INIT;
    source->call = NULL;
    if (err)
        fail(source, err);
    else if (read_metadata(source, body, &why) < 0)
        fail(source, &why);
    else
        begin(source);
}

/* Appends where the metadata of the issuer is. */
static void append_metadata_url(const lw_oidc_source *source, lw_buf *url)
{
    lw_str base = lw_str_of(source->url);
    if (source->discovery_url[0] != '\0') {
        lw_buf_append_text(url, source->discovery_url);
        return;
    }
    if (lw_str_ends_with(base, LW_STR("/")))
        base.len--;
    lw_buf_append_str(url, base);
    lw_buf_append_text(url, "/.well-known/openid-configuration");
}

/* Begins the next step, unless one is in progress. */
static void begin(lw_oidc_source *source)
{
    lw_buf url;
    lw_error why = LW_ERROR_INIT;
    const lw_oidc_fetcher *fetcher = source->fetcher;
    if (source->call)
        return;
    source->begun_ns = lw_loop_now(source->loop);
    lw_buf_init(&url, URL_MAX);
    if (source->keys_url)
        lw_buf_append_text(&url, source->keys_url);
    else
        append_metadata_url(source, &url);
    lw_status st = url.st;
    if (st == LW_OK)
        st = fetcher->get(fetcher->arg, lw_buf_view(&url), lw_str_of(source->ca),
                          source->keys_url ? on_keys : on_metadata, source, &source->call, &why);
    else
        (void)lw_error_set(&why, st, "the URL is too long, or out of memory");
    lw_buf_done(&url);
    if (st < 0)
        fail(source, &why);
}

/* Fetches the keys now, or as soon as the interval between two attempts allows. */
static void run_posted(lw_task *task)
{
    lw_oidc_source *source = LW_CONTAINER_OF(task, lw_oidc_source, task);
    int64_t due = source->begun_ns + LW_OIDC_REFETCH_MIN_S * LW_NS_PER_S;
    atomic_store(&source->is_posted, false);
    if (source->is_running && !source->call && !source->is_failing) {
        if (lw_loop_now(source->loop) >= due)
            begin(source);
        else if (due < source->timer_ns)
            wait_until(source, due);
    }
    lw_oidc_source_unref(source);
}

void lw_oidc_source_want(lw_oidc_source *source)
{
    if (atomic_exchange(&source->is_posted, true))
        return;
    lw_ref_inc(&source->refs);
    lw_loop_post(source->loop, &source->task);
}

void lw_oidc_source_start(lw_oidc_source *source)
{
    source->is_running = true;
    begin(source);
}

void lw_oidc_source_stop(lw_oidc_source *source)
{
    if (source->call)
        source->fetcher->cancel(source->fetcher->arg, source->call);
    source->call = NULL;
    source->is_running = false;
    lw_timer_cancel(source->loop, &source->timer);
}

lw_oidc_keys *lw_oidc_source_keys_ref(lw_oidc_source *source)
{
    lw_mutex_lock(&source->mu);
    lw_oidc_keys *keys = source->keys ? lw_oidc_keys_ref(source->keys) : NULL;
    lw_mutex_unlock(&source->mu);
    return keys;
}
