/* SPDX-License-Identifier: Apache-2.0 */
/* server.c -- starts and stops a server.
 *
 *     start   store ─▶ keys ─▶ listening ─▶ kinds, cache, API ─▶ built-in objects ─▶ flow control
 *             ─▶ threads
 *     stop    watches end, replies are finished (within the grace period) ─▶ threads
 *             ─▶ writes in progress ─▶ everything else, in reverse order
 *
 * The store is opened first because its lock keeps other servers out of the data directory.
 * Connections that arrive before the threads run wait in the listen backlog. */
#include <listwatch/server.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file/files.h"
#include "base/log.h"
#include "base/str.h"
#include "net/endpoint.h"
#include "net/tls/tls.h"
#include "server/aggregator/discovery_merge.h"
#include "server/authn/authn_origin.h"
#include "server/core/authz_mode.h"
#include "server/core/loops.h"
#include "server/core/memory_trim.h"
#include "server/core/serving_tls.h"
#include "server/endpoints/handler.h"
#include "server/endpoints/store_backup.h"
#include "server/mirror/mirror.h"
#include "server/offline/store_folder.h"
#include "server/server_struct.h"
#include "server/setup/admission_plugins.h"
#include "server/setup/advertise.h"
#include "server/setup/audit_open.h"
#include "server/setup/certificates.h"
#include "server/setup/data_dir.h"
#include "server/setup/feature_gates.h"
#include "server/setup/flow_open.h"
#include "server/setup/hooks_open.h"
#include "server/setup/kubeconfig.h"
#include "server/setup/mirror_open.h"
#include "server/setup/oidc_open.h"
#include "server/setup/pki_open.h"
#include "server/setup/pod_security_open.h"
#include "server/setup/proxies.h"
#include "server/setup/seeds.h"
#include "server/setup/store_encrypt.h"
#include "server/setup/store_open.h"

enum {
    URL_MAX = 256,
    FLOW_LIMIT_MAX = 1000 * 1000, /* of each class of requests */
};

static lw_status check_options(lw_server *server, const lw_server_options *options, lw_error *err)
{
    if (!options->listen && !options->insecure_listen)
        return lw_error_set(err, LW_ERR_INVALID,
                            "no address to listen on: set listen or insecure_listen");
    if (!options->tls_cert_file != !options->tls_key_file)
        return lw_error_set(
            err, LW_ERR_INVALID,
            "a TLS certificate requires its private key and vice versa: set both files or neither");
    if (options->max_requests_inflight > FLOW_LIMIT_MAX ||
        options->max_mutating_requests_inflight > FLOW_LIMIT_MAX)
        return lw_error_set(err, LW_ERR_INVALID,
                            "the limit of requests in progress is too high; the maximum is %d",
                            FLOW_LIMIT_MAX);
    if (options->threads > LW_LOOPS_MAX)
        return lw_error_set(err, LW_ERR_INVALID, "%u threads requested; the limit is %d",
                            options->threads, LW_LOOPS_MAX);
    if (options->workers > LW_LOOPS_WORKERS_MAX)
        return lw_error_set(err, LW_ERR_INVALID, "%u workers requested; the limit is %d",
                            options->workers, LW_LOOPS_WORKERS_MAX);
    if (options->event_ttl_s > INT64_MAX / LW_NS_PER_S / 2)
        return lw_error_set(err, LW_ERR_INVALID, "the event TTL is too long");
    if (!options->etcd_cert_file != !options->etcd_key_file)
        return lw_error_set(err, LW_ERR_INVALID,
                            "an etcd client certificate requires its private key and vice versa: "
                            "set both files or neither");
    if (!options->etcd_user != !options->etcd_password)
        return lw_error_set(err, LW_ERR_INVALID,
                            "an etcd user requires a password and vice versa: set both or neither");
    if (options->history_age_s < 0 || options->history_age_s > INT64_MAX / LW_NS_PER_S)
        return lw_error_set(err, LW_ERR_INVALID, "the history age is negative or too long");
    if (!lw_authn_origins_are_valid(lw_str_of(options->allowed_origins)))
        return lw_error_set(err, LW_ERR_INVALID,
                            "\"%s\" is not a list of origins: use scheme, host and port without a "
                            "path, separated by commas, e.g. https://ui.example.com",
                            options->allowed_origins);
    lw_status st = LW_OK;
    if (options->listen)
        st = lw_endpoint_parse(&server->https, lw_str_of(options->listen), err);
    if (st == LW_OK && options->insecure_listen)
        st = lw_endpoint_parse(&server->http, lw_str_of(options->insecure_listen), err);
    if (st == LW_OK && options->insecure_listen && !server->http.is_loopback)
        return lw_error_set(err, LW_ERR_INVALID,
                            "plain HTTP on %s would give full access to everyone who can reach it: "
                            "use 127.0.0.1 or [::1], or use HTTPS",
                            options->insecure_listen);
    return st;
}

