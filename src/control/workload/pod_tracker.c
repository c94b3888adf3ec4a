/* SPDX-License-Identifier: Apache-2.0 */
/* pod_tracker.c -- Pods by UID, owners by UID, and each Pod in one of two lists of its owner:
 * unread Pods, and Pods whose facts are included in the sums. */
#include "workload/pod_tracker.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/fields.h"
#include "runtime/report.h"
#include "workload/pod_tracker_internal.h"

lw_status lw_pod_tracker_new(lw_pod_tracker **out, const char *kind, lw_error *err)
{
    lw_pod_tracker *r = calloc(1, sizeof(*r));
    if (!r)
        return lw_report_nomem(err);
    (void)pthread_mutex_init(&r->mu, NULL);
    r->kind = kind;
    r->orphans = 1;
    *out = r;
    return LW_OK;
}

static void link_in(lw_pod_tracker_entry **list, lw_pod_tracker_entry *e)
{
    e->next = *list;
    e->link = list;
    if (e->next)
        e->next->link = &e->next;
    *list = e;
}

static void unlink_entry(lw_pod_tracker_entry *e)
{
    *e->link = e->next;
    if (e->next)
        e->next->link = e->link;
}

void lw_pod_tracker_sum(lw_tally *sums, const lw_pod_tracker_entry *e, int64_t sign)
{
    const lw_pod_facts *f = &e->facts;
    if (e->is_stray) {
        sums->strays += sign;
        return;
    }
    sums->succeeded += f->phase == LW_POD_SUCCEEDED ? sign : 0;
    sums->failed += f->phase == LW_POD_FAILED ? sign : 0;
    if (f->phase == LW_POD_FAILED && f->ended_ns > sums->last_failure_ns)
        sums->last_failure_ns = f->ended_ns; /* kept when the Pod is deleted */
    if (!lw_pod_is_active(f))
        return;
    sums->active += sign;
    sums->labelled += e->is_labelled ? sign : 0;
    sums->ready += f->is_ready ? sign : 0;
    sums->restarts += sign * f->restarts;
}

void lw_pod_tracker_make_unread(lw_pod_tracker_entry *e)
{
    if (e->is_read)
        lw_pod_tracker_sum(&e->owner->sums, e, -1);
    unlink_entry(e);
    e->is_read = false;
    link_in(&e->owner->unread, e);
}

void lw_pod_tracker_make_read(lw_pod_tracker_entry *e)
{
    unlink_entry(e);
    e->is_read = true;
    link_in(&e->owner->read, e);
    lw_pod_tracker_sum(&e->owner->sums, e, 1);
}

static void remove_entry(lw_pod_tracker *r, lw_pod_tracker_entry *e)
{
    lw_pod_tracker_owner *o = e->owner;
    if (e->is_read)
        lw_pod_tracker_sum(&o->sums, e, -1);
    unlink_entry(e);
    lw_names_remove(&r->pods, &e->named);
    lw_object_unref(e->pod);
    free(e);
    if (o->unread || o->read)
        return;
    lw_names_remove(&r->owners, &o->named);
    free(o);
}

void lw_pod_tracker_free(lw_pod_tracker *r)
{
    lw_pod_tracker_entry *e;
    if (!r)
        return;
    while ((e = lw_names_next(&r->pods, NULL)))
        remove_entry(r, e);
    lw_names_done(&r->pods);
    lw_names_done(&r->owners);
    (void)pthread_mutex_destroy(&r->mu);
    free(r);
}

/* Returns the record of the owner |uid|; NULL: out of memory. */
static lw_pod_tracker_owner *owner_locked(lw_pod_tracker *r, const char *uid)
{
    lw_pod_tracker_owner *o = lw_names_get(&r->owners, lw_str_of(uid));
    if (o)
        return o;
    o = calloc(1, sizeof(*o));
    if (!o)
        return NULL;
    lw_text_copy(lw_str_of(uid), o->uid, sizeof(o->uid));
    o->named.name = lw_str_of(o->uid);
    if (lw_names_add(&r->owners, &o->named) == LW_OK)
        return o;
    free(o);
    return NULL;
}

static lw_status add_locked(lw_pod_tracker *r, const lw_object *pod, const char *owner_uid)
{
    lw_pod_tracker_entry *e = calloc(1, sizeof(*e));
    if (!e)
        return LW_ERR_NOMEM;
    e->pod = lw_object_ref(pod);
    e->named.name = lw_str_of(lw_object_uid(e->pod));
    lw_status st = lw_names_add(&r->pods, &e->named);
    e->owner = st == LW_OK ? owner_locked(r, owner_uid) : NULL;
    if (!e->owner) {
        if (st == LW_OK)
            lw_names_remove(&r->pods, &e->named);
        lw_object_unref(e->pod);
        free(e);
        return LW_ERR_NOMEM;
    }
    link_in(&e->owner->unread, e);
    return LW_OK;
}

static void forget_locked(lw_pod_tracker *r, const lw_object *pod)
{
    lw_pod_tracker_entry *e = lw_names_get(&r->pods, lw_str_of(lw_object_uid(pod)));
    if (e)
        remove_entry(r, e);
}

/* Stores the current version of |pod|. */
static void set_locked(lw_pod_tracker *r, const lw_object *pod, const lw_owner *owner)
{
    lw_pod_tracker_entry *e = lw_names_get(&r->pods, lw_str_of(lw_object_uid(pod)));
    r->orphans += !owner;
    if (e && (!owner || strcmp(e->owner->uid, owner->uid) != 0)) {
        remove_entry(r, e);
        e = NULL;
    }
    if (!owner || strcmp(owner->kind, r->kind) != 0)
        return;
    if (!e) {
        r->is_incomplete |= add_locked(r, pod, owner->uid) < 0;
    } else if (e->pod != pod) {
        lw_object *old = e->pod;
        lw_pod_tracker_make_unread(e);
        e->pod = lw_object_ref(pod);
        e->named.name = lw_str_of(lw_object_uid(e->pod));
        lw_object_unref(old);
    }
}

void lw_pod_tracker_saw(lw_pod_tracker *r, const lw_event *event, const lw_owner *owner)
{
    (void)pthread_mutex_lock(&r->mu);
    if (event->is_uid_changed)
        forget_locked(r, event->old_object);
    if (event->type == LW_EVENT_DELETE)
        forget_locked(r, event->object);
    else
        set_locked(r, event->object, owner);
    (void)pthread_mutex_unlock(&r->mu);
}

lw_pod_tracker_owner *lw_pod_tracker_find_locked(const lw_pod_tracker *r, const lw_object *owner)
{
    return lw_names_get(&r->owners, lw_str_of(lw_object_uid(owner)));
}

bool lw_pod_tracker_is_incomplete(lw_pod_tracker *r)
{
    (void)pthread_mutex_lock(&r->mu);
    bool is_incomplete = r->is_incomplete;
    (void)pthread_mutex_unlock(&r->mu);
    return is_incomplete;
}

lw_status lw_pod_tracker_rebuild(lw_pod_tracker *r, const lw_object_list *all, lw_error *err)
{
    (void)pthread_mutex_lock(&r->mu);
    r->is_incomplete = false;
    for (size_t i = 0; i < lw_object_list_count(all); i++) {
        lw_owner owner;
        const lw_object *pod = lw_object_list_at(all, i);
        set_locked(r, pod, lw_owner_of(pod, &owner) ? &owner : NULL);
    }
    bool is_incomplete = r->is_incomplete;
    (void)pthread_mutex_unlock(&r->mu);
    return is_incomplete ? lw_report_nomem(err) : LW_OK;
}
