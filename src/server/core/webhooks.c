/* SPDX-License-Identifier: Apache-2.0 */
/* webhooks.c -- makes the webhooks of a server from its options, and follows the file of
 * --authorization-config. */
#include "server/core/webhooks.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/container_of.h"
#include "base/error.h"
#include "base/file/files.h"
#include "base/log.h"
#include "base/str.h"
#include "base/sync.h"
#include "net/client/http_client.h"
#include "server/webhook/access_webhook.h"
#include "server/webhook/authz_config.h"
#include "server/webhook/http_transport.h"

#define RELOAD_INTERVAL_NS   LW_NS_PER_S
#define TIMEOUT_NS           (30 * LW_NS_PER_S) /* of webhooks that are not from a configuration */
#define ALLOWED_TTL_S        300
#define DENIED_TTL_S         30
#define TOKEN_TTL_S          120
#define DEFAULT_WEBHOOK_NAME "default"

struct lw_webhooks {
    lw_server_webhooks options; /* its strings are copies */
    const lw_clock *clock;
    const lw_logger *logger;
    lw_webhook_caller *caller;
    lw_http_client *client;
    lw_webhook_metrics metrics;
    lw_authz *authz; /* the server's; changed by reloads */
    lw_buf last;     /* text of the file that was read last, valid or not */
    lw_timer reload;
    lw_mutex mu; /* the next */
    lw_api *api; /* whose watches are checked after a reload; NULL: none */
    char *texts[4];
    bool is_mirror;          /* the webhooks are the APIs of the upstream ... */
    lw_upstreams *upstreams; /* ... which has these addresses */
};

bool lw_webhooks_are_wanted(const lw_server_options *options, const lw_server_modes *modes)
{
    const lw_server_webhooks *w = options->webhooks;
    return lw_server_has_mode(modes, LW_AUTHZ_MODE_WEBHOOK) ||
           (w && (w->authorization_config || w->authorization_webhook_config_file ||
                  w->authentication_token_webhook_config_file));
}

static lw_status check_version(const char *option, const char *version, lw_error *err)
{
    if (!version || lw_str_equal(lw_str_of(version), LW_STR("v1")) ||
        lw_str_equal(lw_str_of(version), LW_STR("v1beta1")))
        return LW_OK;
    return lw_error_set(err, LW_ERR_INVALID, "%s: \"%s\" is not supported: use v1 or v1beta1",
                        option, version);
}

static lw_status check_options(const lw_server_options *options, const lw_server_modes *modes,
                               lw_error *err)
{
    static const lw_server_webhooks none = LW_SERVER_WEBHOOKS_INIT;
    const lw_server_webhooks *w = options->webhooks ? options->webhooks : &none;
    bool is_mode = lw_server_has_mode(modes, LW_AUTHZ_MODE_WEBHOOK);
    if (w->authorization_config &&
        (options->authorization_mode || w->authorization_webhook_config_file))
        return lw_error_set(err, LW_ERR_INVALID,
                            "--authorization-config excludes --authorization-mode and "
                            "--authorization-webhook-config-file: name the authorizers in the "
                            "configuration");
    if (!w->authorization_config && is_mode && !w->authorization_webhook_config_file)
        return lw_error_set(err, LW_ERR_INVALID,
                            "the authorization mode Webhook needs "
                            "--authorization-webhook-config-file");
    if (!w->authorization_config && !is_mode && w->authorization_webhook_config_file)
        return lw_error_set(err, LW_ERR_INVALID,
                            "--authorization-webhook-config-file needs Webhook in "
                            "--authorization-mode");
    lw_status st =
        check_version("--authorization-webhook-version", w->authorization_webhook_version, err);
    return st < 0 ? st
                  : check_version("--authentication-token-webhook-version",
                                  w->authentication_token_webhook_version, err);
}

static lw_review_version version_of(const char *version)
{
    return version && lw_str_equal(lw_str_of(version), LW_STR("v1")) ? LW_REVIEW_V1
                                                                     : LW_REVIEW_V1BETA1;
}

static int64_t ttl_ns(int64_t option_s, int64_t default_s)
{
    if (option_s < 0)
        return 0;
    return (option_s > 0 ? option_s : default_s) * LW_NS_PER_S;
}