static lw_status open_auth(lw_server *server, const lw_server_options *options, const lw_pki *pki,
                           lw_error *err)
{
    const lw_authn_options wanted = {
        .token_file = options->token_file,
        .admin_token = lw_str_of(pki->admin_token),
        .allowed_origins = lw_str_of(options->allowed_origins),
        .accounts = lw_accounts_authn(server->parts.accounts),
        .audiences = lw_accounts_audiences(server->parts.accounts),
        .sessions = server->parts.sessions,
        .proxy = server->parts.proxy ? &server->parts.proxy->headers : NULL,
        .clock = server->parts.clock,
        .logger = options->logger,
    };
    lw_server_parts *parts = &server->parts;
    lw_status st = lw_authn_new(&parts->auth, &wanted, err);
    if (st == LW_OK && parts->webhooks)
        st = lw_webhooks_make_token_webhook(parts->webhooks, parts->auth, wanted.audiences,
                                            &parts->token_webhook, err);
    return st;
}

/* Listens on |address|, sets its port and builds the URL. */
static lw_status listen_on(lw_server *server, lw_endpoint *address, lw_tls_context *tls, char **url,
                           lw_error *err)
{
    lw_buf text;
    lw_error why = LW_ERROR_INIT;
    lw_buf_init(&text, URL_MAX);
    lw_endpoint_write(address, &text);
    lw_status st = text.st < 0 ? lw_error_nomem(&why)
                               : lw_http_server_listen(server->parts.http, lw_buf_view(&text), tls,
                                                       &address->port, &why);
    if (st < 0) {
        (void)lw_error_set(
            err, st, "cannot listen on %.*s: %s; choose another address, or %s:0 for a free port",
            LW_STR_ARG(lw_buf_view(&text)), why.message, address->is_v6 ? "[::1]" : "127.0.0.1");
    } else {
        lw_buf_reset(&text);
        lw_endpoint_write_url(address, tls ? "https" : "http", &text);
        *url = lw_buf_take_text(&text);
        st = *url ? LW_OK : lw_error_nomem(err);
    }
    lw_buf_done(&text);
    return st;
}

static lw_status open_http(lw_server *server, const lw_server_options *options, const lw_pki *pki,
                           lw_error *err)
{
    const lw_http_server_options wanted = {
        .loops = server->loops.list,
        .loop_count = server->loops.serving,
        .handler = lw_server_handler(&server->parts),
        .logger = options->logger,
    };
    lw_status st = lw_http_server_new(&server->parts.http, &wanted, err);
    if (st == LW_OK && options->listen) {
        const char *proxy_ca =
            options->webhooks ? options->webhooks->requestheader_client_ca_file : NULL;
        const lw_tls_options tls = { pki->cert_file, pki->key_file, pki->client_ca_file, proxy_ca };
        /* Generated ones do not change. */
        lw_loop *loop = options->tls_cert_file ? server->loops.list[server->loops.serving] : NULL;
        st = lw_serving_tls_open(&server->tls, &tls, loop, options->logger, err);
        if (st == LW_OK)
            st = listen_on(server, &server->https, server->tls.context, &server->url, err);
        lw_sessions_set_port(server->parts.sessions, server->https.port);
    }
    if (st == LW_OK && options->insecure_listen)
        st = listen_on(server, &server->http, NULL, &server->insecure_url, err);
    return st;
}

static lw_status write_kubeconfig(lw_server *server, const lw_server_options *options,
                                  const lw_pki *pki, lw_error *err)
{
    if (options->kubeconfig_file)
        server->kubeconfig = lw_str_dup(lw_str_of(options->kubeconfig_file));
    else if (options->data_dir)
        server->kubeconfig = lw_file_path(options->data_dir, "admin.kubeconfig");
    else
        return LW_OK;
    if (!server->kubeconfig)
        return lw_error_nomem(err);
    const lw_kubeconfig config = {
        .url = lw_str_of(server->url ? server->url : server->insecure_url),
        .trust = lw_str_of(pki->trust),
        .token = lw_str_of(pki->admin_token),
    };
    return lw_kubeconfig_save(&config, server->kubeconfig, err);
}

