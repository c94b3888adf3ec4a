/* SPDX-License-Identifier: Apache-2.0 */
/* openapi.c -- assembles whole documents from their parts. */
#include "schema/openapi/openapi.h"

#include <listwatch/version.h>

#include "base/hash.h"
#include "base/str.h"
#include "schema/kinds/definition.h"
#include "schema/kinds/subresource.h"
#include "schema/openapi/openapi_custom.h"
#include "schema/openapi/openapi_leaf.h"
#include "schema/openapi/openapi_models.h"
#include "schema/openapi/openapi_paths.h"

static void write_info(lw_json_writer *w)
{
    lw_json_write_key(w, LW_STR("info"));
    lw_json_write_object_begin(w);
    lw_json_write_member_string(w, "title", LW_STR("Kubernetes"));
    lw_json_write_member_string(w, "version", lw_str_of(lw_version()));
    lw_json_write_object_end(w);
}

static void write_paths(lw_openapi_writer *o, lw_kind_span span)
{
    lw_json_write_key(o->w, LW_STR("paths"));
    lw_json_write_object_begin(o->w);
    for (size_t i = 0; i < span.count; i++)
        lw_openapi_write_paths(o, span.kinds[i]);
    lw_json_write_object_end(o->w);
}

/* Adds the types of the requests and responses of |kind|. */
static void add_kind(lw_openapi_models *models, const lw_kind *kind)
{
    lw_openapi_models_add(models, (lw_gvk){ kind->group, kind->version, kind->kind });
    lw_openapi_models_add(models, (lw_gvk){ kind->group, kind->version, kind->list_kind });
    for (const lw_subresource *sub = lw_subresources; sub->bit; sub++) {
        if (kind->subresources & sub->bit & ~(unsigned)LW_SUBS_CONNECTED)
            lw_openapi_models_add(models, lw_subresource_gvk(sub, kind));
    }
}

/* Adds the types that every path uses, and those that custom objects refer to. */
static void add_common(lw_openapi_models *models)
{
    static const lw_gvk whole[] = { { .version = LW_STR_INIT("v1"), .kind = LW_STR_INIT("Status") },
                                    { .version = LW_STR_INIT("v1"),
                                      .kind = LW_STR_INIT("DeleteOptions") } };
    static const lw_gvk of_metadata[] = {
        { .version = LW_STR_INIT("v1"), .kind = LW_STR_INIT("PartialObjectMetadata") },
        { .version = LW_STR_INIT("v1"), .kind = LW_STR_INIT("PartialObjectMetadataList") }
    };
    for (size_t i = 0; i < 2; i++) {
        lw_openapi_models_add(models, whole[i]);
        lw_openapi_models_add_type(
            models, lw_type_field(lw_type_of_kind(of_metadata[i]), LW_STR("metadata"))->type);
    }
    lw_openapi_models_add_leaf(models, LW_OPENAPI_PATCH);
}

/* Writes the models as the member |key|. */
static void write_models(lw_openapi_writer *o, const char *key, lw_kind_span span)
{
    lw_openapi_models models;
    lw_openapi_models_init(&models);
    lw_json_write_key(o->w, lw_str_of(key));
    lw_json_write_object_begin(o->w);
    for (size_t i = 0; i < span.count; i++) {
        add_kind(&models, span.kinds[i]);
        if (span.kinds[i]->custom)
            lw_openapi_write_custom(o, span.kinds[i]);
    }
    add_common(&models);
    lw_openapi_models_write(&models, o);
    lw_json_write_object_end(o->w);
    lw_openapi_models_done(&models);
}

void lw_openapi_v3(lw_kind_span version, lw_json_writer *w)
{
    lw_openapi_writer o;
    lw_openapi_writer_init(&o, LW_OPENAPI_3, w);
    lw_json_write_object_begin(w);
    lw_json_write_member_string(w, "openapi", LW_STR("3.0.0"));
    write_info(w);
    write_paths(&o, version);
    lw_json_write_key(w, LW_STR("components"));
    lw_json_write_object_begin(w);
    write_models(&o, "schemas", version);
    lw_json_write_object_end(w);
    lw_json_write_object_end(w);
    lw_openapi_writer_done(&o);
}

void lw_openapi_v2(const lw_registry *registry, lw_json_writer *w)
{
    lw_openapi_writer o;
    lw_kind_span all = lw_kind_span_all(registry);
    lw_openapi_writer_init(&o, LW_OPENAPI_2, w);
    lw_json_write_object_begin(w);
    lw_json_write_member_string(w, "swagger", LW_STR("2.0"));
    write_info(w);
    write_paths(&o, all);
    write_models(&o, "definitions", all);
    lw_json_write_object_end(w);
    lw_openapi_writer_done(&o);
}

void lw_openapi_index_begin(lw_json_writer *w)
{
    lw_json_write_object_begin(w);
    lw_json_write_key(w, LW_STR("paths"));
    lw_json_write_object_begin(w);
}

/* Appends "api/v1" or "apis/apps/v1". */
static void append_place(const lw_kind *kind, lw_buf *out)
{
    lw_buf_append_text(out, kind->group.len > 0 ? "apis/" : "api");
    lw_buf_append_str(out, kind->group);
    lw_buf_append_char(out, '/');
    lw_buf_append_str(out, kind->version);
}

void lw_openapi_index_add(lw_kind_span version, lw_str hash, lw_json_writer *w)
{
    lw_openapi_writer o;
    lw_openapi_writer_init(&o, LW_OPENAPI_3, w);
    append_place(version.kinds[0], &o.text);
    lw_openapi_write_text_key(&o);
    lw_json_write_object_begin(w);
    lw_buf_append_text(&o.text, "/openapi/v3/");
    append_place(version.kinds[0], &o.text);
    lw_buf_append_text(&o.text, "?hash=");
    lw_buf_append_str(&o.text, hash);
    lw_openapi_fail(&o, o.text.st);
    lw_json_write_member_string(w, "serverRelativeURL", lw_buf_view(&o.text));
    lw_json_write_object_end(w);
    lw_openapi_writer_done(&o);
}

void lw_openapi_index_end(lw_json_writer *w)
{
    lw_json_write_object_end(w);
    lw_json_write_object_end(w);
}

uint64_t lw_openapi_stamp(lw_kind_span span)
{
    lw_hash_seed seed = { span.count, 0 };
    for (size_t i = 0; i < span.count; i++) {
        const lw_custom *custom = span.kinds[i]->custom;
        if (!custom)
            continue;
        seed.k1 = lw_definition_revision(custom->definition);
        seed.k0 = lw_hash_str(seed, lw_definition_uid(custom->definition));
    }
    return seed.k0;
}
