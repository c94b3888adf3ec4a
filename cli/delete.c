/* SPDX-License-Identifier: Apache-2.0 */
/* delete.c -- `listwatch delete`: deletes objects by name, by selector, all of a resource, or those
 * in files.
 *
 * What would delete more than the objects of one namespace that match a selector must be confirmed:
 * on a terminal by an answer, otherwise with --yes. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <listwatch.h>

#include "commands.h"
#include "connection.h"
#include "grid.h"
#include "manifest_file.h"
#include "message.h"
#include "output.h"
#include "placed.h"
#include "targets.h"
#include "text.h"

enum {
    ANSWER_SIZE = 16,
    NAME_SIZE = 1024,
    QUESTION_SIZE = 512,
};

static const char usage[] =
    "usage: listwatch delete RESOURCE NAME... [options]\n"
    "       listwatch delete RESOURCE/NAME... [options]\n"
    "       listwatch delete RESOURCE[,RESOURCE...] -l SELECTOR [options]\n"
    "       listwatch delete RESOURCE[,RESOURCE...] --all [options]\n"
    "       listwatch delete -f FILE [options]\n"
    "\n"
    "Deletes objects and prints the name and namespace of each.  Does not wait until they are\n"
    "gone.  With --all or -A it asks first, or needs --yes if it cannot ask.\n"
    "\n" //
    ARGUMENTS_FILE_USAGE "  -n, --namespace NS        namespace of the objects\n"
    "  -A, --all-namespaces      delete in all namespaces; only with a selector or --all\n"
    "  -l, --selector SELECTOR   delete objects whose labels match\n"
    "      --field-selector S    delete objects whose fields match\n"
    "      --all                 delete all objects of the resource in the namespace\n"
    "  -y, --yes                 delete without asking\n"
    "      --dry-run MODE        none, client (only print) or server (the server checks only)\n"
    "      --cascade MODE        what happens to objects that these own: background,\n"
    "                            foreground or orphan (default that of the server)\n"
    "      --grace-period SECS   how long pods may take to stop\n"
    "      --ignore-not-found    do not fail if an object does not exist\n" //
    ARGUMENTS_SERVER_USAGE;

/* State of one run of the command. */
typedef struct deletion {
    const arguments *args;
    connection conn;
    bool has_failed;
} deletion;

/* Prints "deployment.apps/web deleted from namespace prod" or "namespace/prod deleted". */
static void say(const deletion *d, const target *t, const char *ns, const char *name)
{
    static const char *const modes[] = { "", " (dry run)", " (server dry run)" };
    char full_name[NAME_SIZE];
    target_text(t, name, full_name, sizeof(full_name));
    print_plain(full_name);
    fputs(" deleted", stdout);
    if (t->resource.is_namespaced) {
        fputs(" from namespace ", stdout);
        print_plain(ns);
    }
    puts(modes[d->args->dry_run]);
    (void)output_push();
}

static lw_status send_dry_run(deletion *d, const target *t, const char *ns, const char *name,
                              lw_error *err)
{
    static const char *const query[] = { "dryRun", "All", NULL };
    lw_raw_options options = LW_RAW_OPTIONS_INIT;
    text_buf path = { 0 };
    options.query = query;
    target_path(&t->resource, ns, name, NULL, &path);
    lw_status st = text_status(&path);
    if (st == LW_OK)
        st = lw_client_raw(d->conn.client, "DELETE", text_of(&path), &options, NULL, err);
    text_done(&path);
    return st;
}

static lw_status send_delete(deletion *d, const target *t, const char *ns, const char *name,
                             const char *uid, lw_error *err)
{
    lw_delete_options options = LW_DELETE_OPTIONS_INIT;
    options.uid = uid;
    options.grace_period_s = d->args->grace_period_s;
    options.propagation = d->args->cascade;
    switch (d->args->dry_run) {
    case DRY_RUN_CLIENT: return LW_OK;
    case DRY_RUN_SERVER: return send_dry_run(d, t, ns, name, err);
    case DRY_RUN_NONE: break;
    }
    return lw_client_delete(d->conn.client, t->resource.gvr, ns, name, &options, err);
}

/* Returns LW_OK after an error that concerns only this object, so that the command continues. */
static lw_status delete_one(deletion *d, const target *t, const char *ns, const char *name,
                            const char *uid)
{
    lw_error err = LW_ERROR_INIT;
    lw_status st = send_delete(d, t, ns, name, uid, &err);
    if (st == LW_OK) {
        say(d, t, ns, name);
        return LW_OK;
    }
    if (st == LW_ERR_NOT_FOUND && d->args->ignores_not_found)
        return LW_OK;
    connection_complain(&d->conn, st, &err);
    d->has_failed = true;
    return connection_is_lost(st) ? LW_ERR_STOPPED : LW_OK;
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
        const target t = { place.resource, place.ns, lw_object_name(obj) };
        st = delete_one(d, &t, place.ns, t.name, NULL);
    } else {
        connection_complain(&d->conn, st, &refusal);
        d->has_failed = true;
        st = connection_is_lost(st) ? LW_ERR_STOPPED : LW_OK;
    }
    placed_done(&place);
    return st;
}

