/* SPDX-License-Identifier: Apache-2.0 */
/* store_health.c -- one question to the store at a time. */
#include "server/store_health.h"

#include "base/clock.h"

void lw_store_health_init(lw_store_health *pulse, lw_store *store)
{
    *pulse = (lw_store_health){ .store = store, .is_good = true }; /* it has just been opened */
    lw_mutex_init(&pulse->mu);
}

void lw_store_health_done(lw_store_health *pulse)
{
    lw_mutex_done(&pulse->mu);
}

/* On the store's thread. */
static void answered(lw_store_confirmation *question)
{
    lw_store_health *pulse = question->arg;
    lw_mutex_lock(&pulse->mu);
    pulse->is_good = question->st == LW_OK;
    pulse->is_asked = false;
    lw_mutex_unlock(&pulse->mu);
}

bool lw_store_health_is_good(lw_store_health *pulse, int64_t now_ns)
{
    lw_mutex_lock(&pulse->mu);
    bool asks = !pulse->is_asked;
    if (asks) {
        pulse->is_asked = true;
        pulse->asked_ns = now_ns;
        pulse->question = (lw_store_confirmation){ .done = answered, .arg = pulse };
    }
    bool is_late = now_ns - pulse->asked_ns > LW_STORE_HEALTH_PATIENCE_S * LW_NS_PER_S;
    bool is_good = pulse->is_good && !is_late;
    lw_mutex_unlock(&pulse->mu);
    if (asks && lw_store_confirm(pulse->store, &pulse->question) < 0) {
        lw_mutex_lock(&pulse->mu);
        pulse->is_asked = false;
        pulse->is_good = is_good = false; /* a store that takes no question answers none */
        lw_mutex_unlock(&pulse->mu);
    }
    return is_good;
}
