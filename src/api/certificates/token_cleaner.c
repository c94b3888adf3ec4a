/* SPDX-License-Identifier: Apache-2.0 */
/* token_cleaner.c -- deletes the Secrets of expired bootstrap tokens. */
#include "api/certificates/token_cleaner.h"

#include "api/certificates/bootstrap_secret.h"
#include "api/context/key_scheduler.h"
#include "api/write/deletion.h"
#include "api/write/write.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/container_of.h"
#include "base/str.h"
#include "schema/kinds/kinds.h"

enum {
    TOKENS_MAX = 1 << 20,
    RUNNING_MAX = 4,
};

#define RETRY_NS LW_NS_PER_S

/* A token that will expire. */
typedef struct expiring {
    lw_scheduled_key key; /* first */
    lw_write write;       /* while it runs */
    int64_t not_before_ns;
} expiring;

struct lw_token_cleaner {
    lw_api_port *port;
    lw_key_scheduler tokens; /* of expiring, by name of the Secret */
    bool has_news;           /* something was observed since the last pump */
};

static lw_write_decision removal_decide(lw_write *write)
{
    static const lw_api_delete_options at_once = { .propagation = LW_PROPAGATION_BACKGROUND };
    bool is_expired =
        write->current && lw_bootstrap_secret_is(write->current) &&
        lw_bootstrap_secret_expiry_ns(write->current) <= lw_clock_wall(write->port->api->clock);
    return is_expired ? lw_deletion_decide(write, &at_once) : LW_WRITE_KEEP;
}

static void removal_done(lw_write *write)
{
    expiring *e = LW_CONTAINER_OF(write, expiring, write);
    bool has_failed = write->outcome == LW_WRITE_REFUSE;
    if (has_failed)
        e->not_before_ns = lw_key_scheduler_now(e->key.scheduler) + RETRY_NS;
    lw_write_release(write);
    lw_key_scheduler_pass_over(&e->key, has_failed);
}

static void removal_start(lw_scheduled_key *key)
{
    expiring *e = (expiring *)(void *)key;
    const lw_token_cleaner *cleaner = LW_CONTAINER_OF(key->scheduler, lw_token_cleaner, tokens);
    e->write = (lw_write){ .port = cleaner->port,
                           .kind = &lw_kind_secrets,
                           .key = { LW_STR(LW_BOOTSTRAP_NAMESPACE), key->name },
                           .decide = removal_decide,
                           .done = removal_done };
    lw_write_start(&e->write);
}

static int64_t ready_ns(const lw_scheduled_key *key)
{
    return ((const expiring *)(const void *)key)->not_before_ns;
}

static const lw_key_scheduler_type removals = {
    .entry_size = sizeof(expiring),
    .keys_max = TOKENS_MAX,
    .running_max = RUNNING_MAX,
    .ready_ns = ready_ns,
    .start = removal_start,
};

lw_status lw_token_cleaner_new(lw_token_cleaner **out, lw_api_port *port)
{
    lw_token_cleaner *cleaner = lw_alloc_zero(1, sizeof(*cleaner));
    if (!cleaner)
        return LW_ERR_NOMEM;
    cleaner->port = port;
    lw_key_scheduler_init(&cleaner->tokens, &removals, port->loop);
    *out = cleaner;
    return LW_OK;
}

/* The expiry of a token by the loop's clock; INT64_MAX: not a token, or one that does not expire.
 */
static int64_t due_ns(const lw_token_cleaner *cleaner, const lw_cache_event *event)
{
    if (event->type == LW_WATCH_DELETED || !lw_bootstrap_secret_is(event->object))
        return INT64_MAX;
    int64_t expiry_ns = lw_bootstrap_secret_expiry_ns(event->object);
    if (expiry_ns == INT64_MAX || expiry_ns == INT64_MIN)
        return expiry_ns;
    return lw_key_scheduler_now(&cleaner->tokens) +
           (expiry_ns - lw_clock_wall(cleaner->port->api->clock));
}

lw_status lw_token_cleaner_observe(lw_token_cleaner *cleaner, const lw_kind *kind,
                                   const lw_cache_event *event)
{
    if (!cleaner || kind != &lw_kind_secrets ||
        !lw_str_equal(lw_str_of(lw_object_namespace(event->object)),
                      LW_STR(LW_BOOTSTRAP_NAMESPACE)))
        return LW_OK;
    lw_str name = lw_str_of(lw_object_name(event->object));
    int64_t due = due_ns(cleaner, event);
    lw_scheduled_key *key = lw_key_scheduler_find(&cleaner->tokens, name);
    if (due == INT64_MAX) {
        if (key)
            lw_key_scheduler_remove(key);
        return LW_OK;
    }
    if (!key)
        key = lw_key_scheduler_add(&cleaner->tokens, name);
    if (!key)
        return LW_ERR_NOMEM;
    ((expiring *)(void *)key)->not_before_ns = due;
    cleaner->has_news = true;
    lw_key_scheduler_want(key);
    return LW_OK;
}

void lw_token_cleaner_pump(lw_token_cleaner *cleaner)
{
    if (!cleaner || !cleaner->has_news)
        return;
    cleaner->has_news = false;
    lw_key_scheduler_pump(&cleaner->tokens);
}

void lw_token_cleaner_forget(lw_token_cleaner *cleaner)
{
    if (cleaner)
        lw_key_scheduler_forget(&cleaner->tokens);
}

void lw_token_cleaner_stop(lw_token_cleaner *cleaner)
{
    if (cleaner)
        lw_key_scheduler_stop(&cleaner->tokens);
}

void lw_token_cleaner_free(lw_token_cleaner *cleaner)
{
    if (!cleaner)
        return;
    lw_token_cleaner_stop(cleaner);
    lw_key_scheduler_done(&cleaner->tokens);
    lw_free(cleaner);
}
