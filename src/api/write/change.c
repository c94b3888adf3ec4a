/* SPDX-License-Identifier: Apache-2.0 */
/* change.c -- from the body of a request to the object that is to be stored. */
#include "api/write/change.h"

#include <stdio.h>
#include <string.h>

#include "api/admission/admission.h"
#include "api/authz/forbidden.h"
#include "api/http/body.h"
#include "api/http/failures.h"
#include "api/pending/metadata.h"
#include "api/pending/metadata_validation.h"
#include "api/pending/pending_object.h"
#include "api/write/ask.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/str.h"
#include "object/gvk.h"
#include "object/object.h"
#include "object/quote.h"
#include "json/fields.h"

enum {
    TEXT_MAX = 4096,
};

/* What a step says: go on, or the decision is there already. */
typedef enum step {
    STEP_ON,
    STEP_OVER,
} step;

/* A body of the wrong type cannot be read; a patch that leads to one is itself at fault. */
static void refuse_types(lw_write *write, const lw_change *change, const lw_buf *why)
{
    lw_kind kind = *write->kind;
    if (!change->is_patched) {
        lw_body_refuse(&write->status, lw_kind_gvk(&kind), kind.kind, lw_buf_view(why));
    } else {
        lw_api_status_init(&write->status);
        lw_api_status_add_field_error(&write->status, LW_FIELD_INVALID, LW_STR("patch"), LW_STR(""),
                                      lw_buf_view(why));
        lw_api_status_complete_invalid(&write->status, lw_kind_gvk(&kind), write->key.name);
    }
    if (why->st < 0)
        write->status.st = why->st;
}

/* A patch cannot make another kind of an object. */
static bool is_same_kind(const lw_pending_object *pending, const lw_node *body, lw_buf *why)
{
    lw_gvk wanted = lw_kind_gvk(pending->kind), sent = wanted;
    lw_str version = lw_fields_text(body, "apiVersion");
    sent.kind = lw_fields_text(body, "kind");
    if (lw_api_version_parse(version, &sent.group, &sent.version, NULL) == LW_OK &&
        lw_gvk_equal(sent, wanted))
        return true;
    lw_buf_printf(why, "kind \"%.*s\" of version \"%.*s\" does not match the object",
                  LW_STR_ARG(sent.kind), LW_STR_ARG(version));
    return false;
}

static step check_types(lw_write *write, const lw_change *change, const lw_pending_object *pending)
{
    lw_buf why;
    lw_buf_init(&why, TEXT_MAX);
    bool is_made_here = change->is_patched || change->manager.is_apply;
    bool is_good = lw_pending_object_check_types(pending, &why) &&
                   (!change->is_patched || is_same_kind(pending, change->body, &why)) &&
                   (!is_made_here || lw_pending_object_check_values(pending, &why));
    if (!is_good)
        refuse_types(write, change, &why);
    lw_buf_done(&why);
    return is_good ? STEP_ON : STEP_OVER;
}

static lw_status open(const lw_write *write, const lw_change *change, const lw_object *current,
                      lw_pending_object *pending)
{
    if (current)
        return lw_pending_object_open_update(pending, write->port, write->kind, write->budget,
                                             change->body, current, change->stored);
    if (change->inside)
        return lw_pending_object_open_inside(pending, write->port, write->kind, write->budget,
                                             change->inside, change->is_typed, change->is_changed);
    return lw_pending_object_open(pending, write->port, write->kind, write->budget, change->body,
                                  NULL);
}

/* Opens the pending object, as an update of |current| if that is not NULL, and checks that its
 * types are right and that it is the object of the request. */
static step begin(lw_write *write, const lw_change *change, const lw_object *current,
                  lw_pending_object *pending)
{
    lw_status st = open(write, change, current, pending);
    if (st < 0) {
        (void)lw_write_fail(write, st);
        return STEP_OVER;
    }
    if (check_types(write, change, pending) == STEP_OVER)
        return STEP_OVER;
    lw_key place = write->key;
    if (change->is_unnamed)
        place.name = LW_STR("");
    if (!lw_pending_object_begin(pending, LW_BUDGET_DEFAULTS, true)) {
        (void)lw_write_fail(write, LW_ERR_LIMIT);
        return STEP_OVER;
    }
    lw_pending_object_read_typed(pending);
    lw_pending_object_shape(pending);
    return lw_metadata_fits(pending, place, &write->status) ? STEP_ON : STEP_OVER;
}

