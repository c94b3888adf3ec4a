/* SPDX-License-Identifier: Apache-2.0 */
/* forms_ahead.h -- encodes the objects of a long list on other threads as well as on its own.
 *
 *     the list's own thread   0 1 2 3 ...  ──▶      ◀──  ... n-3 n-2 n-1   the other threads
 *
 * The list begins with its length, so it needs the encodings of all its objects (object_form.h)
 * before the first byte is sent.  It goes through them in order; the others go through them from
 * the end, a batch each.  When the list gets to an object that was encoded ahead, it finds the
 * encoding cached with the object.  Nobody waits for anybody: without memory or threads the list
 * encodes all of them itself.
 *
 * The threads are started when they are needed for the first time.  Any thread may call these
 * functions. */
#ifndef LW_API_MEDIA_FORMS_AHEAD_H
#define LW_API_MEDIA_FORMS_AHEAD_H

#include <listwatch/object.h>

#include "object/form_budget.h"

enum {
    LW_FORMS_AHEAD_MIN = 512, /* fewer objects are not worth it */
};

typedef struct lw_forms_ahead lw_forms_ahead; /* the threads */
typedef struct lw_forms_run lw_forms_run;     /* what they do for one list */

/* Makes at most |threads| threads; 0: lists get no help.  LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_forms_ahead_new(lw_forms_ahead **out, unsigned threads);

/* Ends the threads; all runs were stopped.  NULL does nothing. */
void lw_forms_ahead_free(lw_forms_ahead *ahead);

/* Begins to encode |objects|, until that is done, |budget| has no space left, or it is stopped.
 * Takes references of its own; |budget| must live as long as |ahead|.  NULL: it does not, and
 * nothing is to be stopped. */
lw_forms_run *lw_forms_ahead_start(lw_forms_ahead *ahead, lw_object *const *objects, size_t count,
                                   lw_form_budget *budget);

/* Ends what is not done yet, after the current object of each thread; does not wait for it.  NULL
 * does nothing. */
void lw_forms_run_stop(lw_forms_run *run);

#endif
