/* SPDX-License-Identifier: Apache-2.0 */
/* quota_charge.c -- charges one write to the quotas of its namespace. */
#include "api/quota/quota_charge.h"

#include "api/http/failures.h"
#include "api/quota/quota_check.h"
#include "api/quota/quota_count.h"
#include "api/quota/quota_pending.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/container_of.h"
#include "base/str.h"
#include "schema/kinds/kinds.h"
#include "json/fields.h"

typedef struct lw_quota_charge {
    lw_write_grant grant; /* must be the first member */
    lw_write *subject;
    lw_tree *tree, *old_tree;
    lw_quota_request request;
    char *ns;
    lw_quota_entry entry;
    bool is_entered;
    size_t at;      /* index of the mark being charged */
    lw_write write; /* the write of the quota's status */
    void (*over)(lw_write *write, bool is_granted);
} lw_quota_charge;

static lw_quota_pending *pending_of(const lw_quota_charge *charge)
{
    return charge->subject->port->api->quotas;
}

/* The kinds for which an update can increase the usage. */
static bool is_charged_for_update(const lw_kind *kind, unsigned subresource)
{
    bool is_claim = kind == &lw_kind_persistentvolumeclaims;
    return subresource == 0
               ? is_claim || kind == &lw_kind_services || kind == &lw_kind_pods
               : (is_claim && subresource == LW_SUB_STATUS) || subresource == LW_SUB_RESIZE;
}

static lw_status list_quotas(const lw_write *write, lw_str ns, size_t limit, lw_cache_list *list)
{
    const lw_cache_filter filter = { .ns = ns };
    lw_cache_resource *resource = lw_api_resource(write->port->api, &lw_kind_resourcequotas);
    return lw_cache_list_now(resource, &filter, LW_STR(""), limit, list, NULL);
}

static lw_status has_quota(const lw_write *write, bool *out)
{
    lw_cache_list list = { 0 };
    lw_status st = list_quotas(write, write->key.ns, 1, &list);
    *out = st == LW_OK && list.count > 0;
    if (st == LW_OK)
        lw_cache_list_done(&list);
    return st;
}

static lw_status read_objects(lw_quota_charge *charge)
{
    const lw_write *write = charge->subject;
    lw_quota_request *request = &charge->request;
    int64_t wall_ns = lw_clock_wall(write->port->api->clock);
    lw_status st = lw_tree_parse(&charge->tree, lw_object_json(write->next), 0, NULL);
    if (st == LW_OK && write->current)
        st = lw_tree_parse(&charge->old_tree, lw_object_json(write->current), 0, NULL);
    if (st < 0)
        return st;
    request->kind = write->kind;
    request->object = lw_tree_root(charge->tree);
    lw_quota_usage_of(&request->now, write->kind, request->object, wall_ns);
    request->has_before = write->current != NULL;
    if (request->has_before)
        lw_quota_usage_of(&request->before, write->kind, lw_tree_root(charge->old_tree), wall_ns);
    return request->now.used.st < 0 ? request->now.used.st : request->before.used.st;
}

/* An update of a pod matters only if it changes the scope: its resources do not count anew. */
static bool may_change_usage(const lw_quota_request *request)
{
    return !request->has_before || !request->now.is_pod ||
           request->now.is_terminating != request->before.is_terminating;
}

static void refuse(const lw_quota_charge *charge, const lw_buf *why, lw_api_status *status)
{
    lw_api_status_forbidden(status, lw_kind_gvr(charge->subject->kind), charge->subject->key.name,
                            lw_buf_view(why));
    if (why->st < 0)
        status->st = why->st;
}

static lw_status add_mark(lw_quota_charge *charge, lw_str quota)
{
    lw_quota_entry *entry = &charge->entry;
    lw_quota_mark *more =
        lw_realloc_array(entry->marks, entry->mark_count + 1, sizeof(entry->marks[0]));
    if (!more)
        return LW_ERR_NOMEM;
    entry->marks = more;
    char *name = lw_str_dup(quota);
    if (!name)
        return LW_ERR_NOMEM;
    entry->marks[entry->mark_count++] = (lw_quota_mark){ .quota = name };
    return LW_OK;
}

