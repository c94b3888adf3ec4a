/* SPDX-License-Identifier: Apache-2.0 */
/* owner.c -- reads controller references, adopts and releases objects. */
#include "runtime/owner.h"

#include <stdio.h>
#include <string.h>

#include "runtime/expectations.h"
#include "runtime/fields.h"
#include "runtime/patch.h"
#include "runtime/report.h"

enum {
    POINTER_SIZE = 64,
};

bool lw_controller_read(const lw_object *obj, lw_owner_reference *ref)
{
    return lw_object_controller(obj, ref) && ref->uid.len > 0;
}

bool lw_owner_of(const lw_object *obj, lw_owner *owner)
{
    lw_owner_reference ref;
    if (!lw_controller_read(obj, &ref))
        return false;
    lw_text_copy(ref.uid, owner->uid, sizeof(owner->uid));
    lw_text_copy(ref.kind, owner->kind, sizeof(owner->kind));
    lw_text_copy(ref.name, owner->name, sizeof(owner->name));
    return true;
}

void lw_owner_add(lw_document *doc, const lw_object *owner)
{
    lw_value *reference = lw_document_set_object(doc, NULL, "/metadata/ownerReferences/-");
    lw_document_set_string(doc, reference, "/apiVersion", lw_object_api_version(owner));
    lw_document_set_string(doc, reference, "/kind", lw_object_kind(owner));
    lw_document_set_string(doc, reference, "/name", lw_object_name(owner));
    lw_document_set_string(doc, reference, "/uid", lw_object_uid(owner));
    lw_document_set_bool(doc, reference, "/controller", true);
    lw_document_set_bool(doc, reference, "/blockOwnerDeletion", true);
}

void lw_owner_index(const lw_object *obj, void (*add)(void *to, lw_str value), void *to, void *arg)
{
    lw_owner_reference ref;
    char orphans[LW_NAME_SIZE + 16];
    (void)arg;
    if (lw_controller_read(obj, &ref)) {
        add(to, ref.uid);
        return;
    }
    (void)snprintf(orphans, sizeof(orphans), "orphans/%s", lw_object_namespace(obj));
    add(to, lw_str_of(orphans));
}

/* Creates a patch with the resourceVersion that was read and the current references. */
static lw_status begin_patch(lw_document **out, const lw_object *obj, lw_error *err)
{
    lw_str references;
    lw_status st = lw_document_new(out, err);
    if (st < 0)
        return st;
    lw_document_set_string(*out, NULL, "/metadata/uid", lw_object_uid(obj));
    lw_document_set_string(*out, NULL, "/metadata/resourceVersion",
                           lw_object_resource_version(obj));
    lw_document_set_array(*out, NULL, "/metadata/ownerReferences");
    if (lw_object_raw(obj, "/metadata/ownerReferences", &references) == LW_OK)
        lw_document_set_json(*out, NULL, "/metadata/ownerReferences", references);
    return LW_OK;
}

/* Sends the patch and frees it. */
static lw_status end_patch(lw_document *patch, lw_client *client, lw_gvr gvr, const lw_object *obj,
                           lw_error *err)
{
    lw_status st = lw_patch_send(client, gvr, obj, NULL, patch, err);
    lw_document_free(patch);
    return st;
}

lw_status lw_owner_adopt(lw_client *client, lw_gvr gvr, const lw_object *obj,
                         const lw_object *owner, lw_error *err)
{
    lw_document *patch = NULL;
    lw_status st = begin_patch(&patch, obj, err);
    if (st < 0)
        return st;
    lw_owner_add(patch, owner);
    return end_patch(patch, client, gvr, obj, err);
}

lw_status lw_owner_release(lw_client *client, lw_gvr gvr, const lw_object *obj,
                           const lw_object *owner, lw_error *err)
{
    lw_document *patch = NULL;
    char pointer[POINTER_SIZE];
    lw_status st = begin_patch(&patch, obj, err);
    if (st < 0)
        return st;
    const lw_value *references = lw_document_find(patch, NULL, "/metadata/ownerReferences");
    for (size_t i = lw_document_count(references); i-- > 0;) {
        const char *uid = lw_document_string(patch, lw_document_item(references, i), "/uid", "");
        (void)snprintf(pointer, sizeof(pointer), "/metadata/ownerReferences/%zu", i);
        if (strcmp(uid, lw_object_uid(owner)) == 0)
            (void)lw_document_remove(patch, NULL, pointer);
    }
    st = end_patch(patch, client, gvr, obj, err);
    return st == LW_ERR_NOT_FOUND ? LW_OK : st; /* deleted: nothing to release */
}

/* Keeps the objects that match, releases the others. */
static lw_status claim_owned(const lw_claim *c, const lw_object_list *owned,
                             const lw_label_selector *selector, lw_object_list *out, lw_error *err)
{
    lw_status st = LW_OK;
    for (size_t i = 0; st == LW_OK && i < lw_object_list_count(owned); i++) {
        const lw_object *obj = lw_object_list_at(owned, i);
        if (lw_label_selector_matches(selector, obj))
            st = lw_object_list_append(out, obj);
        else if (!lw_read_has(c->owner, "/metadata/deletionTimestamp"))
            st = lw_owner_release(c->client, c->gvr, obj, c->owner, err);
    }
    return st;
}

