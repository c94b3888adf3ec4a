/* SPDX-License-Identifier: Apache-2.0 */
/* seat_allocation.h -- distributes a number of seats among priority levels that may borrow from
 * each other.
 *
 * Each level gets the same proportion of its target, unless that is below its lower or above its
 * upper bound; the proportion is the one with which the seats add up. */
#ifndef LW_SERVER_FLOWCONTROL_SEAT_ALLOCATION_H
#define LW_SERVER_FLOWCONTROL_SEAT_ALLOCATION_H

#include <stddef.h>

#include <listwatch/error.h>

typedef struct lw_seat_claim {
    double target; /* at least |lower| */
    double lower, upper;
    double seats; /* out */
} lw_seat_claim;

/* Sets |seats| of each claim and |*fair_fraction|.  LW_ERR_INVALID: the bounds contradict each
 * other or do not allow the sum; nothing is set. */
lw_status lw_seats_allocate(double sum, lw_seat_claim *claims, size_t count, double *fair_fraction);

#endif
