/* SPDX-License-Identifier: Apache-2.0 */
/* flow_seed.c -- the built-in objects of flow control as they are stored at the first start. */
#include "server/flowcontrol/flow_seed.h"

#include "base/clock.h"
#include "base/str.h"
#include "schema/kinds/definition.h"
#include "schema/managedfields/managed_fields_create.h"
#include "schema/types/type.h"
#include "server/flowcontrol/flow_builtin.h"
#include "server/flowcontrol/flow_write.h"
#include "json/fields.h"

#define API_VERSION "flowcontrol.apiserver.k8s.io/v1"

enum {
    MANAGED_MAX = 16 * 1024,
};

/* The entry of the one who sets the condition; its time is set later. */
static const lw_str consumer = LW_STR_INIT(
    "{\"manager\":\"" LW_FLOW_CONSUMER "\",\"operation\":\"Update\",\"apiVersion\":\"" API_VERSION
    "\",\"time\":\"\",\"fieldsType\":\"FieldsV1\",\"fieldsV1\":{\"f:status\":{\"f:conditions\":{"
    "\".\":{},\"k:{\\\"type\\\":\\\"Dangling\\\"}\":{\".\":{},\"f:lastTransitionTime\":{},"
    "\"f:message\":{},\"f:reason\":{},\"f:status\":{},\"f:type\":{}}}}},"
    "\"subresource\":\"status\"}");

/* Sets metadata.managedFields of the object, which has no status yet.  |json| is for their text,
 * to which the tree points then. */
static lw_status set_managers(const lw_seed_batch *batch, const lw_kind *kind, lw_tree *tree,
                              lw_buf *json)
{
    lw_node *root = lw_tree_root(tree), *created = NULL, *other = NULL;
    const lw_manager producer = { .name = LW_STR(LW_FLOW_PRODUCER),
                                  .api_version = LW_STR(API_VERSION),
                                  .time = lw_str_of(batch->created) };
    lw_status st =
        lw_managed_fields_create(lw_type_of_kind(lw_kind_gvk(kind)), &producer, root, NULL, json);
    if (st == LW_OK)
        st = lw_tree_parse_node(tree, lw_buf_view(json), &created, NULL);
    if (st == LW_OK && kind == &lw_kind_flowschemas)
        st = lw_tree_parse_node(tree, consumer, &other, NULL);
    if (st < 0)
        return st;
    lw_node *managers = lw_tree_array(tree);
    if (other) {
        lw_fields_set_text(tree, other, "time", lw_str_of(batch->created));
        lw_node_append(tree, managers, other);
    }
    lw_node_append(tree, managers, lw_node_at(created, 0));
    lw_node_put(tree, lw_fields_object(tree, root, "metadata"), LW_STR("managedFields"), managers);
    return lw_tree_status(tree);
}

static lw_status fill(const lw_seed_batch *batch, const lw_flow_builtin *builtin, lw_tree *tree,
                      lw_buf *json)
{
    lw_node *root = lw_tree_root(tree);
    lw_status st = set_managers(batch, builtin->kind, tree, json);
    if (st < 0)
        return st;
    lw_fields_set_int(tree, lw_fields_object(tree, root, "metadata"), "generation", 1);
    (void)lw_fields_object(tree, root, "status");
    /* Its priority level is a built-in one, which exists or is stored with it. */
    if (builtin->kind == &lw_kind_flowschemas)
        return lw_flow_condition_set(tree, true, lw_clock_wall(batch->api->clock));
    return lw_tree_status(tree);
}

static lw_status add(lw_seed_batch *batch, const lw_flow_builtin *builtin)
{
    const lw_key key = { LW_STR(""), builtin->name };
    lw_tree *tree = NULL;
    lw_buf json;
    lw_object *present =
        lw_cache_get_ref(lw_api_resource(batch->api, builtin->kind), key.ns, key.name);
    lw_object_unref(present);
    if (present)
        return LW_OK;
    lw_buf_init(&json, MANAGED_MAX);
    lw_status st = lw_tree_parse(&tree, builtin->json, 0, NULL);
    if (st == LW_OK)
        st = fill(batch, builtin, tree, &json);
    if (st == LW_OK)
        st = lw_seed_batch_create(batch, builtin->kind, key, tree, lw_tree_root(tree));
    lw_tree_free(tree);
    lw_buf_done(&json);
    return st;
}

lw_status lw_flow_seed(lw_seed_batch *batch)
{
    size_t count;
    const lw_flow_builtin *builtins = lw_flow_builtins(&count);
    lw_status st = LW_OK;
    for (size_t i = 0; i < count && st == LW_OK; i++)
        st = add(batch, &builtins[i]);
    return st;
}
