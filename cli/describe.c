/* SPDX-License-Identifier: Apache-2.0 */
/* describe.c -- `listwatch describe`: the details of objects and their events. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <listwatch.h>

#include "commands.h"
#include "connection.h"
#include "events.h"
#include "outline.h"
#include "output.h"
#include "targets.h"

static const char usage[] = "usage: listwatch describe RESOURCE[,RESOURCE...] [NAME...] [options]\n"
                            "       listwatch describe RESOURCE/NAME... [options]\n"
                            "\n"
                            "Shows all fields of objects, and the events about them.\n"
                            "\n"
                            "  -n, --namespace NS        namespace of the objects\n"
                            "  -A, --all-namespaces      objects of all namespaces\n"
                            "  -l, --selector SELECTOR   objects whose labels match\n" //
    ARGUMENTS_SERVER_USAGE;

enum {
    PAIR_SIZE = 1024,
};

/* State of one run of the command. */
typedef struct description {
    connection *conn;
    size_t count;
} description;

/* "Labels:  a=b" with one line per label. */
static void add_pairs(outline *o, const char *label, lw_document *doc, const char *pointer,
                      const char *between)
{
    const lw_value *pairs = lw_document_find(doc, NULL, pointer);
    size_t count = lw_document_count(pairs);
    if (count == 0)
        outline_add(o, 0, label, "<none>");
    for (size_t i = 0; i < count; i++) {
        char pair[PAIR_SIZE];
        lw_str key = lw_document_key(pairs, i);
        (void)snprintf(pair, sizeof(pair), "%.*s%s%s", (int)key.len, key.ptr, between,
                       lw_document_string(doc, lw_document_item(pairs, i), "", ""));
        outline_add(o, 0, i == 0 ? label : "", pair);
    }
}

static void add_body(outline *o, lw_document *doc)
{
    static const char *const in_metadata[] = { "managedFields", "name",        "namespace",
                                               "labels",        "annotations", NULL };
    static const char *const at_top[] = { "apiVersion", "kind", "metadata", NULL };
    outline_add(o, 0, "Name:", lw_document_string(doc, NULL, "/metadata/name", ""));
    outline_add(o, 0, "Namespace:", lw_document_string(doc, NULL, "/metadata/namespace", ""));
    add_pairs(o, "Labels:", doc, "/metadata/labels", "=");
    add_pairs(o, "Annotations:", doc, "/metadata/annotations", ": ");
    outline_add(o, 0, "API Version:", lw_document_string(doc, NULL, "/apiVersion", ""));
    outline_add(o, 0, "Kind:", lw_document_string(doc, NULL, "/kind", ""));
    outline_add(o, 0, "Metadata:", NULL);
    outline_add_members(o, 1, doc, lw_document_find(doc, NULL, "/metadata"), in_metadata);
    outline_add_members(o, 0, doc, lw_document_find(doc, NULL, ""), at_top);
}

static lw_status describe(const lw_object *obj, void *arg, lw_error *err)
{
    description *d = arg;
    outline *o = outline_new();
    lw_document *doc = NULL;
    lw_status st = o ? lw_document_from_object(&doc, obj, err) : LW_ERR_NOMEM;
    if (st == LW_OK) {
        if (d->count++ > 0)
            fputs("\n\n", stdout);
        add_body(o, doc);
        st = events_print(d->conn, obj, o);
    }
    outline_free(o);
    lw_document_free(doc);
    return st == LW_OK && !output_push() ? LW_ERR_IO : st;
}

static lw_status describe_target(description *d, const target *t, lw_error *err)
{
    lw_object *obj = NULL;
    lw_list_options options = { .size = sizeof(lw_list_options),
                                .ns = t->ns,
                                .label_selector = d->conn->args->labels };
    if (!t->name)
        return lw_client_list(d->conn->client, t->resource.gvr, &options, describe, d, err);
    lw_status st = lw_client_get(d->conn->client, t->resource.gvr, t->ns, t->name, NULL, &obj, err);
    if (st == LW_OK)
        st = describe(obj, d, err);
    lw_object_unref(obj);
    return st;
}

static int run(connection *conn)
{
    static targets found;
    description d = { .conn = conn };
    int code = targets_find(&found, conn, conn->args->words, conn->args->word_count);
    if (code != EXIT_OK)
        return code;
    for (size_t i = 0; i < found.count && output_works(); i++) {
        lw_error err = LW_ERROR_INIT;
        lw_status st = describe_target(&d, &found.at[i], &err);
        if (st < 0 && output_works()) {
            connection_complain(conn, st, &err);
            code = EXIT_FAILED;
        }
        if (connection_is_lost(st))
            break;
    }
    if (code == EXIT_OK && d.count == 0)
        fputs("No objects found.\n", stderr);
    return output_flush() ? code : EXIT_FAILED;
}

int command_describe(int argc, char **argv)
{
    arguments args = { .output = { .format = OUTPUT_TABLE } };
    connection conn;
    bool is_over = false;
    int code = arguments_parse(&args, argc, argv, COMMAND_DESCRIBE, usage, &is_over);
    if (is_over)
        return code;
    if (args.word_count == 0)
        return arguments_refuse(&args, "nothing to describe", "specify RESOURCE/NAME");
    if (!connection_open(&conn, &args))
        return EXIT_FAILED;
    code = run(&conn);
    connection_close(&conn);
    return code;
}
