/* SPDX-License-Identifier: Apache-2.0 */
/* serve_options.c -- parses and checks the options of `listwatch serve`. */
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
};

static int refuse(const char *what, const char *why)
{
    fprintf(stderr, "listwatch serve: %s: %s\n", what, why);
    return EXIT_USAGE;
}

static int take_size(const char *value, uint64_t *bytes)
{
    return quantity_parse_size(value, bytes)
               ? EXIT_OK
               : refuse(value, "not a valid size; use for example 65536, 512K, 64M or 2G");
}

static int take_time(const char *value, int64_t *seconds)
{
    return quantity_parse_seconds(value, seconds)
               ? EXIT_OK
               : refuse(value, "not a valid duration; use for example 90s, 30m, 2h or 7d");
}

static int take_threads(serve_options *s, const char *value)
{
    uint64_t count = 0;
    if (!quantity_parse_size(value, &count) || count > 64)
        return refuse(value, "not a valid number of threads; use 1 to 64");
    s->options.threads = (unsigned)count;
    return EXIT_OK;
}

static int take_limit(const char *value, unsigned *limit)
{
    uint64_t count = 0;
    if (!quantity_parse_size(value, &count) || count < 1 || count > INFLIGHT_MAX)
        return refuse(value, "not a valid number of requests; use 1 to 1000000");
    *limit = (unsigned)count;
    return EXIT_OK;
}

static int take_fairness(serve_options *s, const char *value)
{
    bool is_false = value && strcmp(value, "false") == 0;
    if (value && !is_false && strcmp(value, "true") != 0)
        return refuse(value, "not a valid value for --enable-priority-and-fairness; use true or "
                             "false");
    s->options.disable_priority_and_fairness = is_false;
    return EXIT_OK;
}

static int take_workers(serve_options *s, const char *value)
{
    uint64_t count = 0;
    if (!quantity_parse_size(value, &count) || count == 0 || count > 16)
        return refuse(value, "not a valid number of workers; use 1 to 16");
    s->options.workers = (unsigned)count;
    return EXIT_OK;
}

static int take_shutdown_timeout(serve_options *s, const char *value)
{
    int64_t seconds = 0;
    if (!quantity_parse_seconds(value, &seconds) || seconds < 1 || seconds > STOP_S_MAX)
        return refuse(value, "not a valid shutdown timeout; use 1s to 1h");
    s->stop_s = (int)seconds;
    return EXIT_OK;
}

static int take_nodes(serve_options *s, const char *value)
{
    return quantity_parse_count(value, &s->choice.nodes)
               ? EXIT_OK
               : refuse(value, "not a valid number of nodes");
}

/* Without a list, and with "*" in it, the workload controllers run as well. */
static int take_controllers(serve_options *s, const char *value)
{
    s->has_controllers |= !value || value[0] == '*';
    if (value)
        s->options.own_controllers = value;
    return EXIT_OK;
}

static int take_listen(serve_options *s, const char *value)
{
    s->has_listen = true;
    s->options.listen = strcmp(value, "none") == 0 ? NULL : value;
    return EXIT_OK;
}

enum {
    OPTION_LISTEN = 256,
    OPTION_INSECURE_LISTEN,
    OPTION_DATA_DIR,
    OPTION_MEMORY,
    OPTION_KUBECONFIG,
    OPTION_TLS_CERT,
    OPTION_TLS_KEY,
    OPTION_CLIENT_CA,
    OPTION_TOKEN_FILE,
    OPTION_AUTHORIZATION_MODE,
    OPTION_ALLOW_ORIGIN,
    OPTION_ACCOUNT_SIGNING_KEY,
    OPTION_ACCOUNT_KEY,
    OPTION_ACCOUNT_ISSUER,
    OPTION_ACCOUNT_MAX_EXPIRATION,
    OPTION_ACCOUNT_JWKS_URI,
    OPTION_API_AUDIENCES,
    OPTION_ENABLE_ADMISSION,
    OPTION_DISABLE_ADMISSION,
    OPTION_SIGNING_CERT,
    OPTION_SIGNING_KEY,
    OPTION_BOOTSTRAP_TOKENS,
    OPTION_HISTORY_SIZE,
    OPTION_HISTORY_AGE,
    OPTION_EVENT_TTL,
    OPTION_PROTOBUF_SIZE,
    OPTION_STORE_SIZE,
    OPTION_THREADS,
    OPTION_MAX_INFLIGHT,
    OPTION_MAX_MUTATING_INFLIGHT,
    OPTION_FAIRNESS,
    OPTION_WORKERS,
    OPTION_SHUTDOWN_TIMEOUT,
    OPTION_CONTROLLERS,
    OPTION_NODES,
    OPTION_STEPS,
    OPTION_NODE_GRACE,
    OPTION_POD_EVICTION,
    OPTION_ETCD,
    OPTION_ETCD_CA,
    OPTION_ETCD_CERT,
    OPTION_ETCD_KEY,
    OPTION_ETCD_USER,
    OPTION_ETCD_PASSWORD_FILE,
    OPTION_ETCD_PREFIX,
    OPTION_ENCRYPTION_CONFIG,
    OPTION_AUDIT_POLICY,
    OPTION_AUDIT_LOG,
    OPTION_AUDIT_MODE,
    OPTION_AUDIT_SIZE,
    OPTION_AUDIT_AGE,
    OPTION_AUDIT_BACKUPS,
    OPTION_AUDIT_COMPRESS,
    OPTION_SERVICE_IPS,
    OPTION_SERVICE_PORTS,
};

