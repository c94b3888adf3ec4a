/* SPDX-License-Identifier: Apache-2.0 */
/* discovery_aggregated.c -- aggregated discovery: all groups in two documents of
 * apidiscovery.k8s.io/v2. */
#include "base/str.h"
#include "schema/discovery/discovery.h"
#include "schema/discovery/discovery_parts.h"
#include "schema/kinds/kind_span.h"
#include "schema/kinds/subresource.h"

static void write_subresources(const lw_kind *kind, lw_json_writer *w)
{
    if (kind->subresources == 0)
        return;
    lw_json_write_key(w, LW_STR("subresources"));
    lw_json_write_array_begin(w);
    for (const lw_subresource *sub = lw_subresources; sub->bit; sub++) {
        if (!(kind->subresources & sub->bit))
            continue;
        lw_json_write_object_begin(w);
        lw_json_write_member_string(w, "subresource", sub->name);
        lw_discovery_write_gvk("responseKind", lw_subresource_gvk(sub, kind), w);
        lw_json_write_key(w, LW_STR("verbs"));
        lw_discovery_write_verbs(sub->verbs, w);
        lw_json_write_object_end(w);
    }
    lw_json_write_array_end(w);
}

static void write_resource(const lw_kind *kind, lw_json_writer *w)
{
    const lw_gvk gvk = { kind->group, kind->version, kind->kind };
    lw_json_write_object_begin(w);
    lw_json_write_member_string(w, "resource", kind->plural);
    lw_discovery_write_gvk("responseKind", gvk, w);
    lw_json_write_member_string(w, "scope",
                                kind->is_namespaced ? LW_STR("Namespaced") : LW_STR("Cluster"));
    lw_json_write_member_string(w, "singularResource", kind->singular);
    lw_json_write_key(w, LW_STR("verbs"));
    lw_discovery_write_verbs(kind->verbs, w);
    lw_discovery_write_names("shortNames", kind->short_names, w);
    lw_discovery_write_names("categories", kind->categories, w);
    write_subresources(kind, w);
    lw_json_write_object_end(w);
}

static void write_version(lw_kind_span version, lw_json_writer *w)
{
    lw_json_write_object_begin(w);
    lw_json_write_member_string(w, "version", version.kinds[0]->version);
    lw_json_write_key(w, LW_STR("resources"));
    lw_json_write_array_begin(w);
    for (size_t i = 0; i < version.count; i++)
        write_resource(version.kinds[i], w);
    lw_json_write_array_end(w);
    lw_json_write_member_string(w, "freshness", LW_STR("Current"));
    lw_json_write_object_end(w);
}

static void write_group(lw_kind_span group, lw_json_writer *w)
{
    lw_str name = group.kinds[0]->group;
    lw_kind_span version;
    lw_json_write_object_begin(w);
    lw_json_write_key(w, LW_STR("metadata"));
    lw_json_write_object_begin(w);
    if (name.len > 0)
        lw_json_write_member_string(w, "name", name);
    lw_json_write_object_end(w);
    lw_json_write_key(w, LW_STR("versions"));
    lw_json_write_array_begin(w);
    while (lw_kind_span_next_version(&group, &version))
        write_version(version, w);
    lw_json_write_array_end(w);
    lw_json_write_object_end(w);
}

void lw_discovery_aggregated(const lw_registry *registry, bool is_core, lw_json_writer *w)
{
    lw_kind_span rest = lw_kind_span_all(registry), group;
    lw_json_write_object_begin(w);
    lw_json_write_member_string(w, "kind", LW_STR("APIGroupDiscoveryList"));
    lw_json_write_member_string(w, "apiVersion", LW_STR("apidiscovery.k8s.io/v2"));
    lw_json_write_key(w, LW_STR("metadata"));
    lw_json_write_object_begin(w);
    lw_json_write_object_end(w);
    lw_json_write_key(w, LW_STR("items"));
    lw_json_write_array_begin(w);
    while (lw_kind_span_next_group(&rest, &group)) {
        if ((group.kinds[0]->group.len == 0) == is_core)
            write_group(group, w);
    }
    lw_json_write_array_end(w);
    lw_json_write_object_end(w);
}
