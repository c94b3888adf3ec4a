/* SPDX-License-Identifier: Apache-2.0 */
/* lease.h -- the rules of a leader election, as in client-go: pure functions of a Lease and of the
 * time at which it was seen.  A copy measures with its own clock how long the Lease has not
 * changed. */
#ifndef LW_OPERATOR_LEASE_H
#define LW_OPERATOR_LEASE_H

#include <stdbool.h>
#include <stdint.h>

#include <listwatch/document.h>
#include <listwatch/election.h>
#include <listwatch/time.h>

/* Durations of the election. */
typedef struct lw_lease_times {
    int64_t duration_ns; /* a Lease that is not renewed for this time is free; whole seconds */
    int64_t renew_ns;    /* a holder that could not renew it for this time stops leading */
    int64_t retry_ns;    /* time between two reads or renewals */
} lw_lease_times;

/* Reads the durations of |options|.  LW_ERR_INVALID: they do not fit together. */
LW_MUST_CHECK lw_status lw_lease_times_of(lw_lease_times *out, const lw_election_options *options,
                                          lw_error *err);

/* The Lease as one copy has seen it.  Starts zeroed. */
typedef struct lw_lease_view {
    char holder[LW_ELECTION_IDENTITY_SIZE]; /* "": released */
    char renewed[LW_TIME_TEXT_SIZE];        /* renewTime, and ... */
    char acquired[LW_TIME_TEXT_SIZE];       /* ... acquireTime, to see whether it has changed */
    int64_t duration_ns;                    /* as its holder wrote it */
    int64_t seen_ns;                        /* when this state was first seen; 0: never */
} lw_lease_view;

/* Records the current state of the Lease. */
void lw_lease_look(lw_lease_view *view, const lw_object *lease, int64_t now_ns);

/* Returns true if |identity| may take the Lease. */
bool lw_lease_may_take(const lw_lease_view *view, const char *identity, int64_t now_ns);

/* Makes |identity| the holder in |doc| (the Lease, or {} if there is none) from |wall_ns| on. */
void lw_lease_take(lw_document *doc, const char *identity, const lw_lease_times *times,
                   int64_t wall_ns);

/* Releases the Lease in |doc|. */
void lw_lease_release(lw_document *doc, int64_t wall_ns);

#endif