/* Copies |text|, if there is one. */
static bool keep_text(lw_webhooks *w, size_t at, const char **text)
{
    if (!*text)
        return true;
    w->texts[at] = lw_str_dup(lw_str_of(*text));
    *text = w->texts[at];
    return *text != NULL;
}

static bool keep_texts(lw_webhooks *w)
{
    return keep_text(w, 0, &w->options.authorization_config) &&
           keep_text(w, 1, &w->options.authorization_webhook_config_file) &&
           keep_text(w, 2, &w->options.authentication_token_webhook_config_file);
}

lw_status lw_webhooks_open(lw_webhooks **out, const lw_server_options *options,
                           const lw_server_modes *modes, const lw_clock *clock, lw_error *err)
{
    lw_status st = check_options(options, modes, err);
    lw_webhooks *w = st == LW_OK ? lw_alloc_zero(1, sizeof(*w)) : NULL;
    if (!w)
        return st < 0 ? st : lw_error_nomem(err);
    w->options = *options->webhooks;
    w->is_mirror = options->mirror != NULL;
    w->clock = clock;
    w->logger = options->logger;
    lw_webhook_metrics_init(&w->metrics);
    lw_mutex_init(&w->mu);
    lw_buf_init(&w->last, LW_AUTHZ_CONFIG_MAX);
    st = keep_texts(w) ? lw_webhook_caller_new(&w->caller, clock, err) : lw_error_nomem(err);
    if (st == LW_OK)
        st = lw_http_client_new(&w->client, lw_webhook_caller_loop(w->caller), err);
    if (st < 0)
        lw_webhooks_free(w);
    else
        *out = w;
    return st;
}

void lw_webhooks_use_upstreams(lw_webhooks *w, lw_upstreams *upstreams)
{
    w->upstreams = lw_upstreams_ref(upstreams);
}

/* Makes the authorizer of a webhook; |conditions| are taken, even on error. */
static lw_status make_hook(lw_webhooks *w, lw_str name, const lw_authz_webhook *from,
                           lw_authz_hook **out, lw_error *err)
{
    lw_webhook_transport *transport = NULL;
    char *file = lw_str_dup(from->kubeconfig_file);
    const char *path = w->is_mirror ? "/apis/authorization.k8s.io/v1/subjectaccessreviews" : NULL;
    lw_status st = file ? lw_http_transport_new(&transport, file, path, w->upstreams, w->client,
                                                lw_webhook_caller_loop(w->caller), err)
                        : lw_error_nomem(err);
    lw_free(file);
    if (st < 0) {
        lw_match_conditions_free(from->conditions);
        return st;
    }
    const lw_access_webhook_options options = { .name = name,
                                                .caller = w->caller,
                                                .transport = transport,
                                                .conditions = from->conditions,
                                                .metrics = &w->metrics,
                                                .timeout_ns = from->timeout_ns,
                                                .allowed_ttl_ns = from->allowed_ttl_ns,
                                                .denied_ttl_ns = from->denied_ttl_ns,
                                                .version = from->version,
                                                .on_error = from->on_error,
                                                .clock = w->clock,
                                                .logger = w->logger };
    return lw_access_webhook_new(out, &options) < 0 ? lw_error_nomem(err) : LW_OK;
}

static void release_steps(lw_authz_step *steps, size_t count)
{
    for (size_t i = 0; i < count; i++)
        lw_authz_hook_unref(steps[i].hook);
}

/* Makes the steps of |config|, whose conditions it takes.  On success the caller releases them. */
static lw_status make_steps(lw_webhooks *w, lw_authz_config *config, lw_authz_step *steps,
                            lw_error *err)
{
    lw_status st = LW_OK;
    for (size_t i = 0; i < config->count && st == LW_OK; i++) {
        lw_authz_webhook from = config->at[i].webhook;
        config->at[i].webhook.conditions = NULL;
        steps[i] = (lw_authz_step){ .mode = config->at[i].mode, .name = config->at[i].name };
        if (config->at[i].mode == LW_AUTHZ_MODE_WEBHOOK)
            st = make_hook(w, config->at[i].name, &from, &steps[i].hook, err);
        if (st < 0)
            release_steps(steps, i);
    }
    return st;
}

