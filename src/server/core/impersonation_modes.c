/* SPDX-License-Identifier: Apache-2.0 */
/* impersonation_modes.c -- asks the authorizers about each part of an impersonated user.
 *
 * Each part is a resource: users, groups, serviceaccounts and nodes; uids and userextras/KEY, which
 * are always of the group authentication.k8s.io. */
#include "server/core/impersonation_modes.h"

#include <stdio.h>
#include <string.h>

#include "api/authz/forbidden.h"
#include "api/context/asker.h"
#include "base/hash.h"
#include "base/str.h"
#include "object/names.h"
#include "object/quote.h"

#define ACCOUNT_PREFIX "system:serviceaccount:"
#define NODE_PREFIX    "system:node:"
#define NODE_NAME_KEY  "authentication.kubernetes.io/node-name"
#define NO_KEY         "impersonating an invalid key in extra is not allowed: extra.key: Invalid value: "

enum {
    VERB_SIZE = 96,
    MANY = 4, /* groups or extra values for which a constrained mode asks about "*" first */
    REASON_MAX = 64 * 1024,
};

typedef enum mode {
    ASSOCIATED_NODE,
    ARBITRARY_NODE,
    SERVICE_ACCOUNT,
    USER_INFO,
    LEGACY,
    MODES,
} mode;

static const char *const mode_names[MODES] = {
    [ASSOCIATED_NODE] = "associated-node",
    [ARBITRARY_NODE] = "arbitrary-node",
    [SERVICE_ACCOUNT] = "serviceaccount",
    [USER_INFO] = "user-info",
    [LEGACY] = "",
};

/* One mode that is tried. */
typedef struct attempt {
    lw_authz *authz;
    const lw_user *caller, *other;
    const lw_authz_attributes *asked;
    mode by;
    lw_api_status *status;
} attempt;

bool lw_impersonation_is_account(lw_str user, lw_str *ns, lw_str *name)
{
    return lw_str_starts_with(user, LW_STR(ACCOUNT_PREFIX)) &&
           lw_str_cut(lw_str_skip(user, sizeof(ACCOUNT_PREFIX) - 1), ':', ns, name) &&
           lw_name_is_dns1123_label(*ns, NULL) && lw_name_is_dns1123_subdomain(*name, NULL);
}

bool lw_impersonation_is_node(lw_str user, lw_str *name)
{
    if (!lw_str_starts_with(user, LW_STR(NODE_PREFIX)))
        return false;
    *name = lw_str_skip(user, sizeof(NODE_PREFIX) - 1);
    return lw_name_is_dns1123_subdomain(*name, NULL);
}

static bool has_only_name(const lw_user *user)
{
    return user->uid.len == 0 && user->group_count == 0 && user->extra_count == 0;
}

/* True if |caller| is a service account whose token is bound to the node |name|. */
static bool is_on_node(const lw_user *caller, lw_str name)
{
    lw_str ns, account;
    if (!lw_impersonation_is_account(caller->name, &ns, &account))
        return false;
    for (size_t i = 0; i < caller->extra_count; i++) {
        const lw_user_extra *extra = &caller->extras[i];
        if (lw_str_equal(extra->key, LW_STR(NODE_NAME_KEY)))
            return extra->count == 1 && lw_str_equal(extra->values[0], name);
    }
    return false;
}

/* True if the mode is for users like |other|. */
static bool is_for(mode by, const lw_user *other, const lw_user *caller)
{
    lw_str ns, name;
    bool is_account = lw_impersonation_is_account(other->name, &ns, &name);
    bool is_node = lw_impersonation_is_node(other->name, &name);
    switch (by) {
    case ASSOCIATED_NODE: return is_node && has_only_name(other) && is_on_node(caller, name);
    case ARBITRARY_NODE: return is_node && has_only_name(other);
    case SERVICE_ACCOUNT: return is_account && has_only_name(other);
    case USER_INFO: return !is_node && !is_account;
    case LEGACY:
    case MODES: break;
    }
    return true;
}

static bool is_waiting(const lw_authz_attributes *asked)
{
    return asked->stream && lw_asker_is_waiting(asked->stream);
}

/* Asks the authorizers; false: the status is the 403, which is not final while the request waits
 * for the answer of a webhook.  Until then nothing else is asked. */
