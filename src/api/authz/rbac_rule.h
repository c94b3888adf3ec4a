/* SPDX-License-Identifier: Apache-2.0 */
/* rbac_rule.h -- the rules of a Role or ClusterRole, compiled, and what they allow.
 *
 * A set of rules is one block, does not change, and is shared by references. */
#ifndef LW_API_AUTHZ_RBAC_RULE_H
#define LW_API_AUTHZ_RBAC_RULE_H

#include "api/authz/attributes.h"
#include "base/ref.h"
#include "json/tree.h"

/* A list of texts of a rule. */
typedef struct lw_rbac_texts {
    const lw_str *items;
    size_t count;
    bool has_all;    /* "*" is one of them; for resource names and URLs see their functions */
    uint64_t filter; /* of rules: lw_rbac_filter_of all items, with which most texts that are not in
                        the list are found out without a comparison; all bits if has_all */
} lw_rbac_texts;

/* One PolicyRule. */
typedef struct lw_rbac_rule {
    lw_rbac_texts verbs;
    lw_rbac_texts groups;
    lw_rbac_texts resources; /* "pods", "pods/log"; "*" stands for all, also before "/log" */
    lw_rbac_texts names;     /* empty: all objects */
    lw_rbac_texts urls;      /* "/healthz"; "*" at the end stands for anything */
} lw_rbac_rule;

typedef struct lw_rbac_rules {
    lw_ref refs;
    size_t count;
    uint64_t verbs;       /* the filters of all verbs */
    lw_rbac_rule items[]; /* their texts follow in the same block */
} lw_rbac_rules;

/* Compiles |rules|, the array "rules" of a role; NULL or anything but an array: no rules.
 * LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_rbac_rules_new(lw_rbac_rules **out, const lw_node *rules);
lw_rbac_rules *lw_rbac_rules_ref(lw_rbac_rules *rules);
void lw_rbac_rules_unref(lw_rbac_rules *rules); /* NULL does nothing */

/* Returns true if |rule| allows what |attributes| asks for; its user does not matter. */
bool lw_rbac_rule_allows(const lw_rbac_rule *rule, const lw_authz_attributes *attributes);

/* Returns one bit, of which there are 64.  Different texts may have the same one. */
static inline uint64_t lw_rbac_filter_of(lw_str text)
{
    size_t mix = text.len;
    if (text.len > 0)
        mix = 5 * mix + 3 * (unsigned char)text.ptr[0] + (unsigned char)text.ptr[text.len - 1];
    return UINT64_C(1) << (mix % 64);
}

/* Whether the list contains |text|. */
bool lw_rbac_texts_have(const lw_rbac_texts *texts, lw_str text);

/* Whether the list contains |text|, or "*". */
bool lw_rbac_texts_allow(const lw_rbac_texts *texts, lw_str text);

/* Whether the list of resources contains "*", |resource| with its |subresource| ("pods/log"), or
 * any resource with this subresource ("*" and "/log").  An empty subresource: the resource
 * itself. */
bool lw_rbac_resources_allow(const lw_rbac_texts *resources, lw_str resource, lw_str subresource);

/* Whether the list of URLs contains "*", |path|, or a beginning of |path| followed by "*". */
bool lw_rbac_urls_allow(const lw_rbac_texts *urls, lw_str path);

#endif