/* Reads w->last and makes the authorizers, or replaces those of |w->authz|. */
static lw_status use_config(lw_webhooks *w, lw_authz **created, lw_error *err)
{
    lw_authz_config config;
    lw_authz_step steps[LW_AUTHZ_STEPS_MAX];
    lw_status st = lw_authz_config_parse(&config, lw_buf_view(&w->last), err);
    if (st == LW_OK)
        st = make_steps(w, &config, steps, err);
    if (st == LW_OK) {
        st = created ? lw_authz_new_chain(created, steps, config.count, true, err)
                     : lw_authz_change(w->authz, steps, config.count, err);
        release_steps(steps, config.count);
    }
    lw_authz_config_done(&config);
    return st;
}

static lw_status open_config(lw_webhooks *w, lw_authz **out, lw_error *err)
{
    const char *file = w->options.authorization_config;
    lw_error why = LW_ERROR_INIT;
    lw_status st = lw_file_read(file, &w->last, &why);
    if (st < 0)
        return lw_error_set(err, st, "authorization configuration: %s", why.message);
    st = use_config(w, out, &why);
    if (st < 0)
        return lw_error_set(err, st, "authorization configuration %s: %s", file, why.message);
    w->authz = *out;
    return LW_OK;
}

lw_status lw_webhooks_make_authz(lw_webhooks *w, const lw_server_modes *modes, lw_authz **out,
                                 lw_error *err)
{
    lw_authz_step steps[LW_AUTHZ_MODES_MAX] = { { .hook = NULL } };
    lw_status st = LW_OK;
    size_t count = 0;
    if (w->options.authorization_config)
        return open_config(w, out, err);
    const lw_authz_webhook from = {
        .timeout_ns = TIMEOUT_NS,
        .allowed_ttl_ns =
            ttl_ns(w->options.authorization_webhook_cache_authorized_ttl_s, ALLOWED_TTL_S),
        .denied_ttl_ns =
            ttl_ns(w->options.authorization_webhook_cache_unauthorized_ttl_s, DENIED_TTL_S),
        .version = version_of(w->options.authorization_webhook_version),
        .on_error = LW_AUTHZ_NO_OPINION,
        .kubeconfig_file = lw_str_of(w->options.authorization_webhook_config_file),
    };
    for (; count < modes->count && st == LW_OK; count++) {
        bool is_webhook = modes->modes[count] == LW_AUTHZ_MODE_WEBHOOK;
        steps[count] = (lw_authz_step){ .mode = modes->modes[count],
                                        .name = lw_str_of(
                                            is_webhook ? DEFAULT_WEBHOOK_NAME
                                                       : lw_authz_step_name(modes->modes[count])) };
        if (is_webhook)
            st = make_hook(w, LW_STR(DEFAULT_WEBHOOK_NAME), &from, &steps[count].hook, err);
    }
    if (st == LW_OK)
        st = lw_authz_new_chain(out, steps, count, false, err);
    release_steps(steps, count);
    return st;
}

lw_status lw_webhooks_make_token_webhook(lw_webhooks *w, lw_authn *auth,
                                         const lw_audiences *audiences, lw_token_webhook **out,
                                         lw_error *err)
{
    static const lw_audiences none = { .count = 0 };
    lw_webhook_transport *transport = NULL;
    const char *file = w->options.authentication_token_webhook_config_file;
    if (!file)
        return LW_OK;
    const char *path = w->is_mirror ? "/apis/authentication.k8s.io/v1/tokenreviews" : NULL;
    lw_status st = lw_http_transport_new(&transport, file, path, w->upstreams, w->client,
                                         lw_webhook_caller_loop(w->caller), err);
    if (st < 0)
        return st;
    const lw_token_webhook_options options = {
        .auth = auth,
        .caller = w->caller,
        .transport = transport,
        /* The audiences of a mirror are those of its upstream. */
        .audiences = audiences && !w->is_mirror ? audiences : &none,
        .timeout_ns = TIMEOUT_NS,
        .ttl_ns = ttl_ns(w->options.authentication_token_webhook_cache_ttl_s, TOKEN_TTL_S),
        .version = version_of(w->options.authentication_token_webhook_version),
        .clock = w->clock,
        .logger = w->logger,
    };
    return lw_token_webhook_new(out, &options, err);
}

