/* SPDX-License-Identifier: Apache-2.0 */
/* discovery.c -- the discovery documents of groups, versions and resources. */
#include "schema/discovery/discovery.h"

#include "base/str.h"
#include "base/text/base64.h"
#include "base/text/sha256.h"
#include "schema/discovery/discovery_parts.h"
#include "schema/kinds/kind_span.h"
#include "schema/kinds/subresource.h"

enum {
    STORAGE_HASH_SIZE = 8,
};

void lw_discovery_core_versions(const lw_registry *registry, lw_str server_address,
                                lw_json_writer *w)
{
    lw_kind_span rest = lw_kind_span_of_group(registry, LW_STR("")), version;
    lw_json_write_object_begin(w);
    lw_json_write_member_string(w, "kind", LW_STR("APIVersions"));
    lw_json_write_key(w, LW_STR("versions"));
    lw_json_write_array_begin(w);
    while (lw_kind_span_next_version(&rest, &version))
        lw_json_write_string(w, version.kinds[0]->version);
    lw_json_write_array_end(w);
    lw_json_write_key(w, LW_STR("serverAddressByClientCIDRs"));
    lw_json_write_array_begin(w);
    lw_json_write_object_begin(w);
    lw_json_write_member_string(w, "clientCIDR", LW_STR("0.0.0.0/0"));
    lw_json_write_member_string(w, "serverAddress", server_address);
    lw_json_write_object_end(w);
    lw_json_write_array_end(w);
    lw_json_write_object_end(w);
}

/* Writes the string "a/b", or only |b| if |a| is empty. */
static void write_joined(lw_str a, lw_str b, lw_json_writer *w)
{
    lw_buf text;
    lw_buf_init(&text, LW_DISCOVERY_NAME_MAX);
    lw_buf_append_str(&text, a);
    if (a.len > 0)
        lw_buf_append_char(&text, '/');
    lw_buf_append_str(&text, b);
    lw_discovery_write_text(&text, w);
}

static void write_version(const lw_kind *kind, lw_json_writer *w)
{
    lw_json_write_object_begin(w);
    lw_json_write_key(w, LW_STR("groupVersion"));
    write_joined(kind->group, kind->version, w);
    lw_json_write_member_string(w, "version", kind->version);
    lw_json_write_object_end(w);
}

/* Writes the members of an APIGroup: its versions, of which the first is preferred. */
static void write_group(lw_kind_span group, lw_json_writer *w)
{
    const lw_kind *preferred = group.kinds[0];
    lw_kind_span version;
    lw_json_write_member_string(w, "name", preferred->group);
    lw_json_write_key(w, LW_STR("versions"));
    lw_json_write_array_begin(w);
    while (lw_kind_span_next_version(&group, &version))
        write_version(version.kinds[0], w);
    lw_json_write_array_end(w);
    lw_json_write_key(w, LW_STR("preferredVersion"));
    write_version(preferred, w);
}

static void write_type(const char *kind, lw_json_writer *w)
{
    lw_json_write_member_string(w, "kind", lw_str_of(kind));
    lw_json_write_member_string(w, "apiVersion", LW_STR("v1"));
}

void lw_discovery_groups(const lw_registry *registry, lw_json_writer *w)
{
    lw_kind_span rest = lw_kind_span_all(registry), group;
    lw_json_write_object_begin(w);
    write_type("APIGroupList", w);
    lw_json_write_key(w, LW_STR("groups"));
    lw_json_write_array_begin(w);
    while (lw_kind_span_next_group(&rest, &group)) {
        if (group.kinds[0]->group.len == 0)
            continue;
        lw_json_write_object_begin(w);
        write_group(group, w);
        lw_json_write_object_end(w);
    }
    lw_json_write_array_end(w);
    lw_json_write_object_end(w);
}

bool lw_discovery_group(const lw_registry *registry, lw_str group, lw_json_writer *w)
{
    lw_kind_span span = lw_kind_span_of_group(registry, group);
    if (span.count == 0 || group.len == 0)
        return false;
    lw_json_write_object_begin(w);
    write_type("APIGroup", w);
    write_group(span, w);
    lw_json_write_object_end(w);
    return true;
}