/* Checks the quota |object| before anything is charged, and adds a mark if it must be charged.
 * LW_QUOTA_REFUSE: |why| has the reason, or |*st| is a failure. */
static lw_quota_decision check_quota(lw_quota_charge *charge, const lw_object *object, lw_buf *why,
                                     lw_status *st)
{
    lw_quota quota = { .tree = NULL };
    lw_amounts delta = { .list = NULL };
    lw_quota_decision decision = LW_QUOTA_REFUSE;
    *st = lw_quota_read(&quota, object);
    if (*st == LW_OK)
        decision = lw_quota_check(&quota, &charge->request, &delta, why);
    if (*st == LW_OK)
        *st = delta.st;
    /* On a shared store the cached quota may be outdated; the write of its status decides. */
    bool is_unconfirmed =
        decision == LW_QUOTA_REFUSE && lw_consistent_read_is_needed(charge->subject->port, NULL);
    if (*st == LW_OK && (decision == LW_QUOTA_CHARGE || is_unconfirmed)) {
        *st = add_mark(charge, quota.name);
        decision = LW_QUOTA_CHARGE;
    }
    lw_amounts_done(&delta);
    lw_quota_done(&quota);
    return *st < 0 ? LW_QUOTA_REFUSE : decision;
}

/* Checks all quotas of the namespace.  False: the subject's status has the reason. */
static bool check_all(lw_quota_charge *charge)
{
    lw_write *subject = charge->subject;
    lw_cache_list list = { 0 };
    lw_buf why;
    bool is_refused = false;
    lw_status st = list_quotas(subject, lw_str_of(charge->ns), 0, &list);
    lw_buf_init(&why, LW_API_STATUS_TEXT_MAX);
    for (size_t i = 0; i < list.count && st == LW_OK && !is_refused; i++)
        is_refused = check_quota(charge, list.objects[i], &why, &st) == LW_QUOTA_REFUSE;
    if (st < 0)
        (void)lw_write_fail(subject, st);
    else if (is_refused)
        refuse(charge, &why, &subject->status);
    lw_buf_done(&why);
    lw_cache_list_done(&list);
    return st == LW_OK && !is_refused;
}

static void charge_next(lw_quota_charge *charge);

static lw_quota_charge *charge_of(lw_write *write)
{
    return LW_CONTAINER_OF(write, lw_quota_charge, write);
}

/* Charges |delta|, which is taken, to |quota|. */
static lw_write_decision take_charge(lw_quota_charge *charge, const lw_quota *quota,
                                     lw_amounts *delta)
{
    lw_write *write = &charge->write;
    lw_amounts used = { .list = NULL };
    lw_amounts_add_all(&used, &quota->used);
    lw_amounts_add_all(&used, delta);
    lw_write_decision decision = used.st < 0 ? lw_write_fail(write, used.st)
                                             : lw_quota_write_status(write, quota, &used, false);
    if (decision == LW_WRITE_PUT && !write->is_dry_run)
        lw_quota_pending_begin(pending_of(charge), &charge->entry.marks[charge->at],
                               lw_object_revision(write->current), delta);
    lw_amounts_done(&used);
    return decision;
}

static lw_write_decision decide_quota(lw_quota_charge *charge, const lw_quota *quota)
{
    lw_write *write = &charge->write;
    lw_amounts delta = { .list = NULL };
    lw_buf why;
    lw_buf_init(&why, LW_API_STATUS_TEXT_MAX);
    lw_write_decision decision = LW_WRITE_KEEP;
    switch (lw_quota_check(quota, &charge->request, &delta, &why)) {
    case LW_QUOTA_PASS:
        if (delta.st < 0)
            decision = lw_write_fail(write, delta.st);
        break;
    case LW_QUOTA_CHARGE: decision = take_charge(charge, quota, &delta); break;
    case LW_QUOTA_REFUSE:
        refuse(charge, &why, &write->status);
        decision = LW_WRITE_REFUSE;
        break;
    }
    lw_buf_done(&why);
    lw_amounts_done(&delta);
    return decision;
}

