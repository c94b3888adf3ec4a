/* SPDX-License-Identifier: Apache-2.0 */
/* form_budget.h -- what the kept forms of objects (object.h) take together, and how much they may.
 *
 * A form counts from when it is kept until its object goes; it holds the budget until then.  The
 * budget refuses nothing: who can do without keeping a form asks for room first.  Any thread. */
#ifndef LW_OBJECT_FORM_BUDGET_H
#define LW_OBJECT_FORM_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <listwatch/error.h>

typedef struct lw_form_budget lw_form_budget;

/* A budget of |limit| bytes.  LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_form_budget_new(lw_form_budget **out, uint64_t limit);
lw_form_budget *lw_form_budget_ref(lw_form_budget *budget);
void lw_form_budget_unref(lw_form_budget *budget); /* NULL does nothing */

/* Whether a form of about |bytes| may be kept.  Threads that ask at once may all be told so: the
 * limit is exceeded by what they hold in their hands, no more.  A no is counted. */
bool lw_form_budget_has_room(lw_form_budget *budget, size_t bytes);

/* A form of |bytes| is kept, and is gone again. */
void lw_form_budget_take(lw_form_budget *budget, size_t bytes);
void lw_form_budget_give_back(lw_form_budget *budget, size_t bytes);

typedef struct lw_form_stats {
    uint64_t limit;
    uint64_t bytes, forms; /* kept now */
    uint64_t kept;         /* forms, ever */
    uint64_t refused;      /* times that there was no room */
} lw_form_stats;

void lw_form_budget_read(const lw_form_budget *budget, lw_form_stats *stats);

#endif
