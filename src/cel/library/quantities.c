/* SPDX-License-Identifier: Apache-2.0 */
/* quantities.c -- resource quantities. */
#include "cel/functions.h"

#define UNIT      ((lw_quantity_nanos)1000000000)
#define NANOS_MAX ((lw_quantity_nanos)INT64_MAX * UNIT)

static lw_cel_value make(lw_cel_run *run, lw_quantity amount)
{
    lw_quantity *kept = lw_arena_take_zero(&run->arena, 1, sizeof(*kept));
    if (!kept)
        return lw_cel_over(run);
    /* Clamps to the range of quantities. */
    if (amount.nanos > NANOS_MAX || amount.nanos < -NANOS_MAX)
        amount.nanos = amount.nanos > 0 ? NANOS_MAX : -NANOS_MAX;
    *kept = amount;
    return (lw_cel_value){ .kind = LW_CEL_QUANTITY, .quantity = kept };
}

lw_cel_value lw_cel_fn_quantity(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    lw_quantity amount;
    (void)count;
    if (!lw_quantity_parse(args[0].text, &amount))
        return lw_cel_fail(run, "quantities must match the regular expression "
                                "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
    return make(run, amount);
}

lw_cel_value lw_cel_fn_is_quantity(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    lw_quantity amount;
    (void)run, (void)count;
    return lw_cel_of_bool(lw_quantity_parse(args[0].text, &amount));
}

static int64_t compare(const lw_cel_value *args)
{
    lw_quantity_nanos a = args[0].quantity->nanos, b = args[1].quantity->nanos;
    return a < b ? -1 : a > b;
}

lw_cel_value lw_cel_fn_quantity_sign(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    lw_quantity_nanos nanos = args[0].quantity->nanos;
    (void)run, (void)count;
    return lw_cel_of_int(nanos < 0 ? -1 : nanos > 0);
}

lw_cel_value lw_cel_fn_quantity_compare(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    (void)run, (void)count;
    return lw_cel_of_int(compare(args));
}

lw_cel_value lw_cel_fn_quantity_is_less(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    (void)run, (void)count;
    return lw_cel_of_bool(compare(args) < 0);
}

lw_cel_value lw_cel_fn_quantity_is_greater(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    (void)run, (void)count;
    return lw_cel_of_bool(compare(args) > 0);
}

/* Returns the second argument, a quantity or an integer. */
static lw_quantity_nanos second(const lw_cel_value *args)
{
    return args[1].kind == LW_CEL_INT ? (lw_quantity_nanos)args[1].integer * UNIT
                                      : args[1].quantity->nanos;
}

lw_cel_value lw_cel_fn_quantity_add(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    lw_quantity sum = *args[0].quantity;
    (void)count;
    sum.nanos += second(args);
    return make(run, sum);
}

lw_cel_value lw_cel_fn_quantity_sub(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    lw_quantity rest = *args[0].quantity;
    (void)count;
    rest.nanos -= second(args);
    return make(run, rest);
}

/* Converts the quantity to an integer; false: it is not one. */
static bool to_int(const lw_cel_value *value, int64_t *out)
{
    lw_quantity_nanos nanos = value->quantity->nanos;
    if (nanos % UNIT != 0 || nanos / UNIT > INT64_MAX || nanos / UNIT < INT64_MIN)
        return false;
    *out = (int64_t)(nanos / UNIT);
    return true;
}

lw_cel_value lw_cel_fn_quantity_is_int(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    int64_t integer;
    (void)run, (void)count;
    return lw_cel_of_bool(to_int(&args[0], &integer));
}

lw_cel_value lw_cel_fn_quantity_int(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    int64_t integer;
    (void)count;
    return to_int(&args[0], &integer) ? lw_cel_of_int(integer)
                                      : lw_cel_fail(run, "cannot convert value to integer");
}

lw_cel_value lw_cel_fn_quantity_double(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    (void)run, (void)count;
    return lw_cel_of_double((double)args[0].quantity->nanos / 1e9);
}
