/* SPDX-License-Identifier: Apache-2.0 */
/* cron.h -- schedules of CronJobs: five fields ("minute hour day month weekday" with lists, ranges,
 * steps and names), "@hourly" etc., or "@every 1h30m".
 *
 * Times are seconds since 1970 in UTC; the fields are interpreted in a time zone (zone.h).  An hour
 * that is skipped by a clock change has no times, one that is repeated has them twice. */
#ifndef LW_CONTROL_CRONJOB_CRON_H
#define LW_CONTROL_CRONJOB_CRON_H

#include <stdbool.h>
#include <stdint.h>

#include <listwatch.h>

#include "cronjob/zone.h"

typedef struct lw_cron {
    uint64_t minutes, hours, days, months, weekdays; /* one bit per value */
    bool is_any_day, is_any_weekday; /* written as "*": only the other field decides */
    int64_t every_s;                 /* > 0: "@every"; the other members are ignored */
} lw_cron;

/* Parses |text|.  LW_ERR_INVALID: not a schedule; the message says why. */
lw_status lw_cron_parse(lw_cron *cron, lw_str text, lw_error *err);

/* Returns the first time after |after_s|; -1: none within five years. */
int64_t lw_cron_next(const lw_cron *cron, const lw_zone *zone, int64_t after_s);

/* The scheduled times that are due. */
typedef struct lw_cron_due {
    int64_t last_s; /* the last time after |since_s| and not after |now_s|; -1: none */
    size_t missed;  /* number of times in that interval; LW_CRON_MISSED_MANY: at least that many */
    int64_t next_s; /* the first time after |now_s|; -1: none */
} lw_cron_due;

enum {
    LW_CRON_MISSED_MANY = 101,
};

lw_cron_due lw_cron_due_of(const lw_cron *cron, const lw_zone *zone, int64_t since_s,
                           int64_t now_s);

#endif