/* Creates write->next from the sealed pending object. */
static lw_write_decision take(lw_write *write, const lw_pending_object *pending, bool has_revision,
                              lw_write_decision decision)
{
    lw_status st = lw_pending_object_take(pending, has_revision, &write->next);
    if (st == LW_OK && lw_budget_is_over(write->budget))
        st = LW_ERR_LIMIT; /* a check may have ended early */
    return st < 0 ? lw_write_fail(write, st) : decision;
}

/* What is to be stored may have to be granted first. */
static lw_write_decision grant(lw_write *write, unsigned subresource, lw_write_decision decision)
{
    if (decision != LW_WRITE_PUT)
        return decision;
    lw_status st = write->port->api->write_hooks->admit(write, subresource);
    return st < 0 ? lw_write_fail(write, st) : LW_WRITE_PUT;
}

static lw_admission_operation operation_of(const lw_change *change)
{
    switch (change->subresource) {
    case LW_SUB_STATUS: return LW_ADMIT_STATUS;
    case LW_SUB_APPROVAL: return LW_ADMIT_APPROVAL;
    case LW_SUB_EPHEMERALCONTAINERS:
    case LW_SUB_RESIZE: return LW_ADMIT_PART;
    case 0: return LW_ADMIT_UPDATE;
    default: return LW_ADMIT_FINALIZE;
    }
}

/* A change whose admission waits for webhooks: all that is needed to go on. */
typedef struct suspended {
    lw_write_question base; /* first */
    lw_write *write;
    lw_pending_object pending;
    lw_admission admission;
    lw_buf options;
    unsigned subresource;
    bool is_passed; /* what the webhooks have said */
} suspended;

static lw_admission admission_of(lw_write *write, const lw_change *change,
                                 lw_admission_operation operation, lw_pending_object *pending)
{
    return (lw_admission){
        .object = pending,
        .operation = operation,
        .subresource = change->subresource,
        .name = write->key.name,
        .user = write->user,
        .stream = write->stream,
        .call = write->call,
        .is_dry_run = write->is_dry_run,
        .manager = change->manager,
        .managed = change->managed,
        .status = &write->status,
        .request = { .current = write->current,
                     .ns = write->key.ns,
                     .call = write->call,
                     .is_dry_run = write->is_dry_run,
                     .is_unnamed = change->is_unnamed,
                     .is_generated = change->is_generated,
                     .is_unasked = change->is_asked },
    };
}

bool lw_change_may_create(lw_write *write)
{
    const lw_authz_attributes attributes = { .user = write->user,
                                             .verb = LW_STR("create"),
                                             .is_resource = true,
                                             .group = write->kind->group,
                                             .version = write->kind->version,
                                             .resource = write->kind->plural,
                                             .ns = write->key.ns,
                                             .name = write->key.name,
                                             .stream = write->stream };
    lw_authz *authz = write->port->api->authz;
    if (!write->user || lw_authz_allows(authz, &attributes))
        return true;
    lw_buf reason;
    lw_buf_init(&reason, LW_AUTHZ_REASON_MAX);
    (void)lw_authz_decide(authz, &attributes, &reason);
    lw_authz_forbid(&write->status, &attributes, lw_buf_view(&reason));
    lw_buf_done(&reason);
    return false;
}

/* The object is stored under the name that admission has left it. */
static lw_write_decision take_new(lw_write *write, const lw_pending_object *pending)
{
    lw_str name = lw_fields_text(pending->metadata, "name");
    lw_write_decision decision = take(write, pending, !write->is_dry_run, LW_WRITE_PUT);
    if (decision != LW_WRITE_PUT || lw_str_equal(name, write->key.name))
        return decision;
    lw_status st = lw_write_rename(write, name);
    return st < 0 ? lw_write_fail(write, st) : decision;
}

/* Seals and takes what admission has let through; REFUSE otherwise. */
static lw_write_decision conclude(lw_write *write, lw_pending_object *pending,
                                  lw_admission_operation operation, bool is_admitted)
{
    if (!is_admitted)
        return LW_WRITE_REFUSE;
    bool is_released = operation != LW_ADMIT_CREATE && lw_metadata_is_released(pending);
    (void)lw_pending_object_begin(pending, LW_BUDGET_OUTPUT, true);
    lw_pending_object_seal(pending);
    if (operation == LW_ADMIT_CREATE)
        return take_new(write, pending);
    if (is_released)
        return take(write, pending, true, LW_WRITE_DELETE);
    if (!lw_budget_is_over(write->budget) && lw_managed_is_unchanged(pending) &&
        !lw_object__is_stale(write->current) && !write->is_stored_otherwise)
        return LW_WRITE_KEEP;
    return take(write, pending, true, LW_WRITE_PUT);
}

