/* SPDX-License-Identifier: Apache-2.0 */
/* discovery.h -- the documents by which clients learn what is served. */
#ifndef LW_SCHEMA_DISCOVERY_DISCOVERY_H
#define LW_SCHEMA_DISCOVERY_DISCOVERY_H

#include "schema/kinds/registry.h"
#include "json/writer.h"

/* /api: {"kind":"APIVersions",...}; |server_address| ("127.0.0.1:6443") goes into
 * serverAddressByClientCIDRs. */
void lw_discovery_core_versions(const lw_registry *registry, lw_str server_address,
                                lw_json_writer *w);

/* /apis: APIGroupList. */
void lw_discovery_groups(const lw_registry *registry, lw_json_writer *w);

/* /apis/{group}: APIGroup.  False, nothing written: no such group. */
bool lw_discovery_group(const lw_registry *registry, lw_str group, lw_json_writer *w);

/* /api/v1 and /apis/{group}/{version}: APIResourceList with subresources.  False: not served. */
bool lw_discovery_resources(const lw_registry *registry, lw_str group, lw_str version,
                            lw_json_writer *w);

/* /api and /apis as APIGroupDiscoveryList of apidiscovery.k8s.io/v2. */
void lw_discovery_aggregated(const lw_registry *registry, bool is_core, lw_json_writer *w);

#endif
