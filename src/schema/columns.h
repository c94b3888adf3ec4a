/* SPDX-License-Identifier: Apache-2.0 */
/* columns.h -- the tables of columns, one a kind, and the cells that many of them use. */
#ifndef LW_SCHEMA_COLUMNS_H
#define LW_SCHEMA_COLUMNS_H

#include "schema/column.h"

/* The cells of any kind. */
void lw_cell_name(const lw_column *column, const lw_object *obj, int64_t now_ns, lw_json_writer *w);
/* The age of the moment at column->pointer; NULL: of the object. */
void lw_cell_age(const lw_column *column, const lw_object *obj, int64_t now_ns, lw_json_writer *w);
/* When the object was made, as a timestamp. */
void lw_cell_created(const lw_column *column, const lw_object *obj, int64_t now_ns,
                     lw_json_writer *w);
/* The string at column->pointer; else "", "<none>", "<unset>" or "<unknown>". */
void lw_cell_string(const lw_column *column, const lw_object *obj, int64_t now_ns,
                    lw_json_writer *w);
void lw_cell_string_or_none(const lw_column *column, const lw_object *obj, int64_t now_ns,
                            lw_json_writer *w);
void lw_cell_string_or_unset(const lw_column *column, const lw_object *obj, int64_t now_ns,
                             lw_json_writer *w);
void lw_cell_string_or_unknown(const lw_column *column, const lw_object *obj, int64_t now_ns,
                               lw_json_writer *w);
/* The integer or boolean at column->pointer; else 0 and false. */
void lw_cell_int(const lw_column *column, const lw_object *obj, int64_t now_ns, lw_json_writer *w);
void lw_cell_bool(const lw_column *column, const lw_object *obj, int64_t now_ns, lw_json_writer *w);
/* How many elements or members are at column->pointer. */
void lw_cell_count(const lw_column *column, const lw_object *obj, int64_t now_ns,
                   lw_json_writer *w);
/* The LabelSelector, and the map of labels, at column->pointer; else "<none>". */
void lw_cell_selector(const lw_column *column, const lw_object *obj, int64_t now_ns,
                      lw_json_writer *w);
void lw_cell_labels(const lw_column *column, const lw_object *obj, int64_t now_ns,
                    lw_json_writer *w);
/* The names and the images of the containers at column->pointer, with commas between. */
void lw_cell_container_names(const lw_column *column, const lw_object *obj, int64_t now_ns,
                             lw_json_writer *w);
void lw_cell_container_images(const lw_column *column, const lw_object *obj, int64_t now_ns,
                              lw_json_writer *w);

/* Entries of a table of columns. */
#define LW_COLUMN_NAME                                                                             \
    {                                                                                              \
        .name = LW_STR_INIT("Name"), .type = LW_STR_INIT("string"), .format = LW_STR_INIT("name"), \
        .cell = lw_cell_name, .description = LW_STR_INIT("What the object is called.")             \
    }
#define LW_COLUMN_AGE                                                                              \
    {                                                                                              \
        .name = LW_STR_INIT("Age"), .type = LW_STR_INIT("string"), .cell = lw_cell_age,            \
        .description = LW_STR_INIT("How long ago the object was created.")                         \
    }
#define LW_COLUMN_END                                                                              \
    {                                                                                              \
        .cell = NULL                                                                               \
    }

/* Name and Created At: of kinds that have no table of their own. */
extern const lw_column lw_columns_default[];

#endif