/* A quota is not charged for an object that exists already under the name of a new one. */
static lw_write_decision grant_change(lw_write *write, lw_admission_operation operation,
                                      unsigned subresource, lw_write_decision decision)
{
    return operation == LW_ADMIT_CREATE && write->current ? decision
                                                          : grant(write, subresource, decision);
}

static void suspended_free(lw_write_question *question)
{
    suspended *s = (suspended *)(void *)question;
    lw_admission_cancel(&s->admission);
    lw_pending_object_done(&s->pending);
    lw_buf_done(&s->options);
    lw_free(s);
}

static void webhooks_over(void *arg, bool is_passed)
{
    suspended *s = arg;
    s->admission.run = NULL;
    s->is_passed = is_passed;
    lw_write_resume(s->write);
}

/* Goes on with the admission until it is over or waits. */
static lw_write_decision go_on(suspended *s, lw_admission_result result)
{
    lw_write *write = s->write;
    while (result == LW_ADMISSION_ASKS) {
        lw_hook_outcome outcome = lw_admission_ask(&s->admission, webhooks_over, s);
        if (outcome == LW_HOOK_WAITING)
            return LW_WRITE_ASK;
        result = outcome == LW_HOOK_PASSED ? lw_admission_run(&s->admission) : LW_ADMISSION_REFUSED;
    }
    lw_admission_operation operation = s->admission.operation;
    unsigned subresource = s->subresource;
    lw_write_decision decision =
        conclude(write, &s->pending, operation, result == LW_ADMISSION_ADMITTED);
    write->question = NULL;
    suspended_free(&s->base);
    return grant_change(write, operation, subresource, decision);
}

lw_write_decision lw_change_resume(lw_write *write)
{
    suspended *s = (suspended *)(void *)write->question;
    return go_on(s, s->is_passed ? lw_admission_run(&s->admission) : LW_ADMISSION_REFUSED);
}

/* Moves the pending object and its admission to where they can wait, and asks.  Takes |pending|.
 * What it was opened with is kept, unless that lasts: write->current does. */
static lw_write_decision suspend(lw_write *write, const lw_change *change,
                                 const lw_admission *admission, lw_pending_object *pending)
{
    lw_status st = change->is_lasting ? LW_OK : lw_pending_object_keep(pending);
    suspended *s = st == LW_OK ? lw_alloc_zero(1, sizeof(*s)) : NULL;
    if (!s) {
        lw_pending_object_done(pending);
        return lw_write_fail(write, st < 0 ? st : LW_ERR_NOMEM);
    }
    s->base.free = suspended_free;
    s->write = write;
    s->pending = *pending;
    s->admission = *admission;
    s->admission.object = &s->pending;
    s->subresource = admission->subresource;
    lw_buf_init(&s->options, LW_ASK_OPTIONS_MAX);
    lw_ask_write_options(write, admission->operation == LW_ADMIT_CREATE, &s->options);
    s->admission.request.options = lw_buf_view(&s->options);
    s->admission.request.deadline_ns = lw_ask_deadline(write);
    write->question = &s->base;
    write->resume = lw_change_resume;
    if (s->options.st == LW_OK)
        return go_on(s, LW_ADMISSION_ASKS);
    return lw_write_fail(write, s->options.st);
}

/* What will be known of the object that is stored: creates and updates default and validate all of
 * the spec, a change of the status leaves it as it is. */
static lw_object_check check_of(const lw_pending_object *pending, lw_admission_operation operation)
{
    if (!pending->is_read)
        return LW_OBJECT_UNCHECKED;
    switch (operation) {
    case LW_ADMIT_CREATE:
    case LW_ADMIT_UPDATE: return LW_OBJECT_ADMITTED;
    case LW_ADMIT_STATUS: return pending->has_admitted ? LW_OBJECT_ADMITTED : LW_OBJECT_NORMALIZED;
    default: return LW_OBJECT_NORMALIZED;
    }
}

/* Runs the admission of |pending|, which has been begun, and takes it. */
static lw_write_decision admit(lw_write *write, const lw_change *change,
                               lw_admission_operation operation, lw_pending_object *pending)
{
    pending->checked = check_of(pending, operation);
    lw_admission admission = admission_of(write, change, operation, pending);
    lw_admission_result result = lw_admission_run(&admission);
    if (result == LW_ADMISSION_ASKS)
        return suspend(write, change, &admission, pending);
    lw_write_decision decision =
        conclude(write, pending, operation, result == LW_ADMISSION_ADMITTED);
    lw_pending_object_done(pending);
    return grant_change(write, operation, change->subresource, decision);
}

