/* SPDX-License-Identifier: Apache-2.0 */
/* openapi_writer.c -- names of models, and references to them. */
#include "schema/openapi/openapi_writer.h"

#include <assert.h>

#include "base/str.h"

enum {
    NAME_MAX_BYTES = 8 * 1024, /* limit of a path or model name */
};

void lw_openapi_writer_init(lw_openapi_writer *o, lw_openapi_dialect dialect, lw_json_writer *w)
{
    o->dialect = dialect;
    o->w = w;
    lw_buf_init(&o->text, NAME_MAX_BYTES);
}

void lw_openapi_writer_done(lw_openapi_writer *o)
{
    lw_buf_done(&o->text);
}

void lw_openapi_fail(lw_openapi_writer *o, lw_status st)
{
    if (st < 0 && o->w->out->st == LW_OK)
        o->w->out->st = st;
}

/* Package names are Go import paths with dots, "k8s.io.api.core.v1".  Model names begin with the
 * reversed domain, and keep dashes, which protobuf names do not have. */
void lw_openapi_append_type(const lw_type *type, lw_buf *out)
{
    static const lw_str domain = LW_STR_INIT("k8s.io.");
    assert(type->package && lw_str_starts_with(type->package->proto, domain));
    lw_str rest = lw_str_skip(type->package->proto, domain.len);
    lw_buf_append_text(out, "io.k8s.");
    for (size_t i = 0; i < rest.len; i++)
        lw_buf_append_char(out, rest.ptr[i] == '_' ? '-' : rest.ptr[i]);
    lw_buf_append_char(out, '.');
    lw_buf_append_str(out, type->name);
}

/* Appends "example.com" as "com.example.". */
static void append_backwards(lw_str group, lw_buf *out)
{
    while (group.len > 0) {
        size_t start = group.len;
        while (start > 0 && group.ptr[start - 1] != '.')
            start--;
        lw_buf_append(out, group.ptr + start, group.len - start);
        lw_buf_append_char(out, '.');
        group.len = start > 0 ? start - 1 : 0;
    }
}

void lw_openapi_append_object(lw_gvk gvk, lw_buf *out)
{
    const lw_type *type = lw_type_of_kind(gvk);
    if (type) {
        lw_openapi_append_type(type, out);
        return;
    }
    append_backwards(gvk.group, out);
    lw_buf_append_str(out, gvk.version);
    lw_buf_append_char(out, '.');
    lw_buf_append_str(out, gvk.kind);
}

static void begin_ref(lw_openapi_writer *o)
{
    lw_buf_reset(&o->text);
    lw_buf_append_text(&o->text,
                       o->dialect == LW_OPENAPI_2 ? "#/definitions/" : "#/components/schemas/");
}

static void end_ref(lw_openapi_writer *o)
{
    lw_openapi_fail(o, o->text.st);
    lw_json_write_member_string(o->w, "$ref", lw_buf_view(&o->text));
    lw_buf_reset(&o->text);
}

void lw_openapi_write_ref(lw_openapi_writer *o, lw_str name)
{
    begin_ref(o);
    lw_buf_append_str(&o->text, name);
    end_ref(o);
}

void lw_openapi_write_ref_type(lw_openapi_writer *o, const lw_type *type)
{
    begin_ref(o);
    lw_openapi_append_type(type, &o->text);
    end_ref(o);
}

void lw_openapi_write_ref_object(lw_openapi_writer *o, lw_gvk gvk)
{
    begin_ref(o);
    lw_openapi_append_object(gvk, &o->text);
    end_ref(o);
}

void lw_openapi_write_text_key(lw_openapi_writer *o)
{
    lw_openapi_fail(o, o->text.st);
    lw_json_write_key(o->w, lw_buf_view(&o->text));
    lw_buf_reset(&o->text);
}

static void write_gvk_key(lw_openapi_writer *o)
{
    lw_json_write_key(o->w, LW_STR("x-kubernetes-group-version-kind"));
}

void lw_openapi_write_gvk_next(lw_openapi_writer *o, lw_gvk gvk)
{
    lw_json_write_object_begin(o->w);
    lw_json_write_member_string(o->w, "group", gvk.group);
    lw_json_write_member_string(o->w, "kind", gvk.kind);
    lw_json_write_member_string(o->w, "version", gvk.version);
    lw_json_write_object_end(o->w);
}

void lw_openapi_write_gvk(lw_openapi_writer *o, lw_gvk gvk)
{
    write_gvk_key(o);
    lw_openapi_write_gvk_next(o, gvk);
}

void lw_openapi_write_gvk_begin(lw_openapi_writer *o)
{
    write_gvk_key(o);
    lw_json_write_array_begin(o->w);
}

void lw_openapi_write_gvk_end(lw_openapi_writer *o)
{
    lw_json_write_array_end(o->w);
}
