/* SPDX-License-Identifier: Apache-2.0 */
/* match.c -- selectors and conditions of webhooks. */
#include "api/webhooks/match.h"

#include <listwatch/match.h>

#include "api/authz/cel_access.h"
#include "api/context/asker.h"
#include "api/context/cache_lookup.h"
#include "api/http/failures.h"
#include "base/str.h"
#include "object/api_errors.h"
#include "object/selector/label_selector.h"
#include "schema/kinds/definition.h"
#include "schema/kinds/kinds.h"
#include "json/fields.h"

enum {
    WHY_MAX = 64 * 1024,
    TREE_MAX = 64 * 1024 * 1024,
};

static bool get_label(const void *labels, lw_str key, lw_str *value)
{
    const lw_node *node = lw_node_get(labels, key);
    if (!lw_node_is(node, LW_JSON_STRING))
        return false;
    *value = lw_node_text(node);
    return true;
}

static bool matches_metadata(const lw_label_selector *selector, const lw_node *metadata)
{
    return lw_label_selector__matches(selector, get_label, lw_node_get(metadata, LW_STR("labels")));
}

static bool is_namespace(const lw_hook_review *review)
{
    return lw_kind_stored(review->kind) == &lw_kind_namespaces;
}

static lw_hook_verdict verdict_of(bool is_matched)
{
    return is_matched ? LW_HOOK_CALLED : LW_HOOK_SKIPPED;
}

/* By the labels of the namespace; for a namespace that is written, its own. */
static lw_hook_verdict match_namespace(lw_api_port *port, const lw_hook *hook,
                                       const lw_hook_review *review, lw_hook_subject *subject,
                                       lw_api_status *status)
{
    const lw_label_selector *selector = hook->rules ? lw_match_rules_namespaces(hook->rules) : NULL;
    lw_object *ns = NULL;
    if (lw_label_selector_is_everything(selector) || (review->ns.len == 0 && !is_namespace(review)))
        return LW_HOOK_CALLED;
    if (is_namespace(review) && review->subresource.len == 0 &&
        review->operation & (LW_OPERATION_CREATE | LW_OPERATION_UPDATE))
        return verdict_of(matches_metadata(selector, subject->metadata(subject)));
    const lw_key key = { LW_STR(""), review->ns };
    lw_status st = lw_lookup(lw_api_resource(port->api, &lw_kind_namespaces), key, &ns);
    if (st < 0) {
        lw_api_status_of_failure(status, st);
        return LW_HOOK_UNDECIDABLE;
    }
    if (!ns) {
        lw_api_status_not_found(status, lw_kind_gvr(&lw_kind_namespaces), review->ns);
        return LW_HOOK_UNDECIDABLE;
    }
    bool is_matched = lw_label_selector_matches(selector, ns);
    lw_object_unref(ns);
    return verdict_of(is_matched);
}

/* The object before or after the request. */
static bool matches_object(const lw_hook *hook, lw_hook_subject *subject)
{
    const lw_label_selector *selector = hook->rules ? lw_match_rules_objects(hook->rules) : NULL;
    const lw_node *metadata = subject->metadata(subject);
    return lw_label_selector_is_everything(selector) ||
           (metadata && matches_metadata(selector, metadata)) ||
           (subject->old && lw_label_selector_matches(selector, subject->old));
}

lw_status lw_hook_show(lw_hook_shown *shown, lw_hook_subject *subject, const lw_kind *as,
                       bool is_mutating)
{
    if (shown->as == as)
        return LW_OK;
    lw_hook_shown_done(shown);
    lw_buf_init(&shown->object, LW_HOOK_REVIEW_MAX);
    lw_buf_init(&shown->old, LW_HOOK_REVIEW_MAX);
    lw_status st = subject->write(subject, as, is_mutating, &shown->object);
    if (st == LW_OK && subject->old_json.len > 0) {
        lw_buf_append_str(&shown->old, subject->old_json);
        st = shown->old.st;
    } else if (st == LW_OK && subject->old) {
        lw_kind_append_object(as, subject->old, &shown->old);
        st = shown->old.st;
    }
    if (st == LW_OK)
        shown->as = as;
    return st;
}

void lw_hook_shown_done(lw_hook_shown *shown)
{
    lw_buf_done(&shown->object);
    lw_buf_done(&shown->old);
    *shown = (lw_hook_shown){ .as = NULL };
}