/* On the command line 0 means no limit, as in kube-apiserver; for the library it is the default. */
static int take_audit_limit(const char *value, int64_t *limit)
{
    unsigned count = 0;
    if (!quantity_parse_count(value, &count))
        return refuse(value, "not a valid number; use 0 for no limit");
    *limit = count > 0 ? (int64_t)count : -1;
    return EXIT_OK;
}

static int take_audit_option(serve_options *s, int option, const char *value)
{
    lw_server_options *o = &s->options;
    switch (option) {
    case OPTION_AUDIT_POLICY: o->audit_policy_file = value; return EXIT_OK;
    case OPTION_AUDIT_LOG: o->audit_log_path = value; return EXIT_OK;
    case OPTION_AUDIT_MODE: o->audit_log_mode = value; return EXIT_OK;
    case OPTION_AUDIT_SIZE: return take_audit_limit(value, &o->audit_log_max_size_mb);
    case OPTION_AUDIT_AGE: return take_audit_limit(value, &o->audit_log_max_age_days);
    case OPTION_AUDIT_BACKUPS: return take_audit_limit(value, &o->audit_log_max_backups);
    case OPTION_AUDIT_COMPRESS: o->audit_log_compress = true; return EXIT_OK;
    case OPTION_SERVICE_IPS: o->service_cluster_ip_range = value; return EXIT_OK;
    case OPTION_SERVICE_PORTS: o->service_node_port_range = value; return EXIT_OK;
    default: fputs("see listwatch serve --help\n", stderr); return EXIT_USAGE;
    }
}

static int take_etcd_option(serve_options *s, int option, const char *value)
{
    lw_server_options *o = &s->options;
    switch (option) {
    case OPTION_ETCD: o->etcd_endpoints = value; return EXIT_OK;
    case OPTION_ETCD_CA: o->etcd_ca_file = value; return EXIT_OK;
    case OPTION_ETCD_CERT: o->etcd_cert_file = value; return EXIT_OK;
    case OPTION_ETCD_KEY: o->etcd_key_file = value; return EXIT_OK;
    case OPTION_ETCD_USER: o->etcd_user = value; return EXIT_OK;
    case OPTION_ETCD_PASSWORD_FILE: s->password_file = value; return EXIT_OK;
    case OPTION_ETCD_PREFIX: o->etcd_prefix = value; return EXIT_OK;
    default: return take_audit_option(s, option, value);
    }
}

static int take_repeated(serve_repeated *r, const char *option, const char *value)
{
    if (r->count == SERVE_REPEATS_MAX)
        return refuse(option, "given too often; the limit is 16");
    r->values[r->count++] = value;
    return EXIT_OK;
}

static int take_account_option(serve_options *s, int option, const char *value)
{
    lw_server_options *o = &s->options;
    switch (option) {
    case OPTION_ACCOUNT_SIGNING_KEY: o->service_account_signing_key_file = value; return EXIT_OK;
    case OPTION_ACCOUNT_KEY:
        return take_repeated(&s->account_keys, "--service-account-key-file", value);
    case OPTION_ACCOUNT_ISSUER:
        return take_repeated(&s->account_issuers, "--service-account-issuer", value);
    case OPTION_ACCOUNT_MAX_EXPIRATION:
        return take_time(value, &o->service_account_max_token_expiration_s);
    case OPTION_ACCOUNT_JWKS_URI: o->service_account_jwks_uri = value; return EXIT_OK;
    case OPTION_API_AUDIENCES: o->api_audiences = value; return EXIT_OK;
    case OPTION_ENABLE_ADMISSION: o->enable_admission_plugins = value; return EXIT_OK;
    case OPTION_DISABLE_ADMISSION: o->disable_admission_plugins = value; return EXIT_OK;
    default: return take_etcd_option(s, option, value);
    }
}

