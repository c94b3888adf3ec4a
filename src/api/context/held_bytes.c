/* SPDX-License-Identifier: Apache-2.0 */
/* held_bytes.c -- an account for each user that has held bytes.
 *
 * Ownership: each charge has a reference to the counter and counts in its user's account, which
 * exists as long as it has charges.  A charge is released by whoever releases the bytes.
 * Threads: |mu| guards everything but the reference count. */
#include "api/context/held_bytes.h"

#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/ref.h"
#include "base/str.h"
#include "base/sync.h"

enum {
    CHARGE_MIN = 4096, /* smaller replies are not counted: they would cost more than they hold */
    USERS_MAX = 1 << 20,
    WAKE_BYTES = 128 * 1024, /* what a producer is expected to make when it is woken */
};

typedef struct account {
    lw_str user; /* behind the account */
    size_t bytes;
    size_t charges;
} account;

struct lw_held_bytes {
    lw_ref refs;
    size_t max, user_max;

    lw_mutex mu; /* guards the members below, and the accounts */
    lw_map accounts;
    size_t bytes;
    lw_dlist waiters;
    size_t waiting;
};

typedef struct charge {
    lw_held_bytes *held;
    account *of;
    lw_bytes bytes;
} charge;

static const lw_map_type accounts_by_user = LW_MAP_STR_TYPE(account, user);

lw_status lw_held_bytes_new(lw_held_bytes **out, size_t max, size_t user_max)
{
    lw_held_bytes *held = lw_alloc_zero(1, sizeof(*held));
    if (!held)
        return LW_ERR_NOMEM;
    lw_ref_init(&held->refs);
    held->max = max;
    held->user_max = user_max;
    lw_mutex_init(&held->mu);
    lw_map_init(&held->accounts, &accounts_by_user, lw_hash_seed_random(), USERS_MAX);
    lw_dlist_init(&held->waiters);
    *out = held;
    return LW_OK;
}

void lw_held_bytes_unref(lw_held_bytes *held)
{
    if (!held || !lw_ref_dec(&held->refs))
        return;
    lw_map_done(&held->accounts);
    lw_mutex_done(&held->mu);
    lw_free(held);
}

/* Returns true if |more| bytes fit into |times| the limits. */
static bool fits_locked(const lw_held_bytes *held, lw_str user, size_t more, size_t times)
{
    const account *of = lw_map_get_str(&held->accounts, user);
    return held->bytes + more < times * held->max &&
           (of ? of->bytes : 0) + more < times * held->user_max;
}

static bool has_room_locked(const lw_held_bytes *held, lw_str user, size_t more)
{
    return fits_locked(held, user, more, 1);
}

static void wake_locked(lw_held_bytes *held)
{
    size_t expected = 0;
    LW_DLIST_FOR_EACH_SAFE(lw_held_waiter, waiter, &held->waiters, link)
    {
        if (!has_room_locked(held, waiter->user, expected))
            continue;
        expected += WAKE_BYTES;
        lw_dlist_remove(&waiter->link);
        held->waiting--;
        lw_loop_post(waiter->loop, waiter->task);
    }
}

static void drop_account_locked(lw_held_bytes *held, account *of)
{
    if (of->charges > 0)
        return;
    (void)lw_map_remove_str(&held->accounts, of->user);
    lw_free(of);
}

static void release_charge(void *owner)
{
    charge *c = owner;
    lw_held_bytes *held = c->held;
    lw_mutex_lock(&held->mu);
    held->bytes -= c->bytes.len;
    c->of->bytes -= c->bytes.len;
    c->of->charges--;
    drop_account_locked(held, c->of);
    wake_locked(held);
    lw_mutex_unlock(&held->mu);
    lw_bytes_release(c->bytes);
    lw_free(c);
    lw_held_bytes_unref(held);
}

/* Finds or makes the account; NULL: out of memory. */
static account *account_locked(lw_held_bytes *held, lw_str user)
{
    void *present = NULL;
    account *of = lw_map_get_str(&held->accounts, user);
    if (of)
        return of;
    of = lw_alloc(sizeof(*of) + user.len);
    if (!of)
        return NULL;
    char *name = (char *)(of + 1);
    if (user.len > 0)
        memcpy(name, user.ptr, user.len);
    *of = (account){ .user = lw_str_make(name, user.len) };
    if (lw_map_add(&held->accounts, &of->user, of, &present) < 0) {
        lw_free(of);
        return NULL;
    }
    return of;
}

lw_bytes lw_held_bytes_charge(lw_held_bytes *held, lw_str user, lw_bytes bytes)
{
    /* Bytes that are shared are released by their owner's function. */
    return bytes.release == lw_free ? lw_held_bytes_charge_own(held, user, bytes) : bytes;
}

lw_bytes lw_held_bytes_charge_own(lw_held_bytes *held, lw_str user, lw_bytes bytes)
{
    if (bytes.len < CHARGE_MIN)
        return bytes;
    charge *c = lw_alloc(sizeof(*c));
    if (!c)
        return bytes;
    lw_mutex_lock(&held->mu);
    account *of = account_locked(held, user);
    if (of) {
        of->bytes += bytes.len;
        of->charges++;
        held->bytes += bytes.len;
        lw_ref_inc(&held->refs);
    }
    lw_mutex_unlock(&held->mu);
    if (!of) {
        lw_free(c);
        return bytes;
    }
    *c = (charge){ held, of, bytes };
    return (lw_bytes){ bytes.ptr, bytes.len, release_charge, c };
}

bool lw_held_bytes_has_room(lw_held_bytes *held, lw_str user)
{
    lw_mutex_lock(&held->mu);
    bool has_room = has_room_locked(held, user, 0);
    lw_mutex_unlock(&held->mu);
    return has_room;
}

bool lw_held_bytes_is_exhausted(lw_held_bytes *held, lw_str user)
{
    lw_mutex_lock(&held->mu);
    bool fits = fits_locked(held, user, 0, 2);
    lw_mutex_unlock(&held->mu);
    return !fits;
}

bool lw_held_bytes_wait(lw_held_bytes *held, lw_held_waiter *waiter, lw_str user, lw_loop *loop,
                        lw_task *task)
{
    lw_mutex_lock(&held->mu);
    bool must_wait = !has_room_locked(held, user, 0);
    if (must_wait) {
        waiter->user = user;
        waiter->loop = loop;
        waiter->task = task;
        lw_dlist_push_back(&held->waiters, &waiter->link);
        held->waiting++;
    }
    lw_mutex_unlock(&held->mu);
    return must_wait;
}

bool lw_held_bytes_cancel(lw_held_bytes *held, lw_held_waiter *waiter)
{
    lw_mutex_lock(&held->mu);
    bool is_waiting = lw_dlist_node_is_linked(&waiter->link);
    if (is_waiting) {
        lw_dlist_remove(&waiter->link);
        held->waiting--;
    }
    lw_mutex_unlock(&held->mu);
    return is_waiting;
}

void lw_held_bytes_read(lw_held_bytes *held, lw_held_stats *stats)
{
    lw_mutex_lock(&held->mu);
    *stats =
        (lw_held_stats){ held->bytes, held->max, lw_map_count(&held->accounts), held->waiting };
    lw_mutex_unlock(&held->mu);
}
