/* SPDX-License-Identifier: Apache-2.0 */
/* template_hash.h -- one number for a Pod template, the same for templates that mean the same:
 * whatever the order of members, and with what is null or empty left out. */
#ifndef LW_CONTROL_DEPLOYMENT_TEMPLATE_HASH_H
#define LW_CONTROL_DEPLOYMENT_TEMPLATE_HASH_H

#include <listwatch.h>

#define LW_TEMPLATE_LABEL "pod-template-hash"

enum {
    LW_TEMPLATE_HASH_SIZE = 11, /* ten letters and a NUL */
};

/* The hash of |pod_template| of |doc|, without the label above. */
uint64_t lw_template_hash(lw_document *doc, const lw_value *pod_template);

/* The value of the label; |collisions| as the Deployment's status counts them. */
void lw_template_hash_text(char text[LW_TEMPLATE_HASH_SIZE], uint64_t hash, int64_t collisions);

#endif
