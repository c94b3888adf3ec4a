/* SPDX-License-Identifier: Apache-2.0 */
/* table.c -- a table of objects that do not come from an API server. */
#include "table.h"

#include <stdlib.h>
#include <string.h>

typedef struct column {
    const char *title;
    const char *(*text)(const lw_object *obj);
    bool is_wide_only;
} column;

static const column columns[] = {
    { "NAMESPACE", lw_object_namespace, false },
    { "NAME", lw_object_name, false },
    { "KIND", lw_object_kind, false },
    { "RESOURCEVERSION", lw_object_resource_version, false },
    { "APIVERSION", lw_object_api_version, true },
    { "UID", lw_object_uid, true },
};

enum {
    COLUMNS = sizeof(columns) / sizeof(columns[0]),
};

lw_status table_add_columns(grid *g, bool is_wide)
{
    lw_status st = LW_OK;
    for (size_t i = 0; st == LW_OK && i < COLUMNS; i++) {
        if (is_wide || !columns[i].is_wide_only)
            st = grid_add_column(g, columns[i].title);
    }
    return st < 0 ? st : grid_add_column(g, "LABELS");
}

char *table_labels(const lw_object *obj)
{
    size_t count = lw_object_label_count(obj), size = sizeof("<none>");
    for (size_t i = 0; i < count; i++) {
        lw_label label = lw_object_label_at(obj, i);
        size += label.key.len + label.value.len + 2;
    }
    char *text = calloc(1, size), *at = text;
    for (size_t i = 0; text && i < count; i++) {
        lw_label label = lw_object_label_at(obj, i);
        if (i > 0)
            *at++ = ',';
        at = (char *)memcpy(at, label.key.ptr, label.key.len) + label.key.len;
        *at++ = '=';
        at = (char *)memcpy(at, label.value.ptr, label.value.len) + label.value.len;
    }
    if (text && count == 0)
        memcpy(text, "<none>", sizeof("<none>"));
    return text;
}

lw_status table_add_object(grid *g, const lw_object *obj, bool is_wide)
{
    const char *cells[COLUMNS + 1];
    size_t count = 0;
    char *labels = table_labels(obj);
    if (!labels)
        return LW_ERR_NOMEM;
    for (size_t i = 0; i < COLUMNS; i++) {
        const char *text = columns[i].text(obj);
        if (is_wide || !columns[i].is_wide_only)
            cells[count++] = text[0] ? text : "<none>";
    }
    cells[count] = labels;
    lw_status st = grid_add_row(g, cells);
    free(labels);
    return st;
}
