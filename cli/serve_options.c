/* SPDX-License-Identifier: Apache-2.0 */
/* serve_options.c -- parses and checks the options of `listwatch serve`.
 *
 * Each option is a row of a table: its name, how its value is read, and the member that it sets. */
#include "serve_options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "data_dir.h"
#include "log_line.h"
#include "options.h"
#include "quantity.h"

enum {
    STOP_S = 10, /* default of --shutdown-timeout */
    STOP_S_MAX = 3600,
    INFLIGHT_MAX = 1000 * 1000,
    FIRST_ROW = 256, /* value of the first row for getopt_long, above all letters */
};

static int refuse(const char *what, const char *why)
{
    fprintf(stderr, "listwatch: %s: %s\n", what, why);
    return EXIT_USAGE;
}

/* Readers of a value.  |member| is the member that the row names. */

static int take_text(void *member, const char *value)
{
    const char **text = member;
    *text = value;
    return EXIT_OK;
}

static int take_anonymous(void *member, const char *value)
{
    return take_text(member, value ? value : "true");
}

static int take_switch(void *member, const char *value)
{
    bool *is_on = member;
    (void)value;
    *is_on = true;
    return EXIT_OK;
}

/* "true" or "false", as the value or, without one, true. */
static int take_bool(void *member, const char *value)
{
    bool *is_on = member;
    bool is_false = value && strcmp(value, "false") == 0;
    if (value && !is_false && strcmp(value, "true") != 0)
        return refuse(value, "not valid here; use true or false");
    *is_on = !is_false;
    return EXIT_OK;
}

static int take_not_bool(void *member, const char *value)
{
    bool *is_off = member;
    int code = take_bool(member, value);
    *is_off = !*is_off;
    return code;
}

static int take_size(void *member, const char *value)
{
    uint64_t *bytes = member;
    return quantity_parse_size(value, bytes)
               ? EXIT_OK
               : refuse(value, "not a valid size; use for example 65536, 512K, 64M or 2G");
}

static int take_time(void *member, const char *value)
{
    int64_t *seconds = member;
    return quantity_parse_seconds(value, seconds)
               ? EXIT_OK
               : refuse(value, "not a valid duration; use for example 90s, 30m, 2h or 7d");
}

/* On the command line 0 means no caching, as in kube-apiserver; for the library it is the
 * default. */
static int take_ttl(void *member, const char *value)
{
    int64_t *seconds = member;
    if (strcmp(value, "0") != 0 && strcmp(value, "0s") != 0)
        return take_time(member, value);
    *seconds = -1;
    return EXIT_OK;
}

static int take_threads(void *member, const char *value)
{
    unsigned *threads = member;
    uint64_t count = 0;
    if (!quantity_parse_size(value, &count) || count > 64)
        return refuse(value, "not a valid number of threads; use 1 to 64");
    *threads = (unsigned)count;
    return EXIT_OK;
}

static int take_requests(void *member, const char *value)
{
    unsigned *limit = member;
    uint64_t count = 0;
    if (!quantity_parse_size(value, &count) || count < 1 || count > INFLIGHT_MAX)
        return refuse(value, "not a valid number of requests; use 1 to 1000000");
    *limit = (unsigned)count;
    return EXIT_OK;
}

static int take_workers(void *member, const char *value)
{
    unsigned *workers = member;
    uint64_t count = 0;
    if (!quantity_parse_size(value, &count) || count == 0 || count > 16)
        return refuse(value, "not a valid number of workers; use 1 to 16");
    *workers = (unsigned)count;
    return EXIT_OK;
}

static int take_shutdown_timeout(void *member, const char *value)
{
    int *timeout_s = member;
    int64_t seconds = 0;
    if (!quantity_parse_seconds(value, &seconds) || seconds < 1 || seconds > STOP_S_MAX)
        return refuse(value, "not a valid shutdown timeout; use 1s to 1h");
    *timeout_s = (int)seconds;
    return EXIT_OK;
}

static int take_nodes(void *member, const char *value)
{
    unsigned *nodes = member;
    return quantity_parse_count(value, nodes) ? EXIT_OK
                                              : refuse(value, "not a valid number of nodes");
}

