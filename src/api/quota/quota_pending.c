/* SPDX-License-Identifier: Apache-2.0 */
/* quota_pending.c -- charges whose objects are not stored yet. */
#include "api/quota/quota_pending.h"

#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"

void lw_quota_pending_init(lw_quota_pending *pending)
{
    lw_mutex_init(&pending->mu);
    lw_dlist_init(&pending->entries);
    lw_dlist_init(&pending->due);
}

static void free_due(lw_dlist *due)
{
    for (lw_dlist_node *node; (node = lw_dlist_pop_front(due));)
        lw_free(LW_DLIST_ITEM(node, lw_quota_due, link));
}

void lw_quota_pending_done(lw_quota_pending *pending)
{
    assert(lw_dlist_is_empty(&pending->entries));
    free_due(&pending->due);
    lw_mutex_done(&pending->mu);
}

void lw_quota_pending_enter(lw_quota_pending *pending, lw_quota_entry *entry)
{
    lw_mutex_lock(&pending->mu);
    lw_dlist_push_back(&pending->entries, &entry->link);
    lw_mutex_unlock(&pending->mu);
}

void lw_quota_pending_begin(lw_quota_pending *pending, lw_quota_mark *mark, uint64_t seen,
                            lw_amounts *delta)
{
    lw_mutex_lock(&pending->mu);
    lw_amounts before = mark->delta;
    mark->delta = *delta;
    mark->state = LW_QUOTA_CHARGING;
    mark->seen = seen;
    lw_mutex_unlock(&pending->mu);
    *delta = (lw_amounts){ .list = NULL };
    lw_amounts_done(&before);
}

void lw_quota_pending_answer(lw_quota_pending *pending, lw_quota_mark *mark, bool is_charged)
{
    lw_mutex_lock(&pending->mu);
    mark->state = is_charged ? LW_QUOTA_CHARGED : LW_QUOTA_UNCHARGED;
    lw_mutex_unlock(&pending->mu);
}

static bool is_due_locked(const lw_quota_pending *pending, lw_str ns)
{
    LW_DLIST_FOR_EACH(lw_quota_due, due, &pending->due, link)
    {
        if (lw_str_equal(due->ns, ns))
            return true;
    }
    return pending->is_all_due;
}

static void note_due_locked(lw_quota_pending *pending, lw_str ns)
{
    if (!pending->wake || is_due_locked(pending, ns))
        return;
    lw_quota_due *due = lw_alloc_zero(1, sizeof(*due) + ns.len + 1);
    if (due) {
        char *text = (char *)(due + 1);
        memcpy(text, ns.ptr, ns.len);
        due->ns = lw_str_make(text, ns.len);
        lw_dlist_push_back(&pending->due, &due->link);
    } else {
        pending->is_all_due = true;
    }
    pending->wake(pending->wake_arg);
}

void lw_quota_pending_leave(lw_quota_pending *pending, lw_quota_entry *entry, bool is_stored)
{
    lw_mutex_lock(&pending->mu);
    bool is_due = entry->is_counted || entry->is_awaited || (is_stored && entry->is_update);
    for (size_t i = 0; i < entry->mark_count && !is_stored; i++)
        is_due |= entry->marks[i].state != LW_QUOTA_UNCHARGED;
    lw_dlist_remove(&entry->link);
    if (is_due)
        note_due_locked(pending, entry->ns);
    lw_mutex_unlock(&pending->mu);
}

void lw_quota_pending_attend(lw_quota_pending *pending, void (*wake)(void *arg), void *arg)
{
    lw_mutex_lock(&pending->mu);
    pending->wake = wake;
    pending->wake_arg = arg;
    lw_mutex_unlock(&pending->mu);
}

void lw_quota_pending_unattend(lw_quota_pending *pending, const void *arg)
{
    lw_mutex_lock(&pending->mu);
    if (pending->wake_arg == arg) {
        pending->wake = NULL;
        pending->wake_arg = NULL;
    }
    lw_mutex_unlock(&pending->mu);
}

bool lw_quota_pending_take_due(lw_quota_pending *pending, lw_dlist *due)
{
    lw_mutex_lock(&pending->mu);
    lw_dlist_append_all(due, &pending->due);
    bool is_all = pending->is_all_due;
    pending->is_all_due = false;
    lw_mutex_unlock(&pending->mu);
    return is_all;
}

/* The caller holds the lock. */
static bool count_entry_locked(lw_quota_entry *entry, lw_str quota, uint64_t revision,
                               lw_amounts *used)
{
    for (size_t i = 0; i < entry->mark_count; i++) {
        const lw_quota_mark *mark = &entry->marks[i];
        if (!lw_str_equal(lw_str_of(mark->quota), quota) || mark->state == LW_QUOTA_UNCHARGED)
            continue;
        /* A charge that would replace this revision is not stored: only one writer can replace
         * it. */
        if (mark->state == LW_QUOTA_CHARGING && mark->seen == revision)
            continue;
        if (mark->state == LW_QUOTA_CHARGING) {
            entry->is_awaited = true;
            return false;
        }
        entry->is_counted = true;
        lw_amounts_add_all(used, &mark->delta);
    }
    return true;
}

bool lw_quota_pending_count(lw_quota_pending *pending, lw_str ns, lw_str quota, uint64_t revision,
                            lw_amounts *used)
{
    bool is_known = true;
    lw_mutex_lock(&pending->mu);
    LW_DLIST_FOR_EACH(lw_quota_entry, entry, &pending->entries, link)
    {
        if (is_known && lw_str_equal(entry->ns, ns))
            is_known = count_entry_locked(entry, quota, revision, used);
    }
    lw_mutex_unlock(&pending->mu);
    return is_known;
}
