/* SPDX-License-Identifier: Apache-2.0 */
/* strategic_error.c -- the messages of k8s.io/apimachinery for invalid strategic merge patches. */
#include "schema/strategicpatch/strategic_error.h"

#include "base/str.h"
#include "object/quote.h"

static lw_status result(const lw_strategic_run *run, lw_status st, lw_status printed)
{
    if (printed == LW_ERR_NOMEM || run->why->st == LW_ERR_NOMEM)
        return LW_ERR_NOMEM;
    return st;
}

lw_status lw_strategic__refuse(lw_strategic_run *run, lw_status st, const char *text)
{
    lw_buf_append_text(run->why, text);
    return result(run, st, LW_OK);
}

lw_status lw_strategic__no_key(lw_strategic_run *run, const lw_node *map, lw_str key)
{
    lw_buf_append_text(run->why, "map: ");
    lw_status printed = lw_go_print(map, run->why);
    lw_buf_append_text(run->why, " does not contain declared merge key: ");
    lw_buf_append_str(run->why, key);
    return result(run, LW_ERR_INTERNAL, printed);
}

lw_status lw_strategic__bad_type(lw_strategic_run *run, lw_go_form wanted, const lw_node *node)
{
    lw_buf_printf(run->why, "expected a %s, but received a %s", lw_go_form_name(wanted),
                  lw_go_form_name(lw_go_form_of(node)));
    return result(run, LW_ERR_INTERNAL, LW_OK);
}

lw_status lw_strategic__bad_directive(lw_strategic_run *run, const lw_node *directive,
                                      const lw_node *map)
{
    lw_go_form form = lw_go_form_of(directive);
    lw_status printed = LW_OK;
    lw_buf_append_text(run->why, "unknown patch type: ");
    if (form == LW_GO_STRING) {
        printed = lw_go_print(directive, run->why);
    } else if (form == LW_GO_NIL) {
        lw_buf_append_text(run->why, lw_go_form_name(form));
    } else {
        lw_buf_printf(run->why, "%%!s(%s=", lw_go_form_name(form));
        printed = lw_go_print(directive, run->why);
        lw_buf_append_char(run->why, ')');
    }
    lw_buf_append_text(run->why, " in map: ");
    if (printed == LW_OK)
        printed = lw_go_print(map, run->why);
    return result(run, LW_ERR_INTERNAL, printed);
}

/* Prints a list, which may be NULL. */
static lw_status print_list(lw_strategic_run *run, const lw_node *list)
{
    if (list)
        return lw_go_print(list, run->why);
    lw_buf_append_text(run->why, "[]");
    return LW_OK;
}

lw_status lw_strategic__mixed(lw_strategic_run *run, const lw_node *original, const lw_node *patch)
{
    lw_buf_append_text(run->why, "list element types are not identical: [");
    lw_status printed = print_list(run, original);
    lw_buf_append_char(run->why, ' ');
    if (printed == LW_OK)
        printed = print_list(run, patch);
    lw_buf_append_char(run->why, ']');
    return result(run, LW_ERR_INTERNAL, printed);
}

/* Returns what reflect.Kind prints. */
static const char *go_kind(const lw_type *type)
{
    switch (type ? type->form : LW_TYPE_RAW) {
    case LW_TYPE_BOOL: return "bool";
    case LW_TYPE_INT32: return "int32";
    case LW_TYPE_INT64: return "int64";
    case LW_TYPE_DOUBLE: return "float64";
    case LW_TYPE_STRING: return "string";
    case LW_TYPE_BYTES:
    case LW_TYPE_LIST: return "slice";
    case LW_TYPE_MAP: return "map";
    default: return "struct";
    }
}

lw_status lw_strategic__keyless(lw_strategic_run *run, const lw_type *element)
{
    lw_buf_printf(run->why, "cannot merge lists without merge key for %s", go_kind(element));
    return result(run, LW_ERR_INTERNAL, LW_OK);
}

lw_status lw_strategic__other_order(lw_strategic_run *run, const lw_node *patch,
                                    const lw_node *order)
{
    lw_buf_append_text(run->why, "The order in patch list:\n");
    lw_status printed = lw_go_print(patch, run->why);
    lw_buf_append_text(run->why, "\n doesn't match $setElementOrder list:\n");
    if (printed == LW_OK)
        printed = lw_go_print(order, run->why);
    lw_buf_append_char(run->why, '\n');
    return result(run, LW_ERR_INTERNAL, printed);
}

lw_status lw_strategic__no_field(lw_strategic_run *run, const lw_type *type, lw_str name)
{
    if (type && type->form == LW_TYPE_STRUCT) {
        lw_buf_printf(run->why, "unable to find api field in struct %.*s for the json field ",
                      LW_STR_ARG(type->name));
        lw_quote_append(run->why, name);
    } else {
        lw_buf_printf(run->why,
                      "merging an object in json but data type is not struct, instead is: %s",
                      go_kind(type));
    }
    return result(run, LW_ERR_INTERNAL, LW_OK);
}

lw_status lw_strategic__no_map(lw_strategic_run *run, size_t position)
{
    lw_buf_printf(run->why, "value for key %zu is not a map", position);
    return result(run, LW_ERR_INTERNAL, LW_OK);
}
