/* SPDX-License-Identifier: Apache-2.0 */
/* template_hash.h -- a hash of a Pod template that is the same for equivalent templates:
 * independent of the order of members, ignoring null and empty values. */
#ifndef LW_CONTROL_DEPLOYMENT_TEMPLATE_HASH_H
#define LW_CONTROL_DEPLOYMENT_TEMPLATE_HASH_H

#include <listwatch.h>

#define LW_TEMPLATE_LABEL "pod-template-hash"

enum {
    LW_TEMPLATE_HASH_SIZE = 11, /* ten letters and the NUL */
};

/* Returns the hash of |pod_template| of |doc|, without the label above. */
uint64_t lw_template_hash(lw_document *doc, const lw_value *pod_template);

/* Writes the value of the label; |collisions| is the Deployment's status.collisionCount. */
void lw_template_hash_text(char text[LW_TEMPLATE_HASH_SIZE], uint64_t hash, int64_t collisions);

#endif
