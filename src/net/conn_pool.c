/* SPDX-License-Identifier: Apache-2.0 */
/* conn_pool.c -- the buffers and the date shared by a loop's connections. */
#include "net/conn_pool.h"

#include <stdio.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/text/time_text.h"
#include "net/tls/tls_record.h"

lw_status lw_conn_pool_init(lw_conn_pool *pool)
{
    lw_dlist_init(&pool->conns);
    pool->date_s = -1;
    pool->read = lw_alloc(LW_CONN_POOL_READ_SIZE + LW_CONN_POOL_GATHER_SIZE);
    if (!pool->read)
        return LW_ERR_NOMEM;
    pool->gather = pool->read + LW_CONN_POOL_READ_SIZE;
    return LW_OK;
}

void lw_conn_pool_done(lw_conn_pool *pool)
{
    lw_free(pool->read);
    pool->read = pool->gather = NULL;
    lw_ring_spares_done(&pool->queues);
    lw_tls_engine_free(pool->tls);
    pool->tls = NULL;
}

/* The RFC 3339 text has everything but the day of the week, which is computed from the days since
 * 1970-01-01, a Thursday. */
static void format_date(char out[LW_CONN_POOL_DATE_SIZE], int64_t seconds)
{
    static const char days[] = "ThuFriSatSunMonTueWed";
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    char text[LW_TIME_TEXT_SIZE];
    if (seconds < 0 || lw_time_format(text, (lw_time){ seconds, 0 }) < 0) {
        seconds = 0;
        (void)!lw_time_format(text, (lw_time){ 0, 0 });
    }
    int month = (text[5] - '0') * 10 + text[6] - '0' - 1;
    (void)snprintf(out, LW_CONN_POOL_DATE_SIZE, "%.3s, %.2s %.3s %.4s %.8s GMT",
                   days + seconds / 86400 % 7 * 3, text + 8, months + month * 3, text, text + 11);
}

lw_str lw_conn_pool_date(lw_conn_pool *pool)
{
    int64_t now = lw_clock_wall(lw_loop_clock(pool->loop)) / LW_NS_PER_S;
    if (now != pool->date_s) {
        format_date(pool->date, now);
        pool->date_s = now;
    }
    return lw_str_make(pool->date, LW_CONN_POOL_DATE_SIZE - 1);
}
