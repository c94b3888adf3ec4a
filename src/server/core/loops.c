/* SPDX-License-Identifier: Apache-2.0 */
/* loops.c -- the threads of a server, with one event loop each. */
#include "server/core/loops.h"

#include <stdio.h>
#include <unistd.h>

#include "api/lifecycle/lifecycle.h"
#include "base/dlist.h"
#include "base/log.h"

unsigned lw_loops_default(void)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (processors < 1)
        return 1;
    return processors > LW_LOOPS_DEFAULT_MAX ? LW_LOOPS_DEFAULT_MAX : (unsigned)processors;
}

unsigned lw_loops_default_workers(void)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    long workers = processors / 2;
    if (workers < 1)
        return 1;
    return workers > LW_LOOPS_WORKERS_DEFAULT_MAX ? LW_LOOPS_WORKERS_DEFAULT_MAX
                                                  : (unsigned)workers;
}

unsigned lw_loops_helpers(void)
{
    long others = sysconf(_SC_NPROCESSORS_ONLN) - 1;
    if (others < 0)
        return 0;
    return others > LW_LOOPS_WORKERS_DEFAULT_MAX ? LW_LOOPS_WORKERS_DEFAULT_MAX : (unsigned)others;
}

lw_status lw_loops_open(lw_loops *loops, unsigned count, unsigned workers, const lw_clock *clock,
                        const lw_logger *logger, lw_error *err)
{
    for (unsigned i = 0; i < count + 1 + workers; i++) {
        lw_status st = lw_loop_new(&loops->list[i], clock, err);
        if (st < 0)
            return st;
        loops->members[i].loop = loops->list[i];
        loops->members[i].logger = logger;
        loops->members[i].is_worker = i > count;
        loops->count = i + 1;
    }
    loops->serving = count;
    loops->watching = count + 1;
    return LW_OK;
}

lw_status lw_loops_bind(lw_loops *loops, lw_api *api, lw_error *err)
{
    for (size_t i = 0; i < loops->count; i++) {
        lw_status st = loops->members[i].is_worker ? lw_api_bind_worker(api, loops->list[i], err)
                                                   : lw_api_bind(api, loops->list[i], err);
        if (st < 0)
            return st;
        loops->members[i].api = api;
    }
    /* A mirror does not act on the objects of others. */
    return api->upstream.confirm ? LW_OK
                                 : lw_lifecycle_start(api, loops->list[loops->serving], err);
}

void lw_loops_unbind(lw_loops *loops)
{
    /* The connections are closed: the workers' requests end before their loops are unbound. */
    for (size_t i = loops->watching; i < loops->count; i++)
        (void)lw_loop_turn(loops->list[i], 0, NULL);
    for (size_t i = 0; i < loops->count; i++) {
        if (loops->members[i].api)
            lw_api_unbind(loops->members[i].api, loops->list[i]);
        loops->members[i].api = NULL;
    }
}

static void run_loop(void *arg)
{
    lw_server_loop *member = arg;
    lw_error err = LW_ERROR_INIT;
    if (member->is_worker)
        lw_thread_add_nice(LW_LOOPS_WORKER_NICE);
    if (lw_loop_run(member->loop, &err) < 0)
        lw_log(member->logger, LW_LOG_ERROR, "server", "an event loop failed: %s", err.message);
}

lw_status lw_loops_start(lw_loops *loops, lw_error *err)
{
    for (size_t i = 0; i < loops->count; i++) {
        lw_server_loop *member = &loops->members[i];
        char name[LW_THREAD_NAME_SIZE];
        (void)snprintf(name, sizeof(name), member->is_worker ? "lw-worker-%02u" : "lw-loop-%02u",
                       (unsigned)(member->is_worker ? i - loops->watching : i) % 100);
        lw_status st = lw_thread_start(&member->thread, name, run_loop, member, err);
        if (st < 0)
            return st;
        member->is_running = true;
    }
    return LW_OK;
}

static void drain_one(lw_task *task)
{
    lw_server_loop *member = LW_DLIST_ITEM(&task->link, lw_server_loop, drain.link);
    lw_api_drain(member->api, member->loop);
}

void lw_loops_drain(lw_loops *loops)
{
    for (size_t i = 0; i < loops->count; i++) {
        loops->members[i].drain.run = drain_one;
        lw_loop_post(loops->list[i], &loops->members[i].drain);
    }
}

void lw_loops_stop(lw_loops *loops)
{
    for (size_t i = 0; i < loops->count; i++) {
        if (loops->members[i].is_running)
            lw_loop_stop(loops->list[i]);
    }
    for (size_t i = 0; i < loops->count; i++) {
        if (loops->members[i].is_running)
            lw_thread_join(&loops->members[i].thread);
        loops->members[i].is_running = false;
    }
}

void lw_loops_done(lw_loops *loops)
{
    for (size_t i = 0; i < loops->count; i++)
        lw_loop_free(loops->list[i]);
    loops->count = 0;
}
