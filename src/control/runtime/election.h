/* SPDX-License-Identifier: Apache-2.0 */
/* election.h -- leader election: a thread that acquires and renews a Lease.
 *
 * The rules (lw_lease_*) are pure functions, as in client-go: a copy measures with its own clock
 * how long the lease has not changed, so that clocks need not agree.
 *
 *     absent ──create──▶ held ──not changed for its duration, or released──▶ taken by another
 *
 * A copy that could not renew the lease for |renew_ns| no longer leads, by its own clock, even
 * while a request hangs; it continues to compete. */
#ifndef LW_CONTROL_RUNTIME_ELECTION_H
#define LW_CONTROL_RUNTIME_ELECTION_H

#include <stdbool.h>
#include <stdint.h>

#include <listwatch.h>

enum {
    LW_LEASE_IDENTITY_SIZE = 256,
};

/* Durations of the election. */
typedef struct lw_lease_times {
    int64_t duration_ns; /* a lease that is not renewed for this time is free */
    int64_t renew_ns;    /* a holder that could not renew it for this time stops leading */
    int64_t retry_ns;    /* time between two reads or renewals */
} lw_lease_times;

/* Returns the durations of client-go for 15 seconds (15, 10, 2); in the same proportion for others.
 */
lw_lease_times lw_lease_times_of(int lease_s);

/* The lease as one copy has seen it. */
typedef struct lw_lease_view {
    char holder[LW_LEASE_IDENTITY_SIZE]; /* "": released */
    char version[32];                    /* its resourceVersion when it was last seen */
    int64_t duration_ns;                 /* as its holder wrote it */
    int64_t seen_ns;                     /* when |version| was first seen, monotonic; 0: never */
} lw_lease_view;

/* Records the current state of the lease. */
void lw_lease_look(lw_lease_view *view, const lw_object *lease, int64_t now_ns);

/* Returns true if |identity| may take the lease. */
bool lw_lease_may_take(const lw_lease_view *view, const char *identity, int64_t now_ns);

/* Makes |identity| the holder in |doc| (the lease, or {} if there is none) from |wall_ns| on. */
void lw_lease_take(lw_document *doc, const char *identity, const lw_lease_times *times,
                   int64_t wall_ns);

/* Releases the lease in |doc|. */
void lw_lease_release(lw_document *doc, int64_t wall_ns);

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
