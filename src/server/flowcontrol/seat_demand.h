/* SPDX-License-Identifier: Apache-2.0 */
/* seat_demand.h -- how many seats a priority level could use over time: those in use plus those
 * that waiting requests need.
 *
 * The demand is integrated over an adjustment period; the borrowing between levels
 * (seat_allocation.h) uses its average, standard deviation and maximum, smoothed over periods.
 * Threads: one at a time. */
#ifndef LW_SERVER_FLOWCONTROL_SEAT_DEMAND_H
#define LW_SERVER_FLOWCONTROL_SEAT_DEMAND_H

#include <stdint.h>

typedef struct lw_seat_demand {
    /* The current period. */
    int64_t last_ns;
    uint64_t seats; /* since last_ns */
    uint64_t max;
    double elapsed_s, integral, integral_of_squares;

    /* The results of the periods before it. */
    uint64_t high_watermark;
    double average, deviation, smoothed;
} lw_seat_demand;

void lw_seat_demand_init(lw_seat_demand *demand, int64_t now_ns);

/* From now on the demand is |seats|. */
void lw_seat_demand_set(lw_seat_demand *demand, uint64_t seats, int64_t now_ns);

/* Ends the period, computes its results and begins the next one. */
void lw_seat_demand_end_period(lw_seat_demand *demand, int64_t now_ns);

#endif
