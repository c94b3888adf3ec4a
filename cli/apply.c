/* SPDX-License-Identifier: Apache-2.0 */
/* apply.c -- `listwatch apply -f FILE`: makes the objects on the server equal to those in files.
 *
 * Objects are created or updated by server-side apply.  Without --server-side, the file wins over
 * other field managers and the result says whether something has changed; with it, fields that
 * others have set to different values are conflicts, as in kubectl. */
#include <stdio.h>
#include <string.h>

#include <listwatch.h>

#include "applied.h"
#include "commands.h"
#include "connection.h"
#include "manifest_file.h"
#include "message.h"
#include "output.h"
#include "placed.h"

static const char usage[] =
    "usage: listwatch apply -f FILE [options]\n"
    "\n"
    "Creates the objects in FILE or updates existing ones.  Fields that an earlier apply has set\n"
    "and that are no longer in the file are removed; fields that only others have set are kept.\n"
    "\n" //
    ARGUMENTS_FILE_USAGE
    "  -n, --namespace NS        namespace of objects that do not specify one\n"
    "      --dry-run MODE        none, client (only print) or server (the server checks and\n"
    "                            stores nothing)\n"
    "      --validate MODE       fields that the server does not know: strict (an error, the\n"
    "                            default), warn or ignore\n"
    "      --server-side         fields that another manager has set to other values are\n"
    "                            conflicts; without it, the file wins\n"
    "      --force-conflicts     with --server-side: take over fields in conflict\n"
    "      --field-manager NAME  the manager of the fields (default listwatch)\n" //
    ARGUMENTS_SERVER_USAGE;

/* State of one run of the command. */
typedef struct apply {
    connection conn;
    bool has_failed;
    bool has_objects;
} apply;

/* Prints the result for one object. */
static void say(const arguments *args, const lw_object *obj, const char *what)
{
    static const char *const modes[] = { "", " (dry run)", " (server dry run)" };
    output_name(obj);
    printf(" %s%s\n", what, modes[args->dry_run]);
    (void)output_push();
}

/* An object with generateName is always a new one. */
static lw_status create(connection *conn, const placed *place, lw_error *err)
{
    lw_object *now = NULL;
    const arguments *args = conn->args;
    if (args->dry_run != DRY_RUN_NONE) {
        say(args, place->object, "created");
        return LW_OK;
    }
    lw_status st =
        lw_client_create(conn->client, place->resource.gvr, place->object, NULL, &now, err);
    if (st == LW_OK)
        say(args, now, "created");
    lw_object_unref(now);
    return st;
}

static const char *result_of(const arguments *args, const applied *done)
{
    if (args->is_server_side)
        return "serverside-applied";
    if (!done->before)
        return "created";
    return applied_is_same(done) ? "unchanged" : "configured";
}

static lw_status apply_placed(connection *conn, const placed *place, lw_error *err)
{
    applied done = { NULL, NULL };
    const arguments *args = conn->args;
    const applied_options options = {
        .field_manager = args->field_manager,
        .validation = args->validation ? args->validation : "Strict",
        .forces_conflicts = args->forces_conflicts || !args->is_server_side,
        .is_dry_run = args->dry_run == DRY_RUN_SERVER,
        .takes_over = !args->is_server_side,
    };
    if (!lw_object_name(place->object)[0])
        return create(conn, place, err);
    if (args->dry_run == DRY_RUN_CLIENT) {
        say(args, place->object, "applied");
        return LW_OK;
    }
    lw_status st = applied_send(&done, conn, place, &options, err);
    if (st == LW_OK)
        say(args, place->object, result_of(args, &done));
    applied_done(&done);
    return st;
}

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
        st = apply_placed(&a->conn, &place, &refusal);
    placed_done(&place);
    if (st < 0) {
        connection_complain(&a->conn, st, &refusal);
        a->has_failed = true;
    }
    return connection_is_lost(st) ? LW_ERR_STOPPED : LW_OK;
}

static int run(const arguments *args)
{
    apply a = { .has_failed = false };
    if (!connection_open(&a.conn, args))
        return EXIT_FAILED;
    bool is_read = manifest_files_read(args, apply_object, &a, NULL);
    connection_close(&a.conn);
    if (is_read && !a.has_objects)
        message("the files contain no objects");
    bool is_printed = output_flush();
    return is_printed && is_read && !a.has_failed && a.has_objects ? EXIT_OK : EXIT_FAILED;
}

int command_apply(int argc, char **argv)
{
    arguments args = { .output = { .format = OUTPUT_NAME } };
    bool is_over = false;
    int code = arguments_parse(&args, argc, argv, COMMAND_APPLY, usage, &is_over);
    if (is_over)
        return code;
    if (args.word_count > 0)
        return arguments_refuse(&args, args.words[0],
                                "unexpected argument; use -f to specify files");
    if (args.file_count == 0)
        return arguments_refuse(&args, "nothing to apply",
                                "specify a file with -f, or standard input with -f -");
    if (!args.is_server_side && args.forces_conflicts)
        return arguments_refuse(&args, "--force-conflicts", "requires --server-side");
    return run(&args);
}
