/* SPDX-License-Identifier: Apache-2.0 */
/* subject_access_review.c -- authorization.k8s.io: whether a user may do something, and what a user
 * may do.  This file validates the reviews; access_answer.c answers them. */
#include <stdio.h>

#include "api/pending/metadata_validation.h"
#include "api/review/review.h"
#include "base/str.h"
#include "object/names.h"
#include "schema/kinds/kinds.h"
#include "json/fields.h"

enum {
    PLACE_SIZE = 112,
    FIELD_SIZE = PLACE_SIZE + 48,
    VALUE_MAX = 64 * 1024,
};

/* Writes |path|.|name|, the field of an error. */
static const char *join(char field[FIELD_SIZE], const char *path, const char *name)
{
    (void)snprintf(field, FIELD_SIZE, "%s.%s", path, name);
    return field;
}

static void check_label_requirement(const lw_node *requirement, const char *path,
                                    lw_api_status *errors)
{
    char field[FIELD_SIZE], name[32];
    lw_name_problems problems;
    lw_str key = lw_fields_text(requirement, "key");
    const lw_node *values = lw_node_get(requirement, LW_STR("values"));
    (void)lw_name_is_qualified(key, &problems);
    for (size_t i = 0; i < problems.count; i++)
        lw_field_error_invalid(errors, join(field, path, "key"), key, problems.text[i]);
    for (size_t i = 0; i < lw_node_count(values); i++) {
        lw_str value = lw_node_text(lw_node_at(values, i));
        (void)snprintf(name, sizeof(name), "values[%zu]", i);
        (void)lw_name_is_label_value(value, &problems);
        for (size_t j = 0; j < problems.count; j++)
            lw_field_error_invalid(errors, join(field, path, name), value, problems.text[j]);
    }
}

