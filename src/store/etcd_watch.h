/* SPDX-License-Identifier: Apache-2.0 */
/* etcd_watch.h -- a watch of the store on etcd, from inside.  All of it is the store's thread's. */
#ifndef LW_STORE_ETCD_WATCH_H
#define LW_STORE_ETCD_WATCH_H

#include "store/etcd_internal.h"

struct lw_store_watch {
    lw_etcd_store *store;
    lw_store_sink sink;
    uint64_t told; /* everything up to here; nothing before is wanted */
    bool is_over;
    bool is_catching_up; /* fed by |feed|; else by the main one */
    lw_etcd_feed feed;
    lw_dlist_node link;
    lw_str prefix; /* of the bytes behind the struct */
    char prefix_bytes[];
};

#endif
