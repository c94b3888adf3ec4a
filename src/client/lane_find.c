/* SPDX-License-Identifier: Apache-2.0 */
/* lane_find.c -- finding resources without waiting.
 *
 * All who look for something the client does not know share one discovery.  Answers are given at
 * the end of dispatch, from a list that callbacks may change. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "client/lane_parts.h"

struct lw_lane_find {
    lw_list_node node; /* in the lane */
    char *name;
    lw_lane_find_fn on_done;
    void *arg;
    bool is_answered;
    lw_status st;
    lw_error err;
    lw_resource resource;
};

static void find_free(lw_lane_find *find)
{
    if (lw_list_node_is_linked(&find->node))
        lw_list_remove(&find->node);
    lw_free(find->name);
    lw_free(find);
}

static void find_look_up(lw_lane_find *find, lw_client *client)
{
    lw_resource_question question = { .name = find->name };
    find->st = lw_resource_cache_find(&client->resources, &question, &find->resource, &find->err);
    find->is_answered = true;
}

/* |set| NULL: nothing was found out; else it is in the cache already. */
static void answer_waiting(lw_lane *lane, bool is_discovered, const lw_error *err)
{
    LW_LIST_FOR_EACH (lw_lane_find, find, &lane->finds, node) {
        if (find->is_answered)
            continue;
        if (is_discovered) {
            find_look_up(find, lane->client);
        } else {
            find->st = err->code;
            find->err = *err;
            find->is_answered = true;
        }
    }
}

static void on_discovered(lw_resource_set *set, const lw_error *gap, void *arg)
{
    lw_lane *lane = arg;
    lw_discovery *discovery = lane->discovery;
    lane->discovery = NULL;
    if (set)
        lw_resource_cache_replace_take(&lane->client->resources, set, gap);
    answer_waiting(lane, set != NULL, gap);
    lw_discovery_free(discovery);
}

lw_status lw_lane_find_resource(lw_lane *lane, const char *name, lw_lane_find_fn on_done, void *arg,
                                lw_lane_find **out, lw_error *err)
{
    lw_lane_find *find = lw_alloc_zero(1, sizeof(*find));
    if (!find)
        return lw_error_nomem(err);
    find->on_done = on_done;
    find->arg = arg;
    find->err = (lw_error)LW_ERROR_INIT;
    find->name = lw_str_dup(lw_str_of(name));
    lw_status st = LW_OK;
    if (!find->name)
        st = lw_error_nomem(err);
    if (st == LW_OK) {
        find_look_up(find, lane->client);
        find->is_answered = find->st == LW_OK;
    }
    if (st == LW_OK && !find->is_answered && !lane->discovery)
        st = lw_discovery_start(&lane->discovery, lane, on_discovered, lane, err);
    if (st < 0) {
        find_free(find);
        return st;
    }
    lw_list_push_back(&lane->finds, &find->node);
    *out = find;
    return LW_OK;
}

void lw_lane_find_cancel(lw_lane_find *find)
{
    if (find)
        find_free(find);
}

static lw_lane_find *first_answered(const lw_lane *lane)
{
    LW_LIST_FOR_EACH (lw_lane_find, find, &lane->finds, node) {
        if (find->is_answered)
            return find;
    }
    return NULL;
}

bool lw_lane__has_answers(const lw_lane *lane)
{
    return first_answered(lane) != NULL;
}

void lw_lane__answer_finds(lw_lane *lane)
{
    for (lw_lane_find *find; (find = first_answered(lane));) {
        lw_lane_find_fn on_done = find->on_done;
        void *arg = find->arg;
        bool is_found = find->st == LW_OK;
        lw_resource resource = find->resource;
        lw_error err = find->err;
        find_free(find);
        on_done(is_found ? &resource : NULL, is_found ? NULL : &err, arg);
    }
}

void lw_lane__drop_finds(lw_lane *lane)
{
    LW_LIST_FOR_EACH_SAFE (lw_lane_find, find, &lane->finds, node)
        find_free(find);
}