static int take_option(serve_options *s, int option, const char *value)
{
    lw_server_options *o = &s->options;
    switch (option) {
    case OPTION_LISTEN: return take_listen(s, value);
    case OPTION_INSECURE_LISTEN: o->insecure_listen = value; return EXIT_OK;
    case OPTION_DATA_DIR: o->data_dir = value; return EXIT_OK;
    case OPTION_MEMORY: s->is_memory = true; return EXIT_OK;
    case OPTION_KUBECONFIG: o->kubeconfig_file = value; return EXIT_OK;
    case OPTION_TLS_CERT: o->tls_cert_file = value; return EXIT_OK;
    case OPTION_TLS_KEY: o->tls_key_file = value; return EXIT_OK;
    case OPTION_CLIENT_CA: o->client_ca_file = value; return EXIT_OK;
    case OPTION_TOKEN_FILE: o->token_file = value; return EXIT_OK;
    case OPTION_AUTHORIZATION_MODE: o->authorization_mode = value; return EXIT_OK;
    case OPTION_ALLOW_ORIGIN: o->allowed_origins = value; return EXIT_OK;
    case OPTION_ENCRYPTION_CONFIG: o->encryption_config_file = value; return EXIT_OK;
    case OPTION_SIGNING_CERT: o->cluster_signing_cert_file = value; return EXIT_OK;
    case OPTION_SIGNING_KEY: o->cluster_signing_key_file = value; return EXIT_OK;
    case OPTION_BOOTSTRAP_TOKENS: o->enable_bootstrap_token_auth = true; return EXIT_OK;
    case OPTION_HISTORY_SIZE: return take_size(value, &o->history_bytes);
    case OPTION_HISTORY_AGE: return take_time(value, &o->history_age_s);
    case OPTION_EVENT_TTL: return take_time(value, &o->event_ttl_s);
    case OPTION_PROTOBUF_SIZE: return take_size(value, &o->protobuf_bytes);
    case OPTION_STORE_SIZE: return take_size(value, &o->store_bytes);
    case OPTION_THREADS: return take_threads(s, value);
    case OPTION_MAX_INFLIGHT: return take_limit(value, &o->max_requests_inflight);
    case OPTION_MAX_MUTATING_INFLIGHT: return take_limit(value, &o->max_mutating_requests_inflight);
    case OPTION_FAIRNESS: return take_fairness(s, value);
    case OPTION_WORKERS: return take_workers(s, value);
    case OPTION_SHUTDOWN_TIMEOUT: return take_shutdown_timeout(s, value);
    case OPTION_CONTROLLERS: return take_controllers(s, value);
    case OPTION_NODES: return take_nodes(s, value);
    case OPTION_STEPS: s->choice.prints_steps = true; return EXIT_OK;
    case OPTION_NODE_GRACE: return take_time(value, &s->choice.node_grace_s);
    case OPTION_POD_EVICTION: return take_time(value, &s->choice.pod_eviction_s);
    default: return take_account_option(s, option, value);
    case 'v': s->logger.level = LW_LOG_DEBUG; return EXIT_OK;
    }
}

