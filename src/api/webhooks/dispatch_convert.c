/* SPDX-License-Identifier: Apache-2.0 */
/* dispatch_convert.c -- a webhook sees the objects in the version that its rule names, and what it
 * makes of them becomes an object of the version of the request.  Versions of one built-in kind are
 * converted at once; those of a custom resource by another webhook, which the run waits for. */
#include "api/webhooks/dispatch_internal.h"

#include "base/container_of.h"
#include "base/str.h"
#include "json/patch.h"

enum {
    OBJECT_MAX = 32 * 1024 * 1024,
};

void lw_hook_run__end_conversion(lw_hook_run *run)
{
    lw_hook_conversion *conversion = &run->conversion;
    if (conversion->job)
        lw_hooks_converter(run->request.port->api->hooks)->cancel(conversion);
    for (size_t i = 0; i < conversion->count; i++)
        lw_object_unref(conversion->objects[i]);
    *conversion = (lw_hook_conversion){ .count = 0 };
}

static lw_hook_conversion_outcome start(lw_hook_run *run, const lw_kind *kind,
                                        void (*done)(lw_hook_conversion *, bool))
{
    lw_hook_conversion *conversion = &run->conversion;
    conversion->port = run->request.port;
    conversion->kind = kind;
    conversion->deadline_ns = run->request.deadline_ns;
    conversion->status = run->request.status;
    conversion->done = done;
    return lw_hooks_converter(run->request.port->api->hooks)->start(conversion);
}

/* Adds an object to the conversion that is to be started. */
static lw_status add(lw_hook_conversion *conversion, lw_str json, lw_error *err)
{
    const lw_read_options options = { .keeps_managed_fields = true };
    lw_object *obj = NULL;
    lw_status st = lw_object_from_json_with(&obj, json.ptr, json.len, &options, err);
    if (st == LW_OK)
        conversion->objects[conversion->count++] = obj;
    return st;
}

/* Collects the object and the old one, in the version of the request. */
static lw_status collect(lw_hook_run *run)
{
    const lw_hook_request *request = &run->request;
    lw_hook_conversion *conversion = &run->conversion;
    lw_hook_subject *subject = request->subject;
    lw_buf json;
    lw_buf_init(&json, OBJECT_MAX);
    lw_status st = subject->write(subject, request->review.kind, request->is_mutating, &json);
    if (st == LW_OK && json.len > 0)
        st = add(conversion, lw_buf_view(&json), NULL);
    conversion->unstored = conversion->count;
    if (st == LW_OK && subject->old_json.len > 0) {
        st = add(conversion, subject->old_json, NULL);
        conversion->unstored = conversion->count;
    } else if (st == LW_OK && subject->old) {
        conversion->objects[conversion->count++] = lw_object_ref(subject->old);
    }
    lw_buf_done(&json);
    return st;
}

/* Shows the converted objects. */
static lw_status show(lw_hook_run *run, const lw_kind *as)
{
    const lw_hook_conversion *conversion = &run->conversion;
    const lw_hook_subject *subject = run->request.subject;
    lw_hook_shown *shown = lw_hook_run__shown(run, as);
    bool has_old = subject->old || subject->old_json.len > 0;
    size_t next = 0;
    lw_hook_shown_done(shown);
    lw_buf_init(&shown->object, LW_HOOK_REVIEW_MAX);
    lw_buf_init(&shown->old, LW_HOOK_REVIEW_MAX);
    if (conversion->count > (has_old ? 1 : 0))
        lw_buf_append_str(&shown->object, lw_object_json(conversion->objects[next++]));
    if (has_old)
        lw_buf_append_str(&shown->old, lw_object_json(conversion->objects[next]));
    lw_status st = shown->object.st < 0 ? shown->object.st : shown->old.st;
    if (st == LW_OK)
        shown->as = as;
    return st;
}

static lw_hook_conversion_outcome show_converted(lw_hook_run *run, const lw_kind *as)
{
    lw_status st = show(run, as);
    lw_hook_run__end_conversion(run);
    if (st == LW_OK)
        return LW_HOOK_CONVERTED;
    lw_hook_run__refuse_failure(run, st);
    return LW_HOOK_UNCONVERTIBLE;
}

static void objects_converted(lw_hook_conversion *conversion, bool is_converted)
{
    lw_hook_run *run = LW_CONTAINER_OF(conversion, lw_hook_run, conversion);
    if (is_converted)
        (void)show_converted(run, conversion->kind);
    else
        run->is_refused = true;
    lw_hook_run__end_conversion(run);
    lw_hook_run__resume(run);
}

lw_hook_conversion_outcome lw_hook_run__convert(lw_hook_run *run, const lw_hook_match *match)
{
    run->conversion.is_internal = true;
    lw_status st = collect(run);
    if (st < 0) {
        lw_hook_run__end_conversion(run);
        lw_hook_run__refuse_failure(run, st);
        return LW_HOOK_UNCONVERTIBLE;
    }
    lw_hook_conversion_outcome outcome = start(run, match->kind, objects_converted);
    if (outcome == LW_HOOK_CONVERTED)
        return show_converted(run, match->kind);
    if (outcome == LW_HOOK_UNCONVERTIBLE) {
        run->is_refused = true;
        lw_hook_run__end_conversion(run);
    }
    return outcome;
}

/* What is wrong with a patch is the webhook's fault, but no failure to call it: failurePolicy does
 * not apply. */
static void refuse_patch(hook_call *call, const lw_buf *why)
{
    lw_hook_call__count_rejection(call, LW_HOOK_REJECTED_BY_INTERNAL, 0);
    lw_hook_run__refuse_internal(call->run, why);
}

