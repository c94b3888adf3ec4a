/* SPDX-License-Identifier: Apache-2.0 */
/* cronjob.h -- one CronJob while it is reconciled, and the operations on its Jobs.  Only for the
 * files of the CronJob controller. */
#ifndef LW_CONTROL_CRONJOB_CRONJOB_H
#define LW_CONTROL_CRONJOB_CRONJOB_H

#include "runtime/controller.h"
#include "runtime/loop.h"

typedef struct lw_cronjob {
    const lw_control_env *env;
    lw_control_loop *loop;
    lw_informer *cronjobs;
    const lw_object *cronjob;
    lw_object_list *jobs;   /* the Jobs it controls, from the cache */
    lw_object_list *active; /* the Jobs it has started that have not finished */
    int64_t now_ns;
    int64_t last_ns;      /* status.lastScheduleTime; 0: never */
    int64_t succeeded_ns; /* status.lastSuccessfulTime; 0: never */
} lw_cronjob;

/* True if |job| has finished; sets |*is_good| to whether it succeeded. */
bool lw_cronjob_has_ended(const lw_object *job, bool *is_good);

/* Determines which of the Jobs in the status are still active; records events for those that have
 * finished or are missing. */
lw_status lw_cronjob_read_active(lw_cronjob *c, lw_error *err);

/* Starts the Job for the time |when_s|; |written| is that time in the zone.  If it exists already,
 * it is used.  LW_ERR_EXISTS: a Job of another owner has its name. */
lw_status lw_cronjob_run(lw_cronjob *c, int64_t when_s, const char *written, lw_error *err);

/* Deletes all active Jobs. */
lw_status lw_cronjob_stop_active(lw_cronjob *c, lw_error *err);

/* Deletes the oldest finished Jobs beyond the history limit. */
lw_status lw_cronjob_trim_history(lw_cronjob *c, lw_error *err);

#endif
