/* SPDX-License-Identifier: Apache-2.0 */
/* crd_validate.c -- validates the names, group, scope and versions of a definition. */
#include "api/strategy/crd_validate.h"

#include <stdio.h>
#include <string.h>

#include "api/conversion/conversion_validation.h"
#include "api/pending/metadata_validation.h"
#include "api/pending/value_validation.h"
#include "base/str.h"
#include "object/names.h"
#include "json/fields.h"

#define APPROVED "api-approved.kubernetes.io"

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

/* Adds one error with all |problems|, after |head|. */
static void add_problems(lw_api_status *errors, const char *path, lw_str value, const char *head,
                         const lw_name_problems *problems)
{
    lw_buf detail;
    lw_buf_init(&detail, TEXT_MAX);
    lw_buf_append_text(&detail, head);
    for (size_t i = 0; i < problems->count; i++)
        lw_buf_printf(&detail, "%s%s", i > 0 ? "," : "", problems->text[i]);
    if (detail.st == LW_OK)
        lw_api_status_add_field_error(errors, LW_FIELD_INVALID, lw_str_of(path), value,
                                      lw_buf_view(&detail));
    else if (errors->st == LW_OK)
        errors->st = detail.st;
    lw_buf_done(&detail);
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
        add_problems(errors, path, text,
                     has_capitals ? "may have mixed case, but should otherwise match: " : "",
                     &problems);
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
    static const struct {
        const char *member, *path;
        bool has_capitals;
    } each[] = { { "plural", "spec.names.plural", false },
                 { "singular", "spec.names.singular", false },
                 { "kind", "spec.names.kind", true },
                 { "listKind", "spec.names.listKind", true } };
    lw_str kind = lw_fields_text(names, "kind"), list_kind = lw_fields_text(names, "listKind");
    for (size_t i = 0; i < sizeof(each) / sizeof(each[0]); i++) {
        if (lw_fields_text(names, each[i].member).len == 0)
            lw_field_error_required(errors, each[i].path, "");
    }
    for (size_t i = 0; i < sizeof(each) / sizeof(each[0]); i++) {
        lw_str text = lw_fields_text(names, each[i].member);
        if (text.len > 0)
            check_label(text, each[i].path, each[i].has_capitals, errors);
    }
    check_labels(lw_node_get(names, LW_STR("shortNames")), "spec.names.shortNames", errors);
    if (kind.len > 0 && lw_str_equal(kind, list_kind))
        lw_field_error_invalid(errors, "spec.names.listKind", list_kind,
                               "kind and listKind may not be the same");
    check_labels(lw_node_get(names, LW_STR("categories")), "spec.names.categories", errors);
}

static bool is_protected(lw_str group)
{
    return lw_str_equal(group, LW_STR("k8s.io")) || lw_str_equal(group, LW_STR("kubernetes.io")) ||
           lw_str_ends_with(group, LW_STR(".k8s.io")) ||
           lw_str_ends_with(group, LW_STR(".kubernetes.io"));
}

static void check_group(lw_str group, lw_api_status *errors)
{
    lw_name_problems problems = { .count = 0 };
    if (group.len == 0)
        lw_field_error_required(errors, "spec.group", "");
    else if (!lw_name_is_dns1123_subdomain(group, &problems))
        add_problems(errors, "spec.group", group, "", &problems);
    else if (!memchr(group.ptr, '.', group.len))
        lw_field_error_invalid(errors, "spec.group", group,
                               "should be a domain with at least one dot");
}

/* Groups of Kubernetes need the approval of its community. */
static void check_approval(const lw_pending_object *pending, lw_str group, lw_api_status *errors)
{
    const lw_node *annotations = lw_node_get(pending->metadata, LW_STR("annotations"));
    const lw_node *old = lw_fields_find(pending->old, "/metadata/annotations");
    lw_str approval = lw_fields_text(annotations, APPROVED);
    if (!is_protected(group) || approval.len > 0 ||
        (pending->old && lw_fields_text(old, APPROVED).len == 0))
        return;
    lw_field_error_required(errors, "metadata.annotations[" APPROVED "]",
                            "protected groups must have approval annotation \"" APPROVED
                            "\", see https://github.com/kubernetes/enhancements/pull/1111");
}

