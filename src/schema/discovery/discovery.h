/* SPDX-License-Identifier: Apache-2.0 */
/* discovery.h -- the discovery documents, from which clients learn which resources are served. */
#ifndef LW_SCHEMA_DISCOVERY_DISCOVERY_H
#define LW_SCHEMA_DISCOVERY_DISCOVERY_H

#include "schema/kinds/registry.h"
#include "json/writer.h"

/* Writes /api: {"kind":"APIVersions",...}.  |server_address| ("127.0.0.1:6443") is written to
 * serverAddressByClientCIDRs. */
void lw_discovery_core_versions(const lw_registry *registry, lw_str server_address,
                                lw_json_writer *w);

/* Writes /apis: an APIGroupList. */
void lw_discovery_groups(const lw_registry *registry, lw_json_writer *w);

/* Writes /apis/{group}: an APIGroup.  False: there is no such group, and nothing was written. */
bool lw_discovery_group(const lw_registry *registry, lw_str group, lw_json_writer *w);

/* Writes /api/v1 or /apis/{group}/{version}: an APIResourceList with subresources.  False: the
 * version is not served, and nothing was written. */
bool lw_discovery_resources(const lw_registry *registry, lw_str group, lw_str version,
                            lw_json_writer *w);

/* Writes /api or /apis as an APIGroupDiscoveryList of apidiscovery.k8s.io/v2. */
void lw_discovery_aggregated(const lw_registry *registry, bool is_core, lw_json_writer *w);

#endif
