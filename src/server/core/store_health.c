/* SPDX-License-Identifier: Apache-2.0 */
/* store_health.c -- checks whether a remote store responds, with one request at a time. */
#include "server/core/store_health.h"

#include "base/clock.h"

void lw_store_health_init(lw_store_health *health, lw_store *store)
{
    *health = (lw_store_health){ .store = store, .is_good = true }; /* it has just been opened */
    lw_mutex_init(&health->mu);
}

void lw_store_health_done(lw_store_health *health)
{
    lw_mutex_done(&health->mu);
}

/* Runs on the store's thread. */
static void answered(lw_store_confirmation *question)
{
    lw_store_health *health = question->arg;
    lw_mutex_lock(&health->mu);
    health->is_good = question->st == LW_OK;
    health->is_asked = false;
    lw_mutex_unlock(&health->mu);
}

bool lw_store_health_is_good(lw_store_health *health, int64_t now_ns)
{
    lw_mutex_lock(&health->mu);
    bool asks = !health->is_asked;
    if (asks) {
        health->is_asked = true;
        health->asked_ns = now_ns;
        health->question = (lw_store_confirmation){ .done = answered, .arg = health };
    }
    bool is_late = now_ns - health->asked_ns > LW_STORE_HEALTH_PATIENCE_S * LW_NS_PER_S;
    bool is_good = health->is_good && !is_late;
    lw_mutex_unlock(&health->mu);
    if (asks && lw_store_confirm(health->store, &health->question) < 0) {
        lw_mutex_lock(&health->mu);
        health->is_asked = false;
        health->is_good = is_good = false; /* the store does not accept the request */
        lw_mutex_unlock(&health->mu);
    }
    return is_good;
}
