/* SPDX-License-Identifier: Apache-2.0 */
/* budget.h -- counts the work of one request in steps, and ends it when there are too many.
 *
 * A step is about as much work as making one node of a JSON tree: some tens of nanoseconds.  Code
 * that works through a request charges steps as it goes: per block of memory, per list or per pass,
 * never per byte.  Charging is one subtraction.  When the steps are used up, every further charge
 * fails, loops end early, and their results are worthless: whoever wants to store a result checks
 * lw_budget_is_over first.
 *
 * A budget belongs to one request and is passed to the code below as a pointer: trees carry it
 * (lw_tree_set_budget), and so do the few structs that work without a tree.  It is not a variable
 * of the thread: a request may continue on another thread, and one thread may have several requests
 * in hand.  NULL is a budget without a limit, for callers that have no request.  One thread at a
 * time. */
#ifndef LW_BASE_BUDGET_H
#define LW_BASE_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The parts of a request that use steps, in the order of most requests. */
typedef enum lw_budget_part {
    LW_BUDGET_BODY,
    LW_BUDGET_FIELDS,
    LW_BUDGET_STORED,
    LW_BUDGET_PATCH,
    LW_BUDGET_MANAGED_FIELDS,
    LW_BUDGET_DEFAULTS,
    LW_BUDGET_VALIDATION,
    LW_BUDGET_OUTPUT,
    LW_BUDGET_SCHEMA, /* from here on, the schema of a custom resource is the cause */
    LW_BUDGET_PATTERNS,
    LW_BUDGET_RULES,
} lw_budget_part;

/* The weights of work that is not the making of nodes, measured on large bodies. */
enum {
    LW_BUDGET_TEXT_BYTES = 64,  /* bytes of a text that is scanned once, per step */
    LW_BUDGET_TREE_BYTES = 64,  /* bytes of the memory of a tree that grows, per step */
    LW_BUDGET_PASS_BYTES = 128, /* bytes of the memory of a tree that is walked through, per step */
};

typedef struct lw_budget {
    uint64_t limit;
    uint64_t left;
    uint64_t marked;     /* what was left at lw_budget_mark */
    uint64_t in_vain;    /* steps of attempts that were repeated */
    lw_budget_part part; /* what is being done */
    lw_budget_part over; /* what was being done when the steps were used up */
    bool is_over;
} lw_budget;

void lw_budget_init(lw_budget *budget, uint64_t limit);

/* The part of lw_budget_charge for a budget that is over.  Returns false. */
bool lw_budget__overrun(lw_budget *budget);

/* Uses |steps|.  False: the budget is over. */
static inline bool lw_budget_charge(lw_budget *budget, uint64_t steps)
{
    if (!budget)
        return true;
    if (steps > budget->left)
        return lw_budget__overrun(budget);
    budget->left -= steps;
    return true;
}

static inline bool lw_budget_is_over(const lw_budget *budget)
{
    return budget && budget->is_over;
}

/* From now on steps are used for |part|. */
static inline void lw_budget_enter(lw_budget *budget, lw_budget_part part)
{
    if (budget)
        budget->part = part;
}

/* A write that finds a newer object decides again, which is not the fault of its request: mark
 * remembers what is left before the first attempt, and rewind goes back to it. */
void lw_budget_mark(lw_budget *budget);
void lw_budget_rewind(lw_budget *budget);

/* Returns all steps that were used, those of repeated attempts too. */
uint64_t lw_budget_used(const lw_budget *budget);

/* Returns what |part| does, for messages: "reading the body". */
const char *lw_budget_part_name(lw_budget_part part);

/* True if the schema of the resource makes |part| expensive, and not only the size of the body. */
static inline bool lw_budget_part_is_of_schema(lw_budget_part part)
{
    return part >= LW_BUDGET_SCHEMA;
}

#endif
