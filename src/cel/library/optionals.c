/* SPDX-License-Identifier: Apache-2.0 */
/* optionals.c -- optional values. */
#include "cel/functions.h"

lw_cel_value lw_cel_fn_optional_of(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    (void)count;
    return lw_cel_some(run, args[0]);
}

static bool is_zero(const lw_cel_value *value)
{
    switch ((lw_cel_kind)value->kind) {
    case LW_CEL_NULL: return true;
    case LW_CEL_BOOL: return !value->boolean;
    case LW_CEL_INT:
    case LW_CEL_DURATION:
    case LW_CEL_UINT: return value->natural == 0;
    case LW_CEL_DOUBLE: return value->real == 0;
    case LW_CEL_STRING:
    case LW_CEL_BYTES: return value->text.len == 0;
    case LW_CEL_LIST:
    case LW_CEL_MAP:
    case LW_CEL_OBJECT: return lw_cel_size(value) == 0;
    case LW_CEL_OPTIONAL: return !value->inner;
    default: return false;
    }
}

lw_cel_value lw_cel_fn_optional_of_non_zero(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    (void)count;
    return is_zero(&args[0]) ? lw_cel_none() : lw_cel_some(run, args[0]);
}

lw_cel_value lw_cel_fn_optional_none(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    (void)run, (void)args, (void)count;
    return lw_cel_none();
}

lw_cel_value lw_cel_fn_has_value(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    (void)run, (void)count;
    return lw_cel_of_bool(args[0].inner != NULL);
}

lw_cel_value lw_cel_fn_value(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    (void)count;
    return args[0].inner ? *args[0].inner : lw_cel_fail(run, "optional.none() dereference");
}

lw_cel_value lw_cel_fn_or(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    (void)run, (void)count;
    return args[0].inner ? args[0] : args[1];
}

lw_cel_value lw_cel_fn_or_value(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    (void)run, (void)count;
    return args[0].inner ? *args[0].inner : args[1];
}

lw_cel_value lw_cel_fn_unwrap(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    size_t size = lw_cel_size(&args[0]), made = 0;
    lw_cel_value *items = lw_arena_take_zero(&run->arena, size + 1, sizeof(*items));
    (void)count;
    for (size_t i = 0; items && i < size; i++) {
        lw_cel_value item = lw_cel_item(run, &args[0], i);
        if (item.kind != LW_CEL_OPTIONAL)
            return lw_cel_no_overload(run);
        if (item.inner)
            items[made++] = *item.inner;
    }
    return items ? lw_cel_of_list(items, made) : lw_cel_over(run);
}
