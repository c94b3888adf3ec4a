/* SPDX-License-Identifier: Apache-2.0 */
/* pod_tracker_count.c -- reads the changed Pods of one owner and returns the sums. */
#include <stdlib.h>
#include <string.h>

#include "runtime/fields.h"
#include "runtime/hash.h"
#include "runtime/report.h"
#include "workload/pod_tracker_internal.h"

enum {
    BATCH = 64, /* Pods read at once outside the lock */
};

/* What the Pods of an owner are compared with. */
typedef struct view {
    uint64_t hash;
    lw_label_selector *selector;
    lw_label_selector *labels; /* NULL: the template has no labels */
} view;

static uint64_t view_hash(const lw_object *owner)
{
    uint64_t hash = lw_hash_add(LW_HASH_INIT, lw_read_raw(owner, "/spec/selector"));
    return lw_hash_add(hash, lw_read_raw(owner, "/spec/template/metadata/labels"));
}

static lw_status view_init(view *v, const lw_object *owner, lw_error *err)
{
    *v = (view){ .hash = view_hash(owner) };
    lw_status st = lw_owner_selector(&v->selector, owner, err);
    if (st == LW_OK)
        st = lw_read_map_selector(owner, "/spec/template/metadata/labels", &v->labels);
    return st == LW_ERR_NOT_FOUND ? LW_OK : st;
}

static void view_done(view *v)
{
    lw_label_selector_free(v->selector);
    lw_label_selector_free(v->labels);
}

/* Takes up to BATCH unread Pods of |owner|, with references; if |hash| differs from the last view,
 * all are unread. */
static size_t take_unread(lw_pod_tracker *r, const lw_object *owner, uint64_t hash,
                          lw_object *pods[BATCH])
{
    size_t count = 0;
    (void)pthread_mutex_lock(&r->mu);
    lw_pod_tracker_owner *o = lw_pod_tracker_find_locked(r, owner);
    if (o && o->view != hash) {
        while (o->read)
            lw_pod_tracker_make_unread(o->read);
        o->view = hash;
    }
    for (const lw_pod_tracker_entry *e = o ? o->unread : NULL; e && count < BATCH; e = e->next)
        pods[count++] = lw_object_ref(e->pod);
    (void)pthread_mutex_unlock(&r->mu);
    return count;
}

/* One Pod that was read outside the lock. */
typedef struct reading {
    lw_pod_facts facts;
    bool is_stray, is_labelled;
} reading;

static void keep_readings(lw_pod_tracker *r, const reading *readings, size_t count)
{
    (void)pthread_mutex_lock(&r->mu);
    for (size_t i = 0; i < count; i++) {
        const reading *read = &readings[i];
        lw_pod_tracker_entry *e = lw_names_get(&r->pods, lw_str_of(lw_object_uid(read->facts.pod)));
        if (!e || e->pod != read->facts.pod || e->is_read)
            continue; /* deleted, or newer: the new version is unread */
        e->facts = read->facts;
        e->is_stray = read->is_stray;
        e->is_labelled = read->is_labelled;
        lw_pod_tracker_make_read(e);
    }
    (void)pthread_mutex_unlock(&r->mu);
}

/* Reads the unread Pods.  Selectors are created only if there are any. */
static lw_status read_all(lw_pod_tracker *r, const lw_object *owner, lw_error *err)
{
    lw_object *pods[BATCH];
    reading readings[BATCH];
    view v = { .hash = 0 };
    lw_status st = LW_OK;
    size_t count;
    uint64_t hash = view_hash(owner);
    while (st == LW_OK && (count = take_unread(r, owner, hash, pods)) > 0) {
        if (!v.selector)
            st = view_init(&v, owner, err);
        for (size_t i = 0; st == LW_OK && i < count; i++) {
            lw_pod_read(&readings[i].facts, pods[i]);
            readings[i].is_stray = !lw_label_selector_matches(v.selector, pods[i]);
            readings[i].is_labelled = !v.labels || lw_label_selector_matches(v.labels, pods[i]);
        }
        if (st == LW_OK)
            keep_readings(r, readings, count);
        for (size_t i = 0; i < count; i++)
            lw_object_unref(pods[i]);
    }
    view_done(&v);
    return st;
}

/* Counts the available Pods; if minReadySeconds is set, all are checked, but none is read again. */
static void count_available(const lw_pod_tracker_owner *o, int64_t min_ready_s, int64_t wall_ns,
                            lw_tally *out)
{
    if (min_ready_s <= 0) {
        out->available = out->ready;
        return;
    }
    for (const lw_pod_tracker_entry *e = o->read; e; e = e->next) {
        int64_t left_ns = INT64_MAX;
        if (!e->is_stray && lw_pod_is_active(&e->facts) &&
            lw_pod_is_available(&e->facts, min_ready_s, wall_ns, &left_ns))
            out->available++;
        if (!e->is_stray && left_ns < out->left_ns)
            out->left_ns = left_ns;
    }
}

/* Returns the sums, unless a Pod has changed again since all were read: an unread one is not
 * included. */
