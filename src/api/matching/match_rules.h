/* SPDX-License-Identifier: Apache-2.0 */
/* match_rules.h -- decides which requests an admission webhook or an admission policy applies to:
 * rules of groups, versions, resources, subresources, scope, operations and names, selectors of
 * namespaces and objects, and matchPolicy.
 *
 * Rules are compiled once from the JSON of a webhook or of MatchResources and never change; any
 * number of threads may match with them.  A request belongs to one thread. */
#ifndef LW_API_MATCHING_MATCH_RULES_H
#define LW_API_MATCHING_MATCH_RULES_H

#include <listwatch/label_selector.h>

#include "api/context/context.h"
#include "object/api_errors.h"
#include "json/tree.h"

enum {
    LW_MATCH_RULES_BYTES_MAX = 4 * 1024 * 1024, /* memory of compiled rules */
};

/* Operations of admission; one bit each. */
enum {
    LW_OPERATION_CREATE = 1 << 0,
    LW_OPERATION_UPDATE = 1 << 1,
    LW_OPERATION_DELETE = 1 << 2,
    LW_OPERATION_CONNECT = 1 << 3,
    LW_OPERATION_ALL = (1 << 4) - 1,
};

/* "CREATE"; of one bit. */
lw_str lw_operation_name(unsigned operation);

typedef struct lw_match_rules lw_match_rules;

/* Compiles the rules of a webhook: "rules", "matchPolicy", "namespaceSelector", "objectSelector".
 * A webhook without rules matches nothing.  Nothing of |webhook| is kept.  LW_ERR_INVALID: a
 * selector is not valid, and |err| has the reason; LW_ERR_LIMIT; LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_match_rules_of_webhook(lw_match_rules **out, const lw_node *webhook,
                                                  lw_error *err);

/* The same for MatchResources of a policy or a binding: "resourceRules", "excludeResourceRules",
 * "matchPolicy", "namespaceSelector", "objectSelector".  Without resourceRules, all resources
 * match. */
LW_MUST_CHECK lw_status lw_match_rules_of_resources(lw_match_rules **out, const lw_node *resources,
                                                    lw_error *err);
void lw_match_rules_free(lw_match_rules *rules); /* NULL does nothing */

/* A request as rules see it.  All views and nodes are borrowed.  Call lw_match_request_done after
 * the last match: it releases the namespace that was looked up. */
typedef struct lw_match_request {
    const lw_api *api;
    const lw_registry *registry; /* the kinds that are served, to find equivalent resources */
    const lw_kind *kind;         /* the resource that was requested */
    unsigned operation;          /* LW_OPERATION_, one bit */
    lw_str subresource;          /* "status"; empty: none */
    lw_str ns;                   /* of a namespace: its own name; empty: cluster-scoped */
    lw_str name;                 /* empty: not yet generated */
    const lw_node *object;       /* NULL: none, as for DELETE */
    const lw_node *old;          /* NULL: none */
    lw_object *ns_object;        /* internal: the namespace, once it was needed; starts NULL */
} lw_match_request;

void lw_match_request_done(lw_match_request *request);

/* Sets |*out| to the namespace of the request, which the request owns, or to NULL if it does not
 * exist or the request has none.  LW_ERR_NOMEM, LW_ERR_IO, LW_ERR_UNAVAILABLE. */
LW_MUST_CHECK lw_status lw_match_request_namespace(lw_match_request *request,
                                                   const lw_object **out);

/* Returns the kind that the first matching rule names: that of the request or, if matchPolicy is
 * Equivalent, another version or group of the same resource; NULL: no rule matches.  Selectors,
 * names and namespaces are not looked at. */
const lw_kind *lw_match_rules_find(const lw_match_rules *rules, const lw_match_request *request);

/* The selectors; NULL selects everything.  Valid as long as the rules. */
const lw_label_selector *lw_match_rules_namespaces(const lw_match_rules *rules);
const lw_label_selector *lw_match_rules_objects(const lw_match_rules *rules);

typedef enum lw_match_verdict {
    LW_MATCH_NONE,
    LW_MATCH_FOUND,
    LW_MATCH_ERROR, /* it cannot be decided: |status| has the reason (404, 500, 503) */
} lw_match_verdict;

/* Decides whether |rules| match the request.  LW_MATCH_FOUND: |*matched| is the kind that the rule
 * names, which is another version or group of the same resource if matchPolicy is Equivalent; it is
 * valid as long as the registry. */
lw_match_verdict lw_match_rules_decide(const lw_match_rules *rules, lw_match_request *request,
                                       const lw_kind **matched, lw_api_status *status);

/* Returns true if some request of |kind| could match, whatever its operation, name and labels.
 * False: |rules| never match a request of |kind| (an index need not visit them). */
bool lw_match_rules_may_match(const lw_match_rules *rules, const lw_registry *registry,
                              const lw_kind *kind);

/* Returns true for the kinds that configure admission, which no webhook and no policy sees: it
 * could make itself permanent. */
bool lw_match_is_exempt(const lw_kind *kind);

#endif