lw_write_decision lw_change_create(lw_write *write, const lw_change *change)
{
    lw_pending_object pending = { 0 };
    /* What may be there under this name is no part of a new object. */
    if (begin(write, change, NULL, &pending) == STEP_ON) {
        if (write->is_dry_run)
            pending.echoed = lw_fields_text_at(change->body, "/metadata/resourceVersion");
        return admit(write, change, LW_ADMIT_CREATE, &pending);
    }
    lw_pending_object_done(&pending);
    return LW_WRITE_REFUSE;
}

static step refuse_missing_revision(lw_write *write)
{
    lw_gvk resource = { write->kind->group, write->kind->version, write->kind->plural };
    lw_api_status_init(&write->status);
    lw_field_error_plain(&write->status, "metadata.resourceVersion", LW_STR("0"),
                         "must be specified for an update");
    lw_api_status_complete_invalid(&write->status, resource, write->key.name);
    return STEP_OVER;
}

static step check_revision(lw_write *write, const lw_pending_object *pending)
{
    lw_str text = lw_fields_text(pending->metadata, "resourceVersion");
    uint64_t rv = 0;
    if (text.len > 0 && !lw_str_to_uint64(text, &rv)) {
        lw_buf message;
        lw_buf_init(&message, TEXT_MAX);
        lw_buf_append_text(&message, "strconv.ParseUint: parsing ");
        lw_quote_append(&message, text);
        lw_buf_append_text(&message, ": invalid syntax");
        lw_api_status_unclassified(&write->status, &message);
        return STEP_OVER;
    }
    if (rv == 0)
        return write->kind->flags & LW_KIND_CONDITIONAL ? refuse_missing_revision(write) : STEP_ON;
    if (rv == lw_object_revision(write->current))
        return STEP_ON;
    lw_api_status_modified(&write->status, lw_kind_gvr(write->kind), write->key.name);
    return STEP_OVER;
}

/* The key of the object; of a dry run without the store's own prefix, as from kube-apiserver. */
static void append_key(const lw_write *write, lw_buf *out)
{
    const lw_api *api = write->port->api;
    lw_buf key;
    lw_buf_init(&key, TEXT_MAX);
    lw_api_append_key(api, write->kind, write->key, &key);
    lw_buf_append_str(out, lw_str_skip(lw_buf_view(&key),
                                       write->is_dry_run ? strlen(api->key_prefix) - 1 : 0));
    if (key.st < 0 && out->st == LW_OK)
        out->st = key.st;
    lw_buf_done(&key);
}

/* A uid that is sent must be the stored one's: else another object of the same name is meant. */
bool lw_change_check_uid(lw_write *write, lw_str uid)
{
    const char *stored = write->current ? lw_object_uid(write->current) : "";
    if (uid.len == 0 || lw_str_equal(uid, lw_str_of(stored)))
        return true;
    lw_buf why;
    lw_buf_init(&why, TEXT_MAX);
    lw_buf_append_text(&why, "StorageError: invalid object, Code: 4, Key: ");
    append_key(write, &why);
    lw_buf_printf(&why,
                  ", ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in "
                  "precondition: %.*s, UID in object meta: %s",
                  LW_STR_ARG(uid), stored);
    lw_api_status_conflict(&write->status, lw_kind_gvr(write->kind), write->key.name,
                           lw_buf_view(&why));
    if (why.st == LW_ERR_NOMEM)
        write->status.st = why.st;
    lw_buf_done(&why);
    return false;
}

static step check_uid(lw_write *write, const lw_change *change, const lw_pending_object *pending)
{
    if (change->is_patched || lw_change_check_uid(write, lw_fields_text(pending->metadata, "uid")))
        return STEP_ON;
    return STEP_OVER;
}

lw_write_decision lw_change_update(lw_write *write, const lw_change *change)
{
    lw_pending_object pending = { 0 };
    if (begin(write, change, write->current, &pending) == STEP_ON &&
        check_revision(write, &pending) == STEP_ON && check_uid(write, change, &pending) == STEP_ON)
        return admit(write, change, operation_of(change), &pending);
    lw_pending_object_done(&pending);
    return LW_WRITE_REFUSE;
}