/* Writes storageVersionHash, which clients compare to see whether two resources share their
 * storage.  As in kube-apiserver: the first bytes of the SHA-256 of "group/version/kind". */
static void write_storage_hash(const lw_kind *kind, lw_json_writer *w)
{
    uint8_t digest[LW_SHA256_SIZE];
    kind = lw_kind_stored(kind);
    lw_str version = kind->storage_version.len > 0 ? kind->storage_version : kind->version;
    lw_buf text;
    lw_buf_init(&text, LW_DISCOVERY_NAME_MAX);
    lw_buf_printf(&text, "%.*s/%.*s/%.*s", LW_STR_ARG(kind->group), LW_STR_ARG(version),
                  LW_STR_ARG(kind->kind));
    lw_sha256(lw_buf_view(&text), digest);
    lw_buf_truncate(&text, 0);
    lw_base64_encode(&text, lw_str_make((const char *)digest, STORAGE_HASH_SIZE));
    lw_json_write_key(w, LW_STR("storageVersionHash"));
    lw_discovery_write_text(&text, w);
}

static void write_resource(const lw_kind *kind, lw_json_writer *w)
{
    lw_json_write_object_begin(w);
    lw_json_write_member_string(w, "name", kind->plural);
    lw_json_write_member_string(w, "singularName", kind->singular);
    lw_json_write_key(w, LW_STR("namespaced"));
    lw_json_write_bool(w, kind->is_namespaced);
    lw_json_write_member_string(w, "kind", kind->kind);
    lw_json_write_key(w, LW_STR("verbs"));
    lw_discovery_write_verbs(kind->verbs, w);
    lw_discovery_write_names("shortNames", kind->short_names, w);
    lw_discovery_write_names("categories", kind->categories, w);
    if (kind->storage.len > 0)
        write_storage_hash(kind, w);
    lw_json_write_object_end(w);
}

static void write_subresource(const lw_subresource *sub, const lw_kind *kind, lw_json_writer *w)
{
    lw_gvk gvk = lw_subresource_gvk(sub, kind);
    lw_json_write_object_begin(w);
    lw_json_write_key(w, LW_STR("name"));
    write_joined(kind->plural, sub->name, w);
    lw_json_write_member_string(w, "singularName", LW_STR(""));
    lw_json_write_key(w, LW_STR("namespaced"));
    lw_json_write_bool(w, kind->is_namespaced);
    if (!lw_str_equal(gvk.group, kind->group) || !lw_str_equal(gvk.version, kind->version)) {
        lw_json_write_member_string(w, "group", gvk.group);
        lw_json_write_member_string(w, "version", gvk.version);
    }
    lw_json_write_member_string(w, "kind", gvk.kind);
    lw_json_write_key(w, LW_STR("verbs"));
    lw_discovery_write_verbs(sub->verbs, w);
    lw_json_write_object_end(w);
}

static void write_resources(lw_kind_span span, lw_json_writer *w)
{
    for (size_t i = 0; i < span.count; i++) {
        write_resource(span.kinds[i], w);
        for (const lw_subresource *sub = lw_subresources; sub->bit; sub++) {
            if (span.kinds[i]->subresources & sub->bit)
                write_subresource(sub, span.kinds[i], w);
        }
    }
}

bool lw_discovery_resources(const lw_registry *registry, lw_str group, lw_str version,
                            lw_json_writer *w)
{
    lw_kind_span span = lw_kind_span_of_version(registry, group, version);
    if (span.count == 0)
        return false;
    lw_json_write_object_begin(w);
    lw_json_write_member_string(w, "kind", LW_STR("APIResourceList"));
    /* The core group's list has never had an apiVersion. */
    if (group.len > 0)
        lw_json_write_member_string(w, "apiVersion", LW_STR("v1"));
    lw_json_write_key(w, LW_STR("groupVersion"));
    write_joined(group, version, w);
    lw_json_write_key(w, LW_STR("resources"));
    lw_json_write_array_begin(w);
    write_resources(span, w);
    lw_json_write_array_end(w);
    lw_json_write_object_end(w);
    return true;
}