/* Asks the server whether the owner still exists and is not being deleted. */
static lw_status may_adopt(const lw_claim *c, bool *may, lw_error *err)
{
    lw_object *now = NULL;
    lw_status st = lw_client_get(c->client, c->owner_gvr, lw_object_namespace(c->owner),
                                 lw_object_name(c->owner), NULL, &now, err);
    *may = st == LW_OK && strcmp(lw_object_uid(now), lw_object_uid(c->owner)) == 0 &&
           !lw_read_has(now, "/metadata/deletionTimestamp");
    lw_object_unref(now);
    return st == LW_ERR_NOT_FOUND ? LW_OK : st;
}

/* Adopts |orphan|, which is then expected to be seen with its owner.  Ignores one that was
 * deleted. */
static lw_status adopt_expected(const lw_claim *c, const lw_object *orphan, lw_object_list *adopted,
                                lw_error *err)
{
    const char *uid = lw_object_uid(c->owner), *name = lw_object_name(orphan);
    lw_status st = LW_OK;
    if (c->expectations)
        st = lw_expectations_add(c->expectations, uid, name, LW_EXPECTED_HERE, err);
    if (st < 0)
        return st;
    st = lw_owner_adopt(c->client, c->gvr, orphan, c->owner, err);
    if (st < 0 && c->expectations)
        lw_expectations_strike(c->expectations, uid, name);
    if (st == LW_OK && adopted)
        st = lw_object_list_append(adopted, orphan);
    return st == LW_ERR_NOT_FOUND ? LW_OK : st;
}

/* Adopts the orphans that match; the cache shows them again when they are ours. */
static lw_status claim_orphans(const lw_claim *c, const lw_object_list *orphans,
                               const lw_label_selector *selector, lw_object_list *adopted,
                               lw_error *err)
{
    lw_status st = LW_OK;
    bool is_asked = false, may = false;
    for (size_t i = 0; st == LW_OK && i < lw_object_list_count(orphans); i++) {
        const lw_object *obj = lw_object_list_at(orphans, i);
        if (!lw_label_selector_matches(selector, obj) ||
            lw_read_has(obj, "/metadata/deletionTimestamp"))
            continue;
        if (!is_asked)
            st = may_adopt(c, &may, err);
        is_asked = true;
        if (st == LW_OK && !may) /* nor may missing objects be created again */
            st = lw_report_error(err, LW_ERR_CONFLICT, "%s has just been deleted",
                                 lw_object_name(c->owner));
        if (st == LW_OK)
            st = adopt_expected(c, obj, adopted, err);
    }
    return st;
}

lw_status lw_owner_selector(lw_label_selector **out, const lw_object *owner, lw_error *err)
{
    lw_str json;
    if (strcmp(lw_object_kind(owner), "ReplicationController") == 0 &&
        lw_read_map_selector(owner, "/spec/selector", out) == LW_OK)
        return LW_OK;
    if (lw_object_raw(owner, "/spec/selector", &json) < 0)
        return lw_report_error(err, LW_ERR_INVALID, "%s has no selector", lw_object_name(owner));
    return lw_label_selector_from_json(out, json, err);
}

static lw_status find_orphans(const lw_claim *c, lw_object_list **out, lw_error *err)
{
    char value[LW_NAME_SIZE + 16];
    (void)snprintf(value, sizeof(value), "orphans/%s", lw_object_namespace(c->owner));
    return lw_lister_by_index(lw_informer_lister(c->informer), LW_OWNER_INDEX, value, out, err);
}

lw_status lw_owner_adopt_orphans(const lw_claim *c, lw_object_list *adopted, lw_error *err)
{
    lw_label_selector *selector = NULL;
    lw_object_list *orphans = NULL;
    lw_status st = lw_owner_selector(&selector, c->owner, err);
    if (st == LW_OK && !lw_read_has(c->owner, "/metadata/deletionTimestamp"))
        st = find_orphans(c, &orphans, err);
    if (st == LW_OK)
        st = claim_orphans(c, orphans, selector, adopted, err);
    lw_object_list_free(orphans);
    lw_label_selector_free(selector);
    return st;
}

lw_status lw_owner_claim(const lw_claim *c, lw_object_list **out, lw_error *err)
{
    const lw_lister *lister = lw_informer_lister(c->informer);
    lw_label_selector *selector = NULL;
    lw_object_list *owned = NULL, *claimed = NULL;
    lw_status st = lw_owner_selector(&selector, c->owner, err);
    if (st == LW_OK)
        st = lw_object_list_new(&claimed, 0);
    if (st == LW_OK)
        st = lw_lister_by_index(lister, LW_OWNER_INDEX, lw_object_uid(c->owner), &owned, err);
    if (st == LW_OK)
        st = claim_owned(c, owned, selector, claimed, err);
    if (st == LW_OK)
        st = lw_owner_adopt_orphans(c, claimed, err);
    lw_object_list_free(owned);
    lw_label_selector_free(selector);
    if (st < 0)
        lw_object_list_free(claimed);
    else
        *out = claimed;
    return st;
}
