/* SPDX-License-Identifier: Apache-2.0 */
/* etcd_watch.h -- internals of a watch of the etcd store.  Used on the store's thread only. */
#ifndef LW_STORE_ETCD_WATCH_H
#define LW_STORE_ETCD_WATCH_H

#include "store/etcd_internal.h"

struct lw_store_watch {
    lw_etcd_store *store;
    lw_store_sink sink;
    uint64_t told; /* everything up to here was delivered, or is not wanted */
    bool is_over;
    bool is_catching_up; /* fed by |feed|; otherwise by the main feed */
    lw_etcd_feed feed;
    lw_dlist_node link;
    lw_str prefix; /* points to the bytes after the struct */
    char prefix_bytes[];
};

#endif
