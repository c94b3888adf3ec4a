/* SPDX-License-Identifier: Apache-2.0 */
/* api_resources_command.c -- `listwatch api-resources`: lists the resources of a server. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <listwatch.h>

#include "api_resources.h"
#include "commands.h"
#include "connection.h"
#include "grid.h"
#include "message.h"
#include "output.h"

static const char usage[] =
    "usage: listwatch api-resources [options]\n"
    "\n"
    "Lists the resources of the server with their short names and kinds.\n"
    "\n"
    "      --api-group GROUP     only resources of this group; \"\" is the core group\n"
    "      --namespaced BOOL     only namespaced (true) or cluster-scoped (false) resources\n"
    "  -o, --output FORMAT       wide (verbs and categories) or name\n"
    "      --no-headers          do not print the titles of the columns\n" //
    ARGUMENTS_SERVER_USAGE;

enum {
    TEXT_SIZE = 512,
    COLUMNS_MAX = 7,
};

static int compare(const void *a, const void *b)
{
    const api_resource *x = *(const api_resource *const *)a, *y = *(const api_resource *const *)b;
    int order = strcmp(x->group.ptr, y->group.ptr);
    return order != 0 ? order : strcmp(x->name.ptr, y->name.ptr);
}

static bool is_wanted(const arguments *args, const api_resource *one)
{
    if (args->api_group && strcmp(args->api_group, one->group.ptr) != 0)
        return false;
    return !args->namespaced || (args->namespaced[0] == 't') == one->is_namespaced;
}

static lw_status print_one(grid *g, const arguments *args, const api_resource *one)
{
    char version[TEXT_SIZE];
    const char *dot = one->group.len > 0 ? "." : "", *slash = one->group.len > 0 ? "/" : "";
    if (args->output.format == OUTPUT_NAME) {
        print_plain(one->name.ptr);
        fputs(dot, stdout);
        print_plain(one->group.ptr);
        putchar('\n');
        return LW_OK;
    }
    (void)snprintf(version, sizeof(version), "%s%s%s", one->group.ptr, slash, one->version.ptr);
    const char *cells[COLUMNS_MAX] = { one->name.ptr,  one->short_names,
                                       version,        one->is_namespaced ? "true" : "false",
                                       one->kind.ptr,  one->verbs,
                                       one->categories };
    return grid_add_row(g, cells);
}

static lw_status add_columns(grid *g, bool is_wide)
{
    static const char *const titles[COLUMNS_MAX] = { "NAME",       "SHORTNAMES", "APIVERSION",
                                                     "NAMESPACED", "KIND",       "VERBS",
                                                     "CATEGORIES" };
    lw_status st = LW_OK;
    for (size_t i = 0; st == LW_OK && i < (is_wide ? COLUMNS_MAX : COLUMNS_MAX - 2); i++)
        st = grid_add_column(g, titles[i]);
    return st;
}

static int print_all(const arguments *args, const api_resources *all)
{
    size_t count = api_resources_count(all);
    const api_resource **sorted = calloc(count + 1, sizeof(*sorted));
    grid *g = grid_new(args->output.has_no_headers);
    lw_status st = sorted && g ? add_columns(g, args->output.format == OUTPUT_WIDE) : LW_ERR_NOMEM;
    for (size_t i = 0; st == LW_OK && i < count; i++)
        sorted[i] = api_resources_at(all, i);
    if (st == LW_OK)
        qsort(sorted, count, sizeof(*sorted), compare);
    for (size_t i = 0; st == LW_OK && i < count; i++) {
        if (is_wanted(args, sorted[i]))
            st = print_one(g, args, sorted[i]);
    }
    if (st == LW_OK)
        grid_flush(g);
    else
        message("%s", lw_status_name(st));
    grid_free(g);
    free(sorted);
    if (api_resources_missing(all))
        message("some resources are missing: %s", api_resources_missing(all));
    return st == LW_OK && !api_resources_missing(all) ? EXIT_OK : EXIT_FAILED;
}

int command_api_resources(int argc, char **argv)
{
    arguments args = { .output = { .format = OUTPUT_TABLE } };
    connection conn;
    api_resources *all = NULL;
    lw_error err = LW_ERROR_INIT;
    bool is_over = false;
    int code = arguments_parse(&args, argc, argv, COMMAND_API_RESOURCES, usage, &is_over);
    if (is_over)
        return code;
    if (args.word_count > 0)
        return arguments_refuse(&args, args.words[0], "unexpected argument");
    if (args.output.format > OUTPUT_NAME)
        return arguments_refuse(&args, "-o", "use wide or name");
    if (!connection_open(&conn, &args))
        return EXIT_FAILED;
    lw_status st = api_resources_load(&all, conn.client, &err);
    if (st < 0)
        connection_complain(&conn, st, &err);
    code = st < 0 ? EXIT_FAILED : print_all(&args, all);
    api_resources_free(all);
    connection_close(&conn);
    return output_flush() ? code : EXIT_FAILED;
}