/* Unknown operators are accepted: a newer client may use them. */
static void check_values(const lw_node *requirement, const char *path, lw_api_status *errors)
{
    char field[FIELD_SIZE];
    lw_str relation = lw_fields_text(requirement, "operator");
    bool has_values = lw_node_count(lw_node_get(requirement, LW_STR("values"))) > 0;
    bool wants = lw_str_equal(relation, LW_STR("In")) || lw_str_equal(relation, LW_STR("NotIn"));
    bool wants_none =
        lw_str_equal(relation, LW_STR("Exists")) || lw_str_equal(relation, LW_STR("DoesNotExist"));
    if (wants && !has_values)
        lw_field_error_required(errors, join(field, path, "values"),
                                "must be specified when `operator` is 'In' or 'NotIn'");
    if (wants_none && has_values)
        lw_field_error_forbidden(
            errors, join(field, path, "values"),
            LW_STR("may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
}

static void check_selector(const lw_node *attributes, const char *name, bool is_of_labels,
                           lw_api_status *errors)
{
    char path[PLACE_SIZE / 2], place[PLACE_SIZE], field[FIELD_SIZE], why[FIELD_SIZE];
    const lw_node *selector = lw_node_get(attributes, lw_str_of(name));
    const lw_node *requirements = lw_node_get(selector, LW_STR("requirements"));
    lw_str raw = lw_fields_text(selector, "rawSelector");
    if (!selector)
        return;
    (void)snprintf(path, sizeof(path), "spec.resourceAttributes.%s", name);
    if (raw.len > 0 && lw_node_count(requirements) > 0)
        lw_field_error_invalid(errors, join(field, path, "rawSelector"), raw,
                               "may not specified at the same time as requirements");
    (void)snprintf(why, sizeof(why),
                   "when %s is specified, requirements or rawSelector is required", path);
    if (raw.len == 0 && lw_node_count(requirements) == 0)
        lw_field_error_required(errors, join(field, path, "requirements"), why);
    for (size_t i = 0; i < lw_node_count(requirements); i++) {
        const lw_node *requirement = lw_node_at(requirements, i);
        (void)snprintf(place, sizeof(place), "%s.requirements[%zu]", path, i);
        if (!is_of_labels && lw_fields_text(requirement, "key").len == 0)
            lw_field_error_required(errors, join(field, place, "key"), "must be specified");
        check_values(requirement, place, errors);
        if (is_of_labels)
            check_label_requirement(requirement, place, errors);
    }
}

/* Adds an error with the attributes as Go prints a struct without JSON names. */
static void add_path_error(const lw_node *attributes, const char *field, const char *why,
                           lw_api_status *errors)
{
    lw_buf text;
    lw_json_writer w;
    lw_buf_init(&text, VALUE_MAX);
    lw_json_writer_init(&w, &text, LW_JSON_COMPACT);
    if (attributes) {
        lw_json_write_object_begin(&w);
        lw_json_write_member_string(&w, "Path", lw_fields_text(attributes, "path"));
        lw_json_write_member_string(&w, "Verb", lw_fields_text(attributes, "verb"));
        lw_json_write_object_end(&w);
    } else {
        lw_json_write_null(&w);
    }
    if (text.st == LW_OK)
        lw_field_error_plain(errors, field, lw_buf_view(&text), why);
    else if (errors->st == LW_OK)
        errors->st = text.st;
    lw_buf_done(&text);
}

static void check_attributes(const lw_node *spec, lw_api_status *errors)
{
    const lw_node *resource = lw_node_get(spec, LW_STR("resourceAttributes"));
    const lw_node *path = lw_node_get(spec, LW_STR("nonResourceAttributes"));
    if (!resource == !path)
        add_path_error(
            path, "spec",
            "exactly one of nonResourceAttributes or resourceAttributes must be specified", errors);
}

static void check_selectors(const lw_node *spec, lw_api_status *errors)
{
    const lw_node *resource = lw_node_get(spec, LW_STR("resourceAttributes"));
    check_selector(resource, "fieldSelector", false, errors);
    check_selector(resource, "labelSelector", true, errors);
}

static void check_subject(const lw_node *spec, lw_api_status *errors)
{
    if (lw_fields_text(spec, "user").len == 0 &&
        lw_node_count(lw_node_get(spec, LW_STR("groups"))) == 0)
        lw_field_error_invalid(errors, "spec.user", LW_STR(""),
                               "at least one of user or group must be specified");
}

/* Adds an error with the metadata as JSON. */
static void add_metadata_error(lw_pending_object *pending, const char *why, lw_api_status *errors)
{
    lw_object *shown = NULL;
    lw_str text;
    lw_pending_object_seal(pending);
    lw_status st = lw_pending_object_take(pending, false, &shown);
    if (st == LW_OK)
        st = lw_object_raw(shown, "/metadata", &text);
    if (st == LW_OK)
        lw_field_error_plain(errors, "metadata", text, why);
    else if (errors->st == LW_OK)
        errors->st = st;
    lw_object_unref(shown);
}

/* A review has no name and no labels, and a namespace only if its kind is namespaced. */
static void check_metadata(lw_pending_object *pending, lw_api_status *errors)
{
    bool is_local = pending->kind->is_namespaced;
    for (size_t i = 0; i < lw_node_count(pending->metadata); i++) {
        lw_str key = lw_node_key_at(pending->metadata, i);
        if (lw_str_equal(key, LW_STR("managedFields")) ||
            (is_local && lw_str_equal(key, LW_STR("namespace"))))
            continue;
        add_metadata_error(pending,
                           is_local ? "must be empty except for namespace" : "must be empty",
                           errors);
        return;
    }
}

/* Refuses if there are errors; the status has no kind, as in kube-apiserver. */
static bool finish_validation(const lw_pending_object *pending, lw_api_status *errors)
{
    if (errors->cause_count == 0 && errors->st == LW_OK) {
        lw_api_status_done(errors);
        return true;
    }
    lw_api_status_complete_invalid(errors, (lw_gvk){ .group = pending->kind->group }, LW_STR(""));
    return false;
}

static bool validate_self(lw_pending_object *pending, lw_api_status *status)
{
    const lw_node *spec = lw_node_get(pending->root, LW_STR("spec"));
    lw_api_status_init(status);
    check_attributes(spec, status);
    check_selectors(spec, status);
    check_metadata(pending, status);
    return finish_validation(pending, status);
}

static bool validate_subject(lw_pending_object *pending, lw_api_status *status)
{
    const lw_node *spec = lw_node_get(pending->root, LW_STR("spec"));
    lw_api_status_init(status);
    check_attributes(spec, status);
    check_subject(spec, status);
    check_selectors(spec, status);
    check_metadata(pending, status);
    return finish_validation(pending, status);
}

static bool validate_local(lw_pending_object *pending, lw_api_status *status)
{
    const lw_node *spec = lw_node_get(pending->root, LW_STR("spec"));
    const lw_node *resource = lw_node_get(spec, LW_STR("resourceAttributes"));
    const lw_node *path = lw_node_get(spec, LW_STR("nonResourceAttributes"));
    lw_api_status_init(status);
    check_attributes(spec, status);
    check_subject(spec, status);
    check_selectors(spec, status);
    check_metadata(pending, status);
    if (resource && !lw_str_equal(lw_fields_text(resource, "namespace"),
                                  lw_fields_text(pending->metadata, "namespace")))
        lw_field_error_invalid(status, "spec.resourceAttributes.namespace",
                               lw_fields_text(resource, "namespace"),
                               "must match metadata.namespace");
    if (path)
        add_path_error(path, "spec.nonResourceAttributes", "disallowed on this kind of request",
                       status);
    return finish_validation(pending, status);
}

static bool validate_rules(lw_pending_object *pending, lw_api_status *status)
{
    if (lw_fields_text_at(pending->root, "/spec/namespace").len > 0)
        return true;
    lw_api_status_bad_request(status, LW_STR("no namespace on request"));
    return false;
}

const lw_review lw_reviews_of_access[] = {
    { &lw_kind_localsubjectaccessreviews, false, validate_local, lw_review_answer_subject },
    { &lw_kind_selfsubjectaccessreviews, false, validate_self, lw_review_answer_self },
    { &lw_kind_selfsubjectrulesreviews, true, validate_rules, lw_review_answer_rules },
    { &lw_kind_subjectaccessreviews, false, validate_subject, lw_review_answer_subject },
    { .kind = NULL },
};
