/* SPDX-License-Identifier: Apache-2.0 */
/* quota_pending.c -- charges under way. */
#include "api/quota/quota_pending.h"

#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"

void lw_quota_ledger_init(lw_quota_ledger *ledger)
{
    lw_mutex_init(&ledger->mu);
    lw_list_init(&ledger->entries);
    lw_list_init(&ledger->due);
}

static void free_due(lw_list *due)
{
    for (lw_list_node *node; (node = lw_list_pop_front(due));)
        lw_free(LW_LIST_ITEM(node, lw_quota_due, link));
}

void lw_quota_ledger_done(lw_quota_ledger *ledger)
{
    assert(lw_list_is_empty(&ledger->entries));
    free_due(&ledger->due);
    lw_mutex_done(&ledger->mu);
}

void lw_quota_ledger_enter(lw_quota_ledger *ledger, lw_quota_entry *entry)
{
    lw_mutex_lock(&ledger->mu);
    lw_list_push_back(&ledger->entries, &entry->link);
    lw_mutex_unlock(&ledger->mu);
}

void lw_quota_ledger_begin(lw_quota_ledger *ledger, lw_quota_mark *mark, uint64_t seen,
                           lw_amounts *delta)
{
    lw_mutex_lock(&ledger->mu);
    lw_amounts before = mark->delta;
    mark->delta = *delta;
    mark->state = LW_QUOTA_CHARGING;
    mark->seen = seen;
    lw_mutex_unlock(&ledger->mu);
    *delta = (lw_amounts){ .list = NULL };
    lw_amounts_done(&before);
}

void lw_quota_ledger_answer(lw_quota_ledger *ledger, lw_quota_mark *mark, bool is_charged)
{
    lw_mutex_lock(&ledger->mu);
    mark->state = is_charged ? LW_QUOTA_CHARGED : LW_QUOTA_UNCHARGED;
    lw_mutex_unlock(&ledger->mu);
}

static bool is_due_locked(const lw_quota_ledger *ledger, lw_str ns)
{
    LW_LIST_FOR_EACH (lw_quota_due, due, &ledger->due, link) {
        if (lw_str_equal(due->ns, ns))
            return true;
    }
    return ledger->is_all_due;
}

static void note_due_locked(lw_quota_ledger *ledger, lw_str ns)
{
    if (!ledger->wake || is_due_locked(ledger, ns))
        return;
    lw_quota_due *due = lw_alloc_zero(1, sizeof(*due) + ns.len + 1);
    if (due) {
        char *text = (char *)(due + 1);
        memcpy(text, ns.ptr, ns.len);
        due->ns = lw_str_make(text, ns.len);
        lw_list_push_back(&ledger->due, &due->link);
    } else {
        ledger->is_all_due = true;
    }
    ledger->wake(ledger->wake_arg);
}

void lw_quota_ledger_leave(lw_quota_ledger *ledger, lw_quota_entry *entry, bool is_stored)
{
    lw_mutex_lock(&ledger->mu);
    bool is_due = entry->is_counted || entry->is_awaited || (is_stored && entry->is_update);
    for (size_t i = 0; i < entry->mark_count && !is_stored; i++)
        is_due |= entry->marks[i].state != LW_QUOTA_UNCHARGED;
    lw_list_remove(&entry->link);
    if (is_due)
        note_due_locked(ledger, entry->ns);
    lw_mutex_unlock(&ledger->mu);
}

void lw_quota_ledger_attend(lw_quota_ledger *ledger, void (*wake)(void *arg), void *arg)
{
    lw_mutex_lock(&ledger->mu);
    ledger->wake = wake;
    ledger->wake_arg = arg;
    lw_mutex_unlock(&ledger->mu);
}

void lw_quota_ledger_unattend(lw_quota_ledger *ledger, const void *arg)
{
    lw_mutex_lock(&ledger->mu);
    if (ledger->wake_arg == arg) {
        ledger->wake = NULL;
        ledger->wake_arg = NULL;
    }
    lw_mutex_unlock(&ledger->mu);
}

bool lw_quota_ledger_take_due(lw_quota_ledger *ledger, lw_list *due)
{
    lw_mutex_lock(&ledger->mu);
    lw_list_append_all(due, &ledger->due);
    bool is_all = ledger->is_all_due;
    ledger->is_all_due = false;
    lw_mutex_unlock(&ledger->mu);
    return is_all;
}

/* Under the lock. */
static bool count_entry_locked(lw_quota_entry *entry, lw_str quota, uint64_t revision,
                               lw_amounts *used)
{
    for (size_t i = 0; i < entry->mark_count; i++) {
        const lw_quota_mark *mark = &entry->marks[i];
        if (!lw_str_equal(lw_str_of(mark->quota), quota) || mark->state == LW_QUOTA_UNCHARGED)
            continue;
        /* What is to replace this very revision has not: the store lets only one of us. */
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

bool lw_quota_ledger_count(lw_quota_ledger *ledger, lw_str ns, lw_str quota, uint64_t revision,
                           lw_amounts *used)
{
    bool is_known = true;
    lw_mutex_lock(&ledger->mu);
    LW_LIST_FOR_EACH (lw_quota_entry, entry, &ledger->entries, link) {
        if (is_known && lw_str_equal(entry->ns, ns))
            is_known = count_entry_locked(entry, quota, revision, used);
    }
    lw_mutex_unlock(&ledger->mu);
    return is_known;
}
