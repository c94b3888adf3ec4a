/* SPDX-License-Identifier: Apache-2.0 */
/* controllers.h -- runs the controllers, in `listwatch control` or beside a server. */
#ifndef LISTWATCH_CLI_CONTROLLERS_H
#define LISTWATCH_CLI_CONTROLLERS_H

#include <listwatch.h>

/* The controller options of the command line. */
typedef struct controllers_choice {
    unsigned nodes;          /* number of hollow nodes */
    const char *node_prefix; /* NULL: "node" */
    int64_t node_grace_s;    /* 0: default */
    int64_t pod_eviction_s;  /* 0: use the tolerations of the pods */
    /* CA certificates (PEM) that pods use to verify the server; NULL: none; copied. */
    const char *root_ca;
    const char *only;     /* NULL: all controllers */
    const char *identity; /* NULL: generated */
    bool is_alone;        /* run without leader election */
    bool has_one_user;    /* controllers do not act as users of their own */
    int64_t lease_s;      /* 0: default */
    bool prints_steps;    /* print the steps to standard output */
    bool shows_informers; /* report the informers to the server for its page */
} controllers_choice;

typedef struct controllers {
    lw_config_options options; /* of the server */
    lw_client *client;
    struct lw_control *control;
} controllers;

/* Start the controllers on the server of |options|, or with |client|.  On the server of |options|,
 * whose strings must outlive them, each one acts as a user of its own, which the credentials must
 * allow; with |client| they all act as its user.  The logger must outlive them.  After an error
 * there is nothing to stop. */
lw_status controllers_connect(controllers *c, const lw_config_options *options,
                              const controllers_choice *choice, const lw_logger *logger,
                              lw_error *err);
lw_status controllers_start(controllers *c, lw_client *client, const controllers_choice *choice,
                            const lw_logger *logger, lw_error *err);

/* Writes a report of the controllers' informers, like lw_factory_report; returns 0 if they are not
 * running. */
size_t controllers_report(const controllers *c, char *dst, size_t size);

/* Stops the controllers; does nothing if they are not running. */
void controllers_stop(controllers *c);

#endif
