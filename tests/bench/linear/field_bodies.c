/* SPDX-License-Identifier: Apache-2.0 */
/* field_bodies.c -- bodies from the field tables.  Numbers have a fixed width: then twice as many
 * items make a text that is at most twice as long, and a buffer that doubles does not jump. */
#include "bench/linear/field_bodies.h"

#include "base/str.h"
#include "object/gvk.h"

typedef struct visit {
    field_path path;
    const lw_type *entered[FIELD_PATH_MAX + 1];
    size_t depth;
    field_path_fn fn;
    void *arg;
} visit;

static void visit_struct(visit *v, const lw_type *type);

/* Enters the struct that |type| is, or is a list or map of. */
static void visit_below(visit *v, const lw_type *type)
{
    while (type->form == LW_TYPE_LIST || type->form == LW_TYPE_MAP)
        type = type->element;
    type = lw_type_in_json(type);
    if (type->form != LW_TYPE_STRUCT || v->path.count == FIELD_PATH_MAX)
        return;
    for (size_t i = 0; i < v->depth; i++) {
        if (v->entered[i] == type)
            return;
    }
    visit_struct(v, type);
}

static void visit_struct(visit *v, const lw_type *type)
{
    v->entered[v->depth++] = type;
    for (size_t i = 0; i < type->member_count; i++) {
        const lw_field *field = type->members[i].field;
        const lw_type *in_json = lw_type_in_json(field->type);
        if (v->path.count == FIELD_PATH_MAX)
            break;
        v->path.fields[v->path.count++] = field;
        v->path.owner = type;
        if (in_json->form == LW_TYPE_LIST || in_json->form == LW_TYPE_MAP)
            v->fn(&v->path, v->arg);
        visit_below(v, in_json);
        v->path.count--;
    }
    v->depth--;
}

void field_paths_visit(const lw_type *type, field_path_fn fn, void *arg)
{
    visit v = { .fn = fn, .arg = arg };
    visit_struct(&v, type);
}

/* A value of |type| for item |i|. */
static void write_scalar(lw_buf *out, const lw_type *type, unsigned i, bool is_changed)
{
    unsigned number = 10000 + i % 10000 + (is_changed ? 20000 : 0);
    switch (type->form) {
    case LW_TYPE_BOOL: lw_buf_append_text(out, is_changed ? "false" : "true"); break;
    case LW_TYPE_INT32:
    case LW_TYPE_INT64:
    case LW_TYPE_DOUBLE:
    case LW_TYPE_INT_OR_STRING: lw_buf_printf(out, "%u", number); break;
    case LW_TYPE_BYTES: lw_buf_append_text(out, "\"YQ==\""); break;
    case LW_TYPE_QUANTITY: lw_buf_printf(out, "\"%u\"", number); break;
    case LW_TYPE_TIME: lw_buf_append_text(out, "\"2026-01-02T03:04:05Z\""); break;
    case LW_TYPE_MICRO_TIME: lw_buf_append_text(out, "\"2026-01-02T03:04:05.000000Z\""); break;
    case LW_TYPE_DURATION: lw_buf_append_text(out, "\"1m0s\""); break;
    case LW_TYPE_RAW:
    case LW_TYPE_FIELDS_V1: lw_buf_printf(out, "{\"f:a%u\":{}}", number); break;
    case LW_TYPE_LIST: lw_buf_append_text(out, "[]"); break;
    case LW_TYPE_MAP:
    case LW_TYPE_STRUCT:
    case LW_TYPE_EITHER: lw_buf_append_text(out, "{}"); break;
    case LW_TYPE_STRING: lw_buf_printf(out, "\"x%u\"", number); break;
    }
}

static bool is_scalar(const lw_type *type)
{
    return type->form < LW_TYPE_LIST && type->form != LW_TYPE_RAW;
}

static bool is_key(const lw_field *list, lw_str name)
{
    if (!list->rules)
        return false;
    for (const lw_str *key = list->rules->list_keys; key && key->len > 0; key++) {
        if (lw_str_equal(*key, name))
            return true;
    }
    return lw_str_equal(list->rules->patch_key, name);
}

