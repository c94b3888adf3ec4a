/* SPDX-License-Identifier: Apache-2.0 */
/* etcd.h -- a store on an etcd cluster, for more than one machine and more than one server.
 *
 * Keys, values and transactions are those of kube-apiserver.  Any number of servers may share the
 * cluster; each receives all changes through one watch, and answers a write after that watch has
 * delivered it.  etcd keeps the history; the servers take turns compacting it. */
#ifndef LW_STORE_ETCD_H
#define LW_STORE_ETCD_H

#include <listwatch/log.h>

#include "store/store.h"

enum {
    /* Interval of compactions; the history covers one to two intervals. */
    LW_STORE_ETCD_COMPACT_S = 300,
};

/* Options; strings are copied.  See etcd/etcd.h. */
typedef struct lw_store_etcd_options {
    const char *endpoints;
    const char *ca_file, *cert_file, *key_file;
    const char *user, *password;
    const char *prefix;      /* prefix of all keys of the server; NULL: "/registry/" */
    int64_t compact_s;       /* 0: LW_STORE_ETCD_COMPACT_S; negative: never */
    int request_timeout_ms;  /* timeout of reads and writes; 0: the client's default */
    const lw_logger *logger; /* may be NULL */
} lw_store_etcd_options;

/* Connects, and returns after the cluster has responded.  LW_ERR_INVALID, LW_ERR_UNAVAILABLE (the
 * message names the endpoints and their errors), LW_ERR_UNAUTHORIZED, LW_ERR_NOMEM, LW_ERR_IO. */
lw_status lw_store_etcd_open(lw_store **out, const lw_store_etcd_options *options, lw_error *err);

#endif
