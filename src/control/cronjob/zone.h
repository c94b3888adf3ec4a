/* SPDX-License-Identifier: Apache-2.0 */
/* zone.h -- the hours of a time zone, from the system's zone files (TZif, RFC 8536): how far local
 * time is ahead of UTC at any moment, without touching the environment of the process. */
#ifndef LW_CONTROL_CRONJOB_ZONE_H
#define LW_CONTROL_CRONJOB_ZONE_H

#include <listwatch.h>

#define LW_ZONE_FOLDER "/usr/share/zoneinfo"

enum {
    LW_ZONE_FILE_MAX = 64 * 1024, /* bytes of a zone file that is read */
};

typedef struct lw_zone lw_zone;

/* The zone |name| ("Europe/Berlin", "UTC") of |folder|.  LW_ERR_NOT_FOUND: there is no such zone;
 * LW_ERR_INVALID: |name| is none, or the file cannot be understood; LW_ERR_NOMEM. */
lw_status lw_zone_load(lw_zone **out, const char *folder, const char *name, lw_error *err);

/* The same from the bytes of a zone file. */
lw_status lw_zone_parse(lw_zone **out, const unsigned char *bytes, size_t len, lw_error *err);

void lw_zone_free(lw_zone *zone);

/* Seconds that local time is ahead of UTC at |utc_s|, seconds since 1970; NULL is UTC. */
int64_t lw_zone_offset(const lw_zone *zone, int64_t utc_s);

#endif
