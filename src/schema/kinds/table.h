/* SPDX-License-Identifier: Apache-2.0 */
/* table.h -- objects as rows: meta.k8s.io Table, and objects cut down to their metadata. */
#ifndef LW_SCHEMA_KINDS_TABLE_H
#define LW_SCHEMA_KINDS_TABLE_H

#include "schema/kinds/kind.h"
#include "json/writer.h"

typedef enum lw_table_include {
    LW_TABLE_METADATA, /* the default */
    LW_TABLE_NONE,
    LW_TABLE_OBJECT,
} lw_table_include;

/* How a table is to look. */
typedef struct lw_table_form {
    lw_str api_version; /* "meta.k8s.io/v1" or "meta.k8s.io/v1beta1" */
    lw_table_include include;
    bool has_columns; /* false: "columnDefinitions":null, as in later events of a watch */
    int64_t now_ns;   /* wall clock */
} lw_table_form;

/* Begins {"kind":"Table",...,"rows":[ with |metadata| (JSON, the list's) ... */
void lw_table_begin(const lw_kind *kind, const lw_table_form *form, lw_str metadata,
                    lw_json_writer *w);
/* The same up to "rows": without the bracket. */
void lw_table_head(const lw_kind *kind, const lw_table_form *form, lw_str metadata,
                   lw_json_writer *w);
/* ... one row each ... */
void lw_table_row(const lw_kind *kind, const lw_table_form *form, const lw_object *obj,
                  lw_json_writer *w);
/* ... and ends it. */
void lw_table_end(lw_json_writer *w);

/* Whether kube-apiserver shows a table of |kind| without rows as "rows":null: it has no printer. */
bool lw_table_is_null_when_empty(const lw_kind *kind);

/* {"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{...}} */
void lw_partial_write(const lw_object *obj, lw_str api_version, lw_json_writer *w);

#endif
