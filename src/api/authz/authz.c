/* SPDX-License-Identifier: Apache-2.0 */
/* authz.c -- the chain of authorizers. */
#include "api/authz/authz.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "base/sync.h"

/* Immutable. */
typedef struct authz_chain {
    lw_ref refs;
    size_t count;
    lw_authz_step steps[];
} authz_chain;

struct lw_authz {
    lw_rbac *rbac;           /* NULL: not one of the modes */
    lw_node_authorizer node; /* zeros: not one of the modes */
    bool is_changeable;
    bool has_hooks;
    lw_mutex mu;        /* guards |chain|, if it is changeable */
    authz_chain *chain; /* one reference */
};

static const char *const mode_names[] = {
    [LW_AUTHZ_MODE_ALWAYS_ALLOW] = "AlwaysAllow",
    [LW_AUTHZ_MODE_ALWAYS_DENY] = "AlwaysDeny",
    [LW_AUTHZ_MODE_RBAC] = "RBAC",
    [LW_AUTHZ_MODE_NODE] = "Node",
    [LW_AUTHZ_MODE_WEBHOOK] = "Webhook",
};

enum {
    MODES = sizeof(mode_names) / sizeof(mode_names[0]),
};

const char *lw_authz_mode_name(lw_authz_mode mode)
{
    return mode_names[mode];
}

const char *lw_authz_step_name(lw_authz_mode mode)
{
    static const char *const names[MODES] = {
        [LW_AUTHZ_MODE_ALWAYS_ALLOW] = "alwaysallow",
        [LW_AUTHZ_MODE_ALWAYS_DENY] = "alwaysdeny",
        [LW_AUTHZ_MODE_RBAC] = "rbac",
        [LW_AUTHZ_MODE_NODE] = "node",
        [LW_AUTHZ_MODE_WEBHOOK] = "webhook",
    };
    return names[mode];
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
                                "unknown authorization mode \"%.*s\": use Node, RBAC, Webhook, "
                                "AlwaysAllow or AlwaysDeny",
                                LW_STR_ARG(word));
        if (has[mode])
            return lw_error_set(err, LW_ERR_INVALID, "authorization mode %s appears twice",
                                mode_names[mode]);
        has[mode] = true;
        modes[(*count)++] = (lw_authz_mode)mode;
    }
    return LW_OK;
}

void lw_authz_hook_unref(lw_authz_hook *hook)
{
    if (hook && lw_ref_dec(&hook->refs))
        hook->free(hook);
}

/* The names are copied behind the steps. */
static authz_chain *chain_new(const lw_authz_step *steps, size_t count)
{
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += steps[i].name.len;
    authz_chain *chain = lw_alloc_zero(1, sizeof(*chain) + count * sizeof(*steps) + bytes);
    if (!chain)
        return NULL;
    char *name = (char *)(chain->steps + count);
    lw_ref_init(&chain->refs);
    for (size_t i = 0; i < count; i++) {
        if (steps[i].name.len > 0)
            memcpy(name, steps[i].name.ptr, steps[i].name.len);
        chain->steps[chain->count] = steps[i];
        chain->steps[chain->count++].name = lw_str_make(name, steps[i].name.len);
        name += steps[i].name.len;
        if (steps[i].hook)
            lw_ref_inc(&steps[i].hook->refs);
    }
    return chain;
}

static void chain_unref(authz_chain *chain)
{
    if (!chain || !lw_ref_dec(&chain->refs))
        return;
    for (size_t i = 0; i < chain->count; i++)
        lw_authz_hook_unref(chain->steps[i].hook);
    lw_free(chain);
}

lw_status lw_authz_new_chain(lw_authz **out, const lw_authz_step *steps, size_t count,
                             bool is_changeable, lw_error *err)
{
    lw_status st = LW_OK;
    lw_authz *authz = lw_alloc_zero(1, sizeof(*authz));
    if (!authz)
        return lw_error_nomem(err);
    lw_mutex_init(&authz->mu);
    authz->is_changeable = authz->has_hooks = is_changeable;
    for (size_t i = 0; i < count && st == LW_OK; i++) {
        authz->has_hooks = authz->has_hooks || steps[i].hook;
        if (steps[i].mode == LW_AUTHZ_MODE_RBAC)
            st = lw_rbac_new(&authz->rbac);
        else if (steps[i].mode == LW_AUTHZ_MODE_NODE)
            st = lw_node_authorizer_init(&authz->node);
    }
    authz->chain = st == LW_OK ? chain_new(steps, count) : NULL;
    if (!authz->chain) {
        lw_authz_free(authz);
        return lw_error_nomem(err);
    }
    *out = authz;
    return LW_OK;
}

lw_status lw_authz_new(lw_authz **out, const lw_authz_mode *modes, size_t count, lw_error *err)
{
    lw_authz_step steps[LW_AUTHZ_MODES_MAX];
    for (size_t i = 0; i < count; i++)
        steps[i] =
            (lw_authz_step){ .mode = modes[i], .name = lw_str_of(lw_authz_step_name(modes[i])) };
    return lw_authz_new_chain(out, steps, count, false, err);
}

