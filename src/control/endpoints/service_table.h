/* SPDX-License-Identifier: Apache-2.0 */
/* service_table.h -- which services a pod belongs to, found without reading them; and how often
 * each may be worked on.
 *
 * A service of very many pods costs much each time one of them changes: it rests ten times as long
 * as it cost.  Any thread. */
#ifndef LW_CONTROL_ENDPOINTS_SERVICE_TABLE_H
#define LW_CONTROL_ENDPOINTS_SERVICE_TABLE_H

#include <listwatch.h>

typedef struct lw_service_table lw_service_table;

/* LW_ERR_NOMEM. */
lw_status lw_service_table_new(lw_service_table **out, lw_error *err);
void lw_service_table_free(lw_service_table *table);

/* The selector of |service|.  LW_ERR_NOT_FOUND: it has none; LW_ERR_INVALID, LW_ERR_LIMIT,
 * LW_ERR_NOMEM. */
lw_status lw_service_selector(const lw_object *service, lw_label_selector **out);

/* A service came or changed; went.  LW_ERR_NOMEM: pods do not find it. */
lw_status lw_service_table_set(lw_service_table *table, const lw_object *service);
void lw_service_table_remove(lw_service_table *table, const lw_object *service);

/* Calls |found| for each service that selects |pod|; under the table's lock. */
typedef void (*lw_service_found_fn)(lw_str ns, lw_str name, void *arg);
void lw_service_table_match(lw_service_table *table, const lw_object *pod,
                            lw_service_found_fn found, void *arg);

/* How long the service still rests; 0: it may be worked on. */
int64_t lw_service_table_rest(lw_service_table *table, lw_key key, int64_t now_ns);

/* It has cost |cost_ns| of work, and is done now. */
void lw_service_table_ran(lw_service_table *table, lw_key key, int64_t cost_ns, int64_t now_ns);

#endif