static bool read_sums(lw_pod_tracker *r, const lw_object *owner, int64_t min_ready_s,
                      int64_t wall_ns, lw_tally *out)
{
    (void)pthread_mutex_lock(&r->mu);
    const lw_pod_tracker_owner *o = lw_pod_tracker_find_locked(r, owner);
    bool are_right = !o || !o->unread;
    if (are_right) {
        *out = o ? o->sums : (lw_tally){ 0 };
        out->left_ns = INT64_MAX;
        if (o)
            count_available(o, min_ready_s, wall_ns, out);
    }
    (void)pthread_mutex_unlock(&r->mu);
    return are_right;
}

lw_status lw_pod_tracker_count(lw_pod_tracker *r, const lw_object *owner, int64_t min_ready_s,
                               int64_t wall_ns, lw_tally *out, lw_error *err)
{
    lw_status st;
    do {
        st = read_all(r, owner, err);
    } while (st == LW_OK && !read_sums(r, owner, min_ready_s, wall_ns, out));
    return st;
}

static bool is_part(const lw_pod_tracker_entry *e, lw_pod_tracker_part part)
{
    switch (part) {
    case LW_POD_TRACKER_STRAYS: return e->is_stray;
    case LW_POD_TRACKER_ACTIVE: return !e->is_stray && lw_pod_is_active(&e->facts);
    case LW_POD_TRACKER_CLAIMED: return !e->is_stray;
    }
    return false;
}

static lw_status list_locked(const lw_pod_tracker_owner *o, lw_pod_tracker_part part,
                             lw_pod_list *out)
{
    lw_status st = lw_object_list_new(&out->held, 0);
    size_t count = 0;
    for (const lw_pod_tracker_entry *e = o ? o->read : NULL; e; e = e->next)
        count += is_part(e, part);
    out->items = calloc(count ? count : 1, sizeof(*out->items));
    if (st < 0 || !out->items)
        return LW_ERR_NOMEM;
    for (const lw_pod_tracker_entry *e = o ? o->read : NULL; st == LW_OK && e; e = e->next) {
        if (!is_part(e, part))
            continue;
        st = lw_object_list_append(out->held, e->pod);
        out->items[out->count++] = e->facts;
    }
    return st;
}

lw_status lw_pod_tracker_list(lw_pod_tracker *r, const lw_object *owner, lw_pod_tracker_part part,
                              lw_pod_list *out, lw_error *err)
{
    *out = (lw_pod_list){ NULL, NULL, 0 };
    (void)pthread_mutex_lock(&r->mu);
    lw_status st = list_locked(lw_pod_tracker_find_locked(r, owner), part, out);
    (void)pthread_mutex_unlock(&r->mu);
    return st < 0 ? lw_report_nomem(err) : LW_OK;
}

void lw_pod_list_done(lw_pod_list *list)
{
    lw_object_list_free(list->held);
    free(list->items);
    *list = (lw_pod_list){ NULL, NULL, 0 };
}

bool lw_pod_tracker_must_look(lw_pod_tracker *r, const lw_object *owner, uint64_t *generation)
{
    uint64_t hash = view_hash(owner);
    (void)pthread_mutex_lock(&r->mu);
    const lw_pod_tracker_owner *o = lw_pod_tracker_find_locked(r, owner);
    *generation = r->orphans;
    bool must = !o || o->view != hash || o->looked != r->orphans;
    (void)pthread_mutex_unlock(&r->mu);
    return must;
}

void lw_pod_tracker_looked(lw_pod_tracker *r, const lw_object *owner, uint64_t generation)
{
    (void)pthread_mutex_lock(&r->mu);
    lw_pod_tracker_owner *o = lw_pod_tracker_find_locked(r, owner);
    if (o)
        o->looked = generation;
    (void)pthread_mutex_unlock(&r->mu);
}

static bool has_right_sums(const lw_pod_tracker_owner *o)
{
    lw_tally sums = { .last_failure_ns = o->sums.last_failure_ns };
    for (const lw_pod_tracker_entry *e = o->read; e; e = e->next)
        lw_pod_tracker_sum(&sums, e, 1);
    return memcmp(&sums, &o->sums, sizeof(sums)) == 0;
}

bool lw_pod_tracker_check(lw_pod_tracker *r)
{
    bool is_right = true;
    size_t listed = 0;
    (void)pthread_mutex_lock(&r->mu);
    for (const lw_pod_tracker_owner *o = NULL;
         (o = lw_names_next(&r->owners, o ? &o->named : NULL));) {
        is_right = is_right && has_right_sums(o) && (o->read || o->unread);
        for (const lw_pod_tracker_entry *e = o->read; e; e = e->next)
            listed += e->is_read && e->owner == o;
        for (const lw_pod_tracker_entry *e = o->unread; e; e = e->next)
            listed += !e->is_read && e->owner == o;
    }
    is_right = is_right && listed == r->pods.count;
    (void)pthread_mutex_unlock(&r->mu);
    return is_right;
}