/* Sets up TLS, authentication and listening; the keys are released afterwards. */
static lw_status open_endpoints(lw_server *server, const lw_server_options *options, lw_error *err)
{
    lw_pki pki;
    memset(&pki, 0, sizeof(pki));
    lw_status st = LW_OK;
    if (options->listen)
        st = lw_server_open_pki(&pki, options, &server->https, server->parts.clock, err);
    if (st == LW_OK)
        st =
            lw_accounts_open(&server->parts.accounts, options, pki.trust, server->parts.clock, err);
    if (st == LW_OK)
        st = lw_sessions_new(&server->parts.sessions, server->parts.clock, err);
    if (st == LW_OK)
        st = open_auth(server, options, &pki, err);
    if (st == LW_OK && pki.client_ca_file)
        st = lw_authentication_info_read_ca(&server->parts.client_ca, pki.client_ca_file, err);
    if (st == LW_OK)
        st = lw_server_open_oidc(&server->parts, options, server->loops.list[server->loops.serving],
                                 err);
    if (st == LW_OK)
        st = lw_proxies_open(&server->parts, options, &pki, err);
    if (st == LW_OK)
        st = lw_server_open_authority(&server->parts.authority, options, &pki, err);
    if (st == LW_OK)
        st = open_http(server, options, &pki, err);
    if (st == LW_OK)
        st = write_kubeconfig(server, options, &pki, err);
    lw_pki_done(&pki);
    return st;
}

static int64_t event_ttl_of(const lw_server_options *options)
{
    if (options->event_ttl_s == 0)
        return LW_KIND_EVENT_TTL_S;
    return options->event_ttl_s > 0 ? options->event_ttl_s : 0;
}

static lw_status find_token(void *arg, lw_str token, const lw_audiences *wanted,
                            lw_http_stream *stream, const lw_user **user, lw_audiences *matched)
{
    const lw_server *server = arg;
    lw_token_webhook *webhook = server->parts.token_webhook;
    lw_status st = lw_authn_find_token(server->parts.auth, token, wanted, user, matched);
    return st == LW_ERR_UNAUTHORIZED && webhook
               ? lw_token_webhook_find(webhook, stream, token, wanted, user, matched)
               : st;
}

static bool has_user(void *arg, lw_str name)
{
    const lw_server *server = arg;
    return lw_authn_has_user(server->parts.auth, name);
}

static lw_status open_authz(lw_server *server, const lw_server_options *options, lw_error *err)
{
    const lw_server_modes *modes = &server->modes;
    lw_status st = lw_server_keep_modes(modes, options, err);
    if (st < 0 || (modes->count == 1 && modes->modes[0] == LW_AUTHZ_MODE_ALWAYS_ALLOW))
        return st;
    st = server->parts.webhooks
             ? lw_webhooks_make_authz(server->parts.webhooks, modes, &server->parts.authz, err)
             : lw_authz_new(&server->parts.authz, modes->modes, modes->count, err);
    /* Whoever has no credentials must not get full access, whichever mode comes first. */
    server->parts.allows_anonymous = st == LW_OK &&
                                     !lw_server_has_mode(modes, LW_AUTHZ_MODE_ALWAYS_ALLOW) &&
                                     !lw_authz_allows_everything(server->parts.authz);
    return st;
}

/* Creates the cache as |wanted|, with copies in the data directory. */
static lw_status open_cache(lw_server_parts *parts, const lw_server_options *options,
                            lw_cache_options *wanted, lw_error *err)
{
    char *copies = NULL;
    if (options->data_dir && !(copies = lw_file_path(options->data_dir, LW_SERVER_COPIES_FOLDER)))
        return lw_error_nomem(err);
    wanted->saved_folder = copies;
    lw_status st = lw_cache_new(&parts->cache, wanted, err);
    lw_free(copies);
    return st;
}

