/* SPDX-License-Identifier: Apache-2.0 */
/* etcd_blocking.h -- a client of an etcd for programs without a loop: each call waits for its
 * answer.
 *
 * It has a loop of its own, which turns inside of its calls only: watches opened on its client are
 * told while somebody waits.  One thread at a time. */
#ifndef LW_TESTS_SUPPORT_ETCD_BLOCKING_H
#define LW_TESTS_SUPPORT_ETCD_BLOCKING_H

#include "etcd/etcd.h"

typedef struct etcd_blocking etcd_blocking;

/* As lw_etcd_new. */
lw_status etcd_blocking_new(etcd_blocking **out, const lw_etcd_options *options, lw_error *err);

/* NULL does nothing. */
void etcd_blocking_free(etcd_blocking *blocking);

/* What it is made of, for watches and own turns. */
lw_etcd *etcd_blocking_client(etcd_blocking *blocking);
lw_loop *etcd_blocking_loop(etcd_blocking *blocking);

/* Each asks, waits, hands the answer to |fn| (may be NULL), which sees answers without an error
 * only, and returns; errors are those of the answer.  |*is_unknown|, where it is not NULL, is set
 * on failure: see lw_etcd_answer. */
lw_status etcd_blocking_range(etcd_blocking *blocking, const lw_etcd_range_request *request,
                              lw_etcd_range_fn fn, void *arg, lw_error *err);
lw_status etcd_blocking_txn(etcd_blocking *blocking, const lw_etcd_txn_request *request,
                            lw_etcd_txn_fn fn, void *arg, bool *is_unknown, lw_error *err);
lw_status etcd_blocking_compact(etcd_blocking *blocking, uint64_t revision, lw_error *err);
lw_status etcd_blocking_lease_grant(etcd_blocking *blocking, int64_t ttl_s, int64_t *id,
                                    lw_error *err);
/* |*ttl_s|: what is left of it now; <= 0: it is gone. */
lw_status etcd_blocking_lease_keep_alive(etcd_blocking *blocking, int64_t id, int64_t *ttl_s,
                                         lw_error *err);
lw_status etcd_blocking_lease_revoke(etcd_blocking *blocking, int64_t id, lw_error *err);
lw_status etcd_blocking_status(etcd_blocking *blocking, lw_etcd_status_fn fn, void *arg,
                               lw_error *err);

#endif
