/* SPDX-License-Identifier: Apache-2.0 */
/* server.h -- a Kubernetes-compatible API server in a program: liblistwatch-server.
 *
 * The server has its own threads; every function may be called from any thread. */
#ifndef LISTWATCH_SERVER_H
#define LISTWATCH_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <listwatch/api.h>
#include <listwatch/error.h>
#include <listwatch/log.h>

LW_BEGIN_DECLS

/* The options of a server.  Strings are copied. */
typedef struct lw_server_options {
    const char *listen; /* address for HTTPS; NULL: no HTTPS.  "127.0.0.1:0" picks a free port */
    const char *insecure_listen; /* address for plain HTTP, loopback only; NULL: no HTTP */
    const char *data_dir;        /* NULL: keep all objects in memory */
    const char
        *tls_cert_file; /* PEM; NULL: generated at the first start, in data_dir (or in memory) */
    const char *tls_key_file;
    const char *client_ca_file;  /* PEM; CA that verifies client certificates */
    const char *token_file;      /* bearer tokens, one per line: token,user,uid[,"group,group"] */
    const char *kubeconfig_file; /* file for the kubeconfig of the administrator; NULL: in data_dir,
                                    if set */
    unsigned threads;            /* 0: one per CPU, at most 4; the limit is 64 */
    uint64_t history_bytes;      /* size of the history for watches; 0: 64 MiB */
    int64_t history_age_s;       /* age of the history for watches; 0: 1 hour */
    int64_t event_ttl_s;         /* how long Event objects are kept; 0: 1 hour; < 0: forever */
    const lw_logger *logger;     /* must outlive the server; NULL: silent */

    /* Stores objects in an etcd cluster, which other servers may share: "http://10.0.0.1:2379,...";
     * NULL: in data_dir.  With etcd, history_bytes is ignored, and the history is kept for one to
     * two times history_age_s (0: 5 minutes).  Certificates and keys stay in data_dir, which
     * servers do not share. */
    const char *etcd_endpoints;
    const char *etcd_ca_file; /* PEM, CA that verifies etcd; NULL: the CAs of the system */
    const char *etcd_cert_file, *etcd_key_file; /* PEM, client certificate for etcd */
    const char *etcd_user, *etcd_password;      /* authentication at etcd; NULL: none */
    const char *etcd_prefix;                    /* prefix of all keys; NULL: "/registry/" */

    /* Who may do what: a list of "Node", "RBAC", "Webhook", "AlwaysAllow" and "AlwaysDeny".  NULL:
     * as at the last start in data_dir; "AlwaysAllow" if data_dir is of a version that did not
     * remember it; otherwise "Node,RBAC". */
    const char *authorization_mode;

    uint64_t protobuf_bytes; /* size of the cache of protobuf encodings, with which lists need not
                                be encoded again; 0: 256 MiB */

    /* Origins of web pages that may send requests besides the server's own page, separated by
     * commas: "https://ui.example.com".  NULL: none. */
    const char *allowed_origins;
    /* Which resources are encrypted in the store, and with which keys: an EncryptionConfiguration
     * (apiserver.config.k8s.io/v1) that only its owner can read; NULL: nothing is encrypted. */
    const char *encryption_config_file;
    /* Limits of concurrent requests, which API Priority and Fairness shares out among priority
     * levels (FlowSchema, PriorityLevelConfiguration). */
    unsigned max_requests_inflight;          /* read-only requests; 0: 400 */
    unsigned max_mutating_requests_inflight; /* other requests; 0: 200 */
    bool disable_priority_and_fairness;      /* only these two limits apply */

    unsigned workers;     /* threads for requests that take long, such as large bodies; 0: one
                             for two CPUs, at least 1, at most 4; the limit is 16 */
    uint64_t store_bytes; /* limit of the store in data_dir or in memory; writes that need more
                             are refused (507).  0: 8 GiB in data_dir, no limit in memory.  With
                             etcd it is ignored: etcd has its own limit */

    /* Tokens of service accounts.  Servers that share an etcd cluster need the same signing key. */
    const char *service_account_signing_key_file; /* PEM, RSA or ECDSA; NULL: generated at the first
                                                     start, in data_dir (or in memory) */
    const char *const *service_account_key_files; /* PEM, more keys that verify tokens;
                                                     NULL-terminated; NULL: none */
    const char *const *service_account_issuers;   /* the first one issues, all are accepted;
                                                     NULL-terminated; NULL:
                                                     "https://kubernetes.default.svc.cluster.local" */
    const char *api_audiences; /* audiences of this server, "a,b"; NULL: the issuers */
    int64_t service_account_max_token_expiration_s; /* 0: no limit; otherwise at least 1 hour */
    const char *service_account_jwks_uri; /* where clients find the public keys; NULL: at this
                                             server */
    /* Names of admission plugins, "A,B", as kube-apiserver has them; those that it enables by
     * default are enabled here, and most of them can be disabled. */
    const char *enable_admission_plugins, *disable_admission_plugins;

    /* CA certificate and private key, PEM, that sign approved certificate signing requests; NULL:
     * the server's own CA, unless client_ca_file is set. */
    const char *cluster_signing_cert_file, *cluster_signing_key_file;
    bool enable_bootstrap_token_auth; /* accept bootstrap tokens, and delete expired ones */

    /* Audit events of requests are written to audit_log_path ("-": standard output), as far as the
     * policy in audit_policy_file (audit.k8s.io/v1, YAML or JSON) says; NULL: no auditing.  The
     * policy requires the log or the webhook below, and vice versa. */
    const char *audit_policy_file, *audit_log_path;
    const char *audit_log_mode;     /* "batch", "blocking" or "blocking-strict"; NULL: batch */
    int64_t audit_log_max_size_mb;  /* size at which the log is rotated; 0: 100; < 0: never */
    int64_t audit_log_max_age_days; /* of rotated logs; 0: 366; < 0: any age */
    int64_t audit_log_max_backups;  /* number of rotated logs; 0: 100; < 0: any number */
    bool audit_log_compress;        /* compress rotated logs with gzip */

    const char *service_cluster_ip_range; /* of cluster IPs; NULL: "10.96.0.0/16" */
    const char *service_node_port_range;  /* of node ports; NULL: "30000-32767" */
    /* Which of the controllers that are part of the server run, with the names of
     * kube-controller-manager: "-garbagecollector,-namespace" leaves these out; NULL: all. */
    const char *own_controllers;
    /* Audit events are posted to a webhook, in batches.  The file has the format of kubeconfig and
     * says where it is and how to authenticate to it; NULL: none. */
    const char *audit_webhook_config_file;
    int64_t audit_webhook_batch_max_size;   /* events of a batch; 0: 400 */
    int64_t audit_webhook_batch_max_wait_s; /* then a batch that is not full is sent; 0: 30 */
    int64_t
        audit_webhook_batch_buffer_size; /* events that wait; further ones are dropped; 0: 10000 */
    int64_t audit_webhook_initial_backoff_s; /* before the first retry of a batch; 0: 10 */

    /* Which issuers of JSON Web Tokens are trusted, besides this server: an
     * AuthenticationConfiguration (apiserver.config.k8s.io/v1, YAML or JSON), which is loaded again
     * when it changes.  NULL: none, or the one of the oidc_ options, which it excludes. */
    const char *authentication_config_file;
    const char *oidc_issuer_url, *oidc_client_id; /* set both or neither */
    const char *oidc_username_claim;              /* NULL: "sub" */
    const char *oidc_username_prefix; /* NULL: the issuer URL and "#", none for email; "-": none */
    const char *oidc_groups_claim, *oidc_groups_prefix; /* NULL: none */
    const char *const *oidc_required_claims;            /* "name=value"; NULL-terminated */
    const char *oidc_ca_file;      /* PEM, verifies the issuer; NULL: the CAs of the system */
    const char *oidc_signing_algs; /* "RS256,ES256"; NULL: "RS256" */

    /* Requests without credentials are those of system:anonymous: "true", "false"; NULL: true,
     * unless every authenticated user has full access. */
    const char *anonymous_auth;
    const struct lw_server_webhooks *webhooks; /* NULL: none */
    const struct lw_server_proxies *proxies;   /* NULL: the defaults */
    /* The IP address by which pods reach this server: the endpoint of the Service
     * default/kubernetes.  NULL: that of listen or, if it is a loopback address or means all
     * addresses, of the default route. */
    const char *advertise_address;
    /* Serves the objects of another API server instead of its own; NULL: it has its own.  Then the
     * options about the store, service accounts, admission and certificates of others do not
     * apply; tokens and permissions are checked by the upstream. */
    const struct lw_server_mirror *mirror;
    /* Which objects and past events are stored in memory as their differences from similar ones
     * while nobody reads them; they answer the same, and reading one costs about a microsecond.
     * "auto" (also NULL): those of resources that take 16 MiB or more.  "on": all.  "off": none. */
    const char *compact;
    /* Feature gates of kube-apiserver, "Name=true,Other=false".  CBORServingAndStorage (default
     * false) serves CBOR, and so does AllAlpha; other gates change nothing. */
    const char *feature_gates;
} lw_server_options;

