/* SPDX-License-Identifier: Apache-2.0 */
/* validate.h -- validates what webhooks of a configuration match: rules, selectors and
 * conditions; and where they are. */
#ifndef LW_API_WEBHOOKS_VALIDATE_H
#define LW_API_WEBHOOKS_VALIDATE_H

#include "api/pending/field_path.h"
#include "object/api_status.h"
#include "json/tree.h"

/* Each adds the errors of the member of |webhook|, which is at |at|. */
void lw_webhook_validate_rules(const lw_node *webhook, const lw_field_path *at,
                               lw_api_status *errors);
void lw_webhook_validate_selectors(const lw_node *webhook, const lw_field_path *at,
                                   lw_api_status *errors);
void lw_webhook_validate_conditions(const lw_node *webhook, const lw_field_path *at,
                                    lw_api_status *errors);
void lw_webhook_validate_client(const lw_node *webhook, const lw_field_path *at,
                                lw_api_status *errors);

/* The same for a clientConfig that is itself at |at|. */
void lw_client_config_validate(const lw_node *config, const lw_field_path *at,
                               lw_api_status *errors);

#endif
