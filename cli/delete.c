/* SPDX-License-Identifier: Apache-2.0 */
/* delete.c -- `listwatch delete`: deletes objects by name, by selector, or those in a file. */
#include <stdio.h>
#include <string.h>

#include <listwatch.h>

#include "commands.h"
#include "connection.h"
#include "manifest_file.h"
#include "output.h"
#include "placed.h"
#include "table.h"

static const char usage[] =
    "usage: listwatch delete RESOURCE NAME... [options]\n"
    "       listwatch delete RESOURCE/NAME [options]\n"
    "       listwatch delete RESOURCE -l SELECTOR [options]\n"
    "       listwatch delete -f FILE [options]\n"
    "\n"
    "Deletes objects.  Does not wait until they are gone.\n"
    "\n"
    "  -f, --filename FILE       delete the objects in FILE (- is standard input)\n"
    "  -n, --namespace NS        namespace of the objects\n"
    "  -A, --all-namespaces      delete in all namespaces; only with a selector\n"
    "  -l, --selector SELECTOR   delete objects whose labels match\n"
    "      --field-selector S    delete objects whose fields match\n"
    "      --ignore-not-found    do not fail if an object does not exist\n" //
    ARGUMENTS_SERVER_USAGE;

/* State of one run of the command. */
typedef struct deletion {
    const arguments *args;
    connection conn;
    bool has_failed;
} deletion;

/* Prints |text| in lower case. */
static void print_lower(lw_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        print_plain((const char[]){ c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c, '\0' });
    }
}

/* Prints "deployment.apps/web deleted from namespace prod" or "namespace/prod deleted". */
static void say(const lw_resource *resource, const char *ns, const char *name)
{
    print_lower(resource->kind);
    if (!lw_str_is_empty(resource->gvr.group))
        putchar('.');
    print_lower(resource->gvr.group);
    putchar('/');
    print_plain(name);
    fputs(" deleted", stdout);
    if (resource->is_namespaced) {
        fputs(" from namespace ", stdout);
        print_plain(ns);
    }
    putchar('\n');
    (void)output_push();
}

/* Returns LW_OK after an error that concerns only this object, so that the command continues. */
static lw_status delete_one(deletion *d, const lw_resource *resource, const char *ns,
                            const char *name, const char *uid)
{
    lw_delete_options options = LW_DELETE_OPTIONS_INIT;
    lw_error err = LW_ERROR_INIT;
    options.uid = uid;
    lw_status st = lw_client_delete(d->conn.client, resource->gvr, ns, name, &options, &err);
    if (st == LW_OK) {
        say(resource, ns, name);
        return LW_OK;
    }
    if (st == LW_ERR_NOT_FOUND && d->args->ignores_not_found)
        return LW_OK;
    connection_complain(&d->conn, st, &err);
    d->has_failed = true;
    return st == LW_ERR_UNAVAILABLE || st == LW_ERR_UNAUTHORIZED ? LW_ERR_STOPPED : LW_OK;
}

static lw_status delete_of_file(const lw_object *obj, bool is_of_list, void *arg, lw_error *err)
{
    deletion *d = arg;
    placed place;
    lw_error refusal = LW_ERROR_INIT;
    (void)is_of_list;
    (void)err;
    lw_status st = placed_find(&place, &d->conn, obj, &refusal);
    if (st == LW_OK) {
        st = delete_one(d, &place.resource, place.ns, lw_object_name(obj), NULL);
    } else {
        connection_complain(&d->conn, st, &refusal);
        d->has_failed = true;
        st = st == LW_ERR_UNAVAILABLE || st == LW_ERR_UNAUTHORIZED ? LW_ERR_STOPPED : LW_OK;
    }
    placed_done(&place);
    return st;
}

static int delete_files(deletion *d)
{
    lw_status st = LW_OK;
    for (size_t i = 0; st == LW_OK && i < d->args->file_count; i++) {
        lw_error err = LW_ERROR_INIT;
        st = manifest_file_read(d->args->files[i], delete_of_file, d, NULL, &err);
        if (st < 0 && st != LW_ERR_STOPPED)
            manifest_file_complain(d->args->command, d->args->files[i], st, &err);
    }
    return st == LW_OK ? EXIT_OK : EXIT_FAILED;
}

/* Deletes the objects that match the selector, each with a precondition on its UID. */
static int delete_selected(deletion *d, const target *t)
{
    lw_object_list *found = NULL;
    lw_error err = LW_ERROR_INIT;
    lw_list_options options = {
        .size = sizeof(lw_list_options),
        .ns = t->ns,
        .label_selector = d->args->labels,
        .field_selector = d->args->fields,
        .is_metadata_only = true,
    };
    lw_status st = lw_client_list_all(d->conn.client, t->resource.gvr, &options, &found, &err);
    if (st < 0) {
        connection_complain(&d->conn, st, &err);
        return EXIT_FAILED;
    }
    if (lw_object_list_count(found) == 0)
        fputs("No objects found.\n", stderr);
    for (size_t i = 0; st == LW_OK && i < lw_object_list_count(found); i++) {
        const lw_object *obj = lw_object_list_at(found, i);
        const char *uid = lw_object_uid(obj);
        st = delete_one(d, &t->resource, lw_object_namespace(obj), lw_object_name(obj),
                        uid[0] ? uid : NULL);
    }
    lw_object_list_free(found);
    return st == LW_OK ? EXIT_OK : EXIT_FAILED;
}

static int delete_words(deletion *d)
{
    target t;
    lw_status st = LW_OK;
    int code = connection_target(&d->conn, &t);
    if (code != EXIT_OK)
        return code;
    if (t.name_count == 0)
        return delete_selected(d, &t);
    for (size_t i = 0; st == LW_OK && i < t.name_count; i++)
        st = delete_one(d, &t.resource, t.ns, target_name(&t, i), NULL);
    return st == LW_OK ? EXIT_OK : EXIT_FAILED;
}

/* Rejects command lines that do not say clearly which objects to delete. */
static int check_words(const arguments *args)
{
    bool has_selector = args->labels || args->fields;
    if (args->file_count > 0 && (args->word_count > 0 || has_selector))
        return arguments_refuse(args, "-f", "cannot be combined with names or selectors");
    if (args->file_count == 0 && args->word_count == 0)
        return arguments_refuse(args, "nothing to delete",
                                "specify RESOURCE NAME, or a file with -f");
    if (args->word_count == 1 && !has_selector && !strchr(args->words[0], '/'))
        return arguments_refuse(args, args->words[0],
                                "specify object names, or a selector with -l");
    return EXIT_OK;
}

int command_delete(int argc, char **argv)
{
    arguments args = { .output = OUTPUT_NAME };
    bool is_over = false;
    int code = arguments_parse(&args, argc, argv, ARGUMENTS_OF_DELETE, usage, &is_over);
    if (is_over)
        return code;
    code = check_words(&args);
    if (code != EXIT_OK)
        return code;
    deletion d = { .args = &args };
    if (!connection_open(&d.conn, &args))
        return EXIT_FAILED;
    code = args.file_count > 0 ? delete_files(&d) : delete_words(&d);
    connection_close(&d.conn);
    bool is_printed = output_flush(args.command);
    return code == EXIT_OK && (d.has_failed || !is_printed) ? EXIT_FAILED : code;
}
