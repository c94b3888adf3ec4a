/* SPDX-License-Identifier: Apache-2.0 */
/* flow_schema.h -- FlowSchema and PriorityLevelConfiguration in the form in which requests are
 * matched: no JSON, no allocation. */
#ifndef LW_SERVER_FLOWCONTROL_FLOW_SCHEMA_H
#define LW_SERVER_FLOWCONTROL_FLOW_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <listwatch/error.h>

#include "api/context/user.h"
#include "api/http/request_info.h"
#include "base/arena.h"

/* A list of names; "*" alone matches everything. */
typedef struct lw_flow_names {
    const lw_str *at;
    size_t count;
    bool is_any;
} lw_flow_names;

typedef enum lw_flow_subject_kind {
    LW_FLOW_USER,
    LW_FLOW_GROUP,
    LW_FLOW_SERVICE_ACCOUNT,
} lw_flow_subject_kind;

typedef struct lw_flow_subject {
    lw_flow_subject_kind kind;
    lw_str name;
    lw_str ns;   /* of a service account */
    bool is_any; /* the name is "*" */
} lw_flow_subject;

typedef struct lw_flow_resource_rule {
    lw_flow_names verbs, groups, resources, namespaces;
    bool has_cluster_scope;
} lw_flow_resource_rule;

typedef struct lw_flow_path_rule {
    lw_flow_names verbs, paths;
} lw_flow_path_rule;

typedef struct lw_flow_rule {
    lw_flow_subject *subjects;
    size_t subject_count;
    lw_flow_resource_rule *resource_rules;
    size_t resource_rule_count;
    lw_flow_path_rule *path_rules;
    size_t path_rule_count;
} lw_flow_rule;

typedef enum lw_flow_distinguisher {
    LW_FLOW_ONE, /* all requests are one flow */
    LW_FLOW_BY_USER,
    LW_FLOW_BY_NAMESPACE,
} lw_flow_distinguisher;

typedef struct lw_flow_schema {
    lw_str name, uid;
    lw_str level_name;
    int64_t precedence;
    lw_flow_distinguisher distinguisher;
    lw_flow_rule *rules;
    size_t rule_count;
} lw_flow_schema;

typedef struct lw_flow_level_spec {
    lw_str name, uid;
    bool is_exempt;
    int64_t shares;
    int64_t lendable_percent;
    int64_t borrowing_percent; /* < 0: no limit */
    uint32_t queues;           /* 0: Reject */
    uint32_t hand_size, length_limit;
} lw_flow_level_spec;

/* Read an object from its JSON; strings are copied to |arena|.  LW_ERR_INVALID: the object
 * contradicts itself and is to be ignored; LW_ERR_NOMEM, LW_ERR_LIMIT. */
lw_status lw_flow_schema_read(lw_flow_schema *schema, lw_str json, lw_arena *arena);
lw_status lw_flow_level_spec_read(lw_flow_level_spec *spec, lw_str json, lw_arena *arena);

/* Orders schemas as they are matched: by precedence, then by name.  For qsort. */
int lw_flow_schema_compare(const void *a, const void *b);

bool lw_flow_schema_matches(const lw_flow_schema *schema, const lw_request_info *info,
                            const lw_user *user);

/* Returns what distinguishes the flow of a request from others of the schema. */
lw_str lw_flow_schema_distinguish(const lw_flow_schema *schema, const lw_request_info *info,
                                  const lw_user *user);

#endif
