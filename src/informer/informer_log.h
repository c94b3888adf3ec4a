/* SPDX-License-Identifier: Apache-2.0 */
/* informer_log.h -- what an informer logs: that it has started, synced, failed, and recovered.
 *
 * An error is a warning once; while it repeats, it is logged at the debug level.  Only in a turn.
 */
#ifndef LW_INFORMER_INFORMER_LOG_H
#define LW_INFORMER_INFORMER_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include <listwatch/error.h>
#include <listwatch/log.h>
#include <listwatch/stats.h>

/* Initialise it with its logger and resource; everything else is zero. */
typedef struct lw_informer_log {
    const lw_logger *logger;
    const char *resource;
    bool is_synced;
    bool has_failed;                     /* and has not recovered */
    int64_t failed_ns;                   /* the time of the first error since then */
    uint64_t relists;                    /* when the last line about a list was logged */
    char message[LW_ERROR_MESSAGE_SIZE]; /* of the last error that was logged as a warning */
} lw_informer_log;

void lw_informer_log_started(const lw_informer_log *log);

/* Returns true if the error is not a repetition. */
bool lw_informer_log_error(lw_informer_log *log, const lw_error *err, int64_t now_ns);
void lw_informer_log_synced(lw_informer_log *log, const lw_informer_statistics *stats,
                            uint64_t object_count);

/* Logs a recovery, and returns true if there was one; |error| is the current error of the
 * reflector. */
bool lw_informer_log_turn(lw_informer_log *log, const lw_informer_statistics *stats,
                          lw_status error, int64_t now_ns);

#endif
