/* SPDX-License-Identifier: Apache-2.0 */
/* pod_outline.h -- the parts of a pod that say what it refers to.
 *
 * Most of a pod is of no interest to whoever follows its references, so it is not parsed. */
#ifndef LW_API_AUTHZ_POD_OUTLINE_H
#define LW_API_AUTHZ_POD_OUTLINE_H

#include "json/tree.h"

/* Parses what lw_pod_visit_refs and lw_pod_is_mirror look at in |json|, the valid JSON of a pod,
 * and its node; for them the result is the same as the whole pod.  LW_ERR_NOMEM, LW_ERR_LIMIT. */
LW_MUST_CHECK lw_status lw_pod_outline_parse(lw_str json, lw_tree **out);

#endif