/* A mirror: follows an upstream API server and serves its objects, with its resourceVersions;
 * passes all other requests through to it. */
typedef struct lw_server_mirror {
    /* Where the upstream is and how to authenticate to it; NULL: $KUBECONFIG, ~/.kube/config, or
     * the service account of the pod. */
    const char *kubeconfig;
    const char *resources;      /* "pods,deployments.apps"; NULL: all that can be read */
    const char *ns;             /* only objects in this namespace; NULL: all */
    const char *label_selector; /* only objects that it selects; NULL: all */
    const char *field_selector;
    /* Reads are refused (503) when the mirror has not followed the upstream for longer; 0: never */
    int64_t max_lag_s;
    const char *views_file; /* pruned views, YAML or JSON; NULL: none */
    /* Addresses of the upstream, in place of that of the kubeconfig: URLs separated by commas.  The
     * first one that answers is used, and another one when it fails.  NULL: none. */
    const char *servers;
} lw_server_mirror;

/* Authentication and authorization by other servers.  The files of webhooks have the format of
 * kubeconfig; times of 0 are the default, negative ones mean that nothing is cached. */
typedef struct lw_server_webhooks {
    /* The authorizers in order: an AuthorizationConfiguration (apiserver.config.k8s.io/v1), which
     * is loaded again when it changes; excludes authorization_mode.  NULL: none. */
    const char *authorization_config;
    /* Where SubjectAccessReviews of the authorization mode "Webhook" are posted; NULL: nowhere. */
    const char *authorization_webhook_config_file;
    const char *authorization_webhook_version;              /* "v1" or "v1beta1"; NULL: v1beta1 */
    int64_t authorization_webhook_cache_authorized_ttl_s;   /* default 5 minutes */
    int64_t authorization_webhook_cache_unauthorized_ttl_s; /* default 30 seconds */
    /* Where TokenReviews of bearer tokens that the server does not know are posted; NULL: none. */
    const char *authentication_token_webhook_config_file;
    const char *authentication_token_webhook_version; /* "v1" or "v1beta1"; NULL: v1beta1 */
    int64_t authentication_token_webhook_cache_ttl_s; /* default 2 minutes */

    /* A proxy in front of the server that authenticates users and names them in headers.  It is
     * believed if its client certificate is signed by this CA (PEM; NULL: no proxy) and has one of
     * the common names (lists separated by commas; NULL: any). */
    const char *requestheader_client_ca_file, *requestheader_allowed_names;
    const char *requestheader_username_headers;     /* NULL: none; e.g. "X-Remote-User" */
    const char *requestheader_uid_headers;          /* e.g. "X-Remote-Uid" */
    const char *requestheader_group_headers;        /* e.g. "X-Remote-Group" */
    const char *requestheader_extra_headers_prefix; /* e.g. "X-Remote-Extra-" */

    /* An AdmissionConfiguration: how to authenticate to admission webhooks (NULL: the server does
     * not), and the configuration of the plugin PodSecurity (NULL: its defaults). */
    const char *admission_control_config_file;
    /* Rules "HOST:PORT=ADDRESS:PORT" for the addresses of admission webhooks, e.g.
     * "hook.default.svc:443=127.0.0.1:9443"; ends with NULL; NULL: none. */
    const char *const *webhook_resolve;
} lw_server_webhooks;

