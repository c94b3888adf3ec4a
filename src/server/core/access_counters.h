/* SPDX-License-Identifier: Apache-2.0 */
/* access_counters.h -- counts how authentication and authorization of requests end. */
#ifndef LW_SERVER_CORE_ACCESS_COUNTERS_H
#define LW_SERVER_CORE_ACCESS_COUNTERS_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/buf.h"

/* Any thread.  Zeroed: nothing was counted. */
typedef struct lw_access_counters {
    atomic_uint_least64_t authenticated, unauthenticated, authentication_errors;
    atomic_uint_least64_t allowed, denied;
} lw_access_counters;

/* |refusal| is the HTTP status of the refusal; 0: the user is known, or anonymous. */
void lw_access_count_authentication(lw_access_counters *counters, int refusal);
void lw_access_count_authorization(lw_access_counters *counters, bool is_allowed);

/* Appends the metrics, named as in kube-apiserver. */
void lw_access_write_metrics(const lw_access_counters *counters, lw_buf *out);

#endif