/* All scalar members, so that whatever identifies an element is there. */
static void write_struct(lw_buf *out, const lw_field *list, const lw_type *type, items how,
                         unsigned i)
{
    const char *comma = "";
    lw_buf_append_char(out, '{');
    if (how == ITEMS_DELETED) {
        lw_buf_append_text(out, "\"$patch\":\"delete\"");
        comma = ",";
    }
    for (size_t m = 0; m < type->member_count; m++) {
        const lw_field *field = type->members[m].field;
        bool is_kept = is_key(list, field->name);
        if (!is_scalar(field->type) || (how == ITEMS_DELETED && !is_kept))
            continue;
        lw_buf_printf(out, "%s\"%.*s\":", comma, LW_STR_ARG(field->name));
        write_scalar(out, field->type, i, how == ITEMS_CHANGED && !is_kept);
        comma = ",";
    }
    lw_buf_append_char(out, '}');
}

static const lw_field *last_of(const field_path *path)
{
    return path->fields[path->count - 1];
}

void field_item_write(lw_buf *out, const field_path *path, items how, unsigned i)
{
    const lw_field *field = last_of(path);
    const lw_type *type = lw_type_in_json(field->type), *element = lw_type_in_json(type->element);
    if (how == ITEMS_EQUAL)
        i = 7;
    if (type->form == LW_TYPE_MAP)
        lw_buf_printf(out, "\"k%06u\":", i);
    if (how == ITEMS_NULL)
        lw_buf_append_text(out, "null");
    else if (element->form == LW_TYPE_STRUCT)
        write_struct(out, field, element, how, i);
    else
        write_scalar(out, element, i, how == ITEMS_CHANGED);
}

static bool is_list(const lw_field *field)
{
    return lw_type_in_json(field->type)->form == LW_TYPE_LIST;
}

/* Writes the fields of |path| from |at| on. */
static void write_path(lw_buf *out, const field_path *path, size_t at, items how, unsigned count)
{
    const lw_field *field = path->fields[at];
    const lw_type *type = lw_type_in_json(field->type);
    bool is_last = at + 1 == path->count;
    lw_buf_printf(out, "\"%.*s\":", LW_STR_ARG(field->name));
    if (is_last) {
        lw_buf_append_char(out, is_list(field) ? '[' : '{');
        for (unsigned i = 0; i < count; i++) {
            lw_buf_append_text(out, i > 0 ? "," : "");
            field_item_write(out, path, how, i);
        }
        lw_buf_append_char(out, is_list(field) ? ']' : '}');
        return;
    }
    const char *open = type->form == LW_TYPE_LIST  ? "[{"
                       : type->form == LW_TYPE_MAP ? "{\"k\":{"
                                                   : "{";
    lw_buf_append_text(out, open);
    if (at == 0 && lw_str_equal(field->name, LW_STR("metadata")))
        lw_buf_append_text(out, "\"name\":\"x\",");
    write_path(out, path, at + 1, how, count);
    lw_buf_append_text(out, type->form == LW_TYPE_LIST  ? "}]"
                            : type->form == LW_TYPE_MAP ? "}}"
                                                        : "}");
}

void field_body_write(lw_buf *out, const lw_kind *kind, const field_path *path, items how,
                      unsigned count)
{
    bool is_metadata = lw_str_equal(path->fields[0]->name, LW_STR("metadata"));
    lw_buf_append_text(out, "{\"apiVersion\":\"");
    lw_api_version_append(out, kind->group, kind->version);
    lw_buf_printf(out, "\",\"kind\":\"%.*s\",", LW_STR_ARG(kind->kind));
    if (!is_metadata)
        lw_buf_append_text(out, "\"metadata\":{\"name\":\"x\"},");
    write_path(out, path, 0, how, count);
    lw_buf_append_char(out, '}');
}

void field_pointer_write(lw_buf *out, const field_path *path)
{
    for (size_t i = 0; i < path->count; i++) {
        bool is_last = i + 1 == path->count;
        lw_type_form form = lw_type_in_json(path->fields[i]->type)->form;
        lw_buf_printf(out, "/%.*s", LW_STR_ARG(path->fields[i]->name));
        if (!is_last && form == LW_TYPE_LIST)
            lw_buf_append_text(out, "/0");
        else if (!is_last && form == LW_TYPE_MAP)
            lw_buf_append_text(out, "/k");
    }
}

void field_path_write(lw_buf *out, const lw_kind *kind, const field_path *path)
{
    lw_buf_printf(out, "%.*s ", LW_STR_ARG(kind->kind));
    for (size_t i = 0; i < path->count; i++) {
        lw_buf_printf(out, "%s%.*s", i > 0 ? "." : "", LW_STR_ARG(path->fields[i]->name));
        if (i + 1 < path->count && is_list(path->fields[i]))
            lw_buf_append_text(out, "[]");
    }
}
