/* SPDX-License-Identifier: Apache-2.0 */
/* flow_borrowing.c -- how many seats each level of a server has.
 *
 * The seats of the server are shared out by nominalConcurrencyShares.  Then levels lend up to
 * lendablePercent of their seats to levels with more demand; an exempt level takes what it needs.
 * The caller holds control->mu. */
#include "server/flowcontrol/flow_borrowing.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "server/flowcontrol/seat_allocation.h"

/* What the borrowing knows of a level. */
typedef struct level_facts {
    bool is_exempt;
    uint64_t lower, upper, nominal, current;
    uint64_t wanted; /* at least this, if there are enough seats */
    double smoothed;
} level_facts;

static uint64_t percent_of(uint64_t seats, int64_t percent)
{
    return percent <= 0 ? 0 : (seats * (uint64_t)percent + 50) / 100;
}

static uint32_t to_seats(uint64_t seats)
{
    return seats > UINT32_MAX ? UINT32_MAX : (uint32_t)seats;
}

uint32_t lw_flow_level_max_seats(const lw_flow_level_spec *spec, uint32_t nominal)
{
    if (spec->is_exempt || spec->queues == 0)
        return 0;
    uint64_t most = ((uint64_t)nominal * 15 + 99) / 100;
    if (most > nominal / spec->hand_size)
        most = nominal / spec->hand_size;
    return most > 1 ? to_seats(most) : 1;
}

void lw_flow_borrowing_set_nominal(lw_flow_control *control)
{
    uint64_t shares = 0;
    control->nominal_sum = 0;
    for (size_t i = 0; i < control->level_count; i++)
        shares += (uint64_t)control->levels[i]->spec.shares;
    for (size_t i = 0; i < control->level_count; i++) {
        lw_flow_level *level = control->levels[i];
        lw_mutex_lock(&level->mu);
        uint64_t own = (uint64_t)level->spec.shares * control->total;
        uint64_t nominal = shares > 0 ? (own + shares - 1) / shares : 0;
        uint64_t borrowed = level->spec.borrowing_percent < 0
                                ? control->total
                                : percent_of(nominal, level->spec.borrowing_percent);
        level->nominal = to_seats(nominal);
        level->lower = to_seats(nominal - percent_of(nominal, level->spec.lendable_percent));
        level->upper = to_seats(nominal + borrowed);
        lw_mutex_unlock(&level->mu);
        control->nominal_sum += nominal;
    }
}

static uint64_t max_of(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void end_period(lw_flow_level *level, level_facts *facts)
{
    lw_mutex_lock(&level->mu);
    lw_seat_demand_end_period(&level->demand, lw_clock_now(level->clock));
    uint64_t high = level->demand.high_watermark;
    *facts = (level_facts){
        .is_exempt = level->spec.is_exempt,
        .lower = level->lower,
        .upper = level->upper,
        .nominal = level->nominal,
        .current = level->current,
        .smoothed = level->demand.smoothed,
    };
    if (!facts->is_exempt && high > level->nominal)
        high = level->nominal;
    facts->wanted = max_of(level->lower, high);
    lw_mutex_unlock(&level->mu);
}

/* Sets |seats| of each level by its claim. */
static void allocate(lw_flow_control *control, const level_facts *facts, lw_seat_claim *claims,
                     uint64_t *seats)
{
    size_t count = 0;
    for (size_t i = 0; i < control->level_count; i++) {
        const level_facts *f = &facts[i];
        if (f->is_exempt)
            continue;
        double wanted = (double)f->wanted;
        claims[count++] = (lw_seat_claim){ .lower = wanted,
                                           .upper = (double)f->upper,
                                           .target = f->smoothed > wanted ? f->smoothed : wanted };
    }
    lw_status st =
        lw_seats_allocate((double)control->nominal_sum, claims, count, &control->fair_fraction);
    for (size_t i = 0, next = 0; i < control->level_count; i++) {
        if (facts[i].is_exempt)
            continue;
        seats[i] = st == LW_OK ? (uint64_t)(claims[next].seats + 0.5) : facts[i].current;
        lw_mutex_lock(&control->levels[i]->mu);
        control->levels[i]->target = claims[next++].target;
        lw_mutex_unlock(&control->levels[i]->mu);
    }
}

/* There are not enough seats for what the levels want: each gets the same part of what it wants
 * beyond its lower bound. */
static void ration(lw_flow_control *control, const level_facts *facts, double part, uint64_t *seats)
{
    control->fair_fraction = 0;
    for (size_t i = 0; i < control->level_count; i++) {
        uint64_t more = facts[i].wanted - facts[i].lower;
        if (!facts[i].is_exempt)
            seats[i] = facts[i].lower + (uint64_t)((double)more * part + 0.5);
    }
}

static void decide(lw_flow_control *control, const level_facts *facts, lw_seat_claim *claims,
                   uint64_t *seats)
{
    uint64_t remaining = control->nominal_sum, lower = 0, wanted = 0;
    for (size_t i = 0; i < control->level_count; i++) {
        if (facts[i].is_exempt) {
            seats[i] = facts[i].wanted;
            remaining -= facts[i].wanted < remaining ? facts[i].wanted : remaining;
        } else {
            lower += facts[i].lower;
            wanted += facts[i].wanted;
        }
    }
    if (remaining <= lower)
        ration(control, facts, 0, seats);
    else if (remaining <= wanted)
        ration(control, facts, (double)(remaining - lower) / (double)(wanted - lower), seats);
    else
        allocate(control, facts, claims, seats);
}

lw_status lw_flow_borrowing_adjust(lw_flow_control *control, lw_dlist *dispatched)
{
    size_t count = control->level_count;
    level_facts *facts = lw_alloc_zero(count, sizeof(*facts));
    lw_seat_claim *claims = lw_alloc_zero(count, sizeof(*claims));
    uint64_t *seats = lw_alloc_zero(count, sizeof(*seats));
    lw_status st = facts && claims && seats ? LW_OK : LW_ERR_NOMEM;
    if (st == LW_OK) {
        for (size_t i = 0; i < count; i++)
            end_period(control->levels[i], &facts[i]);
        decide(control, facts, claims, seats);
        for (size_t i = 0; i < count; i++)
            (void)lw_flow_level_set_seats(control->levels[i], to_seats(seats[i]), dispatched);
    }
    lw_free(facts);
    lw_free(claims);
    lw_free(seats);
    return st;
}
