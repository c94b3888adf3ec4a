/* SPDX-License-Identifier: Apache-2.0 */
/* session_find.c -- finds resources without blocking.
 *
 * All finds of resources that the client does not know share one discovery.  The callbacks are
 * called at the end of dispatch, from a list that callbacks may change. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "client/session_internal.h"

struct lw_session_find {
    lw_dlist_node node; /* in the session */
    char *name;
    lw_session_find_fn on_done;
    void *arg;
    bool is_answered;
    lw_status st;
    lw_error err;
    lw_resource resource;
};

static void find_free(lw_session_find *find)
{
    if (lw_dlist_node_is_linked(&find->node))
        lw_dlist_remove(&find->node);
    lw_free(find->name);
    lw_free(find);
}

static void find_look_up(lw_session_find *find, lw_client *client)
{
    lw_resource_question question = { .name = find->name };
    find->st = lw_resource_cache_find(&client->resources, &question, &find->resource, &find->err);
    find->is_answered = true;
}

/* Answers the finds that waited for discovery; on success, the set is already in the cache. */
static void answer_waiting(lw_session *session, bool is_discovered, const lw_error *err)
{
    LW_DLIST_FOR_EACH(lw_session_find, find, &session->finds, node)
    {
        if (find->is_answered)
            continue;
        if (is_discovered) {
            find_look_up(find, session->client);
        } else {
            find->st = err->code;
            find->err = *err;
            find->is_answered = true;
        }
    }
}

static void on_discovered(lw_resource_set *set, const lw_error *gap, void *arg)
{
    lw_session *session = arg;
    lw_discovery *discovery = session->discovery;
    session->discovery = NULL;
    if (set)
        lw_resource_cache_replace_take(&session->client->resources, set, gap);
    answer_waiting(session, set != NULL, gap);
    lw_discovery_free(discovery);
}

static lw_session_find *find_new(const char *name, lw_session_find_fn on_done, void *arg)
{
    lw_session_find *find = lw_alloc_zero(1, sizeof(*find));
    if (!find)
        return NULL;
    find->on_done = on_done;
    find->arg = arg;
    find->err = (lw_error)LW_ERROR_INIT;
    find->name = lw_str_dup(lw_str_of(name));
    if (find->name)
        return find;
    lw_free(find);
    return NULL;
}

/* Queues |find| for its answer, or for the end of discovery; takes it also on failure. */
static lw_status find_start_take(lw_session *session, lw_session_find *find, lw_session_find **out,
                                 lw_error *err)
{
    lw_status st = LW_OK;
    if (!find->is_answered && !session->discovery)
        st = lw_discovery_start(&session->discovery, session, on_discovered, session, err);
    if (st < 0) {
        find_free(find);
        return st;
    }
    lw_dlist_push_back(&session->finds, &find->node);
    *out = find;
    return LW_OK;
}

lw_status lw_session_find_resource(lw_session *session, const char *name,
                                   lw_session_find_fn on_done, void *arg, lw_session_find **out,
                                   lw_error *err)
{
    lw_session_find *find = find_new(name, on_done, arg);
    if (!find)
        return lw_error_nomem(err);
    find_look_up(find, session->client);
    find->is_answered = find->st == LW_OK;
    return find_start_take(session, find, out, err);
}

lw_status lw_session_find_resource_anew(lw_session *session, const char *name,
                                        lw_session_find_fn on_done, void *arg,
                                        lw_session_find **out, lw_error *err)
{
    lw_session_find *find = find_new(name, on_done, arg);
    return find ? find_start_take(session, find, out, err) : lw_error_nomem(err);
}

void lw_session_find_cancel(lw_session_find *find)
{
    if (find)
        find_free(find);
}

static lw_session_find *first_answered(const lw_session *session)
{
    LW_DLIST_FOR_EACH(lw_session_find, find, &session->finds, node)
    {
        if (find->is_answered)
            return find;
    }
    return NULL;
}

bool lw_session__has_answers(const lw_session *session)
{
    return first_answered(session) != NULL;
}

void lw_session__answer_finds(lw_session *session)
{
    for (lw_session_find *find; (find = first_answered(session));) {
        lw_session_find_fn on_done = find->on_done;
        void *arg = find->arg;
        bool is_found = find->st == LW_OK;
        lw_resource resource = find->resource;
        lw_error err = find->err;
        find_free(find);
        on_done(is_found ? &resource : NULL, is_found ? NULL : &err, arg);
    }
}

void lw_session__drop_finds(lw_session *session)
{
    LW_DLIST_FOR_EACH_SAFE(lw_session_find, find, &session->finds, node)
    find_free(find);
}
