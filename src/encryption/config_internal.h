/* SPDX-License-Identifier: Apache-2.0 */
/* config_internal.h -- the struct of a configuration, for the files that read it. */
#ifndef LW_ENCRYPTION_CONFIG_INTERNAL_H
#define LW_ENCRYPTION_CONFIG_INTERNAL_H

#include "encryption/config.h"
#include "json/tree.h"

/* One resource that is named. */
typedef struct lw_encryption_rule {
    lw_str group, resource;  /* "*" for all */
    lw_encryption_keys keys; /* the prefixes belong to the rule too */
} lw_encryption_rule;

struct lw_encryption_config {
    lw_encryption_rule *rules;
    size_t count;
};

/* Fills |config| from the document |root|.  LW_ERR_INVALID, LW_ERR_LIMIT, LW_ERR_NOMEM. */
lw_status lw_encryption__read(lw_encryption_config *config, const lw_node *root, lw_error *err);

/* The rule of exactly |group| and |resource|; NULL if there is none. */
lw_encryption_rule *lw_encryption__rule(const lw_encryption_config *config, lw_str group,
                                        lw_str resource);

#endif
