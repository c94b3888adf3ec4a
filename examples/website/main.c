/* SPDX-License-Identifier: Apache-2.0 */
/* main.c -- the Website controller as a program.
 *
 *     website-controller     works at the API server that kubectl would use, until Ctrl-C */
#include "website.h"

#include <stdio.h>

static void print_line(lw_log_level level, const char *component, const char *line, void *arg)
{
    (void)arg;
    fprintf(stderr, "%s %s: %s\n", lw_log_level_name(level), component, line);
}

int main(void)
{
    const lw_logger logger = { .level = LW_LOG_INFO, .fn = print_line };
    const lw_election_options election = LW_ELECTION_OPTIONS_INIT; /* the defaults of client-go */
    const lw_manager_options options = { .size = sizeof(options),
                                         .name = WEBSITE_MANAGER,
                                         .election = &election,
                                         .handles_signals = true,
                                         .health_address = "127.0.0.1:0",
                                         .metrics_address = "127.0.0.1:0",
                                         .logger = &logger };
    lw_error err = LW_ERROR_INIT;
    lw_manager *manager = NULL;
    website w;
    lw_status st = lw_manager_new(&manager, &options, &err);
    if (st == LW_OK)
        st = website_add(&w, website_reconcile, manager, &err);
    if (st == LW_OK)
        st = lw_manager_run(manager, &err);
    if (st < 0)
        fprintf(stderr, "website-controller: %s\n", err.message);
    lw_manager_free(manager);
    return st < 0;
}