static lw_status open_api(lw_server *server, const lw_server_options *options, lw_error *err)
{
    lw_server_parts *parts = &server->parts;
    const char *url = server->url ? server->url : server->insecure_url;
    lw_cache_options cache = { .store = parts->store,
                               .clock = parts->clock,
                               .logger = options->logger };
    lw_admission_plugins plugins;
    lw_service_ranges ranges;
    lw_advertised advertised = { .has_classes = true };
    lw_feature_gates gates = { .serves_cbor = false };
    unsigned controllers = 0;
    lw_status st = open_authz(server, options, err);
    if (st == LW_OK)
        st = lw_feature_gates_read(&gates, options->feature_gates, err);
    if (st == LW_OK)
        st = lw_compact_mode_read(options->compact, LW_COMPACT_AUTO, &cache.compact, err);
    if (st == LW_OK)
        st = lw_service_ranges_parse(&ranges, options->service_cluster_ip_range,
                                     options->service_node_port_range, err);
    if (st == LW_OK && options->listen)
        st = lw_advertise_find(&advertised, options->advertise_address, &server->https,
                               options->logger, err);
    if (st == LW_OK)
        st = lw_controller_set_parse(&controllers, lw_str_of(options->own_controllers), err);
    if (st == LW_OK)
        st = lw_admission_plugins_read(&plugins, options->enable_admission_plugins,
                                       options->disable_admission_plugins, err);
    if (st == LW_OK)
        st = lw_server_open_hooks(parts, options, &plugins, err);
    if (st == LW_OK)
        st = lw_pod_security_open(&parts->pod_security, options->webhooks, err);
    if (st < 0)
        return st;
    if (lw_registry_new(&parts->registry) < 0)
        return lw_error_nomem(err);
    st = open_cache(parts, options, &cache, err);
    if (st < 0)
        return st;
    lw_buf prefix;
    lw_buf_init(&prefix, LW_STORE_KEY_MAX);
    lw_server_append_key_prefix(options, &prefix);
    const lw_api_options api = {
        .store = parts->store,
        .cache = parts->cache,
        .registry = parts->registry,
        .clock = parts->clock,
        .logger = options->logger,
        .server_address = lw_str_of(strstr(url, "//") + 2),
        .authenticator = { find_token, has_user, server },
        .issuer = lw_accounts_issuer(parts->accounts),
        .admits_accounts = plugins.has_service_account,
        .disabled_plugins = plugins.disabled,
        .pod_security = parts->pod_security,
        .authz = parts->authz,
        .event_ttl_s = event_ttl_of(options),
        .key_prefix = lw_buf_view(&prefix),
        .offload = lw_heavy_offload(parts->heavy),
        .form_bytes = options->protobuf_bytes,
        .forms_ahead = lw_loops_helpers(),
        .certificate_authority = parts->authority,
        .certificate_ttl_s = LW_CERTIFICATE_TTL_S,
        .cleans_bootstrap_tokens = options->enable_bootstrap_token_auth,
        .serves_cbor = gates.serves_cbor,
        .service_ranges = &ranges,
        .advertised = advertised,
        .disabled_controllers = ~controllers,
        .aggregation = lw_discovery_merging(parts->aggregator),
        .hooks = parts->hooks,
        .upstream = parts->mirror ? lw_mirror_upstream_hooks(parts->mirror)
                                  : (lw_api_upstream){ .confirm = NULL },
    };
    st = prefix.st < 0 ? lw_error_nomem(err) : lw_api_new(&parts->api, &api, err);
    lw_buf_done(&prefix);
    if (st == LW_OK && options->enable_bootstrap_token_auth)
        lw_server_use_bootstrap_tokens(parts->auth, parts->api);
    if (st == LW_OK && parts->mirror)
        st = lw_mirror_attach(parts->mirror, parts->api, err);
    if (st == LW_OK)
        st = lw_accounts_connect(parts->accounts, parts->api, url, err);
    if (st == LW_OK) {
        st = lw_cache_start(parts->cache, err);
        if (st == LW_ERR_NOMEM && parts->backup_folder)
            st = lw_error_set(err, st,
                              "out of memory while loading the objects in %s: allow the process "
                              "more memory, or delete objects while it is stopped (listwatch store "
                              "export shows them, listwatch store delete --prefix deletes them)",
                              parts->backup_folder);
    }
    if (st < 0 || parts->mirror)
        return st;
    st = lw_server_seed(parts, options, err);
    lw_connect_use(parts->connect, parts->api);
    return st;
}

