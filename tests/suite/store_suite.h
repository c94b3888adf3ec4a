/* SPDX-License-Identifier: Apache-2.0 */
/* store_suite.h -- the tests that every store must pass, for any backend. */
#ifndef LW_TESTS_SUITE_STORE_SUITE_H
#define LW_TESTS_SUITE_STORE_SUITE_H

#include <listwatch/sys/clock.h>

#include "store/history.h"
#include "store/store.h"

/* A backend under test. */
typedef struct store_backend {
    const char *name;
    void *(*place_new)(void); /* makes an empty location for a store */
    void (*place_free)(void *place);
    /* Opens the store at |place|, or creates it. */
    lw_status (*open)(void *place, const lw_history_options *history, const lw_clock *clock,
                      lw_store **out, lw_error *err);
    bool is_durable; /* the content survives closing and reopening */
    /* Names of tests that it cannot pass, NULL-terminated.  NULL: none. */
    const char *const *exceptions;
} store_backend;

/* Runs the whole suite; returns the exit status for main. */
int store_suite_run(const store_backend *backend);

#endif
