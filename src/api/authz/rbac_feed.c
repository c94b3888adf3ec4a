/* SPDX-License-Identifier: Apache-2.0 */
/* rbac_feed.c -- passes roles and bindings from the cache to the RBAC index.
 *
 * If memory runs out, the cache drops the resource and loads it again later; until then its roles
 * or bindings grant nothing: access is denied rather than granted by what is out of date. */
#include "api/authz/rbac_feed.h"

#include <stdint.h>

#include "base/str.h"
#include "schema/kinds/kinds.h"
#include "json/tree.h"

static lw_str ns_of(const lw_object *obj)
{
    return lw_str_of(lw_object_namespace(obj));
}

static lw_str name_of(const lw_object *obj)
{
    return lw_str_of(lw_object_name(obj));
}

typedef lw_status (*put_fn)(lw_rbac *rbac, lw_str ns, lw_str name, const lw_node *node);

/* Parses |obj| and passes it on. */
static lw_status put_parsed(const lw_rbac_feed *feed, const lw_object *obj, put_fn put)
{
    lw_tree *tree = NULL;
    lw_status st = lw_tree_parse(&tree, lw_object_json(obj), 0, NULL);
    if (st == LW_OK)
        st = put(feed->rbac, ns_of(obj), name_of(obj), lw_tree_root(tree));
    lw_tree_free(tree);
    feed->changed(feed->arg);
    return st;
}

static lw_status put_role(const lw_object *obj, void *arg)
{
    return put_parsed(arg, obj, lw_rbac_put_role);
}

static lw_status put_binding(const lw_object *obj, void *arg)
{
    return put_parsed(arg, obj, lw_rbac_put_binding);
}

static void remove_role(const lw_object *obj, void *arg)
{
    const lw_rbac_feed *feed = arg;
    lw_rbac_remove_role(feed->rbac, ns_of(obj), name_of(obj));
    feed->changed(feed->arg);
}

static void remove_binding(const lw_object *obj, void *arg)
{
    const lw_rbac_feed *feed = arg;
    lw_rbac_remove_binding(feed->rbac, ns_of(obj), name_of(obj));
    feed->changed(feed->arg);
}

/* A resource that was reset is being loaded again, or cannot be loaded; watches are left alone
 * meanwhile. */
static void reset_roles(void *arg)
{
    lw_rbac_remove_roles(((const lw_rbac_feed *)arg)->rbac, true);
}

static void reset_cluster_roles(void *arg)
{
    lw_rbac_remove_roles(((const lw_rbac_feed *)arg)->rbac, false);
}

static void reset_bindings(void *arg)
{
    lw_rbac_remove_bindings(((const lw_rbac_feed *)arg)->rbac, true);
}

static void reset_cluster_bindings(void *arg)
{
    lw_rbac_remove_bindings(((const lw_rbac_feed *)arg)->rbac, false);
}

void lw_rbac_feed_start(const lw_rbac_feed *feed, lw_api *api)
{
    void *arg = (void *)(uintptr_t)feed; /* observers do not change it */
    const struct {
        const lw_kind *kind;
        lw_cache_observer observer;
    } feeds[] = {
        { &lw_kind_roles, { put_role, remove_role, reset_roles, arg } },
        { &lw_kind_clusterroles, { put_role, remove_role, reset_cluster_roles, arg } },
        { &lw_kind_rolebindings, { put_binding, remove_binding, reset_bindings, arg } },
        { &lw_kind_clusterrolebindings,
          { put_binding, remove_binding, reset_cluster_bindings, arg } },
    };
    for (size_t i = 0; i < sizeof(feeds) / sizeof(feeds[0]); i++)
        lw_cache_observe(lw_api_resource(api, feeds[i].kind), &feeds[i].observer);
}