/* On the command line 0 means no limit, as in kube-apiserver; for the library it is the default. */
static int take_audit_limit(void *member, const char *value)
{
    int64_t *limit = member;
    unsigned count = 0;
    if (!quantity_parse_count(value, &count))
        return refuse(value, "not a valid number; use 0 for no limit");
    *limit = count > 0 ? (int64_t)count : -1;
    return EXIT_OK;
}

static int take_events(void *member, const char *value)
{
    int64_t *count = member;
    unsigned number = 0;
    if (!quantity_parse_count(value, &number) || number == 0)
        return refuse(value, "not a valid number of events; use 1 or more");
    *count = (int64_t)number;
    return EXIT_OK;
}

static int take_repeated(void *member, const char *value)
{
    serve_repeated *values = member;
    if (values->count == SERVE_REPEATS_MAX)
        return refuse(value, "the option is given too often; the limit is 16");
    values->values[values->count++] = value;
    return EXIT_OK;
}

/* These set several members: |member| is the whole. */

static int take_listen(void *member, const char *value)
{
    serve_options *s = member;
    s->has_listen = true;
    s->options.listen = strcmp(value, "none") == 0 ? NULL : value;
    return EXIT_OK;
}

/* Without a list, and with "*" in front of it, the workload controllers run as well. */
static int take_controllers(void *member, const char *value)
{
    serve_options *s = member;
    s->has_controllers |= !value || value[0] == '*';
    if (value)
        s->options.own_controllers = value;
    return EXIT_OK;
}

static int take_verbose(void *member, const char *value)
{
    lw_logger *logger = member;
    (void)value;
    logger->level = LW_LOG_DEBUG;
    return EXIT_OK;
}

typedef struct option_row {
    const char *name;
    int has_argument;
    int (*take)(void *member, const char *value);
    size_t member; /* its offset in serve_options */
} option_row;

#define OF(member)     offsetof(serve_options, member)
#define SERVER(member) offsetof(serve_options, options.member)
#define HOOK(member)   offsetof(serve_options, webhooks.member)
#define PROXY(member)  offsetof(serve_options, proxies.member)

