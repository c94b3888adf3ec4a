/* SPDX-License-Identifier: Apache-2.0 */
/* client_set.c -- a growing list of clients. */
#include "runtime/client_set.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "runtime/report.h"

struct lw_client_set {
    lw_client_as_fn client_as; /* NULL: all act as the first client */
    void *arg;
    pthread_mutex_t mu; /* guards the members below */
    lw_client **all;    /* the first one is that of the set */
    size_t count, room;
    bool is_closed;
};

lw_status lw_client_set_new(lw_client_set **out, lw_client *client, lw_client_as_fn client_as,
                            void *arg, lw_error *err)
{
    lw_client_set *set = calloc(1, sizeof(*set));
    lw_client **all = calloc(1, sizeof(lw_client *));
    if (!set || !all) {
        free(set);
        free(all);
        return lw_report_nomem(err);
    }
    all[0] = lw_client_ref(client);
    *set = (lw_client_set){ .client_as = client_as, .arg = arg, .all = all, .count = 1, .room = 1 };
    (void)pthread_mutex_init(&set->mu, NULL);
    *out = set;
    return LW_OK;
}

void lw_client_set_free(lw_client_set *set)
{
    if (!set)
        return;
    for (size_t i = 0; i < set->count; i++)
        lw_client_unref(set->all[i]);
    (void)pthread_mutex_destroy(&set->mu);
    free(set->all);
    free(set);
}

static lw_status add_locked(lw_client_set *set, lw_client *client)
{
    if (set->is_closed)
        return LW_ERR_STOPPED;
    if (set->count == set->room) {
        lw_client **more = realloc(set->all, 2 * set->room * sizeof(lw_client *));
        if (!more)
            return LW_ERR_NOMEM;
        set->all = more;
        set->room *= 2;
    }
    set->all[set->count++] = client;
    return LW_OK;
}

lw_status lw_client_set_make(lw_client_set *set, const char *user, const char *group,
                             lw_client **out, lw_error *err)
{
    lw_client *made = NULL;
    if (!set->client_as || !user) {
        (void)pthread_mutex_lock(&set->mu);
        *out = set->all[0];
        (void)pthread_mutex_unlock(&set->mu);
        return LW_OK;
    }
    lw_status st = set->client_as(user, group, &made, set->arg, err);
    if (st < 0)
        return st;
    (void)pthread_mutex_lock(&set->mu);
    st = add_locked(set, made);
    (void)pthread_mutex_unlock(&set->mu);
    if (st == LW_OK) {
        *out = made;
        return LW_OK;
    }
    lw_client_unref(made);
    return st == LW_ERR_NOMEM ? lw_report_nomem(err)
                              : lw_report_error(err, st, "the controllers are stopping");
}

lw_client *const *lw_client_set_close(lw_client_set *set, size_t *count)
{
    (void)pthread_mutex_lock(&set->mu);
    set->is_closed = true;
    *count = set->count;
    (void)pthread_mutex_unlock(&set->mu);
    return set->all;
}
