/* SPDX-License-Identifier: Apache-2.0 */
/* crd_validate_version.c -- validates one version of a definition: schema, columns,
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
    WARNING_MAX = 256,  /* bytes of a deprecation warning */
    SEGMENT_MAX = 63,   /* bytes of one name in a JSON path of scale */
};

static void check_schema(const lw_node *version, const char *path, lw_api_status *errors)
{
    char place[PATH_SIZE];
    lw_structural *schema = NULL;
    const lw_node *from = lw_fields_find(version, "/schema/openAPIV3Schema");
    bool is_common = strcmp(path, "spec") == 0;
    (void)snprintf(place, sizeof(place), "%s.%s.openAPIV3Schema", path,
                   is_common ? "validation" : "schema");
    if (!from)
        return; /* that is said elsewhere */
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

static bool is_column_format(lw_str format)
{
    static const char *const formats[] = { "byte",  "date",  "date-time", "double",
                                           "float", "int32", "int64",     "password" };
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
        if (lw_str_equal(format, lw_str_of(formats[i])))
            return true;
    }
    return false;
}

static void check_column(const lw_node *column, const char *path, lw_api_status *errors)
{
    lw_str type = lw_fields_text(column, "type"), where = lw_fields_text(column, "jsonPath");
    lw_str format = lw_fields_text(column, "format");
    if (lw_fields_text(column, "name").len == 0)
        lw_crd_field_error(errors, LW_FIELD_REQUIRED, path, "name", LW_STR(""), "");
    if (type.len == 0)
        lw_crd_field_error(errors, LW_FIELD_REQUIRED, path, "type", LW_STR(""),
                           "must be one of boolean,date,integer,number,string");
    else if (!is_column_type(type))
        lw_crd_field_error(errors, LW_FIELD_INVALID, path, "type", type,
                           "must be one of boolean,date,integer,number,string");
    if (format.len > 0 && !is_column_format(format))
        lw_crd_field_error(errors, LW_FIELD_INVALID, path, "format", format,
                           "must be one of byte,date,date-time,double,float,int32,int64,password");
    if (where.len == 0)
        lw_crd_field_error(errors, LW_FIELD_REQUIRED, path, "JSONPath", LW_STR(""), "");
    else if (where.ptr[0] != '.')
        lw_crd_field_error(errors, LW_FIELD_INVALID, path, "JSONPath", where,
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
    (void)snprintf(detail, sizeof(detail), "should be a json path under %.*s",
                   (int)strlen(under) - 1, under);
    if (where.len == 0)
        lw_crd_field_error(errors, LW_FIELD_REQUIRED, place, member, LW_STR(""), "");
    else if (where.ptr[0] != '.')
        lw_crd_field_error(errors, LW_FIELD_INVALID, place, member, where,
                           "must be a simple json path starting with .");
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

void lw_crd_validate_version(const lw_node *version, const char *path, unsigned parts,
                             lw_api_status *errors)
{
    if (parts & LW_CRD_SCHEMA)
        check_schema(version, path, errors);
    if (parts & LW_CRD_SUBRESOURCES)
        check_scale(lw_fields_find(version, "/subresources/scale"), path, errors);
    if (parts & LW_CRD_COLUMNS)
        check_columns(lw_node_get(version, LW_STR("additionalPrinterColumns")), path, errors);
    if (parts & LW_CRD_SELECTABLE)
        check_selectable(lw_node_get(version, LW_STR("selectableFields")), path, errors);
}

unsigned lw_crd_equal_parts(const lw_node *a, const lw_node *b)
{
    static const struct {
        const char *member;
        unsigned part;
    } members[] = { { "schema", LW_CRD_SCHEMA },
                    { "subresources", LW_CRD_SUBRESOURCES },
                    { "additionalPrinterColumns", LW_CRD_COLUMNS },
                    { "selectableFields", LW_CRD_SELECTABLE } };
    unsigned equal = 0;
    for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
        lw_str member = lw_str_of(members[i].member);
        if (lw_node_equal(lw_node_get(a, member), lw_node_get(b, member)))
            equal |= members[i].part;
    }
    return equal;
}

void lw_crd_validate_deprecation(const lw_node *version, const char *path, lw_api_status *errors)
{
    const lw_node *warning = lw_node_get(version, LW_STR("deprecationWarning"));
    lw_str text = lw_node_text(warning);
    bool is_deprecated = lw_node_bool(lw_node_get(version, LW_STR("deprecated")));
    const char *why = NULL;
    if (!warning)
        return;
    if (!is_deprecated)
        why = "can only be set for deprecated versions";
    else if (text.len > WARNING_MAX)
        why = "must be <= 256 characters long";
    else if (text.len == 0)
        why = "must not be an empty string";
    if (why)
        lw_crd_field_error(errors, LW_FIELD_INVALID, path, "deprecationWarning", text, why);
}
