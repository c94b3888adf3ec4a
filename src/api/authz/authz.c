/* SPDX-License-Identifier: Apache-2.0 */
/* authz.c -- the chain of authorizers. */
#include "api/authz/authz.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"

struct lw_authz {
    lw_authz_mode modes[LW_AUTHZ_MODES_MAX];
    size_t count;
    lw_rbac *rbac;           /* NULL: not one of the modes */
    lw_node_authorizer node; /* zeros: not one of the modes */
};

static const char *const mode_names[] = {
    [LW_AUTHZ_MODE_ALWAYS_ALLOW] = "AlwaysAllow",
    [LW_AUTHZ_MODE_ALWAYS_DENY] = "AlwaysDeny",
    [LW_AUTHZ_MODE_RBAC] = "RBAC",
    [LW_AUTHZ_MODE_NODE] = "Node",
};

enum {
    MODES = sizeof(mode_names) / sizeof(mode_names[0]),
};

/* What reasons call the authorizers: kube-apiserver derives it from the mode. */
static const char *const reason_prefixes[] = {
    [LW_AUTHZ_MODE_ALWAYS_ALLOW] = "alwaysallow: ",
    [LW_AUTHZ_MODE_ALWAYS_DENY] = "alwaysdeny: ",
    [LW_AUTHZ_MODE_RBAC] = "rbac: ",
    [LW_AUTHZ_MODE_NODE] = "node: ",
};

const char *lw_authz_mode_name(lw_authz_mode mode)
{
    return mode_names[mode];
}

lw_status lw_authz_parse_modes(lw_str text, lw_authz_mode modes[LW_AUTHZ_MODES_MAX], size_t *count,
                               lw_error *err)
{
    bool goes_on = true, has[MODES] = { false };
    *count = 0;
    while (goes_on) {
        lw_str word;
        size_t mode = 0;
        goes_on = lw_str_cut(text, ',', &word, &text);
        while (mode < MODES && !lw_str_equal(word, lw_str_of(mode_names[mode])))
            mode++;
        if (mode == MODES)
            return lw_error_set(err, LW_ERR_INVALID,
                                "unknown authorization mode \"%.*s\": use Node, RBAC, AlwaysAllow "
                                "or AlwaysDeny",
                                LW_STR_ARG(word));
        if (has[mode])
            return lw_error_set(err, LW_ERR_INVALID, "authorization mode %s appears twice",
                                mode_names[mode]);
        has[mode] = true;
        modes[(*count)++] = (lw_authz_mode)mode;
    }
    return LW_OK;
}

lw_status lw_authz_new(lw_authz **out, const lw_authz_mode *modes, size_t count, lw_error *err)
{
    lw_status st = LW_OK;
    lw_authz *authz = lw_alloc_zero(1, sizeof(*authz));
    if (!authz)
        return lw_error_nomem(err);
    for (size_t i = 0; i < count && st == LW_OK; i++) {
        authz->modes[authz->count++] = modes[i];
        if (modes[i] == LW_AUTHZ_MODE_RBAC)
            st = lw_rbac_new(&authz->rbac);
        else if (modes[i] == LW_AUTHZ_MODE_NODE)
            st = lw_node_authorizer_init(&authz->node);
    }
    if (st < 0) {
        lw_authz_free(authz);
        return lw_error_nomem(err);
    }
    *out = authz;
    return LW_OK;
}

void lw_authz_free(lw_authz *authz)
{
    if (!authz)
        return;
    lw_rbac_free(authz->rbac);
    lw_node_authorizer_done(&authz->node);
    lw_free(authz);
}

bool lw_authz_is_privileged(const lw_user *user)
{
    for (size_t i = 0; i < user->group_count; i++) {
        if (lw_str_equal(user->groups[i], LW_STR(LW_GROUP_MASTERS)))
            return true;
    }
    return false;
}

static lw_authz_decision ask(const lw_authz *authz, lw_authz_mode mode,
                             const lw_authz_attributes *attributes, lw_buf *reason)
{
    switch (mode) {
    case LW_AUTHZ_MODE_ALWAYS_ALLOW: return LW_AUTHZ_ALLOW;
    case LW_AUTHZ_MODE_ALWAYS_DENY:
        if (reason)
            lw_buf_append_text(reason, "Everything is forbidden.");
        return LW_AUTHZ_NO_OPINION;
    case LW_AUTHZ_MODE_RBAC: return lw_rbac_decide(authz->rbac, attributes, reason);
    case LW_AUTHZ_MODE_NODE: return lw_node_authorizer_decide(&authz->node, attributes, reason);
    }
    return LW_AUTHZ_NO_OPINION;
}

/* Removes the bytes from |start| to |end|. */
static void drop_middle(lw_buf *buf, size_t start, size_t end)
{
    if (start == end)
        return;
    memmove(buf->data + start, buf->data + end, buf->len - end);
    lw_buf_truncate(buf, buf->len - (end - start));
}

lw_authz_decision lw_authz_decide(lw_authz *authz, const lw_authz_attributes *attributes,
                                  lw_buf *reason)
{
    lw_authz_decision decision = LW_AUTHZ_NO_OPINION;
    if (!authz || lw_authz_is_privileged(attributes->user))
        return LW_AUTHZ_ALLOW;
    size_t start = reason ? reason->len : 0;
    for (size_t i = 0; i < authz->count && decision == LW_AUTHZ_NO_OPINION; i++) {
        size_t before = reason ? reason->len : 0;
        if (before > start)
            lw_buf_append_char(reason, '\n');
        if (reason)
            lw_buf_append_text(reason, reason_prefixes[authz->modes[i]]);
        size_t own = reason ? reason->len : 0;
        decision = ask(authz, authz->modes[i], attributes, reason);
        if (!reason || reason->st < 0)
            continue;
        if (decision != LW_AUTHZ_NO_OPINION)
            drop_middle(reason, start, own); /* why others had no opinion, and the name */
        else if (reason->len == own)
            lw_buf_truncate(reason, before);
    }
    return decision;
}

bool lw_authz_allows_everything(const lw_authz *authz)
{
    return !authz || authz->modes[0] == LW_AUTHZ_MODE_ALWAYS_ALLOW;
}

lw_rbac *lw_authz_rbac(const lw_authz *authz)
{
    return authz ? authz->rbac : NULL;
}

lw_node_graph *lw_authz_node_graph(const lw_authz *authz)
{
    return authz ? authz->node.graph : NULL;
}
