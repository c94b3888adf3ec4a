/* SPDX-License-Identifier: Apache-2.0 */
/* crd_validate.c -- validates the names, group, scope and versions of a definition. */
#include "api/strategy/crd_validate.h"

#include <stdio.h>
#include <string.h>

#include "api/conversion/conversion_validation.h"
#include "api/pending/metadata_validation.h"
#include "base/str.h"
#include "object/names.h"
#include "json/fields.h"

enum {
    TEXT_MAX = 4096,
    PATH_SIZE = 256,
    VERSIONS_MAX = 64, /* of one definition */
    NAMES_MAX = 64,    /* short names, or categories */
};

void lw_crd_field_error(lw_api_status *errors, lw_field_fault fault, const char *path,
                        const char *member, lw_str value, const char *detail)
{
    lw_buf field;
    lw_buf_init(&field, TEXT_MAX);
    lw_buf_append_text(&field, path);
    if (path[0] != '\0' && member[0] != '\0')
        lw_buf_append_char(&field, '.');
    lw_buf_append_text(&field, member);
    if (field.st == LW_OK)
        lw_api_status_add_field_error(errors, fault, lw_buf_view(&field), value, lw_str_of(detail));
    else if (errors->st == LW_OK)
        errors->st = field.st;
    lw_buf_done(&field);
}

static void add_problems(lw_api_status *errors, const char *path, lw_str value,
                         const lw_name_problems *problems)
{
    for (size_t i = 0; i < problems->count; i++)
        lw_crd_field_error(errors, LW_FIELD_INVALID, path, "", value, problems->text[i]);
}

/* Checks that |text| is a DNS label (RFC 1035); with |has_capitals| it may have capital letters. */
static void check_label(lw_str text, const char *path, bool has_capitals, lw_api_status *errors)
{
    char lower[TEXT_MAX];
    lw_name_problems problems = { .count = 0 };
    if (text.len >= sizeof(lower)) {
        lw_crd_field_error(errors, LW_FIELD_INVALID, path, "", LW_STR(""),
                           "must be no more than 63 characters");
        return;
    }
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        lower[i] = has_capitals && c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    }
    if (!lw_name_is_dns1035_label(lw_str_make(lower, text.len), &problems))
        add_problems(errors, path, text, &problems);
}

static void check_labels(const lw_node *list, const char *path, lw_api_status *errors)
{
    if (lw_node_count(list) > NAMES_MAX)
        lw_crd_field_error(errors, LW_FIELD_INVALID, path, "", LW_STR(""),
                           "must have at most 64 items");
    for (size_t i = 0; i < lw_node_count(list) && i < NAMES_MAX; i++) {
        char place[PATH_SIZE];
        (void)snprintf(place, sizeof(place), "%s[%zu]", path, i);
        check_label(lw_node_text(lw_node_at(list, i)), place, false, errors);
    }
}

static void check_names(const lw_node *names, lw_api_status *errors)
{
    lw_str plural = lw_fields_text(names, "plural"), kind = lw_fields_text(names, "kind");
    lw_str singular = lw_fields_text(names, "singular");
    lw_str list_kind = lw_fields_text(names, "listKind");
    if (plural.len == 0)
        lw_field_error_required(errors, "spec.names.plural", "");
    else
        check_label(plural, "spec.names.plural", false, errors);
    if (kind.len == 0)
        lw_field_error_required(errors, "spec.names.kind", "");
    else
        check_label(kind, "spec.names.kind", true, errors);
    if (singular.len == 0)
        lw_field_error_required(errors, "spec.names.singular", "");
    else
        check_label(singular, "spec.names.singular", false, errors);
    if (list_kind.len == 0)
        lw_field_error_required(errors, "spec.names.listKind", "");
    else
        check_label(list_kind, "spec.names.listKind", true, errors);
    if (kind.len > 0 && lw_str_equal(kind, list_kind))
        lw_field_error_invalid(errors, "spec.names.listKind", list_kind,
                               "kind and listKind may not be the same");
    check_labels(lw_node_get(names, LW_STR("shortNames")), "spec.names.shortNames", errors);
    check_labels(lw_node_get(names, LW_STR("categories")), "spec.names.categories", errors);
}

static bool is_protected(lw_str group)
{
    return lw_str_equal(group, LW_STR("k8s.io")) || lw_str_equal(group, LW_STR("kubernetes.io")) ||
           lw_str_ends_with(group, LW_STR(".k8s.io")) ||
           lw_str_ends_with(group, LW_STR(".kubernetes.io"));
}

static void check_group(const lw_pending_object *pending, lw_str group, lw_api_status *errors)
{
    lw_name_problems problems = { .count = 0 };
    const lw_node *annotations = lw_node_get(pending->metadata, LW_STR("annotations"));
    if (group.len == 0) {
        lw_field_error_required(errors, "spec.group", "");
        return;
    }
    if (!lw_name_is_dns1123_subdomain(group, &problems))
        add_problems(errors, "spec.group", group, &problems);
    else if (!memchr(group.ptr, '.', group.len))
        lw_field_error_invalid(errors, "spec.group", group,
                               "should be a domain with at least one dot");
    if (is_protected(group) && lw_fields_text(annotations, "api-approved.kubernetes.io").len == 0)
        lw_field_error_required(errors, "metadata.annotations[api-approved.kubernetes.io]",
                                "protected groups must have approval annotation "
                                "\"api-approved.kubernetes.io\", see "
                                "https://github.com/kubernetes/enhancements/pull/1111");
}

