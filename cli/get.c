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
#include "get_server.h"
#include "manifest_file.h"
#include "message.h"
#include "output.h"
#include "targets.h"

static const char usage[] =
    "usage: listwatch get RESOURCE[,RESOURCE...] [NAME...] [options]\n"
    "       listwatch get RESOURCE/NAME... [options]\n"
    "       listwatch get -f FILE [options]\n"
    "\n"
    "Shows objects of an API server, for example of the resource pods, deployments.apps, nodes\n"
    "or all, or the objects in FILE: JSON or YAML, single objects or lists.\n"
    "\n" //
    ARGUMENTS_FILE_USAGE "  -n, --namespace NS        show objects of this namespace\n"
    "  -A, --all-namespaces      show objects of all namespaces\n"
    "  -l, --selector SELECTOR   show objects whose labels match, e.g. app=web,tier!=db\n"
    "      --field-selector S    show objects whose fields match, e.g. spec.nodeName=a\n"
    "  -o, --output FORMAT       name, json, yaml, wide, jsonpath=TEMPLATE or\n"
    "                            custom-columns=TITLE:PATH,... (default a table)\n"
    "      --sort-by PATH        sort by the value at a JSONPath, e.g. .metadata.name\n"
    "      --show-labels         show all labels in the last column\n"
    "  -L, --label-columns KEYS  show a column for each of these labels, e.g. app,tier\n"
    "      --no-headers          do not print the titles of the columns\n"
    "  -w, --watch               then print each change; see also listwatch watch\n"
    "      --ignore-not-found    do not fail if an object does not exist\n" //
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
    lw_status st = output_object(g->out, obj, is_of_list || !is_first, err);
    return st < 0 && !output_works() ? LW_ERR_STOPPED : st; /* output_flush prints the reason */
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
    lw_error err = LW_ERROR_INIT;
    lw_status st = parse_selectors(g, &err);
    bool is_read = st == LW_OK && manifest_files_read(&g->args, show_of_file, g, &g->has_list);
    /* Print what was read before the error. */
    bool is_list = g->has_list || g->seen_count != 1;
    bool is_document =
        g->args.output.format >= OUTPUT_JSON && g->args.output.format <= OUTPUT_JSONPATH;
    if (is_read || (st == LW_OK && !is_document && g->seen_count > 0))
        st = output_finish(g->out, is_list, &err);
    if (is_read && st == LW_OK && output_count(g->out) == 0 && !is_document)
        fputs("No objects found.\n", stderr);
    bool is_printed = output_flush();
    if (st < 0 && is_printed)
        message("%s", err.message[0] ? err.message : lw_status_name(st));
    return is_read && is_printed && st == LW_OK ? EXIT_OK : EXIT_FAILED;
}

static int show_targets(get *g, connection *conn, const targets *t)
{
    bool is_table = output_is_table(&g->args.output);
    if (!g->args.follows_changes)
        return is_table ? get_table(conn, t) : get_objects(conn, t, g->out);
    if (t->count > 1)
        return arguments_refuse(&g->args, "-w", "specify one resource, or one object");
    return (is_table ? get_table_changes : get_object_changes)(conn, &t->at[0]);
}

static int get_server(get *g)
{
    static targets found;
    connection conn;
    if (!connection_open(&conn, &g->args))
        return EXIT_FAILED;
    int code = targets_find(&found, &conn, g->args.words, g->args.word_count);
    if (code == EXIT_OK)
        code = show_targets(g, &conn, &found);
    connection_close(&conn);
    return output_flush() ? code : EXIT_FAILED;
}

static int run(get *g)
{
    lw_error err = LW_ERROR_INIT;
    if (g->args.file_count > 0 && g->args.word_count > 0)
        return arguments_refuse(&g->args, g->args.words[0],
                                "specify a resource or files, not both");
    if (g->args.file_count == 0 && g->args.word_count == 0)
        return arguments_refuse(&g->args, "nothing to read",
                                "specify a resource, for example pods, or a file with -f");
    if (g->args.file_count > 0 && g->args.follows_changes)
        return arguments_refuse(&g->args, "-w", "cannot be used together with -f");
    lw_status st = output_new(&g->out, &g->args.output, &err);
    if (st < 0) {
        message("%s", err.message[0] ? err.message : lw_status_name(st));
        return st == LW_ERR_SYNTAX ? EXIT_USAGE : EXIT_FAILED;
    }
    return g->args.file_count > 0 ? get_files(g) : get_server(g);
}

int command_get(int argc, char **argv)
{
    get g = { .args = { .output = { .format = OUTPUT_TABLE } } };
    bool is_over = false;
    int code = arguments_parse(&g.args, argc, argv, COMMAND_GET, usage, &is_over);
    if (!is_over)
        code = run(&g);
    output_free(g.out);
    lw_label_selector_free(g.labels);
    lw_field_selector_free(g.fields);
    return code;
}
