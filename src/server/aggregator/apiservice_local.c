/* SPDX-License-Identifier: Apache-2.0 */
/* apiservice_local.c -- the APIServices of the groups that this server serves itself. */
#include "api/context/seed_batch.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "base/text/time_text.h"
#include "schema/kinds/kinds.h"
#include "server/aggregator/aggregator_internal.h"
#include "json/fields.h"
#include "json/writer.h"

enum {
    DOCUMENT_MAX = 4096,
};

void lw_apiservice_append_name(const lw_kind *kind, lw_buf *out)
{
    lw_buf_printf(out, "%.*s.%.*s", LW_STR_ARG(kind->version), LW_STR_ARG(kind->group));
}

void lw_apiservice_write_local(const lw_kind *kind, const char *managed, lw_buf *out)
{
    lw_json_writer w;
    lw_buf name;
    lw_buf_init(&name, LW_APISERVICE_NAME_MAX);
    lw_apiservice_append_name(kind, &name);
    lw_json_writer_init(&w, out, LW_JSON_COMPACT);
    lw_json_write_object_begin(&w);
    lw_json_write_member_string(&w, "kind", LW_STR("APIService"));
    lw_json_write_member_string(&w, "apiVersion", LW_STR("apiregistration.k8s.io/v1"));
    lw_json_write_key(&w, LW_STR("metadata"));
    lw_json_write_object_begin(&w);
    lw_json_write_member_string(&w, "name", lw_buf_view(&name));
    lw_json_write_key(&w, LW_STR("labels"));
    lw_json_write_object_begin(&w);
    lw_json_write_member_string(&w, LW_APISERVICE_MANAGED_LABEL, lw_str_of(managed));
    lw_json_write_object_end(&w);
    lw_json_write_object_end(&w);
    lw_json_write_key(&w, LW_STR("spec"));
    lw_json_write_object_begin(&w);
    if (kind->group.len > 0)
        lw_json_write_member_string(&w, "group", kind->group);
    lw_json_write_member_string(&w, "version", kind->version);
    lw_json_write_member_int(&w, "groupPriorityMinimum", kind->group_priority);
    lw_json_write_member_int(&w, "versionPriority", kind->version_priority);
    lw_json_write_object_end(&w);
    lw_json_write_object_end(&w);
    if (name.st < 0)
        out->st = name.st;
    lw_buf_done(&name);
}

/* As it is when it was created by a client: with the condition Available. */
static lw_status add(lw_seed_batch *batch, const lw_kind *of, lw_key key)
{
    static const lw_str status =
        LW_STR_INIT("{\"conditions\":[{\"type\":\"Available\",\"status\":\"True\","
                    "\"lastTransitionTime\":null,\"reason\":\"Local\","
                    "\"message\":\"Local APIServices are always available\"}]}");
    lw_buf json;
    lw_tree *tree = NULL;
    lw_node *node = NULL;
    lw_buf_init(&json, DOCUMENT_MAX);
    lw_apiservice_write_local(of, "onstart", &json);
    lw_status st = json.st < 0 ? json.st : lw_tree_parse(&tree, lw_buf_view(&json), 0, NULL);
    if (st == LW_OK)
        st = lw_tree_parse_node(tree, status, &node, NULL);
    if (st == LW_OK) {
        lw_fields_set_text(tree, lw_node_at(lw_node_get(node, LW_STR("conditions")), 0),
                           "lastTransitionTime", lw_str_of(batch->created));
        lw_node_put(tree, lw_tree_root(tree), LW_STR("status"), node);
        st = lw_seed_batch_create(batch, &lw_kind_apiservices, key, tree, lw_tree_root(tree));
    }
    lw_tree_free(tree);
    lw_buf_done(&json);
    return st;
}

static lw_status add_missing(lw_seed_batch *batch, const lw_kind *of)
{
    lw_buf name;
    lw_buf_init(&name, LW_APISERVICE_NAME_MAX);
    lw_apiservice_append_name(of, &name);
    const lw_key key = { LW_STR(""), lw_buf_view(&name) };
    lw_object *present =
        lw_cache_get_ref(lw_api_resource(batch->api, &lw_kind_apiservices), key.ns, key.name);
    lw_status st = name.st;
    if (st == LW_OK && !present)
        st = add(batch, of, key);
    lw_object_unref(present);
    lw_buf_done(&name);
    return st;
}

lw_status lw_aggregator_seed(lw_seed_batch *batch)
{
    size_t count = 0;
    const lw_kind *const *kinds = lw_kinds_builtin(&count);
    lw_status st = LW_OK;
    for (size_t i = 0; i < count && st == LW_OK; i++) {
        bool is_known = i > 0 && lw_str_equal(kinds[i]->group, kinds[i - 1]->group) &&
                        lw_str_equal(kinds[i]->version, kinds[i - 1]->version);
        /* The group of APIServices has none in kube-apiserver either. */
        if (!is_known && !lw_str_equal(kinds[i]->group, lw_kind_apiservices.group))
            st = add_missing(batch, kinds[i]);
    }
    return st;
}
