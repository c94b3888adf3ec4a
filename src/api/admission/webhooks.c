/* SPDX-License-Identifier: Apache-2.0 */
/* webhooks.c -- the object of an admission as webhooks see it, and what they make of it. */
#include "api/admission/admission.h"

#include "api/http/call.h"
#include "api/http/failures.h"
#include "api/pending/metadata.h"
#include "base/container_of.h"
#include "base/str.h"
#include "schema/kinds/kinds.h"
#include "schema/kinds/subresource.h"
#include "json/fields.h"

enum {
    MESSAGE_MAX = 4096,
};

static lw_admission *admission_of(lw_hook_subject *subject)
{
    return LW_CONTAINER_OF(subject, lw_admission, subject);
}

/* Mutating webhooks see a new object before the server has given it an identity. */
static lw_status subject_write(lw_hook_subject *subject, const lw_kind *as, bool is_mutating,
                               lw_buf *out)
{
    const lw_admission *admission = admission_of(subject);
    unsigned left_out = 0;
    /* No stage follows the validating webhooks. */
    if (!is_mutating)
        return lw_pending_object_show_sealed(admission->object, as, out);
    if (admission->operation == LW_ADMIT_CREATE)
        left_out = LW_SHOW_WITHOUT_IDENTITY |
                   (admission->request.is_generated ? LW_SHOW_WITHOUT_NAME : 0u);
    return lw_pending_object_show(admission->object, as, left_out, out);
}

static const lw_node *subject_metadata(lw_hook_subject *subject)
{
    return admission_of(subject)->object->metadata;
}

/* They were in an invalid state after admission, and are as they were before: |why|. */
static void warn_of_managers(lw_api_call *call, const lw_buf *why)
{
    lw_buf text;
    lw_buf_init(&text, MESSAGE_MAX);
    lw_buf_append_text(&text, ".metadata.managedFields was in an invalid state after admission; "
                              "this could be caused by an outdated mutating admission controller; "
                              "please fix your requests: ");
    lw_buf_append_str(&text, lw_buf_view(why));
    if (text.st == LW_OK)
        lw_call_warn(call, lw_buf_view(&text));
    lw_buf_done(&text);
}

static lw_status subject_replace(lw_hook_subject *subject, const lw_kind *as, lw_tree *tree,
                                 lw_buf *why, lw_api_status *status)
{
    lw_admission *admission = admission_of(subject);
    const lw_key key = { admission->request.ns, LW_STR("") };
    lw_buf managers;
    lw_buf_init(&managers, MESSAGE_MAX);
    lw_status st = lw_pending_object_replace(admission->object, as, tree, why, &managers);
    if (managers.len > 0 && admission->request.call)
        warn_of_managers(admission->request.call, &managers);
    lw_buf_done(&managers);
    if (st < 0)
        return st;
    /* |status| is that of the admission. */
    if (!lw_metadata_fits(admission->object, key, status) ||
        !lw_admission__run_again(admission, LW_ADMISSION_PATCHED))
        return LW_ERR_STOPPED;
    return lw_pending_object_state(admission->object);
}

static bool subject_reinvoke(lw_hook_subject *subject, bool *is_changed, lw_api_status *status)
{
    lw_admission *admission = admission_of(subject);
    static const lw_hash_seed seed = { .k0 = 0 };
    uint64_t before = lw_node_hash(admission->object->root, seed);
    (void)status; /* is that of the admission */
    if (!lw_admission__run_again(admission, LW_ADMISSION_REINVOKED))
        return false;
    *is_changed = lw_node_hash(admission->object->root, seed) != before;
    return true;
}

static lw_str subresource_of(const lw_admission *admission)
{
    for (const lw_subresource *sub = lw_subresources; sub->bit; sub++) {
        if (sub->bit == admission->subresource)
            return sub->name;
    }
    return LW_STR("");
}

static unsigned operation_of(const lw_admission *admission)
{
    return admission->operation == LW_ADMIT_CREATE ? LW_OPERATION_CREATE : LW_OPERATION_UPDATE;
}

bool lw_admission__has_hooks(lw_admission *admission, lw_hook_type type, bool *is_refused)
{
    const lw_pending_object *object = admission->object;
    const lw_hook_matches *matches = NULL;
    if (!admission->user || admission->request.is_unasked)
        return false;
    lw_status st = lw_hooks_find(object->port, object->kind, subresource_of(admission),
                                 operation_of(admission), &matches);
    *is_refused = st < 0;
    if (st < 0)
        lw_api_status_of_failure(admission->status, st);
    if (!matches)
        return false;
    return (type == LW_HOOK_MUTATING ? matches->mutating_count : matches->validating_count) > 0;
}

/* A generated name is known to validating webhooks only. */
static lw_str name_of(const lw_admission *admission)
{
    if (!admission->request.is_generated)
        return admission->name;
    return admission->hooks == LW_HOOK_MUTATING
               ? LW_STR("")
               : lw_fields_text(admission->object->metadata, "name");
}

lw_hook_outcome lw_admission_ask(lw_admission *admission, void (*over)(void *arg, bool is_passed),
                                 void *arg)
{
    const lw_admission_request *request = &admission->request;
    const lw_kind *kind = admission->object->kind;
    bool is_namespace = lw_kind_stored(kind) == &lw_kind_namespaces;
    admission->is_asking = false;
    admission->subject =
        (lw_hook_subject){ .write = subject_write,
                           .metadata = subject_metadata,
                           .replace = subject_replace,
                           .reinvoke = subject_reinvoke,
                           .old = operation_of(admission) == LW_OPERATION_UPDATE ? request->current
                                                                                 : NULL };
    const lw_hook_request asked = {
        .port = admission->object->port,
        .is_mutating = admission->hooks == LW_HOOK_MUTATING,
        .review = { .kind = kind,
                    .subresource = subresource_of(admission),
                    .ns = is_namespace ? admission->name : request->ns,
                    .name = name_of(admission),
                    .operation = operation_of(admission),
                    .user = admission->user,
                    .is_dry_run = request->is_dry_run,
                    .options = request->options },
        .subject = &admission->subject,
        .stream = admission->stream,
        .call = request->call,
        .deadline_ns = request->deadline_ns,
        .status = admission->status,
        .over = over,
        .arg = arg,
    };
    return lw_hook_run_begin(&admission->run, &asked);
}
