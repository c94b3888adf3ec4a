/* SPDX-License-Identifier: Apache-2.0 */
/* pod_security_policy.h -- which standards the labels of a namespace ask for. */
#ifndef LW_API_PODSECURITY_POD_SECURITY_POLICY_H
#define LW_API_PODSECURITY_POD_SECURITY_POLICY_H

#include "api/podsecurity/pod_checks.h"
#include "object/api_errors.h"

#define LW_POD_SECURITY_PREFIX "pod-security.kubernetes.io/"

typedef struct lw_pod_security {
    lw_pod_standard enforce, audit, warn;
} lw_pod_security;

/* The configuration of the plugin. */
typedef struct lw_pod_security_config {
    lw_pod_security defaults;
    lw_str *namespaces, *usernames, *runtime_classes; /* exempt ones */
    size_t namespace_count, username_count, runtime_class_count;
    lw_arena arena;
} lw_pod_security_config;

/* Privileged, latest, no exemptions. */
extern const lw_pod_security_config lw_pod_security_defaults;

/* Reads the labels |labels| (NULL: none).  A label that is not valid adds a field error to |errors|
 * (may be NULL) and counts as restricted for enforce, as privileged for the others.  Returns false
 * if there was one. */
bool lw_pod_security_read(const lw_pod_security *defaults, const lw_node *labels,
                          lw_pod_security *out, lw_api_status *errors);

/* Reads a level or version as labels have them.  False: it is not valid. */
bool lw_pod_level_read(lw_str text, lw_pod_level *out);
bool lw_pod_version_read(lw_str text, int *out);

bool lw_pod_standard_equal(lw_pod_standard a, lw_pod_standard b);

/* True if all three are privileged. */
bool lw_pod_security_is_privileged(const lw_pod_security *policy);

/* Appends "restricted:latest". */
void lw_pod_standard_append(lw_pod_standard standard, lw_buf *out);

/* Reads a PodSecurityConfiguration.  LW_ERR_INVALID with the reason; LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_pod_security_config_new(lw_pod_security_config **out,
                                                   const lw_node *root, lw_error *err);
void lw_pod_security_config_free(lw_pod_security_config *config); /* NULL does nothing */

#endif
