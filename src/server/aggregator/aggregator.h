/* SPDX-License-Identifier: Apache-2.0 */
/* aggregator.h -- API servers behind this one (APIServices): follows them, checks whether they are
 * available, and knows what they serve.
 *
 *     APIService stored ──▶ checked (apiservice_check.c) ──▶ condition Available written
 *          ▲                  │ every 30 s, and when its Service or endpoints change
 *          │                  └▶ discovery and OpenAPI fetched ──▶ published in the table
 *     custom resources defined ──▶ their APIServices are created; gone ──▶ deleted
 *
 * Threads: the work is done on the background loop; the table is read by any thread. */
#ifndef LW_SERVER_AGGREGATOR_AGGREGATOR_H
#define LW_SERVER_AGGREGATOR_AGGREGATOR_H

#include <listwatch/log.h>

#include "api/api.h"
#include "server/aggregator/apiservice.h"

typedef struct lw_aggregator lw_aggregator;

/* The certificate of |identity| is copied.  LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_aggregator_new(lw_aggregator **out, const lw_proxy_identity *identity,
                                          const lw_logger *logger, lw_error *err);

/* Adds the APIServices of the built-in groups that are missing to |batch|.  LW_ERR_NOMEM,
 * LW_ERR_LIMIT. */
LW_MUST_CHECK lw_status lw_aggregator_seed(lw_seed_batch *batch);

/* Starts the work on |loop|, which is bound to the API and does not run yet.  It ends with the
 * loop's port.  LW_ERR_NOMEM, LW_ERR_IO. */
LW_MUST_CHECK lw_status lw_aggregator_start(lw_aggregator *aggregator, lw_loop *loop,
                                            lw_error *err);

/* After the loops were unbound.  NULL does nothing. */
void lw_aggregator_free(lw_aggregator *aggregator);

/* Returns the services of now, to unref; NULL: none.  Any thread; without services it costs
 * nothing. */
lw_apiservice_table *lw_aggregator_table_ref(lw_aggregator *aggregator);

/* lw_openapi_merge_stamp of the services of now.  Any thread. */
uint64_t lw_aggregator_openapi_stamp(lw_aggregator *aggregator);

/* Appends the metrics of APIServices in the format of Prometheus.  Any thread. */
void lw_aggregator_write_metrics(lw_aggregator *aggregator, lw_buf *out);

#endif
