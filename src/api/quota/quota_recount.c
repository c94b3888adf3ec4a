/* SPDX-License-Identifier: Apache-2.0 */
/* quota_recount.c -- writes the current usage of all quotas of a namespace, one after the other.
 *
 * The pending charges are read first and the objects are counted then: an object that is stored in
 * between may be counted twice for a moment, but is never missed. */
#include "api/quota/quota_recount.h"

#include "api/quota/quota_count.h"
#include "api/quota/quota_pending.h"
#include "base/alloc.h"
#include "base/str.h"
#include "schema/kinds/kinds.h"

typedef struct recount {
    lw_write write;
    lw_api_port *port;
    char *ns;
    lw_cache_list quotas;
    size_t at;
    bool is_incomplete;
    void (*done)(bool is_complete, void *arg);
    void *arg;
} recount;

static void recount_next(recount *r);

static void recount_end(recount *r)
{
    void (*done)(bool is_complete, void *arg) = r->done;
    void *arg = r->arg;
    bool is_complete = !r->is_incomplete;
    lw_cache_list_done(&r->quotas);
    lw_free(r->ns);
    lw_free(r);
    done(is_complete, arg);
}

static lw_write_decision count_quota(lw_write *write, const lw_quota *quota)
{
    lw_api *api = write->port->api;
    lw_amounts used = { .list = NULL }, charged = { .list = NULL };
    lw_write_decision decision = LW_WRITE_KEEP;
    lw_status st = LW_OK;
    if (lw_quota_pending_count(api->quotas, write->key.ns, quota->name,
                               lw_object_revision(write->current), &charged)) {
        st = lw_quota_count(write->port, write->key.ns, quota, &used);
        lw_amounts_add_all(&used, &charged);
        if (st == LW_OK)
            st = used.st;
        decision =
            st < 0 ? lw_write_fail(write, st) : lw_quota_write_status(write, quota, &used, true);
    }
    lw_amounts_done(&used);
    lw_amounts_done(&charged);
    return decision;
}

static lw_write_decision recount_decide(lw_write *write)
{
    lw_quota quota = { .tree = NULL };
    if (!write->current)
        return LW_WRITE_KEEP;
    lw_status st = lw_quota_read(&quota, write->current);
    lw_write_decision decision = st < 0 ? lw_write_fail(write, st) : count_quota(write, &quota);
    lw_quota_done(&quota);
    return decision;
}

static void recount_written(lw_write *write)
{
    recount *r = (recount *)(void *)write;
    r->is_incomplete |= write->outcome == LW_WRITE_REFUSE;
    lw_write_release(write);
    r->at++;
    recount_next(r);
}

static void recount_next(recount *r)
{
    if (r->at == r->quotas.count || r->port->is_draining) {
        recount_end(r);
        return;
    }
    r->write =
        (lw_write){ .port = r->port,
                    .kind = &lw_kind_resourcequotas,
                    .key = { lw_str_of(r->ns), lw_object_key(r->quotas.objects[r->at]).name },
                    .decide = recount_decide,
                    .done = recount_written };
    lw_write_start(&r->write);
}

void lw_quota_recount(lw_api_port *port, lw_str ns, void (*done)(bool is_complete, void *arg),
                      void *arg)
{
    const lw_cache_filter filter = { .ns = ns };
    recount *r = lw_alloc_zero(1, sizeof(*r));
    char *name = lw_str_dup(ns);
    if (!r || !name) {
        lw_free(r);
        lw_free(name);
        done(false, arg);
        return;
    }
    r->port = port;
    r->ns = name;
    r->done = done;
    r->arg = arg;
    lw_cache_resource *resource = lw_api_resource(port->api, &lw_kind_resourcequotas);
    if (lw_cache_list_now(resource, &filter, LW_STR(""), 0, &r->quotas, NULL) < 0) {
        r->quotas = (lw_cache_list){ 0 };
        r->is_incomplete = true;
    }
    recount_next(r);
}
