/* SPDX-License-Identifier: Apache-2.0 */
/* expectations.h -- what a controller has written and its cache does not show yet.
 *
 * A controller that counted its Pods in a cache that lags behind its own writes would create them
 * twice.  So each Pod that it creates or deletes is expected, by name, before the request; events
 * strike them off; and until all are struck off nothing is created or deleted for that owner.  An
 * expectation that nothing ever meets is given up after LW_EXPECTATION_S.  Any thread. */
#ifndef LW_CONTROL_RUNTIME_EXPECTATIONS_H
#define LW_CONTROL_RUNTIME_EXPECTATIONS_H

#include <listwatch.h>

#include "runtime/owner.h"

enum {
    LW_EXPECTATION_S = 300,
};

typedef enum lw_expected {
    LW_EXPECTED_HERE, /* it was created */
    LW_EXPECTED_GONE, /* it was deleted: also met when it is on its way */
} lw_expected;

typedef struct lw_expectations lw_expectations;

lw_status lw_expectations_new(lw_expectations **out, const lw_clock *clock, lw_error *err);
void lw_expectations_free(lw_expectations *e);

/* The owner with |uid| expects |name| (of its namespace) to be here or gone.  LW_ERR_NOMEM. */
lw_status lw_expectations_add(lw_expectations *e, const char *uid, const char *name,
                              lw_expected what, lw_error *err);

/* Nothing came of it, or it was seen. */
void lw_expectations_strike(lw_expectations *e, const char *uid, const char *name);

/* An event about |name|, owned by |uid|, was seen: here, or gone. */
void lw_expectations_seen(lw_expectations *e, const char *uid, const char *name, lw_expected what);

/* Notes whether it is in doubt what became of the request for |name|: the answer was lost. */
void lw_expectations_doubt(lw_expectations *e, const char *uid, const char *name, bool is_doubtful);

/* One name whose request is in doubt, into |name|; false: there is none. */
bool lw_expectations_doubtful(lw_expectations *e, const char *uid, char name[LW_NAME_SIZE]);

/* Whether the owner expects nothing any more. */
bool lw_expectations_are_met(lw_expectations *e, const char *uid);

/* The owner is gone. */
void lw_expectations_forget(lw_expectations *e, const char *uid);

/* An event about an owner: what one that is gone has expected is forgotten. */
void lw_expectations_saw_owner(lw_expectations *e, const lw_event *event);

#endif