static const option_row rows[] = {
    { "listen", required_argument, take_listen, 0 },
    { "insecure-listen", required_argument, take_text, SERVER(insecure_listen) },
    { "data-dir", required_argument, take_text, SERVER(data_dir) },
    { "memory", no_argument, take_switch, OF(is_memory) },
    { "kubeconfig", required_argument, take_text, SERVER(kubeconfig_file) },
    { "tls-cert", required_argument, take_text, SERVER(tls_cert_file) },
    { "tls-key", required_argument, take_text, SERVER(tls_key_file) },
    { "client-ca", required_argument, take_text, SERVER(client_ca_file) },
    { "token-file", required_argument, take_text, SERVER(token_file) },
    { "authorization-mode", required_argument, take_text, SERVER(authorization_mode) },
    { "allow-origin", required_argument, take_text, SERVER(allowed_origins) },
    { "service-account-signing-key-file", required_argument, take_text,
      SERVER(service_account_signing_key_file) },
    { "service-account-key-file", required_argument, take_repeated, OF(account_keys) },
    { "service-account-issuer", required_argument, take_repeated, OF(account_issuers) },
    { "service-account-max-token-expiration", required_argument, take_time,
      SERVER(service_account_max_token_expiration_s) },
    { "service-account-jwks-uri", required_argument, take_text, SERVER(service_account_jwks_uri) },
    { "api-audiences", required_argument, take_text, SERVER(api_audiences) },
    { "enable-admission-plugins", required_argument, take_text, SERVER(enable_admission_plugins) },
    { "disable-admission-plugins", required_argument, take_text,
      SERVER(disable_admission_plugins) },
    { "cluster-signing-cert-file", required_argument, take_text,
      SERVER(cluster_signing_cert_file) },
    { "cluster-signing-key-file", required_argument, take_text, SERVER(cluster_signing_key_file) },
    { "enable-bootstrap-token-auth", no_argument, take_switch,
      SERVER(enable_bootstrap_token_auth) },
    { "feature-gates", required_argument, take_text, SERVER(feature_gates) },
    { "history-size", required_argument, take_size, SERVER(history_bytes) },
    { "history-age", required_argument, take_time, SERVER(history_age_s) },
    { "event-ttl", required_argument, take_time, SERVER(event_ttl_s) },
    { "protobuf-size", required_argument, take_size, SERVER(protobuf_bytes) },
    { "compact", required_argument, take_text, SERVER(compact) },
    { "store-size", required_argument, take_size, SERVER(store_bytes) },
    { "threads", required_argument, take_threads, SERVER(threads) },
    { "max-requests-inflight", required_argument, take_requests, SERVER(max_requests_inflight) },
    { "max-mutating-requests-inflight", required_argument, take_requests,
      SERVER(max_mutating_requests_inflight) },
    { "enable-priority-and-fairness", optional_argument, take_not_bool,
      SERVER(disable_priority_and_fairness) },
    { "workers", required_argument, take_workers, SERVER(workers) },
    { "shutdown-timeout", required_argument, take_shutdown_timeout, OF(stop_s) },
    { "controllers", optional_argument, take_controllers, 0 },
    { "nodes", required_argument, take_nodes, OF(choice.nodes) },
    { "steps", no_argument, take_switch, OF(choice.prints_steps) },
    { "node-grace", required_argument, take_time, OF(choice.node_grace_s) },
    { "pod-eviction-timeout", required_argument, take_time, OF(choice.pod_eviction_s) },
    { "etcd", required_argument, take_text, SERVER(etcd_endpoints) },
    { "etcd-ca", required_argument, take_text, SERVER(etcd_ca_file) },
    { "etcd-cert", required_argument, take_text, SERVER(etcd_cert_file) },
    { "etcd-key", required_argument, take_text, SERVER(etcd_key_file) },
    { "etcd-user", required_argument, take_text, SERVER(etcd_user) },
    { "etcd-password-file", required_argument, take_text, OF(password_file) },
    { "etcd-prefix", required_argument, take_text, SERVER(etcd_prefix) },
    { "encryption-provider-config", required_argument, take_text, SERVER(encryption_config_file) },
    { "audit-policy-file", required_argument, take_text, SERVER(audit_policy_file) },
    { "audit-log-path", required_argument, take_text, SERVER(audit_log_path) },
    { "audit-log-mode", required_argument, take_text, SERVER(audit_log_mode) },
    { "audit-log-maxsize", required_argument, take_audit_limit, SERVER(audit_log_max_size_mb) },
    { "audit-log-maxage", required_argument, take_audit_limit, SERVER(audit_log_max_age_days) },
    { "audit-log-maxbackup", required_argument, take_audit_limit, SERVER(audit_log_max_backups) },
    { "audit-log-compress", no_argument, take_switch, SERVER(audit_log_compress) },
    { "audit-webhook-config-file", required_argument, take_text,
      SERVER(audit_webhook_config_file) },
    { "audit-webhook-batch-max-size", required_argument, take_events,
      SERVER(audit_webhook_batch_max_size) },
    { "audit-webhook-batch-max-wait", required_argument, take_time,
      SERVER(audit_webhook_batch_max_wait_s) },
    { "audit-webhook-batch-buffer-size", required_argument, take_events,
      SERVER(audit_webhook_batch_buffer_size) },
    { "audit-webhook-initial-backoff", required_argument, take_time,
      SERVER(audit_webhook_initial_backoff_s) },
    { "advertise-address", required_argument, take_text, SERVER(advertise_address) },
    { "service-cluster-ip-range", required_argument, take_text, SERVER(service_cluster_ip_range) },
    { "service-node-port-range", required_argument, take_text, SERVER(service_node_port_range) },
    { "authentication-config", required_argument, take_text, SERVER(authentication_config_file) },
    { "anonymous-auth", optional_argument, take_anonymous, SERVER(anonymous_auth) },
    { "oidc-issuer-url", required_argument, take_text, SERVER(oidc_issuer_url) },
    { "oidc-client-id", required_argument, take_text, SERVER(oidc_client_id) },
    { "oidc-username-claim", required_argument, take_text, SERVER(oidc_username_claim) },
    { "oidc-username-prefix", required_argument, take_text, SERVER(oidc_username_prefix) },
    { "oidc-groups-claim", required_argument, take_text, SERVER(oidc_groups_claim) },
    { "oidc-groups-prefix", required_argument, take_text, SERVER(oidc_groups_prefix) },
    { "oidc-required-claim", required_argument, take_repeated, OF(oidc_required_claims) },
    { "oidc-ca-file", required_argument, take_text, SERVER(oidc_ca_file) },
    { "oidc-signing-algs", required_argument, take_text, SERVER(oidc_signing_algs) },
    { "authorization-config", required_argument, take_text, HOOK(authorization_config) },
    { "authorization-webhook-config-file", required_argument, take_text,
      HOOK(authorization_webhook_config_file) },
    { "authorization-webhook-version", required_argument, take_text,
      HOOK(authorization_webhook_version) },
    { "authorization-webhook-cache-authorized-ttl", required_argument, take_ttl,
      HOOK(authorization_webhook_cache_authorized_ttl_s) },
    { "authorization-webhook-cache-unauthorized-ttl", required_argument, take_ttl,
      HOOK(authorization_webhook_cache_unauthorized_ttl_s) },
    { "authentication-token-webhook-config-file", required_argument, take_text,
      HOOK(authentication_token_webhook_config_file) },
    { "authentication-token-webhook-version", required_argument, take_text,
      HOOK(authentication_token_webhook_version) },
    { "authentication-token-webhook-cache-ttl", required_argument, take_ttl,
      HOOK(authentication_token_webhook_cache_ttl_s) },
    { "requestheader-client-ca-file", required_argument, take_text,
      HOOK(requestheader_client_ca_file) },
    { "requestheader-allowed-names", required_argument, take_text,
      HOOK(requestheader_allowed_names) },
    { "requestheader-username-headers", required_argument, take_text,
      HOOK(requestheader_username_headers) },
    { "requestheader-uid-headers", required_argument, take_text, HOOK(requestheader_uid_headers) },
    { "requestheader-group-headers", required_argument, take_text,
      HOOK(requestheader_group_headers) },
    { "requestheader-extra-headers-prefix", required_argument, take_text,
      HOOK(requestheader_extra_headers_prefix) },
    { "proxy-client-cert-file", required_argument, take_text, PROXY(proxy_client_cert_file) },
    { "proxy-client-key-file", required_argument, take_text, PROXY(proxy_client_key_file) },
    { "kubelet-certificate-authority", required_argument, take_text,
      PROXY(kubelet_certificate_authority) },
    { "kubelet-client-certificate", required_argument, take_text,
      PROXY(kubelet_client_certificate) },
    { "kubelet-client-key", required_argument, take_text, PROXY(kubelet_client_key) },
    { "kubelet-preferred-address-types", required_argument, take_text,
      PROXY(kubelet_preferred_address_types) },
    { "kubelet-timeout", required_argument, take_time, PROXY(kubelet_timeout_s) },
    { "proxy-any-address", no_argument, take_switch, PROXY(proxy_any_address) },
    { "admission-control-config-file", required_argument, take_text,
      HOOK(admission_control_config_file) },
    { "webhook-resolve", required_argument, take_repeated, OF(webhook_resolve) },
    { "verbose", no_argument, take_verbose, OF(logger) },
};

