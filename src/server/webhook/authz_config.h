/* SPDX-License-Identifier: Apache-2.0 */
/* authz_config.h -- an AuthorizationConfiguration (apiserver.config.k8s.io): the authorizers in
 * order, and how webhooks among them are asked.
 *
 * Read strictly: unknown fields, wrong types and missing values are errors that name the field. */
#ifndef LW_SERVER_WEBHOOK_AUTHZ_CONFIG_H
#define LW_SERVER_WEBHOOK_AUTHZ_CONFIG_H

#include "api/authz/authz.h"
#include "server/webhook/access_review.h"
#include "server/webhook/match_conditions.h"
#include "json/tree.h"

enum {
    LW_AUTHZ_CONFIG_MAX = 1024 * 1024, /* bytes of the file */
};

/* How one webhook is asked. */
typedef struct lw_authz_webhook {
    int64_t timeout_ns;
    int64_t allowed_ttl_ns, denied_ttl_ns; /* 0: not cached */
    lw_review_version version;
    lw_authz_decision on_error; /* NO_OPINION or DENY */
    lw_str kubeconfig_file;
    lw_match_conditions *conditions; /* NULL: none */
} lw_authz_webhook;

typedef struct lw_authz_config {
    lw_tree *tree; /* of the views */
    size_t count;
    struct {
        lw_authz_mode mode;
        lw_str name;
        lw_authz_webhook webhook; /* of LW_AUTHZ_MODE_WEBHOOK */
    } at[LW_AUTHZ_STEPS_MAX];
} lw_authz_config;

/* Reads |text|, YAML or JSON.  LW_ERR_INVALID, LW_ERR_SYNTAX, LW_ERR_LIMIT, LW_ERR_NOMEM; call done
 * in any case. */
LW_MUST_CHECK lw_status lw_authz_config_parse(lw_authz_config *config, lw_str text, lw_error *err);
void lw_authz_config_done(lw_authz_config *config);

#endif