lw_status lw_authz_change(lw_authz *authz, const lw_authz_step *steps, size_t count, lw_error *err)
{
    bool has_rbac = false, has_node = false;
    for (size_t i = 0; i < count; i++) {
        has_rbac = has_rbac || steps[i].mode == LW_AUTHZ_MODE_RBAC;
        has_node = has_node || steps[i].mode == LW_AUTHZ_MODE_NODE;
    }
    if (has_rbac != (authz->rbac != NULL) || has_node != (authz->node.graph != NULL))
        return lw_error_set(err, LW_ERR_INVALID,
                            "the authorizers RBAC and Node can be added and removed only by a "
                            "restart of the server");
    authz_chain *chain = chain_new(steps, count);
    if (!chain)
        return lw_error_nomem(err);
    lw_mutex_lock(&authz->mu);
    authz_chain *old = authz->chain;
    authz->chain = chain;
    lw_mutex_unlock(&authz->mu);
    chain_unref(old);
    return LW_OK;
}

void lw_authz_free(lw_authz *authz)
{
    if (!authz)
        return;
    chain_unref(authz->chain);
    lw_rbac_free(authz->rbac);
    lw_node_authorizer_done(&authz->node);
    lw_mutex_done(&authz->mu);
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

static lw_authz_decision ask(const lw_authz *authz, const lw_authz_step *step,
                             const lw_authz_attributes *attributes, lw_buf *reason, lw_buf *error)
{
    switch (step->mode) {
    case LW_AUTHZ_MODE_ALWAYS_ALLOW: return LW_AUTHZ_ALLOW;
    case LW_AUTHZ_MODE_ALWAYS_DENY:
        if (reason)
            lw_buf_append_text(reason, "Everything is forbidden.");
        return LW_AUTHZ_NO_OPINION;
    case LW_AUTHZ_MODE_RBAC: return lw_rbac_decide(authz->rbac, attributes, reason);
    case LW_AUTHZ_MODE_NODE: return lw_node_authorizer_decide(&authz->node, attributes, reason);
    case LW_AUTHZ_MODE_WEBHOOK: return step->hook->decide(step->hook, attributes, reason, error);
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

/* Separates the error that begins at |own| from those before it, by ", ". */
static void separate_error(lw_buf *error, size_t start, size_t own)
{
    if (error->len > own && own > start && lw_buf_reserve(error, 2) == LW_OK) {
        lw_buf_append_text(error, ", ");
        memmove(error->data + own + 2, error->data + own, error->len - 2 - own);
        memcpy(error->data + own, ", ", 2);
    }
}

static lw_authz_decision decide_by(const lw_authz *authz, const authz_chain *chain,
                                   const lw_authz_attributes *attributes, lw_buf *reason,
                                   lw_buf *error)
{
    lw_authz_decision decision = LW_AUTHZ_NO_OPINION;
    size_t start = reason ? reason->len : 0, error_start = error ? error->len : 0;
    for (size_t i = 0; i < chain->count && decision == LW_AUTHZ_NO_OPINION; i++) {
        size_t before = reason ? reason->len : 0;
        if (reason)
            lw_buf_printf(reason, "%s%.*s: ", before > start ? "\n" : "",
                          LW_STR_ARG(chain->steps[i].name));
        size_t own = reason ? reason->len : 0, error_own = error ? error->len : 0;
        decision = ask(authz, &chain->steps[i], attributes, reason, error);
        if (error)
            separate_error(error, error_start, error_own);
        if (!reason || reason->st < 0)
            continue;
        if (decision != LW_AUTHZ_NO_OPINION)
            drop_middle(reason, start, own); /* why others had no opinion, and the name */
        else if (reason->len == own)
            lw_buf_truncate(reason, before);
    }
    return decision;
}

/* Returns a reference to the current chain. */
static authz_chain *chain_of(lw_authz *authz)
{
    lw_mutex_lock(&authz->mu);
    authz_chain *chain = authz->chain;
    lw_ref_inc(&chain->refs);
    lw_mutex_unlock(&authz->mu);
    return chain;
}

lw_authz_decision lw_authz_explain(lw_authz *authz, const lw_authz_attributes *attributes,
                                   lw_buf *reason, lw_buf *error)
{
    if (!authz || lw_authz_is_privileged(attributes->user))
        return LW_AUTHZ_ALLOW;
    if (!authz->is_changeable)
        return decide_by(authz, authz->chain, attributes, reason, error);
    authz_chain *chain = chain_of(authz);
    lw_authz_decision decision = decide_by(authz, chain, attributes, reason, error);
    chain_unref(chain);
    return decision;
}

lw_authz_decision lw_authz_decide(lw_authz *authz, const lw_authz_attributes *attributes,
                                  lw_buf *reason)
{
    return lw_authz_explain(authz, attributes, reason, NULL);
}

bool lw_authz_allows_everything(const lw_authz *authz)
{
    return !authz ||
           (!authz->is_changeable && authz->chain->steps[0].mode == LW_AUTHZ_MODE_ALWAYS_ALLOW);
}

bool lw_authz_has_hooks(const lw_authz *authz)
{
    return authz && authz->has_hooks;
}

bool lw_authz_asks_webhooks(lw_authz *authz)
{
    bool has_one = false;
    if (!lw_authz_has_hooks(authz))
        return false;
    authz_chain *chain = chain_of(authz);
    for (size_t i = 0; i < chain->count; i++)
        has_one = has_one || chain->steps[i].hook;
    chain_unref(chain);
    return has_one;
}

lw_rbac *lw_authz_rbac(const lw_authz *authz)
{
    return authz ? authz->rbac : NULL;
}

lw_node_graph *lw_authz_node_graph(const lw_authz *authz)
{
    return authz ? authz->node.graph : NULL;
}
