/* SPDX-License-Identifier: Apache-2.0 */
/* crd_validate_version.c -- validates the versions of a definition: schemas, columns,
 * subresources. */
#include "api/strategy/crd_validate.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "schema/printers/jsonpath.h"
#include "schema/structural/structural.h"
#include "json/fields.h"

enum {
    PATH_SIZE = 256,
    COLUMNS_MAX = 64,
    SELECTABLE_MAX = 8, /* as in Kubernetes */
    SEGMENT_MAX = 63,   /* bytes of one name in a JSON path of scale */
};

/* True if all versions have the same |member|. */
static bool is_common(const lw_node *versions, const char *member)
{
    const lw_node *first = lw_node_get(lw_node_at(versions, 0), lw_str_of(member));
    for (size_t i = 1; i < lw_node_count(versions); i++) {
        const lw_node *other = lw_node_get(lw_node_at(versions, i), lw_str_of(member));
        if (!first != !other || (first && !lw_node_equal(first, other)))
            return false;
    }
    return true;
}

/* |path| is "spec" if the schema is that of all versions. */
static void check_schema(const lw_node *version, const char *path, lw_api_status *errors)
{
    char place[PATH_SIZE];
    lw_structural *schema = NULL;
    const lw_node *from = lw_fields_find(version, "/schema/openAPIV3Schema");
    (void)snprintf(place, sizeof(place), "%s.%s.openAPIV3Schema", path,
                   strcmp(path, "spec") == 0 ? "validation" : "schema");
    if (!from) {
        lw_crd_field_error(errors, LW_FIELD_REQUIRED, place, "", LW_STR(""),
                           "schemas are required");
        return;
    }
    lw_status st = lw_structural_new(&schema, from, lw_str_of(place), errors);
    lw_structural_free(schema);
    if (st == LW_ERR_LIMIT)
        lw_crd_field_error(errors, LW_FIELD_INVALID, place, "", LW_STR(""),
                           "is too deep or too large: simplify it, or set "
                           "x-kubernetes-preserve-unknown-fields on a part of it");
    else if (st == LW_ERR_NOMEM && errors->st == LW_OK)
        errors->st = st;
}

static bool is_column_type(lw_str type)
{
    static const char *const types[] = { "boolean", "date", "integer", "number", "string" };
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        if (lw_str_equal(type, lw_str_of(types[i])))
            return true;
    }
    return false;
}

static void check_column(const lw_node *column, const char *path, lw_api_status *errors)
{
    lw_str type = lw_fields_text(column, "type"), where = lw_fields_text(column, "jsonPath");
    if (lw_fields_text(column, "name").len == 0)
        lw_crd_field_error(errors, LW_FIELD_REQUIRED, path, "name", LW_STR(""), "");
    if (type.len == 0)
        lw_crd_field_error(errors, LW_FIELD_REQUIRED, path, "type", LW_STR(""),
                           "must be one of boolean,date,integer,number,string");
    else if (!is_column_type(type))
        lw_crd_field_error(errors, LW_FIELD_INVALID, path, "type", type,
                           "must be one of boolean,date,integer,number,string");
    if (where.len == 0)
        lw_crd_field_error(errors, LW_FIELD_REQUIRED, path, "jsonPath", LW_STR(""), "");
    else if (where.ptr[0] != '.')
        lw_crd_field_error(errors, LW_FIELD_INVALID, path, "jsonPath", where,
                           "must be a simple json path starting with .");
}

static void check_columns(const lw_node *columns, const char *path, lw_api_status *errors)
{
    size_t count = lw_node_count(columns);
    if (count > COLUMNS_MAX)
        lw_crd_field_error(errors, LW_FIELD_INVALID, path, "additionalPrinterColumns", LW_STR(""),
                           "must have at most 64 items");
    for (size_t i = 0; i < count && i < COLUMNS_MAX; i++) {
        char place[PATH_SIZE];
        (void)snprintf(place, sizeof(place), "%s.additionalPrinterColumns[%zu]", path, i);
        check_column(lw_node_at(columns, i), place, errors);
    }
}

