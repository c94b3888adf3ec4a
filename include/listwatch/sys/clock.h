/* SPDX-License-Identifier: Apache-2.0 */
/* clock.h -- the source of time of the library.
 *
 * Simulations and tests replace it with a manual clock. */
#ifndef LISTWATCH_SYS_CLOCK_H
#define LISTWATCH_SYS_CLOCK_H

#include <stdint.h>

#include <listwatch/error.h>

LW_BEGIN_DECLS

/* A source of time.  Both functions are required.  They are called from any thread, also at the
 * same time and while locks of the library are held; they must not block and must not call the
 * library. */
typedef struct lw_clock {
    int64_t (*now_ns)(void *arg);  /* nanoseconds since an arbitrary time; never decreases */
    int64_t (*wall_ns)(void *arg); /* nanoseconds since 1970-01-01T00:00:00Z; may jump */
    void *arg;
} lw_clock;

/* Returns the clocks of the operating system (CLOCK_MONOTONIC and CLOCK_REALTIME). */
LW_API const lw_clock *lw_clock_system(void);

/* A clock that stands still until the program advances it.  Any thread may use it. */
typedef struct lw_manual_clock lw_manual_clock;

/* Makes a manual clock whose wall clock time is |wall_ns|; its monotonic time starts at one second.
 * LW_ERR_NOMEM. */
LW_MUST_CHECK LW_API lw_status lw_manual_clock_new(lw_manual_clock **out, int64_t wall_ns);

/* Frees the clock; no thread may be using it.  NULL does nothing. */
LW_API void lw_manual_clock_free(lw_manual_clock *manual);

/* Returns the clock to pass to the library; valid as long as |manual|. */
LW_API const lw_clock *lw_manual_clock_as_clock(const lw_manual_clock *manual);

/* Advances both times by |ns| (>= 0) nanoseconds. */
LW_API void lw_manual_clock_advance(lw_manual_clock *manual, int64_t ns);

/* Sets the wall clock time, like an administrator; the monotonic time does not change. */
LW_API void lw_manual_clock_set_wall(lw_manual_clock *manual, int64_t wall_ns);

LW_END_DECLS

#endif