static int parse_arguments(serve_options *s, int argc, char **argv, bool *is_help)
{
    static const struct option options[] = {
        { "listen", required_argument, NULL, OPTION_LISTEN },
        { "insecure-listen", required_argument, NULL, OPTION_INSECURE_LISTEN },
        { "data-dir", required_argument, NULL, OPTION_DATA_DIR },
        { "memory", no_argument, NULL, OPTION_MEMORY },
        { "kubeconfig", required_argument, NULL, OPTION_KUBECONFIG },
        { "tls-cert", required_argument, NULL, OPTION_TLS_CERT },
        { "tls-key", required_argument, NULL, OPTION_TLS_KEY },
        { "client-ca", required_argument, NULL, OPTION_CLIENT_CA },
        { "token-file", required_argument, NULL, OPTION_TOKEN_FILE },
        { "authorization-mode", required_argument, NULL, OPTION_AUTHORIZATION_MODE },
        { "allow-origin", required_argument, NULL, OPTION_ALLOW_ORIGIN },
        { "service-account-signing-key-file", required_argument, NULL, OPTION_ACCOUNT_SIGNING_KEY },
        { "service-account-key-file", required_argument, NULL, OPTION_ACCOUNT_KEY },
        { "service-account-issuer", required_argument, NULL, OPTION_ACCOUNT_ISSUER },
        { "service-account-max-token-expiration", required_argument, NULL,
          OPTION_ACCOUNT_MAX_EXPIRATION },
        { "service-account-jwks-uri", required_argument, NULL, OPTION_ACCOUNT_JWKS_URI },
        { "api-audiences", required_argument, NULL, OPTION_API_AUDIENCES },
        { "enable-admission-plugins", required_argument, NULL, OPTION_ENABLE_ADMISSION },
        { "disable-admission-plugins", required_argument, NULL, OPTION_DISABLE_ADMISSION },
        { "cluster-signing-cert-file", required_argument, NULL, OPTION_SIGNING_CERT },
        { "cluster-signing-key-file", required_argument, NULL, OPTION_SIGNING_KEY },
        { "enable-bootstrap-token-auth", no_argument, NULL, OPTION_BOOTSTRAP_TOKENS },
        { "history-size", required_argument, NULL, OPTION_HISTORY_SIZE },
        { "history-age", required_argument, NULL, OPTION_HISTORY_AGE },
        { "event-ttl", required_argument, NULL, OPTION_EVENT_TTL },
        { "protobuf-size", required_argument, NULL, OPTION_PROTOBUF_SIZE },
        { "store-size", required_argument, NULL, OPTION_STORE_SIZE },
        { "threads", required_argument, NULL, OPTION_THREADS },
        { "max-requests-inflight", required_argument, NULL, OPTION_MAX_INFLIGHT },
        { "max-mutating-requests-inflight", required_argument, NULL, OPTION_MAX_MUTATING_INFLIGHT },
        { "enable-priority-and-fairness", optional_argument, NULL, OPTION_FAIRNESS },
        { "workers", required_argument, NULL, OPTION_WORKERS },
        { "shutdown-timeout", required_argument, NULL, OPTION_SHUTDOWN_TIMEOUT },
        { "controllers", optional_argument, NULL, OPTION_CONTROLLERS },
        { "nodes", required_argument, NULL, OPTION_NODES },
        { "steps", no_argument, NULL, OPTION_STEPS },
        { "node-grace", required_argument, NULL, OPTION_NODE_GRACE },
        { "pod-eviction-timeout", required_argument, NULL, OPTION_POD_EVICTION },
        { "etcd", required_argument, NULL, OPTION_ETCD },
        { "etcd-ca", required_argument, NULL, OPTION_ETCD_CA },
        { "etcd-cert", required_argument, NULL, OPTION_ETCD_CERT },
        { "etcd-key", required_argument, NULL, OPTION_ETCD_KEY },
        { "etcd-user", required_argument, NULL, OPTION_ETCD_USER },
        { "etcd-password-file", required_argument, NULL, OPTION_ETCD_PASSWORD_FILE },
        { "etcd-prefix", required_argument, NULL, OPTION_ETCD_PREFIX },
        { "encryption-provider-config", required_argument, NULL, OPTION_ENCRYPTION_CONFIG },
        { "audit-policy-file", required_argument, NULL, OPTION_AUDIT_POLICY },
        { "audit-log-path", required_argument, NULL, OPTION_AUDIT_LOG },
        { "audit-log-mode", required_argument, NULL, OPTION_AUDIT_MODE },
        { "audit-log-maxsize", required_argument, NULL, OPTION_AUDIT_SIZE },
        { "audit-log-maxage", required_argument, NULL, OPTION_AUDIT_AGE },
        { "audit-log-maxbackup", required_argument, NULL, OPTION_AUDIT_BACKUPS },
        { "audit-log-compress", no_argument, NULL, OPTION_AUDIT_COMPRESS },
        { "service-cluster-ip-range", required_argument, NULL, OPTION_SERVICE_IPS },
        { "service-node-port-range", required_argument, NULL, OPTION_SERVICE_PORTS },
        { "verbose", no_argument, NULL, 'v' },
        { "help", no_argument, NULL, 'h' },
        { NULL, 0, NULL, 0 },
    };
    int option, code = EXIT_OK;
    while (code == EXIT_OK && (option = options_next(argc, argv, "vh", options)) >= 0) {
        *is_help = option == 'h';
        if (*is_help)
            return EXIT_OK;
        code = take_option(s, option, optarg);
    }
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
    s->options.service_account_key_files = s->account_keys.values;
    s->options.service_account_issuers = s->account_issuers.values;
    return code;
}
