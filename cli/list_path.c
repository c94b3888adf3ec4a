/* SPDX-License-Identifier: Apache-2.0 */
/* list_path.c -- the path and query of a list or watch request. */
#include "list_path.h"

#include <stdio.h>

static void add_parameter(text_buf *out, const char *name, const char *value)
{
    if (!value || !value[0])
        return;
    text_add(out, "&");
    text_add(out, name);
    text_add(out, "=");
    text_add_escaped(out, value);
}

static void add_fields(const target *t, const list_query *query, text_buf *out)
{
    text_buf fields = { 0 };
    if (query->fields)
        text_add(&fields, query->fields);
    if (query->is_watch && t->name) {
        text_add(&fields, query->fields ? ",metadata.name=" : "metadata.name=");
        text_add(&fields, t->name);
    }
    add_parameter(out, "fieldSelector", text_of(&fields));
    text_done(&fields);
}

void list_path(const target *t, const list_query *query, text_buf *out)
{
    target_path(&t->resource, t->ns, query->is_watch ? NULL : t->name, NULL, out);
    text_add(out, query->has_whole_objects ? "?includeObject=Object" : "?includeObject=Metadata");
    add_parameter(out, "labelSelector", query->labels);
    add_fields(t, query, out);
    add_parameter(out, "continue", query->continue_token);
    add_parameter(out, "resourceVersion", query->resource_version);
    if (query->is_watch)
        text_add(out, "&watch=true&allowWatchBookmarks=true");
    if (query->limit > 0) {
        char limit[sizeof("&limit=") + 20];
        (void)snprintf(limit, sizeof(limit), "&limit=%ld", query->limit);
        text_add(out, limit);
    }
}
