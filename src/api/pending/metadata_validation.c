/* SPDX-License-Identifier: Apache-2.0 */
/* metadata_validation.c -- the rules for metadata, in the order and wording of apimachinery. */
#include "api/pending/metadata_validation.h"

#include <stdio.h>

#include "api/pending/text_set.h"
#include "base/str.h"
#include "object/names.h"
#include "object/quote.h"
#include "json/fields.h"

enum {
    NAME_SHOWN_MAX = 4096, /* a longer text is not a valid name anyway */
};

static void add_problems(lw_api_status *errors, lw_str field, lw_str value,
                         const lw_name_problems *problems)
{
    for (size_t i = 0; i < problems->count; i++)
        lw_api_status_add_field_error(errors, LW_FIELD_INVALID, field, value,
                                      lw_str_of(problems->text[i]));
}

static void check_name(lw_name_rule rule, lw_str name, lw_str field, lw_str shown,
                       lw_api_status *errors)
{
    lw_name_problems problems = { 0 };
    switch (rule) {
    case LW_NAME_SUBDOMAIN: (void)lw_name_is_dns1123_subdomain(name, &problems); break;
    case LW_NAME_LABEL: (void)lw_name_is_dns1123_label(name, &problems); break;
    case LW_NAME_PATH: (void)lw_name_is_path_segment(name, &problems); break;
    }
    add_problems(errors, field, shown, &problems);
}

/* A prefix may end with characters that a name may not end with. */
static void check_generate_name(lw_name_rule rule, lw_str base, lw_api_status *errors)
{
    char masked[NAME_SHOWN_MAX];
    lw_str name = base;
    if (rule != LW_NAME_PATH && base.len > 1 && base.len < sizeof(masked) &&
        base.ptr[base.len - 1] == '-') {
        memcpy(masked, base.ptr, base.len - 2);
        masked[base.len - 2] = 'a';
        name = lw_str_make(masked, base.len - 1);
    }
    check_name(rule, name, LW_STR("metadata.generateName"), base, errors);
}

static void check_names(const lw_pending_object *pending, lw_api_status *errors)
{
    lw_str name = lw_fields_text(pending->metadata, "name");
    lw_str base = lw_fields_text(pending->metadata, "generateName");
    lw_str ns = lw_fields_text(pending->metadata, "namespace");
    if (base.len > 0)
        check_generate_name(pending->kind->name_rule, base, errors);
    if (name.len == 0)
        lw_field_error_required(errors, "metadata.name", "name or generateName is required");
    else
        check_name(pending->kind->name_rule, name, LW_STR("metadata.name"), name, errors);
    if (!pending->kind->is_namespaced)
        return;
    if (ns.len == 0)
        lw_field_error_required(errors, "metadata.namespace", "");
    else
        check_name(LW_NAME_LABEL, ns, LW_STR("metadata.namespace"), ns, errors);
}

void lw_validate_labels(const lw_node *labels, lw_str path, lw_api_status *errors)
{
    lw_name_problems problems;
    lw_text_set told; /* a value that several labels have is reported once */
    lw_text_set_init(&told, NULL);
    for (size_t i = 0; i < lw_node_count(labels); i++) {
        lw_str key = lw_node_key_at(labels, i), value = lw_node_text(lw_node_at(labels, i));
        if (!lw_name_is_qualified(key, &problems))
            add_problems(errors, path, key, &problems);
        if (!lw_name_is_label_value(value, &problems) &&
            lw_text_set_add(&told, lw_node_at(labels, i)))
            add_problems(errors, path, value, &problems);
    }
    lw_text_set_done(&told, errors);
}

