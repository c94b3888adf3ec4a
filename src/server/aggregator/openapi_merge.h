/* SPDX-License-Identifier: Apache-2.0 */
/* openapi_merge.h -- adds what other servers say in /openapi/v2 to the document of this one, as
 * kube-aggregator does.
 *
 * Servers follow by the priority of their groups.  A path that is there already stays.  A
 * definition or parameter whose name is there with the same content is shared, with the kinds of
 * both; with other content it is added as NAME_v2, NAME_v3 and so on, and the references of that
 * server follow. */
#ifndef LW_SERVER_AGGREGATOR_OPENAPI_MERGE_H
#define LW_SERVER_AGGREGATOR_OPENAPI_MERGE_H

#include "base/buf.h"
#include "server/aggregator/apiservice.h"

enum {
    LW_OPENAPI_VARIANTS_MAX = 100, /* of a name; a server that needs another one is left out */
};

/* Adds the services of |table| to |json|, the document of this server.  LW_ERR_NOMEM, LW_ERR_LIMIT:
 * |json| is as it was. */
LW_MUST_CHECK lw_status lw_openapi_merge(const lw_apiservice_table *table, lw_buf *json);

/* Returns a number that changes with what lw_openapi_merge adds; 0: nothing. */
uint64_t lw_openapi_merge_stamp(const lw_apiservice_table *table);

#endif
