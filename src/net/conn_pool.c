/* SPDX-License-Identifier: Apache-2.0 */
/* conn_pool.c -- the buffers and the date of a loop's connections. */
#include "net/conn_pool.h"

#include <stdio.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/time_text.h"

lw_status lw_lane_init(lw_lane *lane)
{
    lw_list_init(&lane->conns);
    lane->date_s = -1;
    lane->read = lw_alloc(LW_LANE_READ_SIZE + LW_LANE_GATHER_SIZE);
    if (!lane->read)
        return LW_ERR_NOMEM;
    lane->gather = lane->read + LW_LANE_READ_SIZE;
    return LW_OK;
}

void lw_lane_done(lw_lane *lane)
{
    lw_free(lane->read);
    lane->read = lane->gather = NULL;
}

/* "2026-11-15T01:49:24Z" has everything but the day of the week, which follows from the days since
 * 1970-01-01, a Thursday. */
static void format_date(char out[LW_LANE_DATE_SIZE], int64_t seconds)
{
    static const char days[] = "ThuFriSatSunMonTueWed";
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    char text[LW_TIME_TEXT_SIZE];
    if (seconds < 0 || lw_time_format(text, (lw_time){ seconds, 0 }) < 0) {
        seconds = 0;
        (void)!lw_time_format(text, (lw_time){ 0, 0 });
    }
    int month = (text[5] - '0') * 10 + text[6] - '0' - 1;
    (void)snprintf(out, LW_LANE_DATE_SIZE, "%.3s, %.2s %.3s %.4s %.8s GMT",
                   days + seconds / 86400 % 7 * 3, text + 8, months + month * 3, text, text + 11);
}

lw_str lw_lane_date(lw_lane *lane)
{
    int64_t now = lw_clock_wall(lw_loop_clock(lane->loop)) / LW_NS_PER_S;
    if (now != lane->date_s) {
        format_date(lane->date, now);
        lane->date_s = now;
    }
    return lw_str_make(lane->date, LW_LANE_DATE_SIZE - 1);
}
