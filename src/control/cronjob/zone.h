/* SPDX-License-Identifier: Apache-2.0 */
/* zone.h -- time zones from the system's zone files (TZif, RFC 8536): computes the offset of local
 * time to UTC, without using the environment of the process. */
#ifndef LW_CONTROL_CRONJOB_ZONE_H
#define LW_CONTROL_CRONJOB_ZONE_H

#include <stdbool.h>

#include <listwatch.h>

#define LW_ZONE_FOLDER "/usr/share/zoneinfo"

enum {
    LW_ZONE_FILE_MAX = 64 * 1024, /* maximum size of a zone file in bytes */
};

typedef struct lw_zone lw_zone;

/* Loads the zone |name| (e.g. "Europe/Berlin" or "UTC") from |folder|.  LW_ERR_NOT_FOUND: unknown
 * zone; LW_ERR_INVALID: invalid name or file; LW_ERR_NOMEM. */
lw_status lw_zone_load(lw_zone **out, const char *folder, const char *name, lw_error *err);

/* Parses the content of a zone file. */
lw_status lw_zone_parse(lw_zone **out, const unsigned char *bytes, size_t len, lw_error *err);

void lw_zone_free(lw_zone *zone);

/* Returns the offset of local time to UTC at |utc_s|, in seconds since 1970; NULL is UTC. */
int64_t lw_zone_offset(const lw_zone *zone, int64_t utc_s);

/* A day of each year, and a time on it. */
typedef struct lw_zone_day {
    /* 'M': the |week|th |weekday| of |month|; 'J': |day| 1 to 365, never 29 February; 'n': |day| 0
     * to 365. */
    char form;
    int month, week, weekday, day;
    int64_t time_s;
} lw_zone_day;

/* The rule of a zone for times after the last change in its file: a POSIX TZ string such as
 * "CET-1CEST,M3.5.0,M10.5.0/3". */
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