enum {
    ROWS = sizeof(rows) / sizeof(rows[0]),
};

static int take_row(serve_options *s, const option_row *row, const char *value)
{
    return row->take((char *)s + row->member, value);
}

static int parse_arguments(serve_options *s, int argc, char **argv, bool *is_help)
{
    struct option options[ROWS + 2] = { { .name = NULL } };
    for (int i = 0; i < ROWS; i++)
        options[i] = (struct option){ rows[i].name, rows[i].has_argument, NULL, FIRST_ROW + i };
    options[ROWS] = (struct option){ "help", no_argument, NULL, 'h' };
    int option, code = EXIT_OK;
    while (code == EXIT_OK && (option = options_next(argc, argv, "vh", options)) >= 0) {
        *is_help = option == 'h';
        if (*is_help)
            return EXIT_OK;
        if (option == 'v')
            code = take_verbose(&s->logger, NULL);
        else if (option >= FIRST_ROW)
            code = take_row(s, &rows[option - FIRST_ROW], optarg);
        else
            code = EXIT_USAGE;
    }
    if (code == EXIT_USAGE && option == '?')
        fputs("see listwatch serve --help\n", stderr);
    if (code == EXIT_OK && optind < argc)
        return refuse(argv[optind], "unexpected argument");
    return code;
}