/* Annotation keys have the rules of label keys, but ignore case. */
static void check_annotation_key(lw_str key, lw_str path, lw_api_status *errors)
{
    char lower[NAME_SHOWN_MAX];
    lw_name_problems problems;
    lw_str name = key;
    if (key.len < sizeof(lower)) {
        for (size_t i = 0; i < key.len; i++) {
            char c = key.ptr[i];
            lower[i] = (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
        }
        name = lw_str_make(lower, key.len);
    }
    if (!lw_name_is_qualified(name, &problems))
        add_problems(errors, path, key, &problems);
}

void lw_validate_annotations(const lw_node *annotations, lw_str path, lw_api_status *errors)
{
    size_t bytes = 0;
    for (size_t i = 0; i < lw_node_count(annotations); i++) {
        lw_str key = lw_node_key_at(annotations, i);
        check_annotation_key(key, path, errors);
        bytes += key.len + lw_node_text(lw_node_at(annotations, i)).len;
    }
    if (bytes > LW_ANNOTATIONS_MAX)
        lw_api_status_add_field_error(errors, LW_FIELD_TOO_LONG, path, LW_STR(""),
                                      LW_STR("may not be more than 262144 bytes"));
}

static void check_owner(const lw_node *owner, size_t index, lw_api_status *errors)
{
    static const char *const members[] = { "apiVersion", "kind", "name", "uid" };
    char field[64];
    for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
        (void)snprintf(field, sizeof(field), "metadata.ownerReferences[%zu].%s", index, members[i]);
        if (lw_fields_text(owner, members[i]).len == 0)
            lw_field_error_required(errors, field, "must not be empty");
    }
    if (lw_str_equal(lw_fields_text(owner, "apiVersion"), LW_STR("v1")) &&
        lw_str_equal(lw_fields_text(owner, "kind"), LW_STR("Event")))
        lw_field_error_invalid(errors, "metadata.ownerReferences", lw_fields_text(owner, "name"),
                               "/v1, Kind=Event is disallowed from being an owner");
}

static void check_owners(const lw_node *owners, lw_api_status *errors)
{
    size_t controllers = 0;
    for (size_t i = 0; i < lw_node_count(owners); i++) {
        const lw_node *owner = lw_node_at(owners, i);
        check_owner(owner, i, errors);
        controllers += lw_node_bool(lw_node_get(owner, LW_STR("controller")));
    }
    if (controllers > 1)
        lw_field_error_invalid(errors, "metadata.ownerReferences",
                               lw_fields_text(lw_node_at(owners, 0), "name"),
                               "Only one reference can have Controller set to true");
}

static bool is_standard_finalizer(lw_str name)
{
    return lw_str_equal(name, LW_STR("kubernetes")) || lw_str_equal(name, LW_STR("orphan")) ||
           lw_str_equal(name, LW_STR("foregroundDeletion"));
}

static void check_finalizer(const lw_pending_object *pending, lw_str name, size_t index,
                            lw_api_status *errors)
{
    char field[64];
    lw_name_problems problems;
    if (!lw_name_is_qualified(name, &problems))
        add_problems(errors, LW_STR("metadata.finalizers"), name, &problems);
    if (pending->kind->flags & LW_KIND_CUSTOM || is_standard_finalizer(name) ||
        (name.len > 0 && memchr(name.ptr, '/', name.len)))
        return;
    (void)snprintf(field, sizeof(field), "metadata.finalizers[%zu]", index);
    lw_field_error_invalid(errors, field, name,
                           "name is neither a standard finalizer name nor is it fully qualified");
}

static void check_finalizers(const lw_pending_object *pending, lw_api_status *errors)
{
    const lw_node *finalizers = lw_node_get(pending->metadata, LW_STR("finalizers"));
    for (size_t i = 0; i < lw_node_count(finalizers); i++)
        check_finalizer(pending, lw_node_text(lw_node_at(finalizers, i)), i, errors);
    if (lw_fields_list_has(finalizers, LW_STR("orphan")) &&
        lw_fields_list_has(finalizers, LW_STR("foregroundDeletion")))
        lw_field_error_invalid(errors, "metadata.finalizers", LW_STR("orphan"),
                               "finalizer orphan and foregroundDeletion cannot be both set");
}