static void check_name(const lw_pending_object *pending, lw_str group, lw_str plural,
                       lw_api_status *errors)
{
    lw_str name = lw_fields_text(pending->metadata, "name"), head, tail;
    bool is_good = lw_str_cut(name, '.', &head, &tail) && lw_str_equal(head, plural) &&
                   lw_str_equal(tail, group);
    if (!is_good && name.len > 0 && !pending->old)
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

/* |list| is shown as it is; null if there is none. */
static void add_list_error(lw_api_status *errors, const char *field, const lw_node *list,
                           const char *detail)
{
    if (list)
        lw_value_error(errors, field, list, detail);
    else
        lw_field_error_plain(errors, field, LW_STR("null"), detail);
}

static void check_schemas_are_there(const lw_node *versions, lw_api_status *errors)
{
    for (size_t i = 0; i < lw_node_count(versions) && i < VERSIONS_MAX; i++) {
        char path[PATH_SIZE];
        (void)snprintf(path, sizeof(path), "spec.versions[%zu].schema.openAPIV3Schema", i);
        if (!lw_fields_find(lw_node_at(versions, i), "/schema/openAPIV3Schema"))
            lw_field_error_required(errors, path, "");
    }
}

static void check_versions(const lw_node *versions, unsigned common, lw_api_status *errors)
{
    size_t count = lw_node_count(versions), storage = 0;
    bool is_unique = true;
    if (count > VERSIONS_MAX) {
        lw_crd_field_error(errors, LW_FIELD_INVALID, "spec", "versions", LW_STR(""),
                           "must have at most 64 items");
        return;
    }
    check_schemas_are_there(versions, errors);
    for (size_t i = 0; i < count; i++) {
        char path[PATH_SIZE];
        const lw_node *version = lw_node_at(versions, i);
        lw_str name = lw_fields_text(version, "name");
        storage += lw_node_bool(lw_node_get(version, LW_STR("storage")));
        is_unique = is_unique && !has_version(versions, i, name);
        (void)snprintf(path, sizeof(path), "spec.versions[%zu].name", i);
        check_label(name, path, false, errors);
        (void)snprintf(path, sizeof(path), "spec.versions[%zu]", i);
        lw_crd_validate_deprecation(version, path, errors);
        lw_crd_validate_version(version, path, LW_CRD_PARTS & ~common, errors);
    }
    if (!is_unique)
        add_list_error(errors, "spec.versions", versions, "must contain unique version names");
    if (storage != 1)
        add_list_error(errors, "spec.versions", versions,
                       "must have exactly one version marked as storage version");
    if (count > 0 && lw_fields_text(lw_node_at(versions, 0), "name").len > 0)
        check_label(lw_fields_text(lw_node_at(versions, 0), "name"), "spec.version", false, errors);
}

static bool is_stored(const lw_node *stored, lw_str name)
{
    return lw_fields_list_has(stored, name);
}

/* Objects may be stored in each of these versions, so they must remain readable. */
static void check_stored(const lw_pending_object *pending, const lw_node *versions,
                         lw_api_status *errors)
{
    const lw_node *stored = lw_fields_find(pending->root, "/status/storedVersions");
    char path[PATH_SIZE], why[3 * PATH_SIZE];
    if (lw_node_count(stored) == 0) {
        lw_field_error_plain(errors, "status.storedVersions", LW_STR("null"),
                             "must have at least one stored version");
        return;
    }
    for (size_t i = 0; i < lw_node_count(versions) && i < VERSIONS_MAX; i++) {
        lw_str name = lw_fields_text(lw_node_at(versions, i), "name");
        bool is_first = is_stored(stored, name) && !has_version(versions, i, name);
        (void)snprintf(why, sizeof(why), "must have the storage version %.*s", LW_STR_ARG(name));
        if (lw_node_bool(lw_node_get(lw_node_at(versions, i), LW_STR("storage"))) && !is_first)
            lw_value_error(errors, "status.storedVersions", stored, why);
    }
    for (size_t i = 0; i < lw_node_count(stored); i++) {
        lw_str name = lw_node_text(lw_node_at(stored, i));
        (void)snprintf(path, sizeof(path), "status.storedVersions[%zu]", i);
        (void)snprintf(why, sizeof(why),
                       "missing from spec.versions; %.*s was previously a storage version, and "
                       "must remain in spec.versions until a storage migration ensures no data "
                       "remains persisted in %.*s and removes %.*s from status.storedVersions",
                       LW_STR_ARG(name), LW_STR_ARG(name), LW_STR_ARG(name));
        if (!has_version(versions, lw_node_count(versions), name))
            lw_field_error_invalid(errors, path, name, why);
    }
}

static bool is_definition_established(const lw_node *definition)
{
    const lw_node *conditions = lw_fields_find(definition, "/status/conditions");
    for (size_t i = 0; i < lw_node_count(conditions); i++) {
        const lw_node *condition = lw_node_at(conditions, i);
        if (lw_str_equal(lw_fields_text(condition, "type"), LW_STR("Established")) &&
            lw_str_equal(lw_fields_text(condition, "status"), LW_STR("True")))
            return true;
    }
    return false;
}

/* Stored objects depend on these fields, so they cannot change. */
static void check_immutable(const lw_pending_object *pending, lw_api_status *errors)
{
    static const struct {
        const char *pointer, *field;
        bool is_early; /* also before the definition is established */
    } fixed[] = {
        { "/spec/scope", "spec.scope", false },
        { "/spec/names/kind", "spec.names.kind", false },
        { "/spec/group", "spec.group", true },
        { "/spec/names/plural", "spec.names.plural", true },
    };
    bool is_established = pending->old && is_definition_established(pending->old);
    for (size_t i = 0; pending->old && i < sizeof(fixed) / sizeof(fixed[0]); i++) {
        lw_str now = lw_fields_text_at(pending->root, fixed[i].pointer);
        if ((fixed[i].is_early || is_established) &&
            !lw_str_equal(now, lw_fields_text_at(pending->old, fixed[i].pointer)))
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

/* The parts that all versions have in common; kube-apiserver checks them once, as parts of spec. */
static unsigned common_parts(const lw_node *versions)
{
    unsigned common = lw_node_count(versions) > 0 ? LW_CRD_PARTS : 0;
    const lw_node *first = lw_node_at(versions, 0);
    for (size_t i = 1; i < lw_node_count(versions) && i < VERSIONS_MAX; i++)
        common &= lw_crd_equal_parts(first, lw_node_at(versions, i));
    return common;
}

void lw_crd_validate(const lw_pending_object *pending, lw_api_status *errors)
{
    const lw_node *spec = lw_node_get(pending->root, LW_STR("spec"));
    const lw_node *names = lw_node_get(spec, LW_STR("names"));
    const lw_node *versions = lw_node_get(spec, LW_STR("versions"));
    lw_str group = lw_fields_text(spec, "group");
    unsigned common = common_parts(versions);
    check_name(pending, group, lw_fields_text(names, "plural"), errors);
    check_group(group, errors);
    check_scope(lw_fields_text(spec, "scope"), errors);
    check_versions(versions, common, errors);
    check_names(names, errors);
    lw_crd_validate_version(lw_node_at(versions, 0), "spec", common, errors);
    lw_conversion_validate(lw_node_get(spec, LW_STR("conversion")),
                           lw_fields_find(pending->old, "/spec/conversion"),
                           pending->old && is_definition_established(pending->old), errors);
    check_immutable(pending, errors);
    check_stored(pending, versions, errors);
    check_approval(pending, group, errors);
    if (lw_node_bool(lw_node_get(spec, LW_STR("preserveUnknownFields"))))
        lw_field_error_plain(
            errors, "spec.preserveUnknownFields", LW_STR("true"),
            "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in "
            "spec.versions[*].schema instead");
}
