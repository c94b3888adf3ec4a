/* SPDX-License-Identifier: Apache-2.0 */
/* get.c -- `listwatch get`: prints objects of a server or of a file while they are read.
 *
 * Lists are read one object at a time, so memory does not grow with their size:
 *     listwatch get pods -A -l app=web
 *     kubectl get pods -A -o json | listwatch get -f - -l app=web */
#include <stdio.h>
#include <string.h>

#include <listwatch.h>

#include "commands.h"
#include "connection.h"
#include "manifest_file.h"
#include "output.h"

enum {
    PAGE_SIZE = 500,
};

static const char usage[] =
    "usage: listwatch get RESOURCE [NAME...] [options]\n"
    "       listwatch get RESOURCE/NAME [options]\n"
    "       listwatch get -f FILE [options]\n"
    "\n"
    "Shows objects of an API server, for example of the resource pods, deployments.apps or nodes,\n"
    "or the objects in FILE (- is standard input): JSON or YAML, single objects or lists.\n"
    "\n"
    "  -f, --filename FILE       read FILE instead of a server; may be repeated\n"
    "  -n, --namespace NS        show objects of this namespace\n"
    "  -A, --all-namespaces      show objects of all namespaces\n"
    "  -l, --selector SELECTOR   show objects whose labels match, e.g. app=web,tier!=db\n"
    "      --field-selector S    show objects whose fields match, e.g. spec.nodeName=a\n"
    "  -o, --output FORMAT       name, json, yaml or wide (default a table)\n" //
    ARGUMENTS_SERVER_USAGE;

/* State of one run of the command. */
typedef struct get {
    arguments args;
    lw_label_selector *labels; /* for files */
    lw_field_selector *fields;
    output *out;
    size_t seen_count; /* objects read, including those that do not match */
    bool has_list;
} get;

static bool is_wanted(const get *g, const lw_object *obj)
{
    return (!g->args.ns || strcmp(g->args.ns, lw_object_namespace(obj)) == 0) &&
           lw_label_selector_matches(g->labels, obj) &&
           lw_field_selector_matches_object(g->fields, obj);
}

static lw_status show_of_file(const lw_object *obj, bool is_of_list, void *arg, lw_error *err)
{
    get *g = arg;
    bool is_first = g->seen_count++ == 0;
    if (!is_wanted(g, obj))
        return LW_OK;
    return output_object(g->out, obj, is_of_list || !is_first, err);
}

/* The selectors have been validated before: only memory can be missing. */
static lw_status parse_selectors(get *g, lw_error *err)
{
    lw_status st = LW_OK;
    if (g->args.labels)
        st = lw_label_selector_parse(&g->labels, lw_str_of(g->args.labels), err);
    if (st == LW_OK && g->args.fields)
        st = lw_field_selector_parse(&g->fields, lw_str_of(g->args.fields), err);
    return st;
}

static int get_files(get *g)
{
    const char *file = "";
    lw_error err = LW_ERROR_INIT;
    lw_status st = parse_selectors(g, &err);
    for (size_t i = 0; st == LW_OK && i < g->args.file_count; i++) {
        file = g->args.files[i];
        st = manifest_file_read(file, show_of_file, g, &g->has_list, &err);
    }
    /* Print what was read before the error. */
    lw_error end = LW_ERROR_INIT;
    bool is_list = g->has_list || g->seen_count != 1;
    if (st == LW_OK)
        st = output_finish(g->out, is_list, &err);
    else if (g->args.output <= OUTPUT_WIDE && g->seen_count > 0)
        (void)output_finish(g->out, is_list, &end);
    bool is_printed = output_flush("get");
    if (st < 0 && is_printed) /* otherwise reading stopped because standard output failed */
        manifest_file_complain("get", file, st, &err);
    return is_printed && st == LW_OK ? EXIT_OK : EXIT_FAILED;
}

static lw_status show_of_list(const lw_object *obj, void *arg, lw_error *err)
{
    get *g = arg;
    return output_object(g->out, obj, true, err);
}

static lw_status get_list(get *g, connection *conn, const target *t, lw_error *err)
{
    lw_list_options options = {
        .size = sizeof(lw_list_options),
        .ns = t->ns,
        .label_selector = g->args.labels,
        .field_selector = g->args.fields,
        .limit = PAGE_SIZE,
    };
    g->has_list = true;
    return lw_client_list(conn->client, t->resource.gvr, &options, show_of_list, g, err);
}

/* Gets each name separately, so that a missing object does not hide the others. */
static lw_status get_names(get *g, connection *conn, const target *t, bool *is_complete,
                           lw_error *err)
{
    lw_status st = LW_OK;
    for (size_t i = 0; st == LW_OK && i < t->name_count; i++) {
        lw_object *obj = NULL;
        lw_error missing = LW_ERROR_INIT;
        st = lw_client_get(conn->client, t->resource.gvr, t->ns, target_name(t, i), NULL, &obj,
                           &missing);
        if (st == LW_OK) {
            st = output_object(g->out, obj, t->name_count > 1, err);
        } else if (st == LW_ERR_NOT_FOUND) {
            connection_complain(conn, st, &missing);
            *is_complete = false;
            st = LW_OK;
        } else {
            *err = missing;
        }
        lw_object_unref(obj);
    }
    return st;
}

static int get_target(get *g, connection *conn, const target *t)
{
    lw_error err = LW_ERROR_INIT;
    bool is_complete = true;
    lw_status st =
        t->name_count > 0 ? get_names(g, conn, t, &is_complete, &err) : get_list(g, conn, t, &err);
    if (st == LW_OK && (is_complete || t->name_count > 1))
        st = output_finish(g->out, g->has_list || t->name_count > 1, &err);
    bool is_printed = output_flush("get");
    if (st < 0 && is_printed)
        connection_complain(conn, st, &err);
    return is_printed && is_complete && st == LW_OK ? EXIT_OK : EXIT_FAILED;
}

static int get_server(get *g)
{
    connection conn;
    target t;
    if (!connection_open(&conn, &g->args))
        return EXIT_FAILED;
    int code = connection_target(&conn, &t);
    if (code == EXIT_OK)
        code = get_target(g, &conn, &t);
    connection_close(&conn);
    return code;
}

static int run(get *g)
{
    if (g->args.file_count > 0 && g->args.word_count > 0)
        return arguments_refuse(&g->args, g->args.words[0],
                                "specify a resource or files, not both");
    if (g->args.file_count == 0 && g->args.word_count == 0)
        return arguments_refuse(&g->args, "nothing to read",
                                "specify a resource, for example pods, or a file with -f");
    g->out = output_new(g->args.output);
    if (!g->out) {
        fputs("listwatch get: out of memory\n", stderr);
        return EXIT_FAILED;
    }
    return g->args.file_count > 0 ? get_files(g) : get_server(g);
}

int command_get(int argc, char **argv)
{
    get g = { .args = { .output = OUTPUT_TABLE } };
    bool is_over = false;
    int code = arguments_parse(&g.args, argc, argv, ARGUMENTS_OF_GET, usage, &is_over);
    if (!is_over)
        code = run(&g);
    output_free(g.out);
    lw_label_selector_free(g.labels);
    lw_field_selector_free(g.fields);
    return code;
}
