/* SPDX-License-Identifier: Apache-2.0 */
/* store_suite.h -- what every store must do, run against any backend. */
#ifndef LW_TESTS_SUITE_STORE_SUITE_H
#define LW_TESTS_SUITE_STORE_SUITE_H

#include <listwatch/sys/clock.h>

#include "store/history.h"
#include "store/store.h"

/* A backend under test. */
typedef struct store_backend {
    const char *name;
    void *(*place_new)(void); /* somewhere for a store to live; empty */
    void (*place_free)(void *place);
    /* Opens the store that lives at |place|, or makes it. */
    lw_status (*open)(void *place, const lw_history_options *history, const lw_clock *clock,
                      lw_store **out, lw_error *err);
    bool is_durable; /* closed and opened again, it is as it was */
    /* Tests of the suite that it cannot pass; ends with NULL.  NULL: none. */
    const char *const *exceptions;
} store_backend;

/* Runs the whole suite; what main returns. */
int store_suite_run(const store_backend *backend);

#endif
