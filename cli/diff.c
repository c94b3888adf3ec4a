/* SPDX-License-Identifier: Apache-2.0 */
/* diff.c -- `listwatch diff -f FILE`: shows what apply would change.
 *
 * The server applies each object as a dry run; its answer is compared with the object as it is. */
#include <stdio.h>

#include <listwatch.h>

#include "applied.h"
#include "commands.h"
#include "connection.h"
#include "lines.h"
#include "manifest_file.h"
#include "output.h"
#include "placed.h"
#include "targets.h"
#include "text.h"

static const char usage[] =
    "usage: listwatch diff -f FILE [options]\n"
    "\n"
    "Shows what apply would change on the server.  Exits with 0 if nothing differs, 1 if\n"
    "something differs, and 2 after an error.\n"
    "\n" //
    ARGUMENTS_FILE_USAGE
    "  -n, --namespace NS        namespace of objects that do not specify one\n"
    "      --field-manager NAME  the manager of the fields (default listwatch)\n" //
    ARGUMENTS_SERVER_USAGE;

enum {
    EXIT_DIFFERENT = 1,
    EXIT_ERROR = 2,
    NAME_SIZE = 1024,
};

/* State of one run of the command. */
typedef struct difference {
    connection conn;
    bool has_failed;
    bool is_different;
} difference;

static lw_status add_bytes(const char *bytes, size_t len, void *arg, lw_error *err)
{
    (void)err;
    text_add_bytes(arg, bytes, len);
    return text_status(arg);
}

/* Writes a document as YAML; nothing for NULL. */
static lw_status write_yaml(lw_document *doc, text_buf *out, lw_error *err)
{
    lw_object *obj = NULL;
    lw_printer *printer = NULL;
    const lw_printer_options options = { .format = LW_PRINT_YAML, .write = add_bytes, .arg = out };
    lw_status st = doc ? lw_document_to_object(doc, &obj, err) : LW_OK;
    if (st == LW_OK && obj)
        st = lw_printer_new(&printer, &options, err);
    if (st == LW_OK && obj)
        st = lw_printer_object(printer, obj, err);
    lw_printer_free(printer);
    lw_object_unref(obj);
    return st;
}

static lw_status compare(difference *d, const placed *place, applied *done, lw_error *err)
{
    char name[NAME_SIZE];
    text_buf before = { 0 }, after = { 0 };
    const target t = { place->resource, place->ns, NULL };
    bool is_same = applied_is_same(done);
    lw_status st = is_same ? LW_OK : write_yaml(done->before, &before, err);
    if (st == LW_OK && !is_same)
        st = write_yaml(done->after, &after, err);
    if (st == LW_OK && !is_same) {
        target_text(&t, lw_object_name(place->object), name, sizeof(name));
        st = lines_print_difference(name, text_of(&before), text_of(&after), &is_same);
        d->is_different = d->is_different || !is_same;
    }
    text_done(&before);
    text_done(&after);
    return st == LW_OK && !output_push() ? LW_ERR_IO : st;
}

static lw_status diff_object(const lw_object *obj, bool is_of_list, void *arg, lw_error *err)
{
    difference *d = arg;
    placed place;
    applied done = { NULL, NULL };
    lw_error refusal = LW_ERROR_INIT;
    const applied_options options = { .field_manager = d->conn.args->field_manager,
                                      .validation = "Strict",
                                      .forces_conflicts = true,
                                      .is_dry_run = true };
    (void)is_of_list;
    (void)err;
    lw_status st = placed_find(&place, &d->conn, obj, &refusal);
    if (st == LW_OK)
        st = applied_send(&done, &d->conn, &place, &options, &refusal);
    if (st == LW_OK)
        st = compare(d, &place, &done, &refusal);
    applied_done(&done);
    placed_done(&place);
    if (st < 0 && output_works())
        connection_complain(&d->conn, st, &refusal);
    d->has_failed = d->has_failed || st < 0;
    return connection_is_lost(st) || !output_works() ? LW_ERR_STOPPED : LW_OK;
}

int command_diff(int argc, char **argv)
{
    arguments args = { .output = { .format = OUTPUT_NAME } };
    difference d = { .has_failed = false };
    bool is_over = false;
    int code = arguments_parse(&args, argc, argv, COMMAND_DIFF, usage, &is_over);
    if (is_over)
        return code;
    if (args.file_count == 0 || args.word_count > 0)
        return arguments_refuse(&args, "diff", "specify files with -f, and nothing else");
    if (!connection_open(&d.conn, &args))
        return EXIT_ERROR;
    bool is_read = manifest_files_read(&args, diff_object, &d, NULL);
    connection_close(&d.conn);
    if (!output_flush() || !is_read || d.has_failed)
        return EXIT_ERROR;
    return d.is_different ? EXIT_DIFFERENT : EXIT_OK;
}
