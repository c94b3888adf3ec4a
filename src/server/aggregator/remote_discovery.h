/* SPDX-License-Identifier: Apache-2.0 */
/* remote_discovery.h -- reads what another API server says about itself.
 *
 * The documents come from elsewhere: everything is checked, and what does not fit is left out.
 * Errors: LW_ERR_NOT_FOUND (the version is not in it), LW_ERR_SYNTAX, LW_ERR_INVALID (not such a
 * document), LW_ERR_LIMIT, LW_ERR_NOMEM. */
#ifndef LW_SERVER_AGGREGATOR_REMOTE_DISCOVERY_H
#define LW_SERVER_AGGREGATOR_REMOTE_DISCOVERY_H

#include "base/buf.h"

enum {
    LW_REMOTE_DISCOVERY_MAX = 4 * 1024 * 1024, /* bytes of a document */
    LW_REMOTE_URL_MAX = 4096,                  /* bytes of the path of an OpenAPI document */
};

/* Appends the APIVersionDiscovery of |group| and |version|, without freshness, from an
 * APIGroupDiscoveryList. */
LW_MUST_CHECK lw_status lw_remote_discovery_pick(lw_str json, lw_str group, lw_str version,
                                                 lw_buf *out);

/* The same from an APIResourceList, which servers before Kubernetes 1.26 have. */
LW_MUST_CHECK lw_status lw_remote_discovery_convert(lw_str json, lw_str group, lw_str version,
                                                    lw_buf *out);

/* Appends the path of the document of |group| and |version| from the index at /openapi/v3. */
LW_MUST_CHECK lw_status lw_remote_openapi_pick(lw_str json, lw_str group, lw_str version,
                                               lw_buf *out);

#endif
