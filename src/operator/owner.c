/* SPDX-License-Identifier: Apache-2.0 */
/* owner.c -- sets and reads owner references, with the rules of controller-runtime. */
#include <listwatch/owner.h>

#include <stdio.h>
#include <string.h>

#include <listwatch/gvk.h>
#include <listwatch/object_iter.h>

static const char references_pointer[] = "/metadata/ownerReferences";

static lw_str group_of(const char *api_version)
{
    lw_str group = { NULL, 0 }, version;
    /* A malformed apiVersion has no group. */
    (void)lw_api_version_parse(lw_str_of(api_version), &group, &version, NULL);
    return group;
}

/* Same group, kind and name, in any version. */
static bool is_to(lw_document *doc, const lw_value *reference, const lw_object *owner)
{
    return strcmp(lw_document_string(doc, reference, "/name", ""), lw_object_name(owner)) == 0 &&
           strcmp(lw_document_string(doc, reference, "/kind", ""), lw_object_kind(owner)) == 0 &&
           lw_str_equal(group_of(lw_document_string(doc, reference, "/apiVersion", "")),
                        group_of(lw_object_api_version(owner)));
}

/* Returns the index of the reference to |owner|, or the count. */
static size_t find(lw_document *doc, const lw_value *references, const lw_object *owner)
{
    size_t count = lw_document_count(references), i = 0;
    while (i < count && !is_to(doc, lw_document_item(references, i), owner))
        i++;
    return i;
}

static lw_status check_scope(lw_document *doc, const lw_object *owner, lw_error *err)
{
    const char *ns = lw_document_string(doc, NULL, "/metadata/namespace", "");
    const char *owner_ns = lw_object_namespace(owner);
    if (!lw_object_uid(owner)[0] || !lw_object_name(owner)[0] || !lw_object_kind(owner)[0] ||
        !lw_object_api_version(owner)[0])
        return lw_error_set(err, LW_ERR_INVALID,
                            "an owner must have an apiVersion, kind, name and uid");
    if (owner_ns[0] && !ns[0])
        return lw_error_set(
            err, LW_ERR_INVALID,
            "a cluster-scoped object cannot have an owner in a namespace (%s %s/%s)",
            lw_object_kind(owner), owner_ns, lw_object_name(owner));
    if (owner_ns[0] && strcmp(ns, owner_ns) != 0)
        return lw_error_set(err, LW_ERR_INVALID,
                            "an object in namespace %s cannot have an owner in namespace %s", ns,
                            owner_ns);
    return LW_OK;
}

/* Fails if a reference other than that to |owner| is the controller. */
static lw_status check_controller(lw_document *doc, const lw_value *references,
                                  const lw_object *owner, lw_error *err)
{
    for (size_t i = 0; i < lw_document_count(references); i++) {
        const lw_value *reference = lw_document_item(references, i);
        if (lw_document_bool(doc, reference, "/controller", false) && !is_to(doc, reference, owner))
            return lw_error_set(err, LW_ERR_EXISTS, "object %s is already controlled by %s %s",
                                lw_document_string(doc, NULL, "/metadata/name", ""),
                                lw_document_string(doc, reference, "/kind", ""),
                                lw_document_string(doc, reference, "/name", ""));
    }
    return LW_OK;
}

static lw_status set(lw_document *doc, const lw_object *owner, bool is_controller, lw_error *err)
{
    char pointer[64];
    lw_status st = check_scope(doc, owner, err);
    const lw_value *references = lw_document_find(doc, NULL, references_pointer);
    if (st == LW_OK && is_controller)
        st = check_controller(doc, references, owner, err);
    if (st < 0)
        return st;
    size_t at = find(doc, references, owner);
    if (at < lw_document_count(references))
        (void)snprintf(pointer, sizeof(pointer), "%s/%zu", references_pointer, at);
    else
        (void)snprintf(pointer, sizeof(pointer), "%s/-", references_pointer);
    lw_value *reference = lw_document_set_object(doc, NULL, pointer);
    lw_document_set_string(doc, reference, "/apiVersion", lw_object_api_version(owner));
    lw_document_set_string(doc, reference, "/kind", lw_object_kind(owner));
    lw_document_set_string(doc, reference, "/name", lw_object_name(owner));
    lw_document_set_string(doc, reference, "/uid", lw_object_uid(owner));
    if (is_controller) {
        lw_document_set_bool(doc, reference, "/controller", true);
        lw_document_set_bool(doc, reference, "/blockOwnerDeletion", true);
    }
    st = lw_document_status(doc);
    return st < 0
               ? lw_error_set(err, st, "cannot set the owner of an object: %s", lw_status_name(st))
               : LW_OK;
}

lw_status lw_owner_set_controller(lw_document *doc, const lw_object *owner, lw_error *err)
{
    return set(doc, owner, true, err);
}

lw_status lw_owner_set(lw_document *doc, const lw_object *owner, lw_error *err)
{
    return set(doc, owner, false, err);
}

bool lw_owner_remove(lw_document *doc, const lw_object *owner)
{
    char pointer[64];
    const lw_value *references = lw_document_find(doc, NULL, references_pointer);
    size_t at = find(doc, references, owner);
    if (at == lw_document_count(references))
        return false;
    (void)snprintf(pointer, sizeof(pointer), "%s/%zu", references_pointer, at);
    return lw_document_remove(doc, NULL, pointer);
}

bool lw_owner_controls(const lw_object *owner, const lw_object *obj)
{
    lw_iter reference = lw_object_iter(obj, references_pointer);
    while (lw_iter_next(&reference)) {
        if (lw_iter_bool(&reference, "/controller", false))
            return strcmp(lw_iter_string(&reference, "/uid", ""), lw_object_uid(owner)) == 0;
    }
    return false;
}
