/* SPDX-License-Identifier: Apache-2.0 */
/* condition.h -- the conditions of a status (metav1.Condition in /status/conditions): what a
 * controller says about an object, one per type. */
#ifndef LISTWATCH_CONDITION_H
#define LISTWATCH_CONDITION_H

#include <stdbool.h>
#include <stdint.h>

#include <listwatch/document.h>
#include <listwatch/object.h>

LW_BEGIN_DECLS

/* A condition.  Its members are those of metav1.Condition, to which none are added. */
typedef struct lw_condition {
    const char *type;                 /* "Ready" */
    const char *status;               /* "True", "False", "Unknown" */
    const char *reason;               /* one word in CamelCase, for programs */
    const char *message;              /* a sentence for people; NULL: "" */
    int64_t observed_generation;      /* metadata.generation that it is about; 0: not set */
    const char *last_transition_time; /* when |status| has changed; set by lw_condition_get */
} lw_condition;

/* Sets the condition |condition->type| of the object in |doc|, as meta.SetStatusCondition does:
 * lastTransitionTime becomes |wall_ns| (nanoseconds since 1970) if the condition is new or its
 * status is another one, and is kept otherwise.  Returns true if something has changed.  Failures
 * are remembered by the document. */
LW_API bool lw_condition_set(lw_document *doc, const lw_condition *condition, int64_t wall_ns);

/* Removes the condition |type|.  Returns false if there was none. */
LW_API bool lw_condition_remove(lw_document *doc, const char *type);

/* Gets the condition |type| of |obj|; the strings are valid as long as |obj|.  Returns false, and
 * does not change |*out|, if there is none. */
LW_API bool lw_condition_get(const lw_object *obj, const char *type, lw_condition *out);

/* Returns true if the condition |type| of |obj| has the status "True". */
LW_API bool lw_condition_is_true(const lw_object *obj, const char *type);

LW_END_DECLS

#endif
