/* SPDX-License-Identifier: Apache-2.0 */
/* discovery_merge.h -- adds the groups and versions of other servers to the documents of this one,
 * in the order of their priorities. */
#ifndef LW_SERVER_AGGREGATOR_DISCOVERY_MERGE_H
#define LW_SERVER_AGGREGATOR_DISCOVERY_MERGE_H

#include "api/context/aggregation.h"
#include "server/aggregator/aggregator.h"

/* The aggregation of |aggregator|, for lw_api_options. */
lw_aggregation lw_discovery_merging(lw_aggregator *aggregator);

/* Adds the services of |table| to |json|; see lw_aggregation.merge. */
LW_MUST_CHECK lw_status lw_discovery_merge(const lw_apiservice_table *table,
                                           lw_aggregated_document document, lw_str group,
                                           lw_buf *json);

#endif
