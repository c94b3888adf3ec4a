/* SPDX-License-Identifier: Apache-2.0 */
/* server.h -- a Kubernetes-compatible API server inside your program: liblistwatch-server.
 *
 * Start, ask for its addresses, stop.  It runs on threads of its own; every function may be called
 * from any thread. */
#ifndef LISTWATCH_SERVER_H
#define LISTWATCH_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <listwatch/api.h>
#include <listwatch/error.h>
#include <listwatch/log.h>

LW_BEGIN_DECLS

/* How a server is to run.  Strings are copied. */
typedef struct lw_server_options {
    const char *listen;          /* HTTPS; NULL: none.  "127.0.0.1:0" picks a port */
    const char *insecure_listen; /* plain HTTP, loopback only; NULL: none */
    const char *data_dir;        /* NULL: keep everything in memory */
    const char *tls_cert_file;   /* PEM; NULL: made in data_dir (or in memory) at the first start */
    const char *tls_key_file;
    const char *client_ca_file;  /* PEM; certificates it signed may come in */
    const char *token_file;      /* lines token,user,uid[,"group,group"] */
    const char *kubeconfig_file; /* where the admin's is written; NULL: into data_dir, if any */
    unsigned threads;            /* loops; 0: one a processor, at most four; 64 are the most */
    uint64_t history_bytes;      /* how much of the past is kept; 0: 64 MiB ... */
    int64_t history_age_s;       /* ... and how long; 0: an hour */
    int64_t event_ttl_s;         /* how long events are kept; 0: an hour; below 0: for ever */
    const lw_logger *logger;     /* outlives the server; NULL: silent */

    /* Objects in an etcd cluster, which other servers may share: "http://10.0.0.1:2379,..."; NULL:
     * in data_dir.  Then history_bytes is etcd's business, and history is once to twice as old as
     * history_age_s (0: five minutes).  Certificates and the like are still in data_dir, which
     * every server has for itself. */
    const char *etcd_endpoints;
    const char *etcd_ca_file;                   /* PEM, of the members; NULL: the system's */
    const char *etcd_cert_file, *etcd_key_file; /* PEM, this server's, for them */
    const char *etcd_user, *etcd_password;      /* etcd's own; NULL: none */
    const char *etcd_prefix;                    /* of all keys; NULL: "/registry/" */

    uint64_t protobuf_bytes; /* up to how much of objects is kept in protobuf, so that lists need
                                not be encoded again; 0: 256 MiB */
} lw_server_options;

#define LW_SERVER_OPTIONS_INIT                                                                     \
    {                                                                                              \
        NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, 0, 0, NULL, NULL, NULL, NULL, NULL,  \
            NULL, NULL, NULL, 0                                                                    \
    }

typedef struct lw_server lw_server;

/* Starts a server and returns when it answers requests.  LW_ERR_INVALID (an option cannot be used),
 * LW_ERR_IO (address in use, disk, permissions), LW_ERR_UNAVAILABLE (no etcd answers),
 * LW_ERR_UNAUTHORIZED (etcd refuses), LW_ERR_NOMEM; the message says what to do. */
LW_API lw_status lw_server_start(lw_server **out, const lw_server_options *options, lw_error *err);

/* Where it is called, as "https://127.0.0.1:6443"; NULL when it does not listen so.  Lives as long
 * as the server. */
LW_API const char *lw_server_url(const lw_server *server);
/* The same for plain HTTP. */
LW_API const char *lw_server_insecure_url(const lw_server *server);

/* The path of the kubeconfig that was written; NULL: none.  Lives as long as the server. */
LW_API const char *lw_server_kubeconfig(const lw_server *server);

/* Shows informers of this program on the server's page: |report| is what lw_factory_report wrote,
 * and is forgotten after ten seconds.  LW_ERR_SYNTAX and LW_ERR_INVALID (it is no report),
 * LW_ERR_LIMIT (too many informers), LW_ERR_NOMEM. */
LW_API lw_status lw_server_show_informers(lw_server *server, const char *report, lw_error *err);

/* Ends watches cleanly, finishes requests under way (|grace_s| seconds at most), writes everything
 * down, and frees the server.  NULL does nothing.  Returns when all threads of the server have
 * ended: it never ends the process, and waits as long as the store does.  A program that must end
 * in time may exit without it; what was acknowledged is on the disk. */
LW_API void lw_server_stop(lw_server *server, int grace_s);

LW_END_DECLS

#endif
