/* SPDX-License-Identifier: Apache-2.0 */
/* openapi.c -- OpenAPI documents: what can be asked, and schemas that take any field. */
#include <inttypes.h>

#include <listwatch/version.h>

#include "base/hash.h"
#include "base/str.h"
#include "schema/discovery.h"
#include "schema/discovery_parts.h"
#include "schema/kind_span.h"
#include "schema/openapi_paths.h"
#include "schema/subresource.h"

enum {
    DOCUMENT_MAX = 64 * 1024 * 1024, /* bytes of the document of one group and version */
};

static void write_info(lw_json_writer *w)
{
    lw_json_write_key(w, LW_STR("info"));
    lw_json_write_object_begin(w);
    lw_json_write_member_string(w, "title", LW_STR("Kubernetes"));
    lw_json_write_member_string(w, "version", lw_str_of(lw_version()));
    lw_json_write_object_end(w);
}

static void write_property(const char *name, const char *type, lw_json_writer *w)
{
    lw_json_write_key(w, lw_str_of(name));
    lw_json_write_object_begin(w);
    lw_json_write_member_string(w, "type", lw_str_of(type));
    lw_json_write_object_end(w);
}

static void write_schema(lw_gvk gvk, lw_str description, lw_json_writer *w)
{
    lw_buf name;
    lw_buf_init(&name, LW_DISCOVERY_NAME_MAX);
    lw_openapi_append_schema_name(gvk, &name);
    lw_discovery_write_key(&name, w);
    lw_json_write_object_begin(w);
    if (description.len > 0)
        lw_json_write_member_string(w, "description", description);
    lw_json_write_member_string(w, "type", LW_STR("object"));
    lw_json_write_key(w, LW_STR("properties"));
    lw_json_write_object_begin(w);
    write_property("apiVersion", "string", w);
    write_property("kind", "string", w);
    write_property("metadata", "object", w);
    lw_json_write_object_end(w);
    lw_json_write_key(w, LW_STR("x-kubernetes-group-version-kind"));
    lw_json_write_array_begin(w);
    lw_json_write_object_begin(w);
    lw_json_write_member_string(w, "group", gvk.group);
    lw_json_write_member_string(w, "kind", gvk.kind);
    lw_json_write_member_string(w, "version", gvk.version);
    lw_json_write_object_end(w);
    lw_json_write_array_end(w);
    lw_json_write_key(w, LW_STR("x-kubernetes-preserve-unknown-fields"));
    lw_json_write_bool(w, true);
    lw_json_write_object_end(w);
}

/* Schemas of the kinds, then of what else their subresources take. */
static void write_schemas(lw_kind_span span, lw_json_writer *w)
{
    unsigned subresources = 0;
    for (size_t i = 0; i < span.count; i++) {
        const lw_kind *kind = span.kinds[i];
        write_schema((lw_gvk){ kind->group, kind->version, kind->kind }, kind->description, w);
        subresources |= kind->subresources;
    }
    for (const lw_subresource *sub = lw_subresources; sub->bit; sub++) {
        if ((subresources & sub->bit) && sub->gvk.kind.len > 0)
            write_schema(sub->gvk, LW_STR(""), w);
    }
}

static void write_document(lw_kind_span span, lw_json_writer *w)
{
    lw_json_write_object_begin(w);
    lw_json_write_member_string(w, "openapi", LW_STR("3.0.0"));
    write_info(w);
    lw_json_write_key(w, LW_STR("paths"));
    lw_json_write_object_begin(w);
    for (size_t i = 0; i < span.count; i++)
        lw_openapi_write_paths(span.kinds[i], w);
    lw_json_write_object_end(w);
    lw_json_write_key(w, LW_STR("components"));
    lw_json_write_object_begin(w);
    lw_json_write_key(w, LW_STR("schemas"));
    lw_json_write_object_begin(w);
    write_schemas(span, w);
    lw_json_write_object_end(w);
    lw_json_write_object_end(w);
    lw_json_write_object_end(w);
}

bool lw_openapi_v3_group(const lw_registry *registry, lw_str group, lw_str version,
                         lw_json_writer *w)
{
    lw_kind_span span = lw_kind_span_of_version(registry, group, version);
    if (span.count == 0)
        return false;
    write_document(span, w);
    return true;
}

/* Appends a hash of the document: clients keep what they read until the hash in the index changes,
 * so it must tell all that can differ. */
static void append_document_hash(lw_kind_span span, lw_buf *out)
{
    static const lw_hash_seed seeds[] = { { 1, 2 }, { 3, 4 } };
    lw_buf document;
    lw_json_writer w;
    lw_buf_init(&document, DOCUMENT_MAX);
    lw_json_writer_init(&w, &document, LW_JSON_COMPACT);
    write_document(span, &w);
    if (document.st < 0 && out->st == LW_OK)
        out->st = document.st;
    for (size_t i = 0; i < 2; i++)
        lw_buf_printf(out, "%016" PRIX64, lw_hash_str(seeds[i], lw_buf_view(&document)));
    lw_buf_done(&document);
}

/* Appends "api/v1" or "apis/apps/v1". */
static void append_place(const lw_kind *kind, lw_buf *out)
{
    lw_buf_append_text(out, kind->group.len > 0 ? "apis/" : "api");
    lw_buf_append_str(out, kind->group);
    lw_buf_append_char(out, '/');
    lw_buf_append_str(out, kind->version);
}

static void write_place(lw_kind_span span, lw_json_writer *w)
{
    lw_buf text;
    lw_buf_init(&text, LW_DISCOVERY_NAME_MAX);
    append_place(span.kinds[0], &text);
    lw_discovery_write_key(&text, w);
    lw_json_write_object_begin(w);
    lw_json_write_key(w, LW_STR("serverRelativeURL"));
    lw_buf_append_text(&text, "/openapi/v3/");
    append_place(span.kinds[0], &text);
    lw_buf_append_text(&text, "?hash=");
    append_document_hash(span, &text);
    lw_discovery_write_text(&text, w);
    lw_json_write_object_end(w);
}

void lw_openapi_v3_index(const lw_registry *registry, lw_json_writer *w)
{
    lw_kind_span rest = lw_kind_span_all(registry), group, version;
    lw_json_write_object_begin(w);
    lw_json_write_key(w, LW_STR("paths"));
    lw_json_write_object_begin(w);
    while (lw_kind_span_next_group(&rest, &group)) {
        while (lw_kind_span_next_version(&group, &version))
            write_place(version, w);
    }
    lw_json_write_object_end(w);
    lw_json_write_object_end(w);
}

void lw_openapi_v2(const lw_registry *registry, lw_json_writer *w)
{
    (void)registry;
    lw_json_write_object_begin(w);
    lw_json_write_member_string(w, "swagger", LW_STR("2.0"));
    write_info(w);
    lw_json_write_key(w, LW_STR("paths"));
    lw_json_write_object_begin(w);
    lw_json_write_object_end(w);
    lw_json_write_key(w, LW_STR("definitions"));
    lw_json_write_object_begin(w);
    lw_json_write_object_end(w);
    lw_json_write_object_end(w);
}
