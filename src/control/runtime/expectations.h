/* SPDX-License-Identifier: Apache-2.0 */
/* expectations.h -- writes of a controller that its cache does not show yet.
 *
 * A controller that counts its Pods in a cache which is behind its own writes would create them
 * twice. So each Pod that it creates or deletes is expected, by name, before the request; events
 * fulfil the expectations; and until all are fulfilled, nothing is created or deleted for that
 * owner.  An expectation that is never fulfilled expires after LW_EXPECTATION_S.  Any thread. */
#ifndef LW_CONTROL_RUNTIME_EXPECTATIONS_H
#define LW_CONTROL_RUNTIME_EXPECTATIONS_H

#include <listwatch.h>

#include "runtime/owner.h"

enum {
    LW_EXPECTATION_S = 300,
};

typedef enum lw_expected {
    LW_EXPECTED_HERE, /* it was created */
    LW_EXPECTED_GONE, /* it was deleted: fulfilled as soon as deletion has begun */
} lw_expected;

typedef struct lw_expectations lw_expectations;

lw_status lw_expectations_new(lw_expectations **out, const lw_clock *clock, lw_error *err);
void lw_expectations_free(lw_expectations *e);

/* Records that the owner |uid| expects |name| (in its namespace) to exist or to be deleted.
 * LW_ERR_NOMEM. */
lw_status lw_expectations_add(lw_expectations *e, const char *uid, const char *name,
                              lw_expected what, lw_error *err);

/* Removes an expectation: the request failed, or its effect was seen. */
void lw_expectations_strike(lw_expectations *e, const char *uid, const char *name);

/* Records that an event about |name|, owned by |uid|, was seen. */
void lw_expectations_seen(lw_expectations *e, const char *uid, const char *name, lw_expected what);

/* Records whether the result of the request for |name| is unknown, because its reply was lost. */
void lw_expectations_doubt(lw_expectations *e, const char *uid, const char *name, bool is_doubtful);

/* Gets a name whose request has an unknown result; false: there is none. */
bool lw_expectations_doubtful(lw_expectations *e, const char *uid, char name[LW_NAME_SIZE]);

/* True if the owner has no expectations left. */
bool lw_expectations_are_met(lw_expectations *e, const char *uid);

/* Removes all expectations of an owner that was deleted. */
void lw_expectations_forget(lw_expectations *e, const char *uid);

/* Handles an event about an owner: removes the expectations of a deleted one. */
void lw_expectations_saw_owner(lw_expectations *e, const lw_event *event);

#endif
