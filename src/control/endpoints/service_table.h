/* SPDX-License-Identifier: Apache-2.0 */
/* service_table.h -- finds the services that select a pod without reading them, and limits how
 * often each service is reconciled.
 *
 * A service with very many pods is expensive whenever one of them changes: after each run it rests
 * ten times as long as the run took.  Any thread. */
#ifndef LW_CONTROL_ENDPOINTS_SERVICE_TABLE_H
#define LW_CONTROL_ENDPOINTS_SERVICE_TABLE_H

#include <listwatch.h>

typedef struct lw_service_table lw_service_table;

/* Creates a table.  LW_ERR_NOMEM. */
lw_status lw_service_table_new(lw_service_table **out, lw_error *err);
void lw_service_table_free(lw_service_table *table);

/* Parses the selector of |service|.  LW_ERR_NOT_FOUND: it has none; LW_ERR_INVALID, LW_ERR_LIMIT,
 * LW_ERR_NOMEM. */
lw_status lw_service_selector(const lw_object *service, lw_label_selector **out);

/* Record that a service was added or changed, or deleted.  LW_ERR_NOMEM: pods are not matched to
 * it. */
lw_status lw_service_table_set(lw_service_table *table, const lw_object *service);
void lw_service_table_remove(lw_service_table *table, const lw_object *service);

/* Calls |found| for each service that selects |pod|; under the table's lock. */
typedef void (*lw_service_found_fn)(lw_str ns, lw_str name, void *arg);
void lw_service_table_match(lw_service_table *table, const lw_object *pod,
                            lw_service_found_fn found, void *arg);

/* Returns how long the service still rests; 0: it may be reconciled. */
int64_t lw_service_table_rest(lw_service_table *table, lw_key key, int64_t now_ns);

/* Records that a run took |cost_ns| of CPU time and has just ended. */
void lw_service_table_ran(lw_service_table *table, lw_key key, int64_t cost_ns, int64_t now_ns);

#endif