/* Servers behind this one: API servers (APIServices), kubelets, pods and services. */
typedef struct lw_server_proxies {
    /* PEM, the client certificate that API servers behind this one trust to name the user; set both
     * or neither.  NULL: generated at the first start, in data_dir (or in memory). */
    const char *proxy_client_cert_file, *proxy_client_key_file;
    const char *kubelet_certificate_authority; /* PEM, verifies kubelets; NULL: any is accepted */
    /* PEM, the client certificate for kubelets; NULL: generated, unless tls_cert_file and
     * client_ca_file are set. */
    const char *kubelet_client_certificate, *kubelet_client_key;
    /* Which addresses of a node are used for its kubelet; NULL:
     * "Hostname,InternalDNS,InternalIP,ExternalDNS,ExternalIP". */
    const char *kubelet_preferred_address_types;
    int64_t kubelet_timeout_s; /* until a kubelet begins to answer; 0: 5 seconds */
    /* Proxies to pods, services and nodes may reach loopback and link-local addresses, and
     * endpoints of services that are not pods: for servers whose users are trusted with this
     * machine. */
    bool proxy_any_address;
} lw_server_proxies;

/* All defaults. */
#ifdef __cplusplus
#define LW_SERVER_OPTIONS_INIT                                                                     \
    {                                                                                              \
    }
