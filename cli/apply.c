/* SPDX-License-Identifier: Apache-2.0 */
/* apply.c -- `listwatch apply -f FILE`: creates the objects of files or updates existing ones.
 *
 * An existing object is updated with the document as a merge patch (RFC 7396): members of the
 * document are set, null members are removed, lists are replaced, everything else is kept.  If the
 * reply has a new resourceVersion, the object has changed.
 *
 * With --server-side, the server merges by field managers. */
#include <stdio.h>
#include <string.h>

#include <listwatch.h>

#include "commands.h"
#include "connection.h"
#include "manifest_file.h"
#include "output.h"
#include "placed.h"

static const char usage[] =
    "usage: listwatch apply -f FILE [options]\n"
    "\n"
    "Creates the objects in FILE (- is standard input) or merges them into existing ones.\n"
    "Fields that are not in the file keep their values.\n"
    "\n"
    "  -f, --filename FILE       JSON or YAML with objects or lists; may be repeated\n"
    "  -n, --namespace NS        namespace of objects that do not specify one\n"
    "      --server-side         let the server merge: fields that this manager applied\n"
    "                            before and that are no longer in FILE are removed; fields\n"
    "                            that another manager has changed are conflicts\n"
    "      --force-conflicts     with --server-side: take over fields in conflict\n"
    "      --field-manager NAME  with --server-side: the manager of the fields\n"
    "                            (default listwatch)\n" //
    ARGUMENTS_SERVER_USAGE;

/* Prints the result for one object. */
static void say(const lw_object *obj, const char *what)
{
    output_name(obj);
    printf(" %s\n", what);
    (void)output_push();
}

static lw_status create(connection *conn, const placed *place, lw_error *err)
{
    lw_object *now = NULL;
    lw_status st =
        lw_client_create(conn->client, place->resource.gvr, place->object, NULL, &now, err);
    if (st == LW_OK)
        say(now, "created");
    lw_object_unref(now);
    return st;
}

static lw_status merge(connection *conn, const placed *place, const lw_object *before,
                       lw_error *err)
{
    lw_object *now = NULL;
    lw_str json = lw_object_json(place->object);
    lw_status st = lw_client_patch(conn->client, place->resource.gvr, place->ns,
                                   lw_object_name(place->object), json, NULL, &now, err);
    if (st == LW_OK) {
        bool is_same =
            strcmp(lw_object_resource_version(before), lw_object_resource_version(now)) == 0;
        say(now, is_same ? "unchanged" : "configured");
    }
    lw_object_unref(now);
    return st;
}

static lw_status apply_placed(connection *conn, const placed *place, lw_error *err)
{
    lw_object *before = NULL;
    lw_error missing = LW_ERROR_INIT;
    if (!lw_object_name(place->object)[0]) /* generateName: always creates a new object */
        return create(conn, place, err);
    lw_status st = lw_client_get(conn->client, place->resource.gvr, place->ns,
                                 lw_object_name(place->object), NULL, &before, &missing);
    if (st == LW_OK)
        st = merge(conn, place, before, err);
    else if (st == LW_ERR_NOT_FOUND)
        st = create(conn, place, err);
    else
        *err = missing;
    lw_object_unref(before);
    return st;
}

static lw_status apply_server_side(connection *conn, const placed *place, lw_error *err)
{
    lw_object *now = NULL;
    lw_str json = lw_object_json(place->object);
    lw_apply_options options = LW_APPLY_OPTIONS_INIT;
    options.field_manager = conn->args->field_manager;
    options.force = conn->args->forces_conflicts;
    lw_status st = lw_client_apply(conn->client, place->resource.gvr, place->ns,
                                   lw_object_name(place->object), json, &options, &now, err);
    if (st == LW_OK)
        say(now, "serverside-applied");
    lw_object_unref(now);
    return st;
}

/* State of one run of the command. */
typedef struct apply {
    connection conn;
    bool has_failed;
    bool has_objects;
} apply;

/* If the server rejects an object, the others are still applied. */
static lw_status apply_object(const lw_object *obj, bool is_of_list, void *arg, lw_error *err)
{
    apply *a = arg;
    placed place;
    lw_error refusal = LW_ERROR_INIT;
    (void)is_of_list;
    (void)err;
    a->has_objects = true;
    lw_status st = placed_find(&place, &a->conn, obj, &refusal);
    if (st == LW_OK)
        st = (a->conn.args->is_server_side ? apply_server_side : apply_placed)(&a->conn, &place,
                                                                               &refusal);
    placed_done(&place);
    if (st < 0) {
        connection_complain(&a->conn, st, &refusal);
        a->has_failed = true;
    }
    return st == LW_ERR_UNAVAILABLE || st == LW_ERR_UNAUTHORIZED ? LW_ERR_STOPPED : LW_OK;
}

static int run(const arguments *args)
{
    apply a = { .has_failed = false };
    lw_status st = LW_OK;
    if (!connection_open(&a.conn, args))
        return EXIT_FAILED;
    for (size_t i = 0; st == LW_OK && i < args->file_count; i++) {
        lw_error err = LW_ERROR_INIT;
        st = manifest_file_read(args->files[i], apply_object, &a, NULL, &err);
        if (st < 0 && st != LW_ERR_STOPPED)
            manifest_file_complain(args->command, args->files[i], st, &err);
    }
    connection_close(&a.conn);
    if (st == LW_OK && !a.has_objects)
        fputs("listwatch apply: the files contain no objects\n", stderr);
    bool is_printed = output_flush(args->command);
    return is_printed && st == LW_OK && !a.has_failed && a.has_objects ? EXIT_OK : EXIT_FAILED;
}

int command_apply(int argc, char **argv)
{
    arguments args = { .output = OUTPUT_NAME };
    bool is_over = false;
    int code = arguments_parse(&args, argc, argv, ARGUMENTS_OF_APPLY, usage, &is_over);
    if (is_over)
        return code;
    if (args.word_count > 0)
        return arguments_refuse(&args, args.words[0],
                                "unexpected argument; use -f to specify files");
    if (args.file_count == 0)
        return arguments_refuse(&args, "nothing to apply",
                                "specify a file with -f, or standard input with -f -");
    if (!args.is_server_side && (args.forces_conflicts || args.field_manager))
        return arguments_refuse(&args,
                                args.forces_conflicts ? "--force-conflicts" : "--field-manager",
                                "requires --server-side");
    return run(&args);
}
