/* SPDX-License-Identifier: Apache-2.0 */
/* table.c -- objects as rows of a Table, and cut down to their metadata. */
#include "schema/kinds/table.h"

#include "base/str.h"
#include "schema/kinds/kinds.h"
#include "schema/printers/printers.h"
#include "schema/printers/table_cell.h"
#include "schema/printers/value.h"
#include "json/fields.h"

static const lw_table_column *kind_columns(const lw_kind *kind)
{
    return kind->columns ? kind->columns : lw_table_columns_default;
}

static void write_definition(const lw_table_column *column, lw_json_writer *w)
{
    lw_json_write_object_begin(w);
    lw_json_write_member_string(w, "name", column->name);
    lw_json_write_member_string(w, "type", column->type);
    lw_json_write_member_string(w, "format", column->format);
    lw_json_write_member_string(w, "description", column->description);
    lw_json_write_member_int(w, "priority", column->priority);
    lw_json_write_object_end(w);
}

static void write_definitions(const lw_kind *kind, lw_json_writer *w)
{
    lw_json_write_array_begin(w);
    for (const lw_table_column *column = kind_columns(kind); column->name.len > 0; column++)
        write_definition(column, w);
    lw_json_write_array_end(w);
}

bool lw_table_is_null_when_empty(const lw_kind *kind)
{
    return (!kind->columns && !(kind->flags & LW_KIND_CUSTOM)) ||
           kind == &lw_kind_customresourcedefinitions;
}

void lw_table_begin(const lw_kind *kind, const lw_table_form *form, lw_str metadata,
                    lw_json_writer *w)
{
    lw_table_head(kind, form, metadata, w);
    lw_json_write_array_begin(w);
}

void lw_table_head(const lw_kind *kind, const lw_table_form *form, lw_str metadata,
                   lw_json_writer *w)
{
    lw_json_write_object_begin(w);
    lw_json_write_member_string(w, "kind", LW_STR("Table"));
    lw_json_write_member_string(w, "apiVersion", form->api_version);
    lw_json_write_key(w, LW_STR("metadata"));
    lw_json_write_raw(w, metadata);
    lw_json_write_key(w, LW_STR("columnDefinitions"));
    if (form->has_columns)
        write_definitions(kind, w);
    else
        lw_json_write_null(w);
    lw_json_write_key(w, LW_STR("rows"));
}

static void write_object(const lw_kind *kind, const lw_object *obj, lw_json_writer *w)
{
    lw_buf shown;
    if (lw_kind_shows_as_stored(kind, obj)) {
        lw_json_write_raw(w, lw_object_json(obj));
        return;
    }
    lw_buf_init(&shown, LW_TABLE_CELL_MAX);
    lw_kind_append_object(kind, obj, &shown);
    if (shown.st < 0)
        w->out->st = shown.st;
    else
        lw_json_write_raw(w, lw_buf_view(&shown));
    lw_buf_done(&shown);
}

void lw_table_row(const lw_kind *kind, const lw_table_form *form, const lw_object *obj,
                  lw_json_writer *w)
{
    lw_row row;
    lw_row_init(&row, obj, form->now_ns);
    lw_json_write_object_begin(w);
    lw_json_write_key(w, LW_STR("cells"));
    lw_json_write_array_begin(w);
    for (const lw_table_column *column = kind_columns(kind); column->name.len > 0; column++)
        column->cell(column, &row, w);
    lw_json_write_array_end(w);
    lw_json_write_key(w, LW_STR("object"));
    switch (form->include) {
    case LW_TABLE_NONE: lw_json_write_null(w); break;
    case LW_TABLE_METADATA: lw_partial_write(obj, form->api_version, w); break;
    case LW_TABLE_OBJECT: write_object(kind, obj, w); break;
    }
    lw_json_write_object_end(w);
}

void lw_table_end(lw_json_writer *w)
{
    lw_json_write_array_end(w);
    lw_json_write_object_end(w);
}

/* Writes the metadata of a DaemonSet without the annotation of its template generation, which
 * kube-apiserver adds to the complete object only. */
static void write_daemon_set_metadata(lw_str metadata, lw_json_writer *w)
{
    lw_tree *tree = NULL;
    lw_status st = lw_tree_parse(&tree, metadata, 0, NULL);
    if (st < 0) {
        w->out->st = st;
        return;
    }
    lw_node *root = lw_tree_root(tree);
    lw_node *annotations = lw_node_get(root, LW_STR("annotations"));
    lw_fields_remove(annotations, "deprecated.daemonset.template.generation");
    if (lw_node_count(annotations) == 0)
        lw_fields_remove(root, "annotations");
    lw_node_write(root, w);
    lw_tree_free(tree);
}

static bool is_daemon_set(const lw_object *obj)
{
    return lw_str_equal(lw_str_of(lw_object_kind(obj)), LW_STR("DaemonSet")) &&
           lw_str_equal(lw_str_of(lw_object_api_version(obj)), LW_STR("apps/v1"));
}

void lw_partial_write(const lw_object *obj, lw_str api_version, lw_json_writer *w)
{
    lw_str metadata = lw_value_at(lw_object_json(obj), "/metadata");
    lw_json_write_object_begin(w);
    lw_json_write_member_string(w, "kind", LW_STR("PartialObjectMetadata"));
    lw_json_write_member_string(w, "apiVersion", api_version);
    lw_json_write_key(w, LW_STR("metadata"));
    if (is_daemon_set(obj))
        write_daemon_set_metadata(metadata, w);
    else
        lw_json_write_raw(w, metadata.len > 0 ? metadata : LW_STR("{}"));
    lw_json_write_object_end(w);
}