#else
#define LW_SERVER_OPTIONS_INIT                                                                     \
    {                                                                                              \
        0                                                                                          \
    }
#endif
#define LW_SERVER_WEBHOOKS_INIT LW_SERVER_OPTIONS_INIT
#define LW_SERVER_PROXIES_INIT  LW_SERVER_OPTIONS_INIT
#define LW_SERVER_MIRROR_INIT   LW_SERVER_OPTIONS_INIT

typedef struct lw_server lw_server;

/* Starts a server and returns when it serves requests.  LW_ERR_INVALID (an option is invalid),
 * LW_ERR_IO (address in use, disk, permissions), LW_ERR_UNAVAILABLE (etcd does not respond),
 * LW_ERR_UNAUTHORIZED (etcd did not accept the credentials), LW_ERR_NOMEM; the message says what to
 * do. */
LW_MUST_CHECK LW_API lw_status lw_server_start(lw_server **out, const lw_server_options *options,
                                               lw_error *err);

/* Returns the HTTPS URL, e.g. "https://127.0.0.1:6443"; NULL if HTTPS is disabled.  Valid as long
 * as the server. */
LW_API const char *lw_server_url(const lw_server *server);
/* Returns the URL for plain HTTP; NULL if it is disabled.  Valid as long as the server. */
LW_API const char *lw_server_insecure_url(const lw_server *server);

/* Returns the path of the kubeconfig that was written, or NULL.  Valid as long as the server. */
LW_API const char *lw_server_kubeconfig(const lw_server *server);

/* Shows informers of this program on the web page of the server for ten seconds; |report| is the
 * output of lw_factory_report.  LW_ERR_SYNTAX and LW_ERR_INVALID (not a report), LW_ERR_LIMIT (too
 * many informers), LW_ERR_NOMEM. */
LW_MUST_CHECK LW_API lw_status lw_server_show_informers(lw_server *server, const char *report,
                                                        lw_error *err);

/* Writes a link with which a browser signs in to the page as system:admin, to |dst| of |size| bytes
 * (256 are enough).  It works once, for five minutes; there are at most eight, and a new one
 * replaces the oldest.  The session lasts twelve hours.  If HTTPS is disabled, it is the address of
 * the page, where no sign-in is needed.  LW_ERR_LIMIT (|size| is too small), LW_ERR_IO (no random
 * bytes), LW_ERR_NOMEM. */
LW_MUST_CHECK LW_API lw_status lw_server_page_link(lw_server *server, char *dst, size_t size,
                                                   lw_error *err);

/* Ends watches, finishes requests in progress (for at most |grace_s| seconds), writes all data to
 * disk, and frees the server.  NULL does nothing.  Returns when all threads of the server have
 * ended; this may take as long as the store needs, and it never ends the process.  A program that
 * must end in time may exit without it: acknowledged writes are on disk. */
LW_API void lw_server_stop(lw_server *server, int grace_s);

LW_END_DECLS

#endif
