/* SPDX-License-Identifier: Apache-2.0 */
/* kv.h -- converts etcd's keys and values to those of etcd.h. */
#ifndef LW_ETCD_KV_H
#define LW_ETCD_KV_H

#include "etcd/etcd.h"
#include "etcd/messages.h"

/* Converts |kv|; NULL gives an empty one. */
lw_etcd_kv lw_etcd__kv_of(const LwEtcd__KeyValue *kv);

/* Returns the revision of |header|; 0 if it is NULL. */
uint64_t lw_etcd__revision_of(const LwEtcd__ResponseHeader *header);

#endif
