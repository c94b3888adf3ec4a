/* SPDX-License-Identifier: Apache-2.0 */
/* budget.c -- the limit of the work of one request. */
#include "base/budget.h"

void lw_budget_init(lw_budget *budget, uint64_t limit)
{
    *budget = (lw_budget){ .limit = limit, .left = limit, .marked = limit };
}

bool lw_budget__overrun(lw_budget *budget)
{
    budget->left = 0;
    if (!budget->is_over)
        budget->over = budget->part;
    budget->is_over = true;
    return false;
}

void lw_budget_mark(lw_budget *budget)
{
    if (budget)
        budget->marked = budget->left;
}

void lw_budget_rewind(lw_budget *budget)
{
    if (!budget)
        return;
    budget->in_vain += budget->marked - budget->left;
    budget->left = budget->marked;
    budget->is_over = false;
}

uint64_t lw_budget_used(const lw_budget *budget)
{
    return budget->limit - budget->left + budget->in_vain;
}

const char *lw_budget_part_name(lw_budget_part part)
{
    switch (part) {
    case LW_BUDGET_BODY: return "reading the body";
    case LW_BUDGET_FIELDS: return "looking for unknown and duplicate fields";
    case LW_BUDGET_STORED: return "reading the stored object";
    case LW_BUDGET_PATCH: return "applying the patch";
    case LW_BUDGET_MANAGED_FIELDS: return "updating managed fields";
    case LW_BUDGET_DEFAULTS: return "pruning and setting defaults";
    case LW_BUDGET_VALIDATION: return "validating the object";
    case LW_BUDGET_OUTPUT: return "writing the object";
    case LW_BUDGET_SCHEMA: return "validating against the schema";
    case LW_BUDGET_PATTERNS: return "matching patterns";
    case LW_BUDGET_RULES: return "evaluating validation rules";
    }
    return "";
}
