/* SPDX-License-Identifier: Apache-2.0 */
/* policy.h -- the audit policy (audit.k8s.io/v1): which requests are recorded, and how much of
 * them.
 *
 * The first rule that matches a request counts.  A request that no rule matches is not recorded.  A
 * policy does not change after it was read; any thread may use it. */
#ifndef LW_SERVER_AUDIT_POLICY_H
#define LW_SERVER_AUDIT_POLICY_H

#include "api/authz/attributes.h"
#include "base/buf.h"

typedef enum lw_audit_level {
    LW_AUDIT_NONE,
    LW_AUDIT_METADATA,         /* who, when, what, and the status of the reply */
    LW_AUDIT_REQUEST,          /* and the body of the request */
    LW_AUDIT_REQUEST_RESPONSE, /* and that of the reply */
    LW_AUDIT_LEVELS,
} lw_audit_level;

/* The moments of a request at which an event can be written; bits of a set. */
typedef enum lw_audit_stage {
    LW_AUDIT_REQUEST_RECEIVED = 1 << 0,
    LW_AUDIT_RESPONSE_STARTED = 1 << 1, /* of requests that stay open, and failed authentication */
    LW_AUDIT_RESPONSE_COMPLETE = 1 << 2,
    LW_AUDIT_PANIC = 1 << 3, /* never happens here; policies may name it */
} lw_audit_stage;

enum {
    LW_AUDIT_POLICY_MAX = 1024 * 1024, /* bytes of a policy file */
};

typedef struct lw_audit_policy lw_audit_policy;

/* What a policy says about one request. */
typedef struct lw_audit_decision {
    lw_audit_level level;
    unsigned omitted_stages; /* of lw_audit_stage */
    bool omits_managed_fields;
} lw_audit_decision;

/* Parses a policy in YAML or JSON.  Unknown fields and values are errors.  LW_ERR_SYNTAX,
 * LW_ERR_INVALID: the message names the field, e.g. "rules[2].level"; LW_ERR_LIMIT, LW_ERR_NOMEM.
 */
LW_MUST_CHECK lw_status lw_audit_policy_parse(lw_audit_policy **out, lw_str text, lw_error *err);

/* Reads and parses the file |path|; messages name it.  Also LW_ERR_NOT_FOUND, LW_ERR_IO. */
LW_MUST_CHECK lw_status lw_audit_policy_read(lw_audit_policy **out, const char *path,
                                             lw_error *err);
void lw_audit_policy_free(lw_audit_policy *policy); /* NULL does nothing */

/* Decides about a request; its user may be NULL: authentication has failed. */
lw_audit_decision lw_audit_policy_decide(const lw_audit_policy *policy,
                                         const lw_authz_attributes *attributes);

/* "Metadata", "ResponseComplete". */
lw_str lw_audit_level_name(lw_audit_level level);
lw_str lw_audit_stage_name(lw_audit_stage stage);

#endif
