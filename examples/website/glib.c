/* SPDX-License-Identifier: Apache-2.0 */
/* glib.c -- the Website controller in a main loop of GLib, without threads.
 *
 *     website-glib     works at the API server that kubectl would use, until Ctrl-C */
#include "website.h"

#include <glib.h>
#include <stdio.h>

/* The manager as a source of events. */
typedef struct manager_source {
    GSource base;
    GPollFD poll;
    GMainLoop *loop;
    lw_manager *manager;
    lw_status st;
    lw_error err;
} manager_source;

static gboolean prepare(GSource *source, gint *timeout_ms)
{
    manager_source *s = (manager_source *)source;
    *timeout_ms = lw_manager_timeout_ms(s->manager);
    return *timeout_ms == 0;
}

static gboolean check(GSource *source)
{
    manager_source *s = (manager_source *)source;
    return s->poll.revents != 0 || lw_manager_timeout_ms(s->manager) == 0;
}

static gboolean dispatch(GSource *source, GSourceFunc callback, gpointer data)
{
    manager_source *s = (manager_source *)source;
    (void)callback;
    (void)data;
    s->st = lw_manager_dispatch(s->manager, &s->err);
    if (s->st == LW_OK)
        return G_SOURCE_CONTINUE;
    g_main_loop_quit(s->loop);
    return G_SOURCE_REMOVE;
}

static void print_line(lw_log_level level, const char *component, const char *line, void *arg)
{
    (void)arg;
    fprintf(stderr, "%s %s: %s\n", lw_log_level_name(level), component, line);
}

/* Runs the loop until the manager has stopped; returns the result. */
static lw_status run(lw_manager *manager, lw_error *err)
{
    GSourceFuncs functions = { .prepare = prepare, .check = check, .dispatch = dispatch };
    lw_status st = lw_manager_start_in_loop(manager, err);
    if (st < 0)
        return st;
    manager_source *s = (manager_source *)g_source_new(&functions, sizeof(*s));
    s->loop = g_main_loop_new(NULL, FALSE);
    s->manager = manager;
    s->poll = (GPollFD){ .fd = lw_manager_fd(manager), .events = G_IO_IN };
    g_source_add_poll(&s->base, &s->poll);
    g_source_attach(&s->base, NULL);
    g_main_loop_run(s->loop);
    g_main_loop_unref(s->loop);
    st = s->st;
    *err = s->err;
    g_source_unref(&s->base);
    return st;
}

int main(void)
{
    const lw_logger logger = { .level = LW_LOG_INFO, .fn = print_line };
    const lw_election_options election = LW_ELECTION_OPTIONS_INIT;
    const lw_manager_options options = { .size = sizeof(options),
                                         .name = WEBSITE_MANAGER,
                                         .election = &election,
                                         .handles_signals = true,
                                         .logger = &logger };
    lw_error err = LW_ERROR_INIT;
    lw_manager *manager = NULL;
    website w;
    lw_status st = lw_manager_new(&manager, &options, &err);
    if (st == LW_OK)
        st = website_add(&w, website_reconcile_async, manager, &err);
    if (st == LW_OK)
        st = run(manager, &err);
    bool is_stopped = st == LW_ERR_STOPPED; /* by a signal */
    if (!is_stopped)
        fprintf(stderr, "website-glib: %s\n", err.message);
    lw_manager_free(manager);
    return !is_stopped;
}
