/* SPDX-License-Identifier: Apache-2.0 */
/* zone_rule.h -- the rule of a zone for times after the last change in its file: a POSIX TZ string
 * such as "CET-1CEST,M3.5.0,M10.5.0/3". */
#ifndef LW_CONTROL_CRONJOB_ZONE_RULE_H
#define LW_CONTROL_CRONJOB_ZONE_RULE_H

#include <stdbool.h>

#include <listwatch.h>

/* A day of each year, and a time on it. */
typedef struct lw_zone_day {
    /* 'M': the |week|th |weekday| of |month|; 'J': |day| 1 to 365, never 29 February; 'n': |day| 0
     * to 365. */
    char form;
    int month, week, weekday, day;
    int64_t time_s;
} lw_zone_day;

typedef struct lw_zone_rule {
    int64_t offset_s, summer_offset_s; /* offset to UTC */
    bool has_summer;
    lw_zone_day start, end; /* of summer time, each in the local time before the change */
} lw_zone_rule;

/* Parses all of |text|; false: invalid. */
bool lw_zone_rule_parse(lw_zone_rule *rule, lw_str text);

/* Returns the offset to UTC at |utc_s| in seconds. */
int64_t lw_zone_rule_offset(const lw_zone_rule *rule, int64_t utc_s);

#endif