/* Releases all parts of |server|; its threads have ended. */
static void take_down(lw_server *server)
{
    lw_server_parts *parts = &server->parts;
    lw_mirror_stop(parts->mirror);
    lw_http_server_free(parts->http);
    lw_reverse_proxy_free(parts->forwarding);
    lw_heavy_close(parts->heavy);
    lw_store_backup_stop(parts);
    /* Waits for the writes in progress: the store must still run. */
    lw_loops_unbind(&server->loops);
    lw_cache_stop(parts->cache);
    lw_memory_trim_stop(&server->trim);
    lw_mirror_recheck_stop(&server->recheck);
    lw_serving_tls_done(&server->tls);
    lw_server_stop_oidc(parts->oidc);
    lw_loops_done(&server->loops);
    lw_flow_free(parts->flow);
    lw_heavy_free(parts->heavy);
    lw_mirror_free(parts->mirror);
    lw_webhooks_recheck(parts->webhooks, NULL);
    lw_api_free(parts->api);
    lw_connect_free(parts->connect);
    lw_aggregator_free(parts->aggregator);
    lw_server_close_hooks(parts);
    lw_pod_security_config_free(parts->pod_security);
    lw_cache_free(parts->cache);
    lw_audit_free(parts->audit); /* the last streams were freed with the loops */
    lw_registry_unref(parts->registry);
    lw_store_free(parts->store);
    lw_store_health_done(&parts->store_health);
    lw_informer_reports_done(&parts->informers);
    lw_faults_done(&parts->faults);
    lw_lmdb_folder_release(&server->folder_lock);
    lw_certificate_authority_free(parts->authority);
    lw_webhooks_stop(parts->webhooks);
    lw_authz_free(parts->authz);
    lw_token_webhook_free(parts->token_webhook);
    lw_webhooks_free(parts->webhooks);
    lw_authn_free(parts->auth);
    lw_sessions_free(parts->sessions);
    lw_server_free_oidc(parts->oidc);
    lw_front_proxy_free(parts->proxy);
    lw_front_proxy_free(parts->own_proxy);
    lw_accounts_free(parts->accounts);
    lw_cond_done(&server->changed);
    lw_mutex_done(&server->mu);
    lw_free(server->url);
    lw_free(server->insecure_url);
    lw_free(server->kubeconfig);
    lw_free(parts->client_ca);
    lw_free(server);
}

/* What the data directory has before anything else. */
static lw_status begin_folder(lw_server *server, const lw_server_options *options, lw_error *err)
{
    if (!server->modes.is_new)
        return LW_OK;
    lw_status st = lw_data_dir_open(options->data_dir, err);
    return st < 0 ? st : lw_server_begin_modes(&server->modes, options, err);
}

static lw_status build(lw_server *server, const lw_server_options *options, lw_error *err)
{
    unsigned threads = options->threads ? options->threads : lw_loops_default();
    unsigned workers = options->workers ? options->workers : lw_loops_default_workers();
    lw_status st = check_options(server, options, err);
    if (st == LW_OK && options->webhooks)
        st = lw_front_proxy_open(&server->parts.proxy, options->webhooks, err);
    if (st == LW_OK)
        st = lw_server_choose_modes(&server->modes, options, err);
    if (st == LW_OK)
        st = begin_folder(server, options, err);
    if (st == LW_OK && lw_webhooks_are_wanted(options, &server->modes))
        st = lw_webhooks_open(&server->parts.webhooks, options, &server->modes, server->parts.clock,
                              err);
    if (st == LW_OK)
        st = lw_server_open_audit(&server->parts.audit, options, server->parts.clock, err);
    if (st == LW_OK)
        st = options->mirror
                 ? lw_mirror_open_parts(&server->parts, options, err)
                 : lw_server_open_store(&server->parts.store, options, &server->folder_lock, err);
    if (st == LW_OK)
        st = lw_server_encrypt_store(&server->parts.store, options, err);
    server->parts.store_health.store = server->parts.store;
    if (st == LW_OK)
        st = lw_workers_new(&server->parts.backups, "lw-backup", 1, 0, 1, err);
    if (st == LW_OK && options->data_dir && !options->etcd_endpoints && !options->mirror)
        st = lw_server_store_folder(options->data_dir, &server->parts.backup_folder, err);
    if (st == LW_OK)
        st = lw_loops_open(&server->loops, threads, workers, server->parts.clock, options->logger,
                           err);
    if (st == LW_OK && lw_heavy_new(&server->parts.heavy) < 0)
        st = lw_error_nomem(err);
    if (st == LW_OK)
        st = open_endpoints(server, options, err);
    if (st == LW_OK)
        st = open_api(server, options, err);
    if (st == LW_OK)
        st = lw_loops_bind(&server->loops, server->parts.api, err);
    if (st == LW_OK && server->parts.aggregator)
        st = lw_aggregator_start(server->parts.aggregator,
                                 server->loops.list[server->loops.serving], err);
    if (st == LW_OK)
        st = lw_server_open_flow(&server->parts, options, err);
    if (st == LW_OK)
        lw_heavy_serve(server->parts.heavy, server->parts.api,
                       server->loops.list + server->loops.watching, workers);
    if (st == LW_OK)
        lw_server_start_oidc(server->parts.oidc);
    if (st == LW_OK)
        lw_memory_trim_start(&server->trim, server->loops.list[server->loops.serving]);
    if (st == LW_OK && server->parts.mirror)
        st = lw_mirror_recheck_start(&server->recheck, server->parts.api,
                                     server->loops.list[server->loops.serving], err);
    lw_webhooks_recheck(server->parts.webhooks, server->parts.api);
    if (st == LW_OK && server->parts.webhooks)
        st = lw_webhooks_start(server->parts.webhooks, err);
    if (st == LW_OK)
        st = lw_loops_start(&server->loops, err);
    if (st == LW_OK && server->parts.mirror)
        st = lw_mirror_start(server->parts.mirror, err);
    return st;
}