void lw_validate_metadata(const lw_pending_object *pending, lw_api_status *errors)
{
    const lw_node *metadata = pending->metadata;
    check_names(pending, errors);
    lw_validate_labels(lw_node_get(metadata, LW_STR("labels")), LW_STR("metadata.labels"), errors);
    lw_validate_annotations(lw_node_get(metadata, LW_STR("annotations")),
                            LW_STR("metadata.annotations"), errors);
    check_owners(lw_node_get(metadata, LW_STR("ownerReferences")), errors);
    check_finalizers(pending, errors);
}

/* Appends the finalizers that the stored object does not have, as Go prints a []string; nothing if
 * there are none. */
static void append_new_finalizers(const lw_pending_object *pending, lw_buf *out,
                                  lw_api_status *errors)
{
    const lw_node *before = lw_fields_find(pending->old, "/metadata/finalizers");
    const lw_node *now = lw_node_get(pending->metadata, LW_STR("finalizers"));
    lw_text_set known;
    lw_text_set_init(&known, NULL);
    lw_text_set_add_all(&known, before);
    for (size_t i = 0; i < lw_node_count(now); i++) {
        lw_str name = lw_node_text(lw_node_at(now, i));
        if (lw_text_set_has(&known, name))
            continue;
        lw_buf_append_text(out, out->len > 0 ? ", " : "");
        lw_quote_append(out, name);
    }
    lw_text_set_done(&known, errors);
}

static void check_new_finalizers(const lw_pending_object *pending, lw_api_status *errors)
{
    lw_buf names, detail;
    lw_buf_init(&names, LW_API_STATUS_TEXT_MAX);
    lw_buf_init(&detail, LW_API_STATUS_TEXT_MAX);
    append_new_finalizers(pending, &names, errors);
    if (names.len > 0) {
        lw_buf_append_text(&detail, "no new finalizers can be added if the object is being "
                                    "deleted, found new finalizers []string{");
        lw_buf_append_str(&detail, lw_buf_view(&names));
        lw_buf_append_char(&detail, '}');
        lw_field_error_forbidden(errors, "metadata.finalizers", lw_buf_view(&detail));
    }
    lw_status st = names.st < 0 ? names.st : detail.st;
    if (st < 0 && errors->st == LW_OK)
        errors->st = st;
    lw_buf_done(&names);
    lw_buf_done(&detail);
}

/* deletionTimestamp and similar fields can only be set by DELETE. */
static void check_fixed(const lw_pending_object *pending, const char *key, const char *field,
                        lw_api_status *errors)
{
    const lw_node *old = lw_fields_find(pending->old, "/metadata");
    const lw_node *now = lw_node_get(pending->metadata, lw_str_of(key));
    if (lw_node_equal(now, lw_node_get(old, lw_str_of(key))))
        return;
    if (lw_node_is(now, LW_JSON_STRING))
        lw_field_error_invalid(errors, field, lw_node_text(now), "field is immutable");
    else
        lw_field_error_plain(errors, field, lw_node_text(now), "field is immutable");
}

void lw_validate_metadata_update(const lw_pending_object *pending, lw_api_status *errors)
{
    lw_str uid = lw_fields_text(pending->metadata, "uid");
    if (!lw_str_equal(uid, lw_fields_text_at(pending->old, "/metadata/uid")))
        lw_field_error_invalid(errors, "metadata.uid", uid, "field is immutable");
    check_fixed(pending, "deletionTimestamp", "metadata.deletionTimestamp", errors);
    check_fixed(pending, "deletionGracePeriodSeconds", "metadata.deletionGracePeriodSeconds",
                errors);
    if (lw_fields_text_at(pending->old, "/metadata/deletionTimestamp").len > 0)
        check_new_finalizers(pending, errors);
}

void lw_validate_spec_update(const lw_pending_object *pending, const char *const *changeable,
                             const char *why, lw_api_status *errors)
{
    const lw_node *now = lw_node_get(pending->root, LW_STR("spec"));
    const lw_node *old = lw_node_get(pending->old, LW_STR("spec"));
    if (pending->old && lw_fields_differ(now, old, changeable))
        lw_field_error_forbidden(errors, "spec", lw_str_of(why));
}
