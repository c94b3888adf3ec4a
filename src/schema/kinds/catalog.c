/* SPDX-License-Identifier: Apache-2.0 */
/* catalog.c -- one pointer that changes, and those who look at it. */
#include "schema/kinds/catalog.h"

void lw_catalog_init(lw_catalog *catalog, lw_registry *registry)
{
    atomic_init(&catalog->version, 1);
    lw_mutex_init(&catalog->mu);
    catalog->now = lw_registry_ref(registry);
}

void lw_catalog_done(lw_catalog *catalog)
{
    lw_registry_unref(catalog->now);
    catalog->now = NULL;
    lw_mutex_done(&catalog->mu);
}

lw_registry *lw_catalog_get_ref(lw_catalog *catalog)
{
    lw_mutex_lock(&catalog->mu);
    lw_registry *registry = lw_registry_ref(catalog->now);
    lw_mutex_unlock(&catalog->mu);
    return registry;
}

void lw_catalog_swap_take(lw_catalog *catalog, lw_registry *registry)
{
    lw_mutex_lock(&catalog->mu);
    lw_registry *before = catalog->now;
    catalog->now = registry;
    atomic_fetch_add_explicit(&catalog->version, 1, memory_order_release);
    lw_mutex_unlock(&catalog->mu);
    lw_registry_unref(before);
}

lw_registry *lw_catalog_look(lw_catalog *catalog, lw_catalog_view *view)
{
    if (atomic_load_explicit(&catalog->version, memory_order_acquire) == view->version)
        return view->registry;
    lw_registry *before = view->registry;
    lw_mutex_lock(&catalog->mu);
    view->registry = lw_registry_ref(catalog->now);
    view->version = atomic_load_explicit(&catalog->version, memory_order_relaxed);
    lw_mutex_unlock(&catalog->mu);
    lw_registry_unref(before);
    return view->registry;
}

void lw_catalog_view_done(lw_catalog_view *view)
{
    lw_registry_unref(view->registry);
    *view = (lw_catalog_view){ .registry = NULL };
}