lw_status lw_server_start(lw_server **out, const lw_server_options *options, lw_error *err)
{
    lw_server *server = lw_alloc_zero(1, sizeof(*server));
    if (!server)
        return lw_error_nomem(err);
    server->parts.clock = lw_clock_system();
    server->parts.logger = options->logger;
    server->folder_lock = (lw_lmdb_owner)LW_LMDB_OWNER_INIT;
    server->parts.loops = &server->loops;
    lw_store_health_init(&server->parts.store_health, NULL);
    lw_informer_reports_init(&server->parts.informers);
    lw_faults_init(&server->parts.faults);
    atomic_init(&server->parts.is_draining, false);
    atomic_init(&server->parts.lag_revision, 0);
    atomic_init(&server->parts.lag_since_ns, 0);
    lw_mutex_init(&server->mu);
    lw_cond_init(&server->changed);
    lw_server_options adopted = *options;
    lw_server_webhooks webhooks;
    if (options->mirror)
        lw_mirror_adopt_options(&adopted, &webhooks);
    lw_status st = build(server, &adopted, err);
    if (st < 0) {
        lw_loops_stop(&server->loops);
        take_down(server);
        return st;
    }
    *out = server;
    return LW_OK;
}

/* Runs on the first loop after the last connection has closed. */
static void on_drained(void *arg)
{
    lw_server *server = arg;
    lw_mutex_lock(&server->mu);
    server->is_drained = true;
    lw_cond_signal(&server->changed);
    lw_mutex_unlock(&server->mu);
}

static bool wait_until_drained(lw_server *server, int grace_s)
{
    int64_t deadline = lw_clock_now(lw_clock_system()) + (grace_s > 0 ? grace_s : 0) * LW_NS_PER_S;
    bool is_in_time = true;
    lw_mutex_lock(&server->mu);
    while (!server->is_drained && is_in_time)
        is_in_time = lw_cond_wait_until(&server->changed, &server->mu, deadline);
    bool is_drained = server->is_drained;
    lw_mutex_unlock(&server->mu);
    return is_drained;
}

void lw_server_stop(lw_server *server, int grace_s)
{
    if (!server)
        return;
    const lw_logger *logger = server->parts.logger;
    atomic_store(&server->parts.is_draining, true);
    lw_heavy_drain(server->parts.heavy);
    lw_loops_drain(&server->loops);
    lw_reverse_proxy_drain(server->parts.forwarding);
    lw_http_server_drain(server->parts.http, on_drained, server);
    if (!wait_until_drained(server, grace_s)) {
        lw_http_stats stats;
        lw_http_server_stats(server->parts.http, &stats);
        lw_log(logger, LW_LOG_WARN, "server",
               "%llu connections did not finish in time and were closed",
               (unsigned long long)stats.connections_open);
    }
    lw_loops_stop(&server->loops);
    take_down(server);
    lw_log(logger, LW_LOG_INFO, "server", "stopped");
}
