/* SPDX-License-Identifier: Apache-2.0 */
/* cell.h -- the text of one cell in the making, and the forms that many cells share.
 *
 * A cell that is built begins with lw_table_cell_begin and ends with lw_table_cell_end, which
 * writes it and gives its memory back.  Running out of memory sticks, and goes on to the writer's
 * buffer. */
#ifndef LW_SCHEMA_PRINTERS_CELL_H
#define LW_SCHEMA_PRINTERS_CELL_H

#include "base/buf.h"
#include "base/time_text.h"
#include "json/writer.h"

enum {
    LW_TABLE_CELL_MAX = 16 * 1024 * 1024, /* bytes of a cell: more than any object can give */
};

/* An empty text. */
void lw_table_cell_begin(lw_buf *text);

/* Writes |text|, or |fallback| where it is empty, as the next value of |w|; frees |text|. */
void lw_table_cell_end(lw_buf *text, const char *fallback, lw_json_writer *w);

/* Writes a constant text. */
void lw_table_cell_write(lw_json_writer *w, const char *text);

/* Appends a number. */
void lw_table_cell_append_int(lw_buf *text, int64_t value);

/* Appends ", " or whatever |separator| is, unless |text| is still as long as |start|. */
void lw_table_cell_separate(lw_buf *text, size_t start, const char *separator);

/* Appends how long before |now_ns| the moment at |pointer| was: "5m"; "<unknown>" without one. */
void lw_table_cell_append_since(lw_buf *text, lw_str json, const char *pointer, int64_t now_ns);

/* Appends the member |pointer| of each element of the array |json|, with |separator| between. */
void lw_table_cell_append_each(lw_buf *text, lw_str json, const char *pointer,
                               const char *separator);

/* Appends the map of labels at |pointer| as "a=b,c=d", by key. */
void lw_table_cell_append_labels(lw_buf *text, lw_str json, const char *pointer);

/* Appends the LabelSelector at |pointer| as Kubernetes prints it; "<error>" when it is none. */
void lw_table_cell_append_selector(lw_buf *text, lw_str json, const char *pointer);

/* Appends the addresses and host names of the loadBalancer in |status|, sorted, each once. */
void lw_table_cell_append_balancer(lw_buf *text, lw_str status);

/* Turns the letters A to Z of |text| into small ones. */
void lw_table_cell_to_lower(lw_buf *text);

#endif
