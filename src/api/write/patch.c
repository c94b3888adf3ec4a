/* SPDX-License-Identifier: Apache-2.0 */
/* patch.c -- PATCH of an object or of its status: applied to what is stored, again and again
 * until nobody was faster. */
#include <stdio.h>

#include "api/http/body.h"
#include "api/pending/pending_object.h"
#include "api/pending/stored_parts.h"
#include "api/write/apply.h"
#include "api/write/change.h"
#include "api/write/patch_body.h"
#include "api/write/scale.h"
#include "api/write/verbs.h"
#include "api/write/write_call.h"
#include "base/str.h"

enum {
    UNSUPPORTED_TYPE = 415,
};

/* What a patch works with. */
typedef struct patching {
    lw_tree *current;
    lw_tree *patched; /* shares texts, and maybe spec or status, of |current| */
    bool is_stored;   /* what is stored is |current| to the letter */
} patching;

/* True if a merge with |patch| leaves the member |name| of the document alone: the patch does not
 * name it, and has no directives. */
static bool leaves_alone(const lw_node *patch, lw_str name)
{
    for (size_t i = 0; i < lw_node_count(patch); i++) {
        lw_str key = lw_node_key_at(patch, i);
        if (lw_str_starts_with(key, LW_STR("$")) || lw_str_equal(key, name))
            return false;
    }
    return lw_node_is(patch, LW_JSON_OBJECT);
}

/* Copies the stored |root| to be patched.  A spec or status that a merge patch leaves alone is not
 * copied: nobody changes it, and who compares the documents sees at once that it is the same. */
static lw_node *copy_stored(lw_write *write, lw_tree *tree, lw_node *root)
{
    const lw_write_call *wc = lw_write_call_of(write);
    const lw_node *patch = lw_tree_root(wc->body);
    if (wc->patch_type == LW_BODY_JSON_PATCH || !lw_node_is(root, LW_JSON_OBJECT))
        return lw_tree_share(tree, root);
    lw_node *copy = lw_tree_object(tree);
    for (size_t i = 0; i < lw_node_count(root); i++) {
        lw_str name = lw_node_key_at(root, i);
        lw_node *value = lw_node_at(root, i);
        if (!lw_stored_parts_has(name) || !leaves_alone(patch, name))
            value = lw_tree_share(tree, value);
        lw_node_put(tree, copy, name, value);
    }
    return copy;
}

/* Parses the current object.  A spec or status that a merge patch leaves alone is not read: JSON
 * patches may name any part of it, and see it as it is stored. */
static lw_status read_current(lw_write *write, patching *p)
{
    const lw_write_call *wc = lw_write_call_of(write);
    lw_tree_part parts[LW_STORED_PARTS];
    size_t count = 0, all = wc->patch_type == LW_BODY_JSON_PATCH
                                ? 0
                                : lw_stored_parts_list(write->kind, write->current, parts);
    for (size_t i = 0; i < all; i++) {
        if (leaves_alone(lw_tree_root(wc->body), parts[i].name))
            parts[count++] = parts[i];
    }
    if (count == 0)
        return lw_write_read_current(write, &p->current, &p->is_stored);
    p->is_stored = true;
    lw_budget_enter(write->budget, LW_BUDGET_STORED);
    return lw_stored_parts_parse(write->current, parts, count, write->budget, &p->current);
}

static lw_status open_patching(lw_write *write, patching *p)
{
    lw_status st = read_current(write, p);
    if (st == LW_OK)
        st = lw_tree_new(&p->patched, 0);
    if (st < 0)
        return st;
    lw_tree_set_budget(p->patched, write->budget);
    lw_budget_enter(write->budget, LW_BUDGET_PATCH);
    lw_tree_set_root(p->patched, copy_stored(write, p->patched, lw_tree_root(p->current)));
    return lw_tree_status(p->patched);
}

static lw_write_decision patch_decide(lw_write *write)
{
    lw_write_call *wc = lw_write_call_of(write);
    patching p = { 0 };
    lw_write_decision decision = LW_WRITE_REFUSE;
    if (!write->current) {
        lw_api_status_not_found(&write->status, lw_kind_gvr(write->kind), write->key.name);
        return LW_WRITE_REFUSE;
    }
    lw_status st = open_patching(write, &p);
    if (st < 0) {
        decision = lw_write_fail(write, st);
    } else if (lw_patch_apply(wc, p.patched)) {
        const lw_change change = { .body = lw_tree_root(p.patched),
                                   .stored = p.is_stored ? p.current : NULL,
                                   .subresource = wc->call->route.subresource,
                                   .is_patched = true,
                                   .manager = lw_write_call_manager(wc) };
        decision = lw_change_update(write, &change);
    }
    lw_tree_free(p.patched);
    lw_tree_free(p.current);
    return decision;
}

/* True when what the call is about can be patched in this way. */
static bool takes(const lw_write_call *wc)
{
    switch (wc->patch_type) {
    case LW_BODY_JSON_PATCH:
    case LW_BODY_MERGE_PATCH: return true;
    case LW_BODY_STRATEGIC_PATCH: return lw_patch_takes_strategic(wc);
    default: return false;
    }
}

#define TYPES                                                                                      \
    "the body of the request was in an unknown format - accepted media types include: "            \
    "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml"

/* 415: routes of built-in kinds do not accept other types; those of custom resources say which they
 * accept. */
static bool refuse_type(const lw_write_call *wc, lw_api_status *status)
{
    if (wc->write.kind->flags & LW_KIND_CUSTOM)
        lw_api_status_unsupported_media_type(status,
                                             wc->call->api->serves_cbor
                                                 ? LW_STR(TYPES ", application/apply-patch+cbor")
                                                 : LW_STR(TYPES));
    else
        lw_api_status_generic(status, UNSUPPORTED_TYPE, LW_STR("415: Unsupported Media Type"));
    return false;
}

/* Reads the patch itself; false: |status| says why it cannot be read. */
static bool read_patch(lw_write_call *wc, lw_api_status *status)
{
    char message[LW_ERROR_MESSAGE_SIZE + 32];
    lw_error err = LW_ERROR_INIT;
    wc->patch_type = lw_body_type_of(wc->call);
    if (!takes(wc))
        return refuse_type(wc, status);
    lw_status st = lw_body_read_json(wc->call, &wc->body, &err);
    if (st == LW_OK)
        return true;
    (void)snprintf(message, sizeof(message), "error decoding patch: %s", err.message);
    lw_api_status_bad_request(status, lw_str_of(message));
    if (st == LW_ERR_NOMEM)
        status->st = st;
    return false;
}

void lw_rest_patch(lw_api_call *call)
{
    lw_write_options options;
    lw_api_status status;
    bool is_scale = call->route.subresource == LW_SUB_SCALE;
    lw_body_type type = lw_body_type_of(call);
    if (type == LW_BODY_APPLY_PATCH || type == LW_BODY_APPLY_PATCH_CBOR) {
        lw_rest_apply(call);
        return;
    }
    lw_write_call *wc = lw_write_call_new(call);
    if (!wc)
        return;
    if (!read_patch(wc, &status) ||
        !lw_write_options_read(&options, &call->query, "PatchOptions", &status)) {
        lw_write_call_refuse(wc, &status);
        return;
    }
    wc->write.is_dry_run = options.is_dry_run;
    if (is_scale)
        lw_write_call_start(wc, lw_scale_decide_patch, lw_scale_answer);
    else
        lw_write_call_start(wc, patch_decide, NULL);
}
