/* SPDX-License-Identifier: Apache-2.0 */
/* create.c -- POST to a collection: a new object, under its own name or one made here. */
#include "api/write/create.h"

#include "api/admission/namespaces.h"
#include "api/http/body.h"
#include "api/http/failures.h"
#include "api/pending/field_validation.h"
#include "api/pending/pending_object.h"
#include "api/write/change.h"
#include "api/write/hooks.h"
#include "api/write/verbs.h"
#include "api/write/write_call.h"
#include "base/str.h"
#include "json/fields.h"

enum {
    MESSAGE_MAX = 128,
    NAME_TRIES = 8, /* names that are generated before a client has to come again */
};

static void generate_name(lw_write_call *wc)
{
    lw_name_generate(wc->generated, wc->name_prefix, &wc->call->port->random);
    lw_write_name(&wc->write, lw_str_of(wc->generated));
    wc->name_tries++;
}

/* The name before admission has changed it. */
static lw_str own_name(const lw_write_call *wc)
{
    return wc->is_generated ? lw_str_of(wc->generated) : wc->sent_name;
}

static lw_write_decision refuse_existing(lw_write_call *wc)
{
    lw_write *write = &wc->write;
    lw_gvr gvr = lw_kind_gvr(write->kind);
    lw_str text;
    lw_object_unref(write->next);
    write->next = NULL;
    if (wc->is_generated) {
        lw_api_status_name_not_generated(&write->status, gvr, write->key.name);
        return LW_WRITE_REFUSE;
    }
    lw_api_status_already_exists(&write->status, gvr, write->key.name);
    if (lw_object_raw(write->current, "/metadata/deletionTimestamp", &text) == LW_OK) {
        lw_buf message;
        lw_buf_init(&message, LW_API_STATUS_TEXT_MAX);
        lw_buf_append_text(&message, "object is being deleted: ");
        lw_buf_append_str(&message, lw_api_status_str(&write->status, write->status.message));
        if (message.st < 0)
            write->status.st = message.st;
        lw_api_status_set(&write->status, &write->status.message, lw_buf_view(&message));
        lw_buf_done(&message);
    }
    return LW_WRITE_REFUSE;
}

/* True if |body| has a resourceVersion that is a number; kube-apiserver ignores any other. */
static bool has_revision(const lw_node *body)
{
    uint64_t revision = 0;
    return lw_str_to_uint64(lw_fields_text_at(body, "/metadata/resourceVersion"), &revision) &&
           revision > 0;
}

static lw_write_decision refuse_revision(lw_write *write)
{
    lw_buf message;
    lw_buf_init(&message, MESSAGE_MAX);
    lw_buf_append_text(&message, "resourceVersion should not be set on objects to be created");
    lw_api_status_unclassified(&write->status, &message);
    return LW_WRITE_REFUSE;
}

/* A name that is taken is another time's chance, or a refusal. */
static lw_write_decision create_decided(lw_write *write, lw_write_decision decision)
{
    lw_write_call *wc = lw_write_call_of(write);
    if (decision == LW_WRITE_REFUSE || decision == LW_WRITE_ASK)
        return decision;
    if (!write->is_dry_run && wc->has_revision)
        return refuse_revision(write);
    if (!write->current)
        return decision;
    if (wc->is_generated && !write->renamed && wc->name_tries < NAME_TRIES) {
        generate_name(wc);
        return LW_WRITE_AGAIN;
    }
    return refuse_existing(wc);
}

static lw_write_decision create_resume(lw_write *write)
{
    return create_decided(write, lw_change_resume(write));
}

/* The first decision makes the object in the body, which nearly always is the last one: others read
 * the body once more, and then copy it. */
static lw_write_decision decide_change(lw_write_call *wc)
{
    bool is_first = !wc->is_changed && !wc->is_reread;
    if (wc->is_changed) {
        lw_status st = lw_tree_reread(wc->body);
        if (st < 0)
            return lw_write_fail(&wc->write, st);
        wc->is_changed = false;
        wc->is_reread = true;
    }
    const lw_change change = { .body = lw_tree_root(wc->body),
                               .inside = is_first ? wc->body : NULL,
                               .is_typed = wc->is_typed,
                               .is_changed = &wc->is_changed,
                               .is_unnamed = true,
                               .is_generated = wc->is_generated,
                               .is_lasting = true,
                               .manager = lw_write_call_manager(wc) };
    return lw_change_create(&wc->write, &change);
}

static lw_write_decision create_decide(lw_write *write)
{
    lw_write_call *wc = lw_write_call_of(write);
    if (write->renamed && write->current) /* that name was free when admission gave it */
        return refuse_existing(wc);
    if (write->renamed) {
        lw_write_name(write, own_name(wc));
        return LW_WRITE_AGAIN;
    }
    if (!write->port->api->write_hooks->admit_kind(write->port->api, write->kind, &write->status))
        return LW_WRITE_REFUSE;
    if (!lw_namespace_admits(wc->call->port, write->kind, write->key.ns, write->key.name,
                             &write->status))
        return LW_WRITE_REFUSE;
    lw_write_decision decision = decide_change(wc);
    write->resume = create_resume;
    return create_decided(write, decision);
}

void lw_rest_create_done(lw_write *write)
{
    bool is_stored = write->outcome == LW_WRITE_PUT && !write->is_dry_run;
    if (is_stored)
        write->port->api->write_hooks->after_create(write->port, write->kind, write->key.ns);
    lw_write_call_answer(write);
}

void lw_rest_create(lw_api_call *call)
{
    lw_write_options options;
    lw_api_status status;
    lw_write_call *wc = lw_write_call_new(call);
    if (!wc)
        return;
    if (!lw_write_options_read(&options, &call->query, "CreateOptions", &status) ||
        !lw_body_read(call, lw_kind_gvk(call->route.kind), &wc->body, &status) ||
        !lw_field_validation_check_new(call, lw_kind_gvk(call->route.kind), wc->body, &wc->is_typed,
                                       &status)) {
        lw_write_call_refuse(wc, &status);
        return;
    }
    const lw_node *root = lw_tree_root(wc->body);
    wc->is_creation = true;
    wc->write.is_dry_run = options.is_dry_run;
    wc->has_revision = has_revision(root);
    wc->sent_name = lw_fields_text_at(root, "/metadata/name");
    wc->name_prefix = lw_fields_text_at(root, "/metadata/generateName");
    wc->write.key.name = wc->sent_name;
    if (wc->sent_name.len == 0 && wc->name_prefix.len > 0) {
        wc->is_generated = true;
        generate_name(wc);
    }
    lw_write_call_start(wc, create_decide, lw_rest_create_done);
}
