/* SPDX-License-Identifier: Apache-2.0 */
/* expectations.c -- for each owner, found by its UID, the names it expects. */
#include "runtime/expectations.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/hash.h"
#include "runtime/report.h"

enum {
    BUCKETS = 1024,
};

typedef struct item {
    struct item *next;
    lw_expected what;
    bool is_doubtful;
    int64_t since_ns;
    char name[LW_NAME_SIZE];
} item;

typedef struct owner {
    struct owner *next;
    item *items; /* never NULL: an owner without expectations is removed */
    char uid[LW_UID_SIZE];
} owner;

struct lw_expectations {
    const lw_clock *clock;
    pthread_mutex_t mu; /* guards buckets */
    owner *buckets[BUCKETS];
};

lw_status lw_expectations_new(lw_expectations **out, const lw_clock *clock, lw_error *err)
{
    lw_expectations *e = calloc(1, sizeof(*e));
    if (!e)
        return lw_report_nomem(err);
    e->clock = clock;
    (void)pthread_mutex_init(&e->mu, NULL);
    *out = e;
    return LW_OK;
}

/* Returns the link to the owner |uid|, or where it would be inserted. */
static owner **find_locked(lw_expectations *e, const char *uid)
{
    owner **at = &e->buckets[lw_hash_add(LW_HASH_INIT, lw_str_of(uid)) % BUCKETS];
    while (*at && strcmp((*at)->uid, uid) != 0)
        at = &(*at)->next;
    return at;
}

static item **find_item(owner *o, const char *name)
{
    item **at = &o->items;
    while (*at && strcmp((*at)->name, name) != 0)
        at = &(*at)->next;
    return at;
}

static void remove_item(item **at)
{
    item *gone = *at;
    *at = gone->next;
    free(gone);
}

static void remove_owner(owner **at)
{
    owner *gone = *at;
    while (gone->items)
        remove_item(&gone->items);
    *at = gone->next;
    free(gone);
}

void lw_expectations_free(lw_expectations *e)
{
    if (!e)
        return;
    for (size_t i = 0; i < BUCKETS; i++) {
        while (e->buckets[i])
            remove_owner(&e->buckets[i]);
    }
    (void)pthread_mutex_destroy(&e->mu);
    free(e);
}

lw_status lw_expectations_add(lw_expectations *e, const char *uid, const char *name,
                              lw_expected what, lw_error *err)
{
    owner *fresh = calloc(1, sizeof(*fresh));
    item *added = calloc(1, sizeof(*added));
    if (!fresh || !added) {
        free(fresh);
        free(added);
        return lw_report_nomem(err);
    }
    (void)snprintf(fresh->uid, sizeof(fresh->uid), "%s", uid);
    (void)snprintf(added->name, sizeof(added->name), "%s", name);
    added->what = what;
    added->since_ns = e->clock->now_ns(e->clock->arg);
    (void)pthread_mutex_lock(&e->mu);
    owner **at = find_locked(e, uid);
    if (!*at) {
        *at = fresh;
        fresh = NULL;
    }
    added->next = (*at)->items;
    (*at)->items = added;
    (void)pthread_mutex_unlock(&e->mu);
    free(fresh);
    return LW_OK;
}

void lw_expectations_strike(lw_expectations *e, const char *uid, const char *name)
{
    (void)pthread_mutex_lock(&e->mu);
    owner **at = find_locked(e, uid);
    item **found = *at ? find_item(*at, name) : NULL;
    if (found && *found)
        remove_item(found);
    if (*at && !(*at)->items)
        remove_owner(at);
    (void)pthread_mutex_unlock(&e->mu);
}

void lw_expectations_seen(lw_expectations *e, const char *uid, const char *name, lw_expected what)
{
    (void)pthread_mutex_lock(&e->mu);
    owner **at = find_locked(e, uid);
    item **found = *at ? find_item(*at, name) : NULL;
    /* An object that is gone has existed before. */
    if (found && *found && (what == LW_EXPECTED_GONE || (*found)->what == LW_EXPECTED_HERE))
        remove_item(found);
    if (*at && !(*at)->items)
        remove_owner(at);
    (void)pthread_mutex_unlock(&e->mu);
}

void lw_expectations_doubt(lw_expectations *e, const char *uid, const char *name, bool is_doubtful)
{
    (void)pthread_mutex_lock(&e->mu);
    owner **at = find_locked(e, uid);
    item **found = *at ? find_item(*at, name) : NULL;
    if (found && *found)
        (*found)->is_doubtful = is_doubtful;
    (void)pthread_mutex_unlock(&e->mu);
}

bool lw_expectations_doubtful(lw_expectations *e, const char *uid, char name[LW_NAME_SIZE])
{
    (void)pthread_mutex_lock(&e->mu);
    const owner *o = *find_locked(e, uid);
    const item *i = o ? o->items : NULL;
    while (i && !i->is_doubtful)
        i = i->next;
    if (i)
        memcpy(name, i->name, LW_NAME_SIZE);
    (void)pthread_mutex_unlock(&e->mu);
    return i != NULL;
}

bool lw_expectations_are_met(lw_expectations *e, const char *uid)
{
    int64_t now = e->clock->now_ns(e->clock->arg);
    (void)pthread_mutex_lock(&e->mu);
    owner **at = find_locked(e, uid);
    for (item **i = *at ? &(*at)->items : NULL; i && *i;) {
        if (now - (*i)->since_ns >= LW_EXPECTATION_S * LW_NS_PER_S)
            remove_item(i);
        else
            i = &(*i)->next;
    }
    if (*at && !(*at)->items)
        remove_owner(at);
    bool are_met = !*find_locked(e, uid);
    (void)pthread_mutex_unlock(&e->mu);
    return are_met;
}

void lw_expectations_forget(lw_expectations *e, const char *uid)
{
    (void)pthread_mutex_lock(&e->mu);
    owner **at = find_locked(e, uid);
    if (*at)
        remove_owner(at);
    (void)pthread_mutex_unlock(&e->mu);
}

void lw_expectations_saw_owner(lw_expectations *e, const lw_event *event)
{
    if (event->type == LW_EVENT_DELETE)
        lw_expectations_forget(e, lw_object_uid(event->object));
    else if (event->is_uid_changed)
        lw_expectations_forget(e, lw_object_uid(event->old_object));
}