static bool ask(const attempt *a, const lw_authz_attributes *attributes)
{
    lw_buf reason;
    if (is_waiting(a->asked)) {
        lw_authz_forbid(a->status, attributes, LW_STR(""));
        return false;
    }
    bool is_allowed =
        a->authz ? lw_authz_allows(a->authz, attributes) : lw_authz_is_privileged(a->caller);
    if (is_allowed)
        return true;
    lw_buf_init(&reason, LW_AUTHZ_REASON_MAX);
    if (a->authz)
        (void)lw_authz_decide(a->authz, attributes, &reason);
    lw_authz_forbid(a->status, attributes, lw_buf_view(&reason));
    lw_buf_done(&reason);
    return false;
}

/* The attributes of a part of the user. */
static lw_authz_attributes part_of(const attempt *a, lw_str verb, lw_str resource, lw_str name)
{
    return (lw_authz_attributes){ .user = a->caller,
                                  .verb = verb,
                                  .is_resource = true,
                                  .group = a->by == LEGACY ? LW_STR("")
                                                           : LW_STR("authentication.k8s.io"),
                                  .version = LW_STR("v1"),
                                  .resource = resource,
                                  .name = name,
                                  .stream = a->asked->stream };
}

static bool may_be_user(const attempt *a, lw_str verb)
{
    lw_str ns, name;
    lw_authz_attributes part = part_of(a, verb, LW_STR("users"), a->other->name);
    if (a->by != LEGACY && lw_impersonation_is_node(a->other->name, &name)) {
        part.resource = LW_STR("nodes");
        part.name = a->by == ASSOCIATED_NODE ? LW_STR("*") : name;
    } else if (lw_impersonation_is_account(a->other->name, &ns, &name)) {
        part.resource = LW_STR("serviceaccounts");
        part.ns = ns;
        part.name = name;
    }
    return ask(a, &part);
}

static bool may_have_uid(const attempt *a, lw_str verb)
{
    lw_authz_attributes part = part_of(a, verb, LW_STR("uids"), a->other->uid);
    part.group = LW_STR("authentication.k8s.io");
    return a->other->uid.len == 0 || ask(a, &part);
}

static bool forbid(const attempt *a, const lw_authz_attributes *part, lw_str why)
{
    lw_authz_forbid(a->status, part, why);
    return false;
}

/* Asks about "*" if there are many; a refusal of that is not told. */
static bool may_have_all(const attempt *a, lw_authz_attributes part, size_t count)
{
    if (a->by == LEGACY || count < MANY || !a->authz)
        return false;
    part.name = LW_STR("*");
    if (part.subresource.len > 0)
        part.subresource = LW_STR("*");
    return lw_authz_allows(a->authz, &part);
}

static bool may_have_groups(const attempt *a, lw_str verb)
{
    lw_authz_attributes part = part_of(a, verb, LW_STR("groups"), LW_STR(""));
    const lw_user *other = a->other;
    for (size_t i = 0; i < other->group_count && a->by != LEGACY; i++) {
        if (other->groups[i].len == 0)
            return forbid(a, &part, LW_STR("impersonating the empty string group is not allowed"));
    }
    for (size_t i = 0; i < other->group_count && a->by != LEGACY; i++) {
        part.name = other->groups[i];
        if (lw_str_equal(part.name, LW_STR(LW_GROUP_MASTERS)))
            return forbid(a, &part,
                          LW_STR("impersonating the system:masters group is not allowed"));
    }
    if (may_have_all(a, part, other->group_count))
        return true;
    for (size_t i = 0; i < other->group_count; i++) {
        part.name = other->groups[i];
        if (!ask(a, &part))
            return false;
    }
    return true;
}

/* Keys of extras are "DOMAIN/PATH" in the constrained modes. */
static bool is_key(lw_str key)
{
    lw_str domain, path;
    return lw_str_cut(key, '/', &domain, &path) && path.len > 0 &&
           lw_name_is_dns1123_subdomain(domain, NULL);
}

