/* SPDX-License-Identifier: Apache-2.0 */
/* test.h -- for tests of controllers: an API server in the test program with one call, faults on
 * demand, a clock that the test advances, and waiting for the result.  Link liblistwatch-test.
 *
 *   lw_test_start ─▶ the controller, with lw_test_client and the clock
 *                 ─▶ lw_test_create, lw_server_add_fault, lw_manual_clock_advance
 *                 ─▶ lw_wait_for_condition, _value, _until with lw_test_observer ─▶ lw_test_stop
 *
 * liblistwatch-test is a static library without a promise about its ABI: a test is built with the
 * library that it tests. */
#ifndef LISTWATCH_TEST_H
#define LISTWATCH_TEST_H

#include <stdbool.h>
#include <stddef.h>

#include <listwatch/client.h>
#include <listwatch/server_faults.h>
#include <listwatch/sys/clock.h>
#include <listwatch/wait.h>

LW_BEGIN_DECLS

/* Initialise it with LW_TEST_OPTIONS_INIT. */
typedef struct lw_test_options {
    size_t size;
    /* Of the server; NULL: all objects are in memory.  Without insecure_listen, the server also
     * listens for plain HTTP on a free port of the loopback interface: the clients use it. */
    const lw_server_options *server;
    const char *manifest;      /* objects to create, YAML or JSON; NULL: none */
    const char *manifest_file; /* a file with such objects; NULL: none */
    /* The controllers of a cluster (Deployments, Jobs, Services ...) and a scheduler run beside the
     * server, with |nodes| simulated nodes, on which Pods become ready at once. */
    bool has_controllers;
    unsigned nodes;
    const lw_client_options *client; /* of lw_test_client; NULL: the defaults */
} lw_test_options;

#define LW_TEST_OPTIONS_INIT                                                                       \
    {                                                                                              \
        sizeof(lw_test_options), NULL, NULL, NULL, false, 0, NULL                                  \
    }

/* One test with its server. */
typedef struct lw_test lw_test;

/* Starts a server; NULL |options| means the defaults.  When it returns, the server answers, and the
 * objects of the manifests exist (see lw_test_create).  Errors as lw_server_start, lw_client_new
 * and lw_test_create; LW_ERR_IO: cannot read the file. */
LW_MUST_CHECK LW_API lw_status lw_test_start(lw_test **out, const lw_test_options *options,
                                             lw_error *err);

/* Stops the server and frees everything; whatever uses the client and the clock must have been
 * freed before.  NULL does nothing. */
LW_API void lw_test_stop(lw_test *test);

/* Return the parts; valid as long as the test.  The client is for the controller.  The observer is
 * a client for the test itself: no fault applies to its requests.  The clock stands still until
 * lw_manual_clock_advance; its wall clock time is that of the start. */
LW_API lw_server *lw_test_server(const lw_test *test);
LW_API lw_client *lw_test_client(const lw_test *test);
LW_API lw_client *lw_test_observer(const lw_test *test);
LW_API lw_manual_clock *lw_test_clock(const lw_test *test);

/* Creates the objects of a manifest, YAML or JSON, in their order; objects without a namespace go
 * to "default".  After a CustomResourceDefinition it waits until the server serves the resource.
 * Errors as lw_object_list_from_manifest and lw_client_create; the message names the object. */
LW_MUST_CHECK LW_API lw_status lw_test_create(lw_test *test, const char *manifest, lw_error *err);

/* Changes an object of |resource| ("deployments.apps", or "deployments.apps/status") with a merge
 * patch in JSON.  Errors as lw_client_find_resource and lw_client_patch. */
LW_MUST_CHECK LW_API lw_status lw_test_patch(lw_test *test, const char *resource, const char *ns,
                                             const char *name, const char *patch, lw_error *err);

/* Deletes an object of |resource|.  Errors as lw_client_find_resource and lw_client_delete. */
LW_MUST_CHECK LW_API lw_status lw_test_delete(lw_test *test, const char *resource, const char *ns,
                                              const char *name, lw_error *err);

LW_END_DECLS

#endif