static lw_status parse_values(lw_tree *tree, const lw_hook_review *review,
                              const lw_hook_shown *shown, lw_hook_condition_values *values)
{
    lw_buf json;
    lw_node *object = NULL, *old = NULL, *request = NULL;
    lw_buf_init(&json, LW_HOOK_REVIEW_MAX);
    lw_hook_review_write_request(review, shown->as, LW_STR(""), &json);
    lw_status st = json.st;
    if (st == LW_OK)
        st = lw_tree_parse_node(tree, lw_buf_view(&json), &request, NULL);
    if (st == LW_OK && shown->object.len > 0)
        st = lw_tree_parse_node(tree, lw_buf_view(&shown->object), &object, NULL);
    if (st == LW_OK && shown->old.len > 0)
        st = lw_tree_parse_node(tree, lw_buf_view(&shown->old), &old, NULL);
    lw_buf_done(&json);
    *values = (lw_hook_condition_values){ .object = object ? object : lw_tree_null(tree),
                                          .old_object = old ? old : lw_tree_null(tree),
                                          .request = request };
    return st == LW_OK ? lw_tree_status(tree) : st;
}

static void forbid(lw_api_status *status, const lw_hook_review *review, const lw_buf *why)
{
    lw_api_status_forbidden(status, lw_kind_gvr(review->kind), review->name, lw_buf_view(why));
    if (why->st < 0)
        status->st = why->st;
}

static lw_hook_verdict match_conditions(lw_api_port *port, lw_http_stream *stream,
                                        const lw_hook_match *match, const lw_hook_review *review,
                                        lw_hook_subject *subject, lw_hook_shown *shown,
                                        lw_api_status *status)
{
    lw_hook_condition_values values;
    lw_authz_access access = { .authz = port->api->authz, .user = review->user, .stream = stream };
    lw_tree *tree = NULL;
    lw_buf why;
    if (!match->hook->conditions)
        return LW_HOOK_CALLED;
    lw_status st = lw_hook_show(shown, subject, match->kind, match->hook->is_mutating);
    if (st == LW_OK)
        st = lw_tree_new(&tree, TREE_MAX);
    if (st == LW_OK)
        st = parse_values(tree, review, shown, &values);
    if (st < 0) {
        lw_tree_free(tree);
        lw_api_status_of_failure(status, st);
        return LW_HOOK_UNDECIDABLE;
    }
    values.authorizer = lw_authz_cel_authorizer(&access);
    values.requested = (lw_cel_access){ .group = review->kind->group,
                                        .resource = review->kind->plural,
                                        .subresource = review->subresource,
                                        .ns = review->ns,
                                        .name = review->name };
    lw_hook_verdict verdict = LW_HOOK_CALLED;
    lw_buf_init(&why, WHY_MAX);
    lw_hook_condition_result result =
        lw_hook_conditions_eval(match->hook->conditions, &values, &why);
    if (access.is_pending && stream && lw_asker_is_waiting(stream)) {
        lw_buf_done(&why);
        lw_tree_free(tree);
        return LW_HOOK_AWAITING;
    }
    switch (result) {
    case LW_HOOK_CONDITIONS_MET: break;
    case LW_HOOK_CONDITIONS_NOT_MET: verdict = LW_HOOK_SKIPPED; break;
    case LW_HOOK_CONDITIONS_FAILED:
        verdict = match->hook->fails_open && why.st != LW_ERR_NOMEM ? LW_HOOK_SKIPPED
                                                                    : LW_HOOK_UNDECIDABLE;
        if (verdict == LW_HOOK_UNDECIDABLE)
            forbid(status, review, &why);
        break;
    }
    lw_buf_done(&why);
    lw_tree_free(tree);
    return verdict;
}

bool lw_hook_needs_conversion(const lw_hook_match *match, const lw_hook_review *review)
{
    return review->gvk.kind.len == 0 && lw_kind_needs_webhook(match->kind, review->kind);
}

lw_hook_verdict lw_hook_decide(lw_api_port *port, lw_http_stream *stream,
                               const lw_hook_match *match, const lw_hook_review *review,
                               lw_hook_subject *subject, lw_hook_shown *shown,
                               lw_api_status *status)
{
    lw_hook_verdict verdict = match_namespace(port, match->hook, review, subject, status);
    if (verdict == LW_HOOK_SKIPPED)
        return verdict;
    if (!matches_object(match->hook, subject)) {
        if (verdict == LW_HOOK_UNDECIDABLE)
            lw_api_status_done(status);
        return LW_HOOK_SKIPPED;
    }
    if (verdict == LW_HOOK_CALLED && shown->as != match->kind &&
        lw_hook_needs_conversion(match, review))
        return LW_HOOK_UNCONVERTED;
    return verdict == LW_HOOK_CALLED
               ? match_conditions(port, stream, match, review, subject, shown, status)
               : verdict;
}