/* Returns true if |path| consists of plain names, none of them too long. */
static bool is_simple(lw_str path)
{
    lw_buf pointer;
    lw_buf_init(&pointer, PATH_SIZE * 4);
    bool is_good = lw_jsonpath_append_pointer(path, &pointer) && pointer.st == LW_OK;
    lw_str rest = lw_buf_view(&pointer), segment;
    for (bool more = is_good; more;) {
        more = lw_str_cut(rest, '/', &segment, &rest);
        is_good = is_good && segment.len <= SEGMENT_MAX;
    }
    lw_buf_done(&pointer);
    return is_good;
}

static void check_scale_path(const lw_node *scale, const char *path, const char *member,
                             const char *under, lw_api_status *errors)
{
    char place[PATH_SIZE], detail[PATH_SIZE];
    lw_str where = lw_fields_text(scale, member);
    (void)snprintf(place, sizeof(place), "%s.subresources.scale", path);
    (void)snprintf(detail, sizeof(detail), "should be a json path under %s", under);
    if (where.len == 0)
        lw_crd_field_error(errors, LW_FIELD_REQUIRED, place, member, LW_STR(""), "");
    else if (!is_simple(where) || !lw_str_starts_with(where, lw_str_of(under)))
        lw_crd_field_error(errors, LW_FIELD_INVALID, place, member, where, detail);
}

static void check_scale(const lw_node *scale, const char *path, lw_api_status *errors)
{
    char place[PATH_SIZE];
    lw_str selector = lw_fields_text(scale, "labelSelectorPath");
    if (!scale)
        return;
    check_scale_path(scale, path, "specReplicasPath", ".spec.", errors);
    check_scale_path(scale, path, "statusReplicasPath", ".status.", errors);
    (void)snprintf(place, sizeof(place), "%s.subresources.scale", path);
    bool is_placed = lw_str_starts_with(selector, LW_STR(".spec.")) ||
                     lw_str_starts_with(selector, LW_STR(".status."));
    if (selector.len > 0 && (!is_placed || !is_simple(selector)))
        lw_crd_field_error(errors, LW_FIELD_INVALID, place, "labelSelectorPath", selector,
                           "should be a json path under either .spec or .status");
}

static void check_selectable(const lw_node *fields, const char *path, lw_api_status *errors)
{
    size_t count = lw_node_count(fields);
    if (count > SELECTABLE_MAX)
        lw_crd_field_error(errors, LW_FIELD_INVALID, path, "selectableFields", LW_STR(""),
                           "must have at most 8 items");
    for (size_t i = 0; i < count && i < SELECTABLE_MAX; i++) {
        char place[PATH_SIZE];
        lw_str where = lw_fields_text(lw_node_at(fields, i), "jsonPath");
        (void)snprintf(place, sizeof(place), "%s.selectableFields[%zu]", path, i);
        if (where.len == 0)
            lw_crd_field_error(errors, LW_FIELD_REQUIRED, place, "jsonPath", LW_STR(""), "");
        else if (!is_simple(where) || !lw_str_starts_with(where, LW_STR(".")) ||
                 lw_str_starts_with(where, LW_STR(".metadata")))
            lw_crd_field_error(errors, LW_FIELD_INVALID, place, "jsonPath", where,
                               "must be a simple path outside of metadata");
    }
}

static void check_member(const lw_node *version, size_t member, const char *path,
                         lw_api_status *errors)
{
    switch (member) {
    case 0: check_schema(version, path, errors); break;
    case 1:
        check_columns(lw_node_get(version, LW_STR("additionalPrinterColumns")), path, errors);
        break;
    case 2: check_scale(lw_fields_find(version, "/subresources/scale"), path, errors); break;
    default:
        check_selectable(lw_node_get(version, LW_STR("selectableFields")), path, errors);
        break;
    }
}

void lw_crd_validate_versions(const lw_node *versions, lw_api_status *errors)
{
    static const char *const members[] = { "schema", "additionalPrinterColumns", "subresources",
                                           "selectableFields" };
    size_t count = lw_node_count(versions);
    for (size_t member = 0; member < sizeof(members) / sizeof(members[0]); member++) {
        const lw_node *first = lw_node_get(lw_node_at(versions, 0), lw_str_of(members[member]));
        bool is_shared = first && is_common(versions, members[member]);
        for (size_t i = 0; i < (is_shared ? 1 : count); i++) {
            char path[PATH_SIZE] = "spec";
            if (!is_shared)
                (void)snprintf(path, sizeof(path), "spec.versions[%zu]", i);
            check_member(lw_node_at(versions, i), member, path, errors);
        }
    }
}
