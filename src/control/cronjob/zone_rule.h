/* SPDX-License-Identifier: Apache-2.0 */
/* zone_rule.h -- the rule by which a zone goes on after the last change its file lists: a POSIX TZ
 * text, "CET-1CEST,M3.5.0,M10.5.0/3". */
#ifndef LW_CONTROL_CRONJOB_ZONE_RULE_H
#define LW_CONTROL_CRONJOB_ZONE_RULE_H

#include <stdbool.h>

#include <listwatch.h>

/* A day of each year, and a time on it. */
typedef struct lw_zone_day {
    char form; /* 'M': of the |week|th |weekday| of |month|; 'J': |day| 1 to 365, never the 29th of
                  February; 'n': |day| 0 to 365 */
    int month, week, weekday, day;
    int64_t time_s;
} lw_zone_day;

typedef struct lw_zone_rule {
    int64_t offset_s, summer_offset_s; /* ahead of UTC */
    bool has_summer;
    lw_zone_day start, end; /* of summer, by the clock that is left */
} lw_zone_rule;

/* Reads all of |text|; false: it is no such rule. */
bool lw_zone_rule_parse(lw_zone_rule *rule, lw_str text);

/* Seconds ahead of UTC at |utc_s|. */
int64_t lw_zone_rule_offset(const lw_zone_rule *rule, int64_t utc_s);

#endif
