/* SPDX-License-Identifier: Apache-2.0 */
/* form_budget.c -- counters that are shared by all kept forms of a server. */
#include "object/form_budget.h"

#include <stdatomic.h>

#include "base/alloc.h"
#include "base/ref.h"

struct lw_form_budget {
    lw_ref refs;
    uint64_t limit;
    atomic_uint_least64_t bytes, forms, kept, refused;
};

lw_status lw_form_budget_new(lw_form_budget **out, uint64_t limit)
{
    lw_form_budget *budget = lw_alloc_zero(1, sizeof(*budget));
    if (!budget)
        return LW_ERR_NOMEM;
    lw_ref_init(&budget->refs);
    budget->limit = limit;
    *out = budget;
    return LW_OK;
}

lw_form_budget *lw_form_budget_ref(lw_form_budget *budget)
{
    lw_ref_inc(&budget->refs);
    return budget;
}

void lw_form_budget_unref(lw_form_budget *budget)
{
    if (budget && lw_ref_dec(&budget->refs))
        lw_free(budget);
}

static uint64_t read_one(const atomic_uint_least64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

bool lw_form_budget_has_room(lw_form_budget *budget, size_t bytes)
{
    uint64_t used = read_one(&budget->bytes);
    if (used <= budget->limit && bytes <= budget->limit - used)
        return true;
    atomic_fetch_add_explicit(&budget->refused, 1, memory_order_relaxed);
    return false;
}

void lw_form_budget_take(lw_form_budget *budget, size_t bytes)
{
    atomic_fetch_add_explicit(&budget->bytes, bytes, memory_order_relaxed);
    atomic_fetch_add_explicit(&budget->forms, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&budget->kept, 1, memory_order_relaxed);
}

void lw_form_budget_give_back(lw_form_budget *budget, size_t bytes)
{
    atomic_fetch_sub_explicit(&budget->bytes, bytes, memory_order_relaxed);
    atomic_fetch_sub_explicit(&budget->forms, 1, memory_order_relaxed);
}

void lw_form_budget_read(const lw_form_budget *budget, lw_form_stats *stats)
{
    *stats = (lw_form_stats){ .limit = budget->limit,
                              .bytes = read_one(&budget->bytes),
                              .forms = read_one(&budget->forms),
                              .kept = read_one(&budget->kept),
                              .refused = read_one(&budget->refused) };
}
