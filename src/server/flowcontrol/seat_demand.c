/* SPDX-License-Identifier: Apache-2.0 */
/* seat_demand.c -- how many seats a priority level could use over time. */
#include "server/flowcontrol/seat_demand.h"

#include "base/clock.h"

/* What a period leaves of the smoothed demand: half of it is gone after 5 minutes. */
#define SMOOTHING 0.977

void lw_seat_demand_init(lw_seat_demand *demand, int64_t now_ns)
{
    *demand = (lw_seat_demand){ .last_ns = now_ns };
}

static void integrate(lw_seat_demand *demand, int64_t now_ns)
{
    double elapsed_s = (double)(now_ns - demand->last_ns) / (double)LW_NS_PER_S;
    double seats = (double)demand->seats;
    demand->last_ns = now_ns;
    demand->elapsed_s += elapsed_s;
    demand->integral += seats * elapsed_s;
    demand->integral_of_squares += seats * seats * elapsed_s;
}

void lw_seat_demand_set(lw_seat_demand *demand, uint64_t seats, int64_t now_ns)
{
    integrate(demand, now_ns);
    demand->seats = seats;
    if (seats > demand->max)
        demand->max = seats;
}

/* Newton's method; exact enough for a statistic, and it needs no library of mathematics. */
static double square_root(double value)
{
    double root = value > 1 ? value : 1;
    if (!(value > 0))
        return 0;
    for (int i = 0; i < 64; i++) {
        double next = (root + value / root) / 2;
        if (next >= root)
            break;
        root = next;
    }
    return root;
}

static void compute(lw_seat_demand *demand)
{
    demand->high_watermark = demand->max;
    if (demand->elapsed_s <= 0)
        return;
    double average = demand->integral / demand->elapsed_s;
    double variance = demand->integral_of_squares / demand->elapsed_s - average * average;
    demand->average = average;
    demand->deviation = square_root(variance);
    double envelope = average + demand->deviation;
    double smoothed = SMOOTHING * demand->smoothed + (1 - SMOOTHING) * envelope;
    demand->smoothed = smoothed > envelope ? smoothed : envelope;
}

void lw_seat_demand_end_period(lw_seat_demand *demand, int64_t now_ns)
{
    integrate(demand, now_ns);
    compute(demand);
    demand->elapsed_s = demand->integral = demand->integral_of_squares = 0;
    demand->max = demand->seats;
}
