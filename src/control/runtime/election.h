/* SPDX-License-Identifier: Apache-2.0 */
/* election.h -- leader election: a thread that acquires and renews a Lease.
 *
 * A copy that could not renew the lease for the time defined in lease.h no longer leads, by its own
 * clock, even while a request hangs; it continues to compete. */
#ifndef LW_CONTROL_RUNTIME_ELECTION_H
#define LW_CONTROL_RUNTIME_ELECTION_H

#include "runtime/lease.h"

typedef struct lw_election lw_election;

typedef struct lw_election_options {
    lw_client *client;    /* must outlive it */
    const char *identity; /* not empty; NULL: host name, PID and a random part */
    int lease_s;
    const lw_clock *clock;   /* never NULL */
    const lw_logger *logger; /* never NULL */
} lw_election_options;

/* Starts to compete.  LW_ERR_INVALID (the identity is too long), LW_ERR_NOMEM, LW_ERR_IO. */
lw_status lw_election_start(lw_election **out, const lw_election_options *options, lw_error *err);

/* Waits until this copy leads (|leading|), or leads no more; false: lw_election_close was called.
 */
bool lw_election_wait(lw_election *election, bool leading);

/* Ends lw_election_wait, now and in the future.  Any thread. */
void lw_election_close(lw_election *election);

/* Releases the lease soon, and stops competing.  Any thread. */
void lw_election_resign(lw_election *election);

/* Stops competing, releases the lease if it is held, and frees everything.  NULL does nothing. */
void lw_election_stop(lw_election *election);

#endif
