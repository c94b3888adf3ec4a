/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_cron.c -- schedules and time zone files: the input is a schedule, a NUL byte, a zone file.
 * The times are ascending, each matches the schedule in the zone, and none is between the last due
 * time and now. */
#include <stdlib.h>
#include <string.h>

#include "control/cronjob/cron.h"
#include "fuzz/fuzz.h"

enum {
    MOMENTS = 20,
};

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void must_fit(const lw_cron *cron, const lw_zone *zone, int64_t moment)
{
    lw_civil at = lw_civil_of(moment + lw_zone_offset(zone, moment));
    must(cron->every_s > 0 || ((cron->minutes >> at.minute & 1) && (cron->hours >> at.hour & 1) &&
                               (cron->months >> at.month & 1)));
}

static void follow(const lw_cron *cron, const lw_zone *zone)
{
    int64_t begin = INT64_C(1790000000), at = begin;
    for (int i = 0; i < MOMENTS; i++) {
        int64_t next = lw_cron_next(cron, zone, at);
        if (next < 0)
            return;
        must(next > at);
        must_fit(cron, zone, next);
        at = next;
    }
    lw_cron_due due = lw_cron_due_of(cron, zone, begin, at);
    must(due.last_s == at && due.missed == MOMENTS && (due.next_s < 0 || due.next_s > at));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *end = size > 0 ? memchr(data, 0, size) : NULL;
    size_t len = end ? (size_t)(end - data) : size;
    lw_zone *zone = NULL;
    lw_cron cron;
    if (end && lw_zone_parse(&zone, end + 1, size - len - 1, NULL) < 0)
        zone = NULL;
    if (lw_cron_parse(&cron, lw_str_make((const char *)data, len), NULL) == LW_OK)
        follow(&cron, zone);
    lw_zone_free(zone);
    return 0;
}
