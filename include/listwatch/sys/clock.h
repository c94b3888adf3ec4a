/* SPDX-License-Identifier: Apache-2.0 */
/* clock.h -- where the library gets the time from.
 *
 * Replaced to run faster than life: simulations and tests move a manual clock by hand. */
#ifndef LISTWATCH_SYS_CLOCK_H
#define LISTWATCH_SYS_CLOCK_H

#include <stdint.h>

#include <listwatch/error.h>

LW_BEGIN_DECLS

/* A source of time.  Both members are required, are called from any thread at once, must not block
 * and must not call back into the library; locks of the library may be held. */
typedef struct lw_clock {
    int64_t (*now_ns)(void *arg);  /* nanoseconds since some moment; never goes back */
    int64_t (*wall_ns)(void *arg); /* nanoseconds since 1970-01-01T00:00:00Z; may be set */
    void *arg;
} lw_clock;

/* The clocks of the operating system (CLOCK_MONOTONIC and CLOCK_REALTIME). */
LW_API const lw_clock *lw_clock_system(void);

/* A clock that stands still until it is moved.  Any thread may move and read it. */
typedef struct lw_manual_clock lw_manual_clock;

/* Makes a manual clock whose date is |wall_ns|; its monotonic time starts at one second.
 * LW_ERR_NOMEM. */
LW_API LW_MUST_CHECK lw_status lw_manual_clock_new(lw_manual_clock **out, int64_t wall_ns);

/* Frees the clock; nobody may read it any more.  NULL does nothing. */
LW_API void lw_manual_clock_free(lw_manual_clock *manual);

/* The clock to hand to the library; lives as long as |manual|. */
LW_API const lw_clock *lw_manual_clock_as_clock(const lw_manual_clock *manual);

/* Lets |ns| (>= 0) nanoseconds pass, on both clocks. */
LW_API void lw_manual_clock_advance(lw_manual_clock *manual, int64_t ns);

/* Sets the date, as an administrator does; monotonic time stays. */
LW_API void lw_manual_clock_set_wall(lw_manual_clock *manual, int64_t wall_ns);

LW_END_DECLS

#endif