/* Reads the first line of the password file. */
static int read_password(serve_options *s)
{
    if (!s->password_file)
        return EXIT_OK;
    FILE *file = fopen(s->password_file, "re");
    if (!file)
        return refuse(s->password_file, strerror(errno));
    bool is_read = fgets(s->password, sizeof(s->password), file) != NULL;
    (void)fclose(file);
    s->password[strcspn(s->password, "\r\n")] = '\0';
    if (!is_read || s->password[0] == '\0')
        return refuse(s->password_file, "the first line must be the password");
    s->options.etcd_password = s->password;
    return EXIT_OK;
}

static int check_etcd(const serve_options *s)
{
    const lw_server_options *o = &s->options;
    bool has_more = o->etcd_ca_file || o->etcd_cert_file || o->etcd_key_file || o->etcd_user ||
                    s->password_file || o->etcd_prefix;
    if (has_more && !o->etcd_endpoints)
        return refuse(
            "--etcd",
            "required by the other --etcd options; set it to the URLs of the etcd members");
    return EXIT_OK;
}

/* Checks the options about controllers, which connect to the server like other clients. */
static int check_controllers(const serve_options *s)
{
    if (!s->has_controllers && (s->choice.nodes > 0 || s->choice.prints_steps))
        return refuse("--nodes and --steps", "require --controllers");
    if (s->has_controllers && s->is_memory && !s->options.insecure_listen &&
        !s->options.kubeconfig_file)
        return refuse("--controllers", "with --memory, also set --insecure-listen or --kubeconfig, "
                                       "so that the controllers can connect");
    return EXIT_OK;
}

/* Fills in the options that were not given.  If --insecure-listen is given, the user has chosen an
 * address for the server, and several servers may run at once: HTTPS then uses any free port. */
static int fill_defaults(serve_options *s)
{
    lw_server_options *o = &s->options;
    if (!s->has_listen)
        o->listen = o->insecure_listen ? "127.0.0.1:0" : "127.0.0.1:6443";
    if (!o->listen && !o->insecure_listen)
        return refuse("--listen none", "no address to listen on; set --insecure-listen");
    if (s->is_memory && o->data_dir)
        return refuse("--memory", "cannot be used together with --data-dir");
    if (!s->is_memory && !o->data_dir) {
        if (!data_dir_find(s->data_dir, sizeof(s->data_dir)))
            return refuse("--data-dir", "set a directory or use --memory; there is no default, "
                                        "because neither $XDG_STATE_HOME nor $HOME is set");
        o->data_dir = s->data_dir;
    }
    return EXIT_OK;
}

int serve_options_parse(serve_options *s, int argc, char **argv, bool *is_help)
{
    *s = (serve_options){ .options = LW_SERVER_OPTIONS_INIT,
                          .webhooks = LW_SERVER_WEBHOOKS_INIT,
                          .proxies = LW_SERVER_PROXIES_INIT,
                          .stop_s = STOP_S,
                          .logger = { .level = LW_LOG_INFO, .fn = log_line_print } };
    *is_help = false;
    int code = parse_arguments(s, argc, argv, is_help);
    if (*is_help)
        return code;
    if (code == EXIT_OK)
        code = check_etcd(s);
    if (code == EXIT_OK)
        code = check_controllers(s);
    if (code == EXIT_OK)
        code = read_password(s);
    if (code == EXIT_OK)
        code = fill_defaults(s);
    s->options.logger = &s->logger;
    s->options.webhooks = &s->webhooks;
    s->options.proxies = &s->proxies;
    s->options.service_account_key_files = s->account_keys.values;
    s->options.service_account_issuers = s->account_issuers.values;
    s->options.oidc_required_claims = s->oidc_required_claims.values;
    s->webhooks.webhook_resolve = s->webhook_resolve.values;
    return code;
}
