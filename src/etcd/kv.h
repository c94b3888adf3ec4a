/* SPDX-License-Identifier: Apache-2.0 */
/* kv.h -- keys as etcd sends them, and as a caller sees them. */
#ifndef LW_ETCD_KV_H
#define LW_ETCD_KV_H

#include "etcd/etcd.h"
#include "etcd/messages.h"

/* NULL gives an empty one. */
lw_etcd_kv lw_etcd__kv_of(const LwEtcd__KeyValue *kv);

/* The revision of |header|; 0 without one. */
uint64_t lw_etcd__revision_of(const LwEtcd__ResponseHeader *header);

#endif