static lw_status find_selected(deletion *d, const target *t, lw_object_list **found)
{
    lw_error err = LW_ERROR_INIT;
    lw_list_options options = {
        .size = sizeof(lw_list_options),
        .ns = t->ns,
        .label_selector = d->args->labels,
        .field_selector = d->args->fields,
        .is_metadata_only = true,
    };
    lw_status st = lw_client_list_all(d->conn.client, t->resource.gvr, &options, found, &err);
    if (st < 0)
        connection_complain(&d->conn, st, &err);
    return st;
}

/* Asks on the terminal.  Everything but y and yes is no. */
static bool ask(const target *t, size_t count, const char *where)
{
    char answer[ANSWER_SIZE];
    fprintf(stderr, "Delete %zu %.*s %s? [y/N] ", count, (int)t->resource.gvr.resource.len,
            t->resource.gvr.resource.ptr, where);
    (void)fflush(stderr);
    if (!fgets(answer, sizeof(answer), stdin))
        return false;
    answer[strcspn(answer, "\r\n")] = '\0';
    return strcmp(answer, "y") == 0 || strcmp(answer, "yes") == 0;
}

/* Returns true if the objects may be deleted. */
static bool confirm(const deletion *d, const target *t, size_t count)
{
    char where[QUESTION_SIZE];
    bool is_everywhere = t->resource.is_namespaced && !t->ns;
    if (d->args->is_confirmed || d->args->dry_run != DRY_RUN_NONE || count == 0 ||
        (!is_everywhere && !d->args->deletes_all))
        return true;
    if (t->ns)
        (void)snprintf(where, sizeof(where), "in namespace %s", t->ns);
    else
        (void)snprintf(where, sizeof(where), "%s",
                       is_everywhere ? "in all namespaces" : "of the cluster");
    if (isatty(STDIN_FILENO) && isatty(STDERR_FILENO)) {
        if (ask(t, count, where))
            return true;
        message("nothing was deleted");
        return false;
    }
    message("this would delete %zu %.*s %s; add --yes to delete them", count,
            (int)t->resource.gvr.resource.len, t->resource.gvr.resource.ptr, where);
    return false;
}

/* Deletes the objects that match, each with a precondition on its UID. */
static int delete_selected(deletion *d, const target *t)
{
    lw_object_list *found = NULL;
    lw_status st = find_selected(d, t, &found);
    if (st < 0)
        return EXIT_FAILED;
    if (lw_object_list_count(found) == 0)
        fputs("No objects found.\n", stderr);
    bool is_allowed = confirm(d, t, lw_object_list_count(found));
    for (size_t i = 0; is_allowed && st == LW_OK && i < lw_object_list_count(found); i++) {
        const lw_object *obj = lw_object_list_at(found, i);
        const char *ns = lw_object_namespace(obj), *uid = lw_object_uid(obj);
        st = delete_one(d, t, ns[0] ? ns : NULL, lw_object_name(obj), uid[0] ? uid : NULL);
    }
    lw_object_list_free(found);
    return is_allowed && st == LW_OK ? EXIT_OK : EXIT_FAILED;
}

static int delete_words(deletion *d)
{
    static targets found;
    int code = targets_find(&found, &d->conn, d->args->words, d->args->word_count);
    for (size_t i = 0; code == EXIT_OK && i < found.count; i++) {
        const target *t = &found.at[i];
        if (!t->name)
            code = delete_selected(d, t);
        else if (delete_one(d, t, t->ns, t->name, NULL) < 0)
            code = EXIT_FAILED;
    }
    return code;
}

/* Rejects command lines that do not say clearly which objects to delete. */
static int check_words(const arguments *args)
{
    bool has_selector = args->labels || args->fields;
    bool has_names = args->word_count > 1 || (args->word_count == 1 && strchr(args->words[0], '/'));
    if (args->file_count > 0 && (args->word_count > 0 || has_selector || args->deletes_all))
        return arguments_refuse(args, "-f", "cannot be combined with names, selectors or --all");
    if (args->file_count == 0 && args->word_count == 0)
        return arguments_refuse(args, "nothing to delete",
                                "specify RESOURCE NAME, or a file with -f");
    if (args->deletes_all && has_selector)
        return arguments_refuse(args, "--all",
                                "cannot be combined with a selector: --all means all objects of "
                                "the resource; for all namespaces use --all-namespaces");
    if (args->deletes_all && has_names)
        return arguments_refuse(args, "--all", "cannot be combined with object names");
    if (args->word_count == 1 && !has_selector && !has_names && !args->deletes_all)
        return arguments_refuse(args, args->words[0],
                                "specify object names, a selector with -l, or --all");
    return EXIT_OK;
}

int command_delete(int argc, char **argv)
{
    arguments args = { .output = { .format = OUTPUT_NAME } };
    bool is_over = false;
    int code = arguments_parse(&args, argc, argv, COMMAND_DELETE, usage, &is_over);
    if (is_over)
        return code;
    code = check_words(&args);
    if (code != EXIT_OK)
        return code;
    deletion d = { .args = &args };
    if (!connection_open(&d.conn, &args))
        return EXIT_FAILED;
    if (args.file_count > 0)
        code = manifest_files_read(&args, delete_of_file, &d, NULL) ? EXIT_OK : EXIT_FAILED;
    else
        code = delete_words(&d);
    connection_close(&d.conn);
    bool is_printed = output_flush();
    return code == EXIT_OK && (d.has_failed || !is_printed) ? EXIT_FAILED : code;
}
