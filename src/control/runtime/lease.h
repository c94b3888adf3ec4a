/* SPDX-License-Identifier: Apache-2.0 */
/* lease.h -- who may hold a Lease, decided from what is seen of it: no requests, no clock.
 *
 * As client-go does it: only how long a lease has not changed is measured, by one's own clock, so
 * that clocks need not agree.
 *
 *     absent ──create──▶ held ──not changed for its duration, or given back──▶ taken by another */
#ifndef LW_CONTROL_RUNTIME_LEASE_H
#define LW_CONTROL_RUNTIME_LEASE_H

#include <stdbool.h>
#include <stdint.h>

#include <listwatch.h>

enum {
    LW_LEASE_IDENTITY_SIZE = 256,
};

/* How long things take. */
typedef struct lw_lease_times {
    int64_t duration_ns; /* a lease that is not renewed is free after this */
    int64_t renew_ns;    /* a holder that could not renew for so long stops working */
    int64_t retry_ns;    /* between two looks, or renewals */
} lw_lease_times;

/* Those of client-go for 15 seconds (15, 10, 2), in the same proportion for others. */
lw_lease_times lw_lease_times_of(int lease_s);

/* What one copy knows of the lease. */
typedef struct lw_lease_view {
    char holder[LW_LEASE_IDENTITY_SIZE]; /* "": given back */
    char version[32];                    /* its resourceVersion when it was last seen */
    int64_t duration_ns;                 /* as its holder wrote it */
    int64_t seen_ns;                     /* when |version| was first seen, monotonic; 0: never */
} lw_lease_view;

/* Takes a look at the lease as it is now. */
void lw_lease_look(lw_lease_view *view, const lw_object *lease, int64_t now_ns);

/* Whether |identity| may write itself into the lease that was looked at. */
bool lw_lease_may_take(const lw_lease_view *view, const char *identity, int64_t now_ns);

/* Makes |doc| (the lease, or {} where there is none) held by |identity| from |wall_ns| on. */
void lw_lease_take(lw_document *doc, const char *identity, const lw_lease_times *times,
                   int64_t wall_ns);

/* Makes |doc| a lease that its holder has given back. */
void lw_lease_release(lw_document *doc, int64_t wall_ns);

#endif
