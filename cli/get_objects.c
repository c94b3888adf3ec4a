/* SPDX-License-Identifier: Apache-2.0 */
/* get_objects.c -- `listwatch get` with the objects themselves, and their changes (-w). */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "get_server.h"

enum {
    SELECTOR_SIZE = 1024,
};

static lw_status show_of_list(const lw_object *obj, void *arg, lw_error *err)
{
    return output_object(arg, obj, true, err);
}

static lw_status get_list(connection *conn, const target *t, output *out, lw_error *err)
{
    lw_list_options options = {
        .size = sizeof(lw_list_options),
        .ns = t->ns,
        .label_selector = conn->args->labels,
        .field_selector = conn->args->fields,
        .limit = GET_PAGE_SIZE,
    };
    return lw_client_list(conn->client, t->resource.gvr, &options, show_of_list, out, err);
}

static lw_status get_name(connection *conn, const target *t, bool is_of_list, output *out,
                          lw_error *err)
{
    lw_object *obj = NULL;
    lw_status st = lw_client_get(conn->client, t->resource.gvr, t->ns, t->name, NULL, &obj, err);
    if (st == LW_OK)
        st = output_object(out, obj, is_of_list, err);
    lw_object_unref(obj);
    return st;
}

/* Gets each name separately, so that a missing object does not hide the others. */
int get_objects(connection *conn, const targets *t, output *out)
{
    bool is_list = !t->has_names || t->count > 1, has_failed = false;
    lw_status st = LW_OK;
    lw_error err = LW_ERROR_INIT;
    for (size_t i = 0; st == LW_OK && i < t->count; i++) {
        const target *one = &t->at[i];
        err = (lw_error)LW_ERROR_INIT;
        st = one->name ? get_name(conn, one, is_list, out, &err) : get_list(conn, one, out, &err);
        bool is_fine = st == LW_ERR_NOT_FOUND && one->name && conn->args->ignores_not_found;
        if (st < 0 && !is_fine && output_works()) {
            connection_complain(conn, st, &err);
            has_failed = true;
        }
        st = st < 0 && !connection_is_lost(st) && output_works() ? LW_OK : st;
    }
    bool is_empty_name = !is_list && output_count(out) == 0; /* there is nothing to print */
    if (st == LW_OK && !is_empty_name) {
        st = output_finish(out, is_list, &err);
        if (st < 0 && output_works())
            connection_complain(conn, st, &err);
    }
    if (st == LW_OK && output_count(out) == 0 && !has_failed && !is_empty_name &&
        (conn->args->output.format == OUTPUT_NAME || conn->args->output.format == OUTPUT_COLUMNS))
        get_say_empty(conn, t);
    return has_failed || st < 0 ? EXIT_FAILED : EXIT_OK;
}

void get_say_empty(const connection *conn, const targets *t)
{
    const char *ns = t->count > 0 ? t->at[0].ns : NULL;
    if (conn->args->ignores_not_found && t->has_names)
        return;
    if (ns)
        fprintf(stderr, "No objects found in namespace %s.\n", ns);
    else
        fprintf(stderr, "No objects found.\n");
}

/* Prints one object as soon as it comes. */
static lw_status show_alone(const lw_object *obj, void *arg, lw_error *err)
{
    const connection *conn = arg;
    output *out = NULL;
    lw_status st = output_new(&out, &conn->args->output, err);
    if (st == LW_OK)
        st = output_object(out, obj, false, err);
    if (st == LW_OK)
        st = output_finish(out, false, err);
    if (st == LW_OK && conn->args->output.format == OUTPUT_JSONPATH)
        putchar('\n');
    output_free(out);
    return st == LW_OK && !output_push() ? LW_ERR_IO : st;
}

static lw_status show_event(const lw_watch_event *event, void *arg, lw_error *err)
{
    if (event->type == LW_WATCH_BOOKMARK)
        return LW_OK;
    if (event->type != LW_WATCH_ERROR)
        return show_alone(event->object, arg, err);
    if (event->error)
        *err = *event->error;
    return LW_ERR_EXPIRED;
}

int get_object_changes(connection *conn, const target *t)
{
    char fields[SELECTOR_SIZE];
    lw_error err = LW_ERROR_INIT;
    lw_object_list *list = NULL;
    lw_list_options options = { .size = sizeof(lw_list_options),
                                .ns = t->ns,
                                .label_selector = conn->args->labels,
                                .field_selector = conn->args->fields };
    if (t->name) {
        (void)snprintf(fields, sizeof(fields), "metadata.name=%s", t->name);
        options.field_selector = fields;
    }
    lw_status st = lw_client_list_all(conn->client, t->resource.gvr, &options, &list, &err);
    for (size_t i = 0; st == LW_OK && i < lw_object_list_count(list); i++)
        st = show_alone(lw_object_list_at(list, i), conn, &err);
    if (st == LW_OK) {
        options.resource_version = lw_object_list_metadata(list)->resource_version;
        st = lw_client_watch(conn->client, t->resource.gvr, &options, show_event, conn, &err);
    }
    lw_object_list_free(list);
    if (st < 0 && output_works())
        connection_complain(conn, st, &err);
    return st == LW_OK ? EXIT_OK : EXIT_FAILED;
}
