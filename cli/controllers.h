/* SPDX-License-Identifier: Apache-2.0 */
/* controllers.h -- the controllers as part of a command: `listwatch control`, or beside a server.
 */
#ifndef LISTWATCH_CLI_CONTROLLERS_H
#define LISTWATCH_CLI_CONTROLLERS_H

#include <listwatch.h>

/* What was said about them on the command line. */
typedef struct controllers_choice {
    unsigned nodes;          /* hollow nodes */
    const char *node_prefix; /* NULL: "node" */
    int64_t node_grace_s;    /* 0: the usual */
    int64_t pod_eviction_s;  /* 0: as pods say */
    const char *root_ca;     /* PEM, by which pods know the server; NULL: none; copied */
    const char *only;        /* NULL: all */
    const char *identity;    /* NULL: one is made */
    bool is_alone;           /* no election */
    int64_t lease_s;         /* 0: the usual */
    bool prints_steps;       /* on standard output */
    bool shows_informers;    /* on the server's page, by request */
} controllers_choice;

typedef struct controllers {
    lw_config *config;
    lw_client *client;
    struct lw_control *control;
} controllers;

/* Starts them on the server that |options| name, or on |client|.  The logger outlives them.  On
 * failure there is nothing to stop. */
lw_status controllers_connect(controllers *c, const lw_config_options *options,
                              const controllers_choice *choice, const lw_logger *logger,
                              lw_error *err);
lw_status controllers_start(controllers *c, lw_client *client, const controllers_choice *choice,
                            const lw_logger *logger, lw_error *err);

/* What their informers say of themselves, as lw_factory_report; 0 where they were not started. */
size_t controllers_report(const controllers *c, char *dst, size_t size);

/* Stops them; does nothing where they were not started. */
void controllers_stop(controllers *c);

#endif
