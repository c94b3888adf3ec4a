/* SPDX-License-Identifier: Apache-2.0 */
/* blocking.h -- a client of an etcd for programs without a loop: each call waits for its answer.
 *
 * It has a loop of its own, which turns inside of its calls only: watches opened on its client are
 * told while somebody waits.  One thread at a time. */
#ifndef LW_ETCD_BLOCKING_H
#define LW_ETCD_BLOCKING_H

#include "etcd/etcd.h"

typedef struct lw_etcd_blocking lw_etcd_blocking;

/* As lw_etcd_new. */
lw_status lw_etcd_blocking_new(lw_etcd_blocking **out, const lw_etcd_options *options,
                               lw_error *err);

/* NULL does nothing. */
void lw_etcd_blocking_free(lw_etcd_blocking *blocking);

/* What it is made of, for watches and own turns. */
lw_etcd *lw_etcd_blocking_client(lw_etcd_blocking *blocking);
lw_loop *lw_etcd_blocking_loop(lw_etcd_blocking *blocking);

/* Each asks, waits, hands the answer to |fn| (may be NULL), which sees answers without an error
 * only, and returns; errors are those of the answer.  |*is_unknown|, where it is not NULL, is set
 * on failure: see lw_etcd_answer. */
lw_status lw_etcd_blocking_range(lw_etcd_blocking *blocking, const lw_etcd_range_request *request,
                                 lw_etcd_range_fn fn, void *arg, lw_error *err);
lw_status lw_etcd_blocking_txn(lw_etcd_blocking *blocking, const lw_etcd_txn_request *request,
                               lw_etcd_txn_fn fn, void *arg, bool *is_unknown, lw_error *err);
lw_status lw_etcd_blocking_compact(lw_etcd_blocking *blocking, uint64_t revision, lw_error *err);
lw_status lw_etcd_blocking_lease_grant(lw_etcd_blocking *blocking, int64_t ttl_s, int64_t *id,
                                       lw_error *err);
/* |*ttl_s|: what is left of it now; <= 0: it is gone. */
lw_status lw_etcd_blocking_lease_keep_alive(lw_etcd_blocking *blocking, int64_t id, int64_t *ttl_s,
                                            lw_error *err);
lw_status lw_etcd_blocking_lease_revoke(lw_etcd_blocking *blocking, int64_t id, lw_error *err);
lw_status lw_etcd_blocking_status(lw_etcd_blocking *blocking, lw_etcd_status_fn fn, void *arg,
                                  lw_error *err);

#endif
