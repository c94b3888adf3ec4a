/* SPDX-License-Identifier: Apache-2.0 */
/* update.c -- PUT of an object, of its status, of a namespace's finalizers. */
#include "api/admission/namespaces.h"
#include "api/context/cache_lookup.h"
#include "api/http/body.h"
#include "api/pending/field_validation.h"
#include "api/pending/metadata.h"
#include "api/pending/pending_object.h"
#include "api/pending/stored_parts.h"
#include "api/write/change.h"
#include "api/write/scale.h"
#include "api/write/verbs.h"
#include "api/write/write_call.h"
#include "base/str.h"
#include "json/fields.h"

static lw_write_decision update_decide(lw_write *write)
{
    lw_write_call *wc = lw_write_call_of(write);
    const lw_change change = { .body = lw_tree_root(wc->body),
                               .subresource = wc->call->route.subresource,
                               .is_lasting = true,
                               .manager = lw_write_call_manager(wc) };
    wc->is_creation = !write->current;
    if (write->current)
        return lw_change_update(write, &change);
    if (!(write->kind->flags & LW_KIND_CREATE_ON_UPDATE) || change.subresource) {
        lw_api_status_not_found(&write->status, lw_kind_gvr(write->kind), write->key.name);
        return LW_WRITE_REFUSE;
    }
    if (!lw_change_may_create(write) ||
        !lw_namespace_admits(wc->call->port, write->kind, write->key.ns, write->key.name,
                             &write->status))
        return LW_WRITE_REFUSE;
    if (!lw_change_check_uid(write, lw_fields_text_at(change.body, "/metadata/uid")))
        return LW_WRITE_REFUSE;
    lw_status st = lw_stored_parts_open(change.body);
    if (st < 0)
        return lw_write_fail(write, st);
    return lw_change_create(write, &change);
}

/* Reads the body.  A part that the cached object has as well is not read: whoever changes something
 * else sends it back as it was.  When it is decided, another one may be there. */
static bool read_body(lw_write_call *wc, lw_gvk gvk, lw_api_status *status)
{
    lw_api_call *call = wc->call;
    const lw_kind *kind = call->route.kind;
    lw_tree_part parts[LW_STORED_PARTS];
    lw_object *current = NULL;
    size_t count = 0;
    bool has_parts = !kind->custom && call->route.subresource != LW_SUB_SCALE;
    if (has_parts &&
        lw_lookup(lw_api_resource(call->api, kind), wc->write.key, &current) == LW_OK && current)
        count = lw_stored_parts_find(kind, current, parts);
    bool is_read = lw_body_read_known(call, gvk, parts, count, &wc->body, status);
    lw_object_unref(current);
    return is_read;
}

void lw_rest_update(lw_api_call *call)
{
    bool is_scale = call->route.subresource == LW_SUB_SCALE;
    lw_gvk gvk = is_scale ? lw_scale_gvk() : lw_kind_gvk(call->route.kind);
    lw_write_options options;
    lw_api_status status;
    lw_write_call *wc = lw_write_call_new(call);
    if (!wc)
        return;
    if (!lw_write_options_read(&options, &call->query, "UpdateOptions", &status) ||
        !read_body(wc, gvk, &status) || !lw_field_validation_check(call, gvk, wc->body, &status) ||
        (call->route.kind->is_namespaced &&
         !lw_metadata_is_in(lw_fields_text_at(lw_tree_root(wc->body), "/metadata/namespace"),
                            call->route.ns, &status)) ||
        !lw_metadata_is_named(lw_fields_text_at(lw_tree_root(wc->body), "/metadata/name"),
                              call->route.name, &status)) {
        lw_write_call_refuse(wc, &status);
        return;
    }
    wc->write.is_dry_run = options.is_dry_run;
    if (is_scale)
        lw_write_call_start(wc, lw_scale_decide_update, lw_scale_answer);
    else
        lw_write_call_start(wc, update_decide, NULL);
}