static void check_name(const lw_pending_object *pending, lw_str group, lw_str plural,
                       lw_api_status *errors)
{
    lw_str name = lw_fields_text(pending->metadata, "name"), head, tail;
    bool is_good = lw_str_cut(name, '.', &head, &tail) && lw_str_equal(head, plural) &&
                   lw_str_equal(tail, group);
    if (!is_good && plural.len > 0 && group.len > 0)
        lw_field_error_invalid(errors, "metadata.name", name,
                               "must be spec.names.plural+\".\"+spec.group");
}

static bool has_version(const lw_node *versions, size_t count, lw_str name)
{
    for (size_t i = 0; i < count; i++) {
        if (lw_str_equal(lw_fields_text(lw_node_at(versions, i), "name"), name))
            return true;
    }
    return false;
}

static void check_versions(const lw_node *versions, lw_api_status *errors)
{
    size_t count = lw_node_count(versions), storage = 0;
    if (count > VERSIONS_MAX) {
        lw_crd_field_error(errors, LW_FIELD_INVALID, "spec", "versions", LW_STR(""),
                           "must have at most 64 items");
        return;
    }
    for (size_t i = 0; i < count; i++) {
        char path[PATH_SIZE];
        const lw_node *version = lw_node_at(versions, i);
        lw_str name = lw_fields_text(version, "name");
        storage += lw_node_bool(lw_node_get(version, LW_STR("storage")));
        (void)snprintf(path, sizeof(path), "spec.versions[%zu].name", i);
        check_label(name, path, false, errors);
        if (name.len > 0 && has_version(versions, i, name))
            lw_field_error_invalid(errors, "spec.versions", name,
                                   "must contain unique version names");
    }
    lw_crd_validate_versions(versions, errors);
    if (count == 0)
        lw_field_error_plain(errors, "spec.versions", LW_STR("null"),
                             "must have exactly one version marked as storage version");
    else if (storage != 1)
        lw_field_error_invalid(errors, "spec.versions", LW_STR(""),
                               "must have exactly one version marked as storage version");
}

/* Objects may be stored in each of these versions, so they must remain readable. */
static void check_stored(const lw_pending_object *pending, const lw_node *versions,
                         lw_api_status *errors)
{
    const lw_node *stored = lw_fields_find(pending->root, "/status/storedVersions");
    if (lw_node_count(stored) == 0 && lw_node_count(versions) == 0)
        lw_field_error_plain(errors, "status.storedVersions", LW_STR("null"),
                             "must have at least one stored version");
    for (size_t i = 0; i < lw_node_count(stored); i++) {
        char path[PATH_SIZE];
        lw_str name = lw_node_text(lw_node_at(stored, i));
        (void)snprintf(path, sizeof(path), "status.storedVersions[%zu]", i);
        if (!has_version(versions, lw_node_count(versions), name))
            lw_field_error_invalid(errors, path, name, "must appear in spec.versions");
    }
}

/* Stored objects depend on these fields, so they cannot change. */
static void check_immutable(const lw_pending_object *pending, lw_api_status *errors)
{
    static const struct {
        const char *pointer, *field;
    } fixed[] = {
        { "/spec/group", "spec.group" },
        { "/spec/scope", "spec.scope" },
        { "/spec/names/plural", "spec.names.plural" },
        { "/spec/names/kind", "spec.names.kind" },
    };
    for (size_t i = 0; pending->old && i < sizeof(fixed) / sizeof(fixed[0]); i++) {
        lw_str now = lw_fields_text_at(pending->root, fixed[i].pointer);
        if (!lw_str_equal(now, lw_fields_text_at(pending->old, fixed[i].pointer)))
            lw_field_error_invalid(errors, fixed[i].field, now, "field is immutable");
    }
}

static void check_scope(lw_str scope, lw_api_status *errors)
{
    if (scope.len == 0)
        lw_field_error_required(errors, "spec.scope", "");
    else if (!lw_str_equal(scope, LW_STR("Cluster")) && !lw_str_equal(scope, LW_STR("Namespaced")))
        lw_api_status_add_field_error(errors, LW_FIELD_NOT_SUPPORTED, LW_STR("spec.scope"), scope,
                                      LW_STR("supported values: \"Cluster\", \"Namespaced\""));
}

void lw_crd_validate(const lw_pending_object *pending, lw_api_status *errors)
{
    const lw_node *spec = lw_node_get(pending->root, LW_STR("spec"));
    const lw_node *names = lw_node_get(spec, LW_STR("names"));
    const lw_node *versions = lw_node_get(spec, LW_STR("versions"));
    lw_str group = lw_fields_text(spec, "group");
    check_name(pending, group, lw_fields_text(names, "plural"), errors);
    check_group(pending, group, errors);
    check_names(names, errors);
    check_scope(lw_fields_text(spec, "scope"), errors);
    check_versions(versions, errors);
    check_stored(pending, versions, errors);
    check_immutable(pending, errors);
    if (lw_node_bool(lw_node_get(spec, LW_STR("preserveUnknownFields"))))
        lw_field_error_plain(
            errors, "spec.preserveUnknownFields", LW_STR("true"),
            "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in "
            "spec.versions[*].schema instead");
    lw_conversion_validate(lw_node_get(spec, LW_STR("conversion")),
                           lw_fields_find(pending->old, "/spec/conversion"), errors);
}
