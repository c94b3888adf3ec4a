/* SPDX-License-Identifier: Apache-2.0 */
/* pod_warnings.h -- warnings about the values of a pod or of a pod template. */
#ifndef LW_API_WARNINGS_POD_WARNINGS_H
#define LW_API_WARNINGS_POD_WARNINGS_H

#include "api/warnings/warn.h"

/* Warns of the values in |pod|, which has metadata and a spec.  |path| is that of the template;
 * NULL: it is a pod. */
void lw_pod_warnings(lw_api_call *call, const lw_field_path *path, const lw_node *pod);

/* Warns of the values in the spec of a claim at |path|. */
void lw_claim_warnings(lw_api_call *call, lw_field_path path, const lw_node *spec);

/* volume_paths.c -- Warns of files of one volume that hide one another. */
void lw_volume_path_warnings(lw_api_call *call, const lw_node *volumes);

/* port_warnings.c -- Warns of ports that are defined twice in the containers of |spec|, which is at
 * |path|. */
void lw_port_warnings(lw_api_call *call, lw_field_path path, const lw_node *spec);

/* The lists of containers of a spec, in the order in which they are looked at; ends with a NULL. */
extern const char *const lw_container_lists[];

#endif
