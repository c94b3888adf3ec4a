/* SPDX-License-Identifier: Apache-2.0 */
/* server_access.c -- what a program asks a running server for. */
#include <listwatch/server.h>

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "server/authn/authn.h"
#include "server/authn/sessions.h"
#include "server/server_struct.h"

const char *lw_server_url(const lw_server *server)
{
    return server->url;
}

const char *lw_server_insecure_url(const lw_server *server)
{
    return server->insecure_url;
}

const char *lw_server_kubeconfig(const lw_server *server)
{
    return server->kubeconfig;
}

lw_status lw_server_show_informers(lw_server *server, const char *report, lw_error *err)
{
    return lw_informer_reports_take(&server->parts.informers, lw_str_of(report),
                                    lw_clock_now(server->parts.clock), err);
}

lw_status lw_server_page_link(lw_server *server, char *dst, size_t size, lw_error *err)
{
    char secret[LW_SESSION_SECRET_SIZE] = "";
    const char *url = server->url ? server->url : server->insecure_url;
    if (server->url) {
        lw_status st = lw_sessions_make_link(server->parts.sessions, lw_authn_admin(), secret, err);
        if (st < 0)
            return st;
    }
    int len = snprintf(dst, size, "%s/%s%s", url, server->url ? "#/sign-in/" : "", secret);
    explicit_bzero(secret, sizeof(secret));
    return len >= 0 && (size_t)len < size
               ? LW_OK
               : lw_error_set(err, LW_ERR_LIMIT, "the link needs %d bytes", len + 1);
}

lw_status lw_server_add_fault(lw_server *server, const lw_server_fault *fault, lw_error *err)
{
    return lw_faults_add(&server->parts.faults, fault, err);
}

void lw_server_clear_faults(lw_server *server)
{
    lw_faults_clear(&server->parts.faults);
}

size_t lw_server_fault_count(const lw_server *server)
{
    return atomic_load(&server->parts.faults.hits);
}

/* Breaks the watches of all loops; each loop does its own. */
typedef struct breaking {
    const char *resource;
    int status;
    lw_mutex mu; /* guards what follows */
    lw_cond changed;
    size_t loops_left, count;
} breaking;

typedef struct breaking_task {
    lw_task task;
    lw_loop *loop;
    breaking *all;
} breaking_task;

static void break_one(lw_task *task)
{
    breaking_task *mine = LW_DLIST_ITEM(&task->link, breaking_task, task.link);
    breaking *all = mine->all;
    size_t count = lw_faults_break_watches(mine->loop, all->resource, all->status);
    lw_mutex_lock(&all->mu);
    all->count += count;
    all->loops_left--;
    lw_cond_signal(&all->changed);
    lw_mutex_unlock(&all->mu);
}

size_t lw_server_break_watches(lw_server *server, const char *resource, int status)
{
    breaking_task tasks[LW_LOOPS_ALL_MAX];
    breaking all = { .resource = resource, .status = status, .loops_left = server->loops.serving };
    lw_mutex_init(&all.mu);
    lw_cond_init(&all.changed);
    for (size_t i = 0; i < server->loops.serving; i++) {
        tasks[i] = (breaking_task){ .task = { .run = break_one },
                                    .loop = server->loops.list[i],
                                    .all = &all };
        lw_loop_post(server->loops.list[i], &tasks[i].task);
    }
    lw_mutex_lock(&all.mu);
    while (all.loops_left > 0)
        lw_cond_wait(&all.changed, &all.mu);
    lw_mutex_unlock(&all.mu);
    lw_cond_done(&all.changed);
    lw_mutex_done(&all.mu);
    return all.count;
}
