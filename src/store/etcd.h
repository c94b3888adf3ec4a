/* SPDX-License-Identifier: Apache-2.0 */
/* etcd.h -- a store on an etcd cluster: for more than one machine, and more than one server.
 *
 * Keys, values and transactions are those of kube-apiserver.  Any number of servers may share the
 * cluster; each learns of all changes by one watch, and answers a write when that watch has told
 * it.  History is etcd's; the servers take turns in compacting it. */
#ifndef LW_STORE_ETCD_H
#define LW_STORE_ETCD_H

#include <listwatch/log.h>

#include "store/store.h"

enum {
    LW_STORE_ETCD_COMPACT_S = 300, /* between two compactions; history is once to twice as old */
};

/* Strings are copied.  As in etcd/etcd.h. */
typedef struct lw_store_etcd_options {
    const char *endpoints;
    const char *ca_file, *cert_file, *key_file;
    const char *user, *password;
    const char *prefix;      /* of all keys of the server; NULL: "/registry/" */
    int64_t compact_s;       /* 0: LW_STORE_ETCD_COMPACT_S; negative: never */
    int request_timeout_ms;  /* after which a read or a write has failed; 0: the client's */
    const lw_logger *logger; /* may be NULL */
} lw_store_etcd_options;

/* Connects, and returns when the cluster has answered.  LW_ERR_INVALID, LW_ERR_UNAVAILABLE (names
 * the endpoints and what each said), LW_ERR_UNAUTHORIZED, LW_ERR_NOMEM, LW_ERR_IO. */
lw_status lw_store_etcd_open(lw_store **out, const lw_store_etcd_options *options, lw_error *err);

#endif
