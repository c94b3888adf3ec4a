/* SPDX-License-Identifier: Apache-2.0 */
/* form_budget.h -- counts the memory of the kept forms of objects (object.h), and limits it.
 *
 * A form counts from the time it is kept until its object is freed; it holds a reference to the
 * budget.  The budget rejects nothing: code that can do without a form checks for space first.  Any
 * thread. */
#ifndef LW_OBJECT_FORM_BUDGET_H
#define LW_OBJECT_FORM_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <listwatch/error.h>

typedef struct lw_form_budget lw_form_budget;

/* Makes a budget of |limit| bytes.  LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_form_budget_new(lw_form_budget **out, uint64_t limit);
lw_form_budget *lw_form_budget_ref(lw_form_budget *budget);
void lw_form_budget_unref(lw_form_budget *budget); /* NULL does nothing */

/* Returns true if a form of about |bytes| may be kept.  Several threads may get true at the same
 * time and exceed the limit by their forms.  False is counted. */
bool lw_form_budget_has_room(lw_form_budget *budget, size_t bytes);

/* A form of |bytes| was kept, or was freed. */
void lw_form_budget_take(lw_form_budget *budget, size_t bytes);
void lw_form_budget_give_back(lw_form_budget *budget, size_t bytes);

typedef struct lw_form_stats {
    uint64_t limit;
    uint64_t bytes, forms; /* kept now */
    uint64_t kept;         /* forms kept in total */
    uint64_t refused;      /* times that there was no space */
} lw_form_stats;

void lw_form_budget_read(const lw_form_budget *budget, lw_form_stats *stats);

#endif
