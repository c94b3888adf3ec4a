/* SPDX-License-Identifier: Apache-2.0 */
/* scale.c -- `listwatch scale`: changes the number of replicas, by the subresource scale. */
#include <inttypes.h>
#include <stdio.h>

#include <listwatch.h>

#include "commands.h"
#include "connection.h"
#include "fetch.h"
#include "grid.h"
#include "message.h"
#include "output.h"
#include "targets.h"

static const char usage[] =
    "usage: listwatch scale RESOURCE/NAME... --replicas N [options]\n"
    "\n"
    "Changes the number of replicas of deployments, replica sets, stateful sets and other\n"
    "resources that have the subresource scale.\n"
    "\n"
    "      --replicas N          the new number\n"
    "      --current-replicas N  change it only if this is the number now\n" //
    ARGUMENTS_NAMESPACE_USAGE ARGUMENTS_SERVER_USAGE;

enum {
    NAME_SIZE = 1024,
    PATCH_SIZE = 512,
    VERSION_SIZE = 64,
};

/* Checks the number now.  Sets |version| to that of the scale, so that nobody changes it in
 * between. */
static lw_status check_current(connection *conn, const target *t, char version[VERSION_SIZE],
                               lw_error *err)
{
    text_buf path = { 0 };
    lw_document *doc = NULL;
    target_path(&t->resource, t->ns, t->name, "scale", &path);
    lw_status st = text_status(&path);
    if (st == LW_OK)
        st = fetch_document(conn->client, text_of(&path), NULL, &doc, err);
    text_done(&path);
    if (st < 0)
        return st;
    int64_t now = lw_document_int(doc, NULL, "/spec/replicas", 0);
    (void)snprintf(version, VERSION_SIZE, "%s",
                   lw_document_string(doc, NULL, "/metadata/resourceVersion", ""));
    lw_document_free(doc);
    if (now == conn->args->current_replicas)
        return LW_OK;
    (void)snprintf(err->message, sizeof(err->message),
                   "%s: expected %" PRId64 " replicas, but it has %" PRId64, t->name,
                   conn->args->current_replicas, now);
    return LW_ERR_CONFLICT;
}

static lw_status scale(connection *conn, const target *t, lw_error *err)
{
    char patch[PATCH_SIZE], version[VERSION_SIZE] = "";
    const arguments *args = conn->args;
    lw_status st = args->current_replicas < 0 ? LW_OK : check_current(conn, t, version, err);
    if (st < 0)
        return st;
    int len = version[0] ? snprintf(patch, sizeof(patch),
                                    "{\"metadata\":{\"resourceVersion\":\"%s\"},"
                                    "\"spec\":{\"replicas\":%" PRId64 "}}",
                                    version, args->replicas)
                         : snprintf(patch, sizeof(patch), "{\"spec\":{\"replicas\":%" PRId64 "}}",
                                    args->replicas);
    lw_patch_options options = LW_PATCH_OPTIONS_INIT;
    options.subresource = "scale";
    return lw_client_patch(conn->client, t->resource.gvr, t->ns, t->name,
                           lw_str_make(patch, (size_t)len), &options, NULL, err);
}

static int run(connection *conn)
{
    static targets found;
    const arguments *args = conn->args;
    int code = targets_find(&found, conn, args->words, args->word_count);
    if (code == EXIT_OK && !found.has_names)
        return arguments_refuse(args, args->words[0], "specify RESOURCE/NAME");
    for (size_t i = 0; code != EXIT_USAGE && i < found.count; i++) {
        char name[NAME_SIZE];
        lw_error err = LW_ERROR_INIT;
        const target *t = &found.at[i];
        lw_status st = scale(conn, t, &err);
        target_text(t, t->name, name, sizeof(name));
        if (st == LW_OK) {
            print_plain(name);
            puts(" scaled");
        } else {
            connection_complain(conn, st, &err);
            code = EXIT_FAILED;
        }
    }
    return output_flush() ? code : EXIT_FAILED;
}

int command_scale(int argc, char **argv)
{
    arguments args = { .output = { .format = OUTPUT_NAME } };
    connection conn;
    bool is_over = false;
    int code = arguments_parse(&args, argc, argv, COMMAND_SCALE, usage, &is_over);
    if (is_over)
        return code;
    if (args.word_count == 0)
        return arguments_refuse(&args, "nothing to scale", "specify RESOURCE/NAME");
    if (args.replicas < 0)
        return arguments_refuse(&args, "--replicas", "specify the new number of replicas");
    if (!connection_open(&conn, &args))
        return EXIT_FAILED;
    code = run(&conn);
    connection_close(&conn);
    return code;
}
