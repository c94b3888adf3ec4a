/* SPDX-License-Identifier: Apache-2.0 */
/* cron.h -- schedules as CronJobs have them: five fields ("minute hour day month weekday" with
 * lists, ranges, steps and names), or "@hourly" and the like, or "@every 1h30m".
 *
 * Moments are seconds since 1970 in UTC; the fields are read in a zone (zone.h).  An hour that the
 * clocks leave out has no moments, one that they repeat has them twice. */
#ifndef LW_CONTROL_CRONJOB_CRON_H
#define LW_CONTROL_CRONJOB_CRON_H

#include <stdbool.h>
#include <stdint.h>

#include <listwatch.h>

#include "cronjob/zone.h"

typedef struct lw_cron {
    uint64_t minutes, hours, days, months, weekdays; /* a bit a value */
    bool is_any_day, is_any_weekday; /* written as "*": then the other one decides alone */
    int64_t every_s;                 /* > 0: "@every", and nothing else counts */
} lw_cron;

/* LW_ERR_INVALID: |text| is no schedule; the message says why. */
lw_status lw_cron_parse(lw_cron *cron, lw_str text, lw_error *err);

/* The first moment after |after_s|; -1: there is none within five years. */
int64_t lw_cron_next(const lw_cron *cron, const lw_zone *zone, int64_t after_s);

/* What is due. */
typedef struct lw_cron_due {
    int64_t last_s; /* the last moment after |since_s| and not after |now_s|; -1: none */
    size_t missed;  /* moments in that time; LW_CRON_MISSED_MANY: that many at least */
    int64_t next_s; /* the first one after |now_s|; -1: none */
} lw_cron_due;

enum {
    LW_CRON_MISSED_MANY = 101,
};

lw_cron_due lw_cron_due_of(const lw_cron *cron, const lw_zone *zone, int64_t since_s,
                           int64_t now_s);

#endif
