/* SPDX-License-Identifier: Apache-2.0 */
/* catalog.h -- the registry of now.
 *
 * Readers hold the registry they began with; a writer puts a new one in its place and waits for
 * nobody.  A thread that reads all the time keeps one at hand and looks at a number to see whether
 * it is still the one of now. */
#ifndef LW_SCHEMA_KINDS_CATALOG_H
#define LW_SCHEMA_KINDS_CATALOG_H

#include <stdatomic.h>

#include "base/sync.h"
#include "schema/kinds/registry.h"

typedef struct lw_catalog {
    atomic_uint_least64_t version; /* rises with each registry; changes under mu */
    lw_mutex mu;
    lw_registry *now; /* mu: which registry; held */
} lw_catalog;

/* Takes its own reference of |registry|. */
void lw_catalog_init(lw_catalog *catalog, lw_registry *registry);
void lw_catalog_done(lw_catalog *catalog);

/* The registry of now, to unref. */
lw_registry *lw_catalog_get_ref(lw_catalog *catalog);

/* Puts |registry|, whose reference it takes, in the place of the one there was. */
void lw_catalog_swap_take(lw_catalog *catalog, lw_registry *registry);

/* A reader's registry at hand; starts zeroed. */
typedef struct lw_catalog_view {
    lw_registry *registry; /* held */
    uint64_t version;
} lw_catalog_view;

/* The registry of now, held by |view| until the next call.  One thread a view. */
lw_registry *lw_catalog_look(lw_catalog *catalog, lw_catalog_view *view);
void lw_catalog_view_done(lw_catalog_view *view);

#endif
