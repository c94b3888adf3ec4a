/* SPDX-License-Identifier: Apache-2.0 */
/* etcd_lease.c -- keys with a TTL.  Many keys share a lease, because a lease costs etcd as much as
 * a key.
 *
 * A lease is assigned to new keys for a twentieth of their TTL, at most one minute, and to at most
 * a thousand keys.  Its own TTL is longer by that time, so that no key expires too early. */
#include "base/clock.h"
#include "store/etcd_internal.h"

enum {
    SHARED_S_MAX = 60,
    SHARED_PART = 20,
    USES_MAX = 1000,
};

static int64_t shared_s(int64_t ttl_s)
{
    int64_t part = ttl_s / SHARED_PART;
    return part < 1 ? 1 : part > SHARED_S_MAX ? SHARED_S_MAX : part;
}

static void send_waiting(lw_etcd_lease *lease)
{
    for (lw_dlist_node *node; (node = lw_dlist_pop_front(&lease->writes));) {
        lease->uses++;
        lw_etcd_write_send(LW_DLIST_ITEM(node, lw_etcd_write, link), lease->id);
    }
}

static void fail_waiting(lw_etcd_lease *lease, lw_status st, const char *message)
{
    for (lw_dlist_node *node; (node = lw_dlist_pop_front(&lease->writes));)
        lw_etcd_write_fail(LW_DLIST_ITEM(node, lw_etcd_write, link), st, message);
}

static void granted(const lw_etcd_lease_answer *answer, void *arg)
{
    lw_etcd_lease *lease = arg;
    if (answer->base.err) {
        lease->ttl_s = 0;
        fail_waiting(lease, LW_ERR_UNAVAILABLE, answer->base.err->message);
        return;
    }
    lease->id = answer->id;
    lease->uses = 0;
    lease->until_ns = lw_loop_now(lease->store->loop) + shared_s(lease->ttl_s) * LW_NS_PER_S;
    send_waiting(lease);
}

/* Returns the slot for leases of |ttl_s|: one with that TTL, a free one, or one that nobody waits
 * for; NULL: none. */
static lw_etcd_lease *find_place(lw_etcd_store *store, int64_t ttl_s)
{
    lw_etcd_lease *best = NULL;
    for (size_t i = 0; i < LW_STORE_ETCD_LEASES; i++) {
        lw_etcd_lease *lease = &store->leases[i];
        if (lease->ttl_s == ttl_s)
            return lease;
        bool is_idle = lease->ttl_s == 0 || lease->id != 0;
        if (is_idle && (!best || lease->until_ns < best->until_ns))
            best = lease;
    }
    return best;
}

static void ask_for(lw_etcd_lease *lease, int64_t ttl_s)
{
    lease->ttl_s = ttl_s;
    lease->id = 0;
    lw_status st =
        lw_etcd_lease_grant(lease->store->etcd, ttl_s + shared_s(ttl_s), granted, lease, NULL);
    if (st < 0) {
        lease->ttl_s = 0;
        fail_waiting(lease, st, lw_status_name(st));
    }
}

void lw_etcd_lease_send(lw_etcd_write *write)
{
    lw_etcd_store *store = write->store;
    int64_t ttl_s = write->txn->ttl_s;
    lw_etcd_lease *lease = find_place(store, ttl_s);
    if (!lease) {
        lw_etcd_write_fail(write, LW_ERR_TOO_MANY, "too many different TTLs are in use");
        return;
    }
    bool is_usable = lease->ttl_s == ttl_s && lease->id != 0 && lease->uses < USES_MAX &&
                     lw_loop_now(store->loop) < lease->until_ns;
    bool is_asked_for = lease->ttl_s == ttl_s && lease->id == 0;
    lw_dlist_push_back(&lease->writes, &write->link);
    if (is_usable)
        send_waiting(lease);
    else if (!is_asked_for)
        ask_for(lease, ttl_s);
}

void lw_etcd_leases_init(lw_etcd_store *store)
{
    for (size_t i = 0; i < LW_STORE_ETCD_LEASES; i++) {
        store->leases[i].store = store;
        lw_dlist_init(&store->leases[i].writes);
    }
}
