/* SPDX-License-Identifier: Apache-2.0 */
/* store_health.h -- checks whether a remote store responds, without waiting for it.
 *
 * Each check sends a request to the store, unless one is in progress, and returns the last result:
 * the store is bad if the last request failed or has been in progress for too long. */
#ifndef LW_SERVER_CORE_STORE_HEALTH_H
#define LW_SERVER_CORE_STORE_HEALTH_H

#include "base/sync.h"
#include "store/store.h"

enum {
    LW_STORE_HEALTH_PATIENCE_S = 2, /* how long a reply may take */
};

typedef struct lw_store_health {
    lw_store *store; /* shared; freed before this struct */
    lw_mutex mu;     /* guards the members below */
    lw_store_confirmation question;
    bool is_asked;
    bool is_good;
    int64_t asked_ns;
} lw_store_health;

/* Initializes the check; |store| may be set later, before the first check. */
void lw_store_health_init(lw_store_health *health, lw_store *store);
void lw_store_health_done(lw_store_health *health);

/* Returns the last result and starts the next check.  Any thread; does not block. */
bool lw_store_health_is_good(lw_store_health *health, int64_t now_ns);

#endif
