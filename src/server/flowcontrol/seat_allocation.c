/* SPDX-License-Identifier: Apache-2.0 */
/* seat_allocation.c -- distributes seats among priority levels.
 *
 * The sum of the seats never falls while the proportion grows, so bisection finds the proportion
 * that gives the wanted sum; there are few levels and it runs every ten seconds. */
#include "server/flowcontrol/seat_allocation.h"

#include <stdbool.h>

enum {
    HALVINGS = 200, /* until two doubles have nothing between them */
};

#define TARGET_MIN 0.001 /* a level without demand takes part, too */
#define TOLERANCE  1e-7

static double target_of(const lw_seat_claim *claim)
{
    return claim->target > TARGET_MIN ? claim->target : TARGET_MIN;
}

static double seats_at(const lw_seat_claim *claim, double proportion)
{
    double seats = proportion * target_of(claim);
    if (seats > claim->upper)
        seats = claim->upper;
    return seats < claim->lower ? claim->lower : seats;
}

static double sum_at(const lw_seat_claim *claims, size_t count, double proportion)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += seats_at(&claims[i], proportion);
    return sum;
}

/* Computes the sums of the bounds and the proportion at which every level has its upper bound. */
static bool measure(const lw_seat_claim *claims, size_t count, double *low, double *high,
                    double *proportion)
{
    *low = *high = *proportion = 0;
    for (size_t i = 0; i < count; i++) {
        const lw_seat_claim *claim = &claims[i];
        if (claim->lower < 0 || claim->upper < claim->lower || claim->target < claim->lower)
            return false;
        *low += claim->lower;
        *high += claim->upper;
        double full = claim->upper / target_of(claim);
        if (full > *proportion)
            *proportion = full;
    }
    return true;
}

lw_status lw_seats_allocate(double sum, lw_seat_claim *claims, size_t count, double *fair_fraction)
{
    double low, high, above, below = 0;
    if (!measure(claims, count, &low, &high, &above) || low - sum > TOLERANCE ||
        sum - high > TOLERANCE)
        return LW_ERR_INVALID;
    for (int i = 0; i < HALVINGS; i++) {
        double middle = below + (above - below) / 2;
        if (middle <= below || middle >= above)
            break;
        if (sum_at(claims, count, middle) < sum)
            below = middle;
        else
            above = middle;
    }
    for (size_t i = 0; i < count; i++)
        claims[i].seats = seats_at(&claims[i], above);
    *fair_fraction = above;
    return LW_OK;
}
