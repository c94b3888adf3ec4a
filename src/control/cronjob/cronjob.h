/* SPDX-License-Identifier: Apache-2.0 */
/* cronjob.h -- one CronJob while it is reconciled, and what is done to its Jobs.  For the files of
 * the CronJob controller only. */
#ifndef LW_CONTROL_CRONJOB_CRONJOB_H
#define LW_CONTROL_CRONJOB_CRONJOB_H

#include "runtime/controller.h"
#include "runtime/loop.h"

typedef struct lw_cronjob {
    const lw_control_env *env;
    lw_control_loop *loop;
    lw_informer *cronjobs;
    const lw_object *cronjob;
    lw_object_list *jobs;   /* that it controls, as the cache has them */
    lw_object_list *active; /* that it has started and that have not ended */
    int64_t now_ns;
    int64_t last_ns;      /* status.lastScheduleTime; 0: never */
    int64_t succeeded_ns; /* status.lastSuccessfulTime; 0: never */
} lw_cronjob;

/* Whether |job| has come to its end, and whether a good one. */
bool lw_cronjob_has_ended(const lw_object *job, bool *is_good);

/* Finds out which of the Jobs in its status are still active; tells of those that have ended or are
 * missing. */
lw_status lw_cronjob_read_active(lw_cronjob *c, lw_error *err);

/* Starts the Job of the moment |when_s|; |written| is that moment as the zone has it.  One that is
 * there is taken for the one that is meant.  LW_ERR_EXISTS: a Job of somebody else has its name. */
lw_status lw_cronjob_run(lw_cronjob *c, int64_t when_s, const char *written, lw_error *err);

/* Deletes all that are active. */
lw_status lw_cronjob_stop_active(lw_cronjob *c, lw_error *err);

/* Deletes the oldest that have ended, beyond what is to be kept. */
lw_status lw_cronjob_trim_history(lw_cronjob *c, lw_error *err);

#endif
