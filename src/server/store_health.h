/* SPDX-License-Identifier: Apache-2.0 */
/* store_health.h -- whether a store that is reached over a network answers, without waiting for it.
 *
 * Each look asks the store, unless a question is under way, and says what came of the last one: it
 * is bad when that failed, or has been under way for too long. */
#ifndef LW_SERVER_STORE_HEALTH_H
#define LW_SERVER_STORE_HEALTH_H

#include "base/sync.h"
#include "store/store.h"

enum {
    LW_STORE_HEALTH_PATIENCE_S = 2, /* how long an answer may take */
};

typedef struct lw_store_health {
    lw_store *store; /* shared; freed before the pulse */
    lw_mutex mu;     /* guards what follows */
    lw_store_confirmation question;
    bool is_asked;
    bool is_good;
    int64_t asked_ns;
} lw_store_health;

/* |store| may be set later, before the first look. */
void lw_store_health_init(lw_store_health *pulse, lw_store *store);
void lw_store_health_done(lw_store_health *pulse);

/* Any thread; returns at once. */
bool lw_store_health_is_good(lw_store_health *pulse, int64_t now_ns);

#endif