static lw_write_decision charge_decide(lw_write *write)
{
    lw_quota_charge *charge = charge_of(write);
    lw_quota quota = { .tree = NULL };
    lw_write_decision decision = LW_WRITE_KEEP;
    /* A previous attempt was not stored. */
    lw_quota_pending_answer(pending_of(charge), &charge->entry.marks[charge->at], false);
    if (!write->current)
        return LW_WRITE_KEEP;
    lw_status st = lw_quota_read(&quota, write->current);
    decision = st < 0 ? lw_write_fail(write, st) : decide_quota(charge, &quota);
    lw_quota_done(&quota);
    return decision;
}

static void charge_done(lw_write *write)
{
    lw_quota_charge *charge = charge_of(write);
    lw_write *subject = charge->subject;
    bool is_refused = write->outcome == LW_WRITE_REFUSE;
    if (write->outcome == LW_WRITE_PUT && !write->is_dry_run)
        lw_quota_pending_answer(pending_of(charge), &charge->entry.marks[charge->at], true);
    if (is_refused) {
        subject->status = write->status;
        lw_api_status_init(&write->status);
    }
    lw_write_release(write);
    if (is_refused) {
        charge->over(subject, false);
        return;
    }
    charge->at++;
    charge_next(charge);
}

static void charge_next(lw_quota_charge *charge)
{
    lw_write *subject = charge->subject;
    if (charge->at == charge->entry.mark_count) {
        charge->over(subject, true);
        return;
    }
    lw_str quota = lw_str_of(charge->entry.marks[charge->at].quota);
    charge->write = (lw_write){ .port = subject->port,
                                .kind = &lw_kind_resourcequotas,
                                .key = { lw_str_of(charge->ns), quota },
                                .is_dry_run = subject->is_dry_run,
                                .decide = charge_decide,
                                .done = charge_done };
    lw_write_start(&charge->write);
}

static void charge_start(lw_write_grant *grant, void (*over)(lw_write *write, bool is_granted))
{
    lw_quota_charge *charge = (lw_quota_charge *)(void *)grant;
    charge->over = over;
    if (!check_all(charge)) {
        over(charge->subject, false);
        return;
    }
    charge->entry.ns = lw_str_of(charge->ns);
    charge->entry.is_update = charge->request.has_before;
    lw_quota_pending_enter(pending_of(charge), &charge->entry);
    charge->is_entered = true;
    charge_next(charge);
}

static void charge_free(lw_write_grant *grant, bool is_stored)
{
    lw_quota_charge *charge = (lw_quota_charge *)(void *)grant;
    if (charge->is_entered)
        lw_quota_pending_leave(pending_of(charge), &charge->entry, is_stored);
    for (size_t i = 0; i < charge->entry.mark_count; i++) {
        lw_free(charge->entry.marks[i].quota);
        lw_amounts_done(&charge->entry.marks[i].delta);
    }
    lw_free(charge->entry.marks);
    lw_quota_usage_done(&charge->request.now);
    lw_quota_usage_done(&charge->request.before);
    lw_tree_free(charge->tree);
    lw_tree_free(charge->old_tree);
    lw_free(charge->ns);
    lw_free(charge);
}

lw_status lw_quota_admit(lw_write *write, unsigned subresource)
{
    bool is_due = false;
    if (!lw_quota_is_counted(write->kind) ||
        (write->current ? !is_charged_for_update(write->kind, subresource) : subresource != 0))
        return LW_OK;
    lw_status st = has_quota(write, &is_due);
    if (st < 0 || !is_due)
        return st;
    lw_quota_charge *charge = lw_alloc_zero(1, sizeof(*charge));
    if (!charge)
        return LW_ERR_NOMEM;
    charge->subject = write;
    charge->ns = lw_str_dup(write->key.ns);
    charge->request.is_status = subresource == LW_SUB_STATUS;
    st = charge->ns ? read_objects(charge) : LW_ERR_NOMEM;
    if (st < 0 || !may_change_usage(&charge->request)) {
        charge_free(&charge->grant, false);
        return st;
    }
    charge->grant.start = charge_start;
    charge->grant.free = charge_free;
    write->grant = &charge->grant;
    return LW_OK;
}