/* Sets |*is_changed| if the patched |tree| is not the object that was |shown|. */
static lw_status differs(const lw_tree *tree, const lw_buf *shown, bool *is_changed)
{
    lw_tree *before = NULL;
    lw_status st = lw_tree_parse(&before, lw_buf_view(shown), 0, NULL);
    if (st == LW_OK)
        *is_changed = !lw_node_equal(lw_tree_root(before), lw_tree_root(tree));
    lw_tree_free(before);
    return st;
}

/* The end of a patch: |st| of its parts, |why| of LW_ERR_INVALID. */
static bool finish_patch(hook_call *call, lw_status st, const lw_buf *why, bool is_changed)
{
    if (st == LW_ERR_INVALID)
        refuse_patch(call, why);
    else if (st == LW_ERR_STOPPED)
        call->run->is_refused = true;
    else if (st < 0)
        lw_hook_run__refuse_failure(call->run, st);
    else
        lw_hook_call__count(call, false, LW_HOOK_CODE_OK);
    return is_changed && st == LW_OK;
}

/* Takes |tree|, an object of |as|. */
static lw_status replace(lw_hook_run *run, const lw_kind *as, lw_tree *tree, lw_buf *why)
{
    lw_hook_subject *subject = run->request.subject;
    lw_status st = subject->replace(subject, as, tree, why, run->request.status);
    lw_hook_run__forget_shown(run);
    return st;
}

static lw_status replace_converted(lw_hook_run *run, lw_buf *why)
{
    lw_tree *tree = NULL;
    lw_status st = lw_tree_parse(&tree, lw_object_json(run->conversion.objects[0]), 0, NULL);
    return st < 0 ? st : replace(run, run->conversion.kind, tree, why);
}

static void patched_converted(lw_hook_conversion *conversion, bool is_converted)
{
    lw_hook_run *run = LW_CONTAINER_OF(conversion, lw_hook_run, conversion);
    hook_call *call = run->patched;
    bool is_changed = false;
    lw_buf why;
    run->patched = NULL;
    lw_buf_init(&why, LW_HOOK_WHY_MAX);
    if (is_converted) {
        is_changed = finish_patch(call, replace_converted(run, &why), &why, true);
    } else {
        run->is_refused = true;
        lw_hook_call__count_rejection(call, LW_HOOK_REJECTED_BY_INTERNAL, 0);
    }
    lw_buf_done(&why);
    lw_hook_run__end_conversion(run);
    lw_hook_run__finish_mutating(call, is_changed);
    lw_hook_run__resume(run);
}

/* Has the patched |tree| converted back by a webhook. */
static lw_status convert_back(hook_call *call, const lw_tree *tree, lw_buf *why)
{
    lw_hook_run *run = call->run;
    lw_error err = LW_ERROR_INIT;
    lw_json_writer w;
    lw_buf json;
    lw_buf_init(&json, OBJECT_MAX);
    lw_json_writer_init(&w, &json, LW_JSON_COMPACT);
    lw_node_write(lw_tree_root(tree), &w);
    lw_status st = lw_json_writer_status(&w);
    if (st == LW_OK)
        st = add(&run->conversion, lw_buf_view(&json), &err);
    lw_buf_done(&json);
    if (st < 0) {
        lw_buf_append_text(why, err.message);
        return st == LW_ERR_NOMEM ? st : LW_ERR_INVALID;
    }
    run->conversion.unstored = 1;
    switch (start(run, run->request.review.kind, patched_converted)) {
    case LW_HOOK_CONVERTING: run->patched = call; return LW_OK;
    case LW_HOOK_CONVERTED: st = replace_converted(run, why); break;
    case LW_HOOK_UNCONVERTIBLE: st = LW_ERR_STOPPED; break;
    }
    lw_hook_run__end_conversion(run);
    return st;
}

/* Applies the patch to the object as the webhook has seen it. */
static lw_status patch_object(hook_call *call, const lw_hook_reply *reply, bool *is_changed,
                              lw_buf *why)
{
    lw_hook_run *run = call->run;
    const lw_hook_shown *shown = lw_hook_run__shown(run, call->match->kind);
    lw_error err = LW_ERROR_INIT;
    lw_tree *tree = NULL;
    if (!run->request.subject->replace || shown->object.len == 0) {
        lw_buf_append_text(why, "admission webhook \"");
        lw_buf_append_str(why, call->match->hook->name);
        lw_buf_append_text(why, "\" attempted to modify the object, which is not supported for "
                                "this operation");
        return LW_ERR_INVALID;
    }
    lw_status st = lw_tree_parse(&tree, lw_buf_view(&shown->object), 0, &err);
    if (st == LW_OK)
        st = lw_json_patch_apply(tree, lw_tree_root(reply->patch), &err);
    if (st < 0) {
        lw_tree_free(tree);
        lw_buf_append_text(why, err.message);
        return st == LW_ERR_NOMEM ? st : LW_ERR_INVALID;
    }
    st = differs(tree, &shown->object, is_changed);
    if (st == LW_OK && *is_changed && !lw_hook_needs_conversion(call->match, &run->request.review))
        return replace(run, call->match->kind, tree, why);
    if (st == LW_OK && *is_changed)
        st = convert_back(call, tree, why);
    lw_tree_free(tree);
    return st;
}

bool lw_hook_run__take_patch(hook_call *call, lw_hook_reply *reply)
{
    bool is_changed = false;
    lw_buf why;
    lw_buf_init(&why, LW_HOOK_WHY_MAX);
    lw_status st = LW_OK;
    if (reply->patch)
        st = patch_object(call, reply, &is_changed, &why);
    if (!call->run->patched)
        is_changed = finish_patch(call, st, &why, is_changed);
    lw_buf_done(&why);
    return is_changed;
}