static bool has_good_extras(const attempt *a, const lw_authz_attributes *part)
{
    for (size_t i = 0; i < a->other->extra_count; i++) {
        const lw_user_extra *extra = &a->other->extras[i];
        if (extra->key.len == 0)
            return forbid(a, part,
                          LW_STR("impersonating the empty string key in extra is not allowed"));
        if (!is_key(extra->key)) {
            lw_buf why;
            lw_buf_init(&why, REASON_MAX);
            lw_buf_append_text(&why, NO_KEY);
            lw_quote_append(&why, extra->key);
            lw_buf_append_text(&why, ": must be a domain-prefixed path (such as \"acme.io/foo\")");
            (void)forbid(a, part, lw_buf_view(&why));
            lw_buf_done(&why);
            return false;
        }
        for (size_t j = 0; j < extra->count; j++) {
            if (extra->values[j].len == 0)
                return forbid(a, part,
                              LW_STR(
                                  "impersonating the empty string value in extra is not allowed"));
        }
    }
    return true;
}

static bool may_have_extras(const attempt *a, lw_str verb)
{
    const lw_user *other = a->other;
    size_t count = 0;
    lw_authz_attributes part = part_of(a, verb, LW_STR("userextras"), LW_STR(""));
    part.group = LW_STR("authentication.k8s.io");
    if (a->by != LEGACY && !has_good_extras(a, &part))
        return false;
    for (size_t i = 0; i < other->extra_count; i++)
        count += other->extras[i].count;
    part.subresource = LW_STR("*");
    if (may_have_all(a, part, count))
        return true;
    for (size_t i = 0; i < other->extra_count; i++) {
        part.subresource = other->extras[i].key;
        for (size_t j = 0; j < other->extras[i].count; j++) {
            part.name = other->extras[i].values[j];
            if (!ask(a, &part))
                return false;
        }
    }
    return true;
}

/* What a constrained mode asks about the request itself. */
static bool may_request(const attempt *a)
{
    lw_buf verb;
    lw_authz_attributes asked = *a->asked;
    lw_buf_init(&verb, REASON_MAX);
    lw_buf_printf(&verb, "impersonate-on:%s:%.*s", mode_names[a->by], LW_STR_ARG(asked.verb));
    asked.verb = lw_buf_view(&verb);
    bool is_allowed = ask(a, &asked);
    if (verb.st < 0)
        a->status->st = verb.st;
    lw_buf_done(&verb);
    return is_allowed;
}

static bool allows(const attempt *a)
{
    char text[VERB_SIZE] = "impersonate";
    if (a->by != LEGACY) {
        (void)snprintf(text, sizeof(text), "impersonate:%s", mode_names[a->by]);
        if (!may_request(a))
            return false;
    }
    lw_str verb = lw_str_of(text);
    return may_be_user(a, verb) && may_have_uid(a, verb) && may_have_groups(a, verb) &&
           may_have_extras(a, verb);
}

/* The modes in the order in which they are tried. */
static void order_modes(mode order[MODES], unsigned char last)
{
    size_t count = 0;
    if (last > 0)
        order[count++] = (mode)(last - 1);
    for (size_t i = 0; i < MODES; i++) {
        if (i + 1 != last)
            order[count++] = (mode)i;
    }
}

bool lw_impersonation_allowed(lw_impersonation_modes *modes, lw_authz *authz, const lw_user *other,
                              const lw_authz_attributes *asked, bool *is_constrained,
                              lw_api_status *status)
{
    static const lw_hash_seed seed = { 0 };
    const lw_user *caller = asked->user;
    atomic_uchar *last = &modes->last[lw_hash_str(seed, caller->name) % LW_IMPERSONATION_CALLERS];
    lw_api_status later;
    mode order[MODES];
    bool has_refusal = false;
    order_modes(order, atomic_load_explicit(last, memory_order_relaxed));
    for (size_t i = 0; i < MODES; i++) {
        if (!is_for(order[i], other, caller) || (!authz && order[i] != LEGACY))
            continue;
        const attempt a = { authz, caller, other, asked, order[i], has_refusal ? &later : status };
        if (allows(&a)) {
            if (has_refusal)
                lw_api_status_done(status);
            atomic_store_explicit(last, (unsigned char)(order[i] + 1), memory_order_relaxed);
            *is_constrained = order[i] != LEGACY;
            return true;
        }
        if (has_refusal)
            lw_api_status_done(&later);
        has_refusal = true;
        if (is_waiting(asked))
            return false;
    }
    return false;
}
