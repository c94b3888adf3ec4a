/* SPDX-License-Identifier: Apache-2.0 */
/* table_cell.h -- the text of a table cell, and formats that many cells share.
 *
 * lw_table_cell_begin starts a cell; lw_table_cell_end writes it and frees its memory.  Out of
 * memory is sticky, and passed on to the buffer of the writer. */
#ifndef LW_SCHEMA_PRINTERS_TABLE_CELL_H
#define LW_SCHEMA_PRINTERS_TABLE_CELL_H

#include "base/buf.h"
#include "base/text/time_text.h"
#include "json/writer.h"

enum {
    LW_TABLE_CELL_MAX = 16 * 1024 * 1024, /* bytes of a cell: more than any object has */
};

/* Initializes an empty text. */
void lw_table_cell_begin(lw_buf *text);

/* Writes |text|, or |fallback| if it is empty, as the next value of |w|, and frees |text|. */
void lw_table_cell_end(lw_buf *text, const char *fallback, lw_json_writer *w);

/* Writes a constant text. */
void lw_table_cell_write(lw_json_writer *w, const char *text);

/* Appends a number. */
void lw_table_cell_append_int(lw_buf *text, int64_t value);

/* Appends |separator| if |text| is longer than |start|. */
void lw_table_cell_separate(lw_buf *text, size_t start, const char *separator);

/* Appends the time since the timestamp at |pointer|: "5m"; "<unknown>" if there is none. */
void lw_table_cell_append_since(lw_buf *text, lw_str json, const char *pointer, int64_t now_ns);

/* Appends the member |pointer| of each element of the array |json|, separated by |separator|. */
void lw_table_cell_append_each(lw_buf *text, lw_str json, const char *pointer,
                               const char *separator);

/* Appends the labels at |pointer| as "a=b,c=d", sorted by key. */
void lw_table_cell_append_labels(lw_buf *text, lw_str json, const char *pointer);

/* Appends the LabelSelector at |pointer| as Kubernetes prints it; "<error>" if it is invalid. */
void lw_table_cell_append_selector(lw_buf *text, lw_str json, const char *pointer);

/* Appends the addresses and host names of the loadBalancer in |status|, sorted and unique. */
void lw_table_cell_append_balancer(lw_buf *text, lw_str status);

/* Converts the letters A to Z of |text| to lower case. */
void lw_table_cell_to_lower(lw_buf *text);

#endif