static void set_timer(lw_webhooks *w)
{
    lw_loop *loop = lw_webhook_caller_loop(w->caller);
    if (lw_timer_set(loop, &w->reload, lw_loop_now(loop) + RELOAD_INTERVAL_NS) < 0)
        lw_log(w->logger, LW_LOG_WARN, "authz",
               "out of memory: %s is not followed any more; restart the server to load changes",
               w->options.authorization_config);
}

static void count_reload(lw_webhooks *w, bool is_good)
{
    int64_t now_s = lw_clock_wall(w->clock) / LW_NS_PER_S;
    atomic_fetch_add(is_good ? &w->metrics.reloads : &w->metrics.failed_reloads, 1);
    atomic_store(is_good ? &w->metrics.reloaded_s : &w->metrics.failed_s, now_s);
}

static void recheck_watches(lw_webhooks *w)
{
    lw_mutex_lock(&w->mu);
    if (w->api)
        lw_api_recheck_watches(w->api);
    lw_mutex_unlock(&w->mu);
}

/* Loads the file if its text has changed. */
static void reload(lw_timer *timer)
{
    lw_webhooks *w = LW_CONTAINER_OF(timer, lw_webhooks, reload);
    const char *file = w->options.authorization_config;
    lw_error err = LW_ERROR_INIT;
    lw_buf text;
    lw_buf_init(&text, LW_AUTHZ_CONFIG_MAX);
    lw_status st = lw_file_read(file, &text, &err);
    bool is_changed = st < 0 || !lw_str_equal(lw_buf_view(&text), lw_buf_view(&w->last));
    if (st < 0 && w->last.len == 0) {
        is_changed = false; /* it was logged before */
    } else if (is_changed) {
        lw_buf_done(&w->last);
        w->last = text;
        lw_buf_init(&text, 0);
        if (st < 0)
            lw_buf_reset(&w->last);
        else
            st = use_config(w, NULL, &err);
        count_reload(w, st == LW_OK);
    }
    if (is_changed && st < 0)
        lw_log(w->logger, LW_LOG_ERROR, "authz",
               "authorization configuration %s is not valid and was not loaded: %s; the previous "
               "one stays in force",
               file, err.message);
    else if (is_changed)
        lw_log(w->logger, LW_LOG_INFO, "authz", "authorization configuration %s reloaded", file);
    if (is_changed && st == LW_OK)
        recheck_watches(w);
    lw_buf_done(&text);
    set_timer(w);
}

lw_status lw_webhooks_start(lw_webhooks *w, lw_error *err)
{
    if (w->authz) {
        w->reload.fire = reload;
        set_timer(w);
    }
    return lw_webhook_caller_start(w->caller, err);
}

void lw_webhooks_recheck(lw_webhooks *w, lw_api *api)
{
    if (!w)
        return;
    lw_mutex_lock(&w->mu);
    w->api = api;
    lw_mutex_unlock(&w->mu);
}

void lw_webhooks_stop(lw_webhooks *w)
{
    if (!w)
        return;
    lw_webhook_caller_stop(w->caller);
    lw_timer_cancel(lw_webhook_caller_loop(w->caller), &w->reload);
}

void lw_webhooks_free(lw_webhooks *w)
{
    if (!w)
        return;
    lw_http_client_free(w->client);
    lw_webhook_caller_free(w->caller);
    lw_webhook_metrics_done(&w->metrics);
    lw_mutex_done(&w->mu);
    lw_buf_done(&w->last);
    for (size_t i = 0; i < sizeof(w->texts) / sizeof(w->texts[0]); i++)
        lw_free(w->texts[i]);
    lw_upstreams_unref(w->upstreams);
    lw_free(w);
}

void lw_webhooks_write_metrics(lw_webhooks *w, lw_buf *out)
{
    if (w)
        lw_webhook_metrics_write(&w->metrics, out);
}
