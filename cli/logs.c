/* SPDX-License-Identifier: Apache-2.0 */
/* logs.c -- `listwatch logs`: prints the log of a container. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <listwatch.h>

#include "commands.h"
#include "connection.h"
#include "message.h"
#include "output.h"
#include "streams/pod_choice.h"
#include "targets.h"

static const char usage[] =
    "usage: listwatch logs POD [options]\n"
    "       listwatch logs RESOURCE/NAME [options]\n"
    "       listwatch logs -l SELECTOR [options]\n"
    "\n"
    "Prints the log of a container of a pod, or of the first pod of a workload such as\n"
    "deployment/web.\n"
    "\n"
    "  -c, --container NAME      the container (default the only one)\n"
    "  -f, --follow              continue with new lines until the container ends\n"
    "  -p, --previous            the log of the previous instance of the container\n"
    "      --tail N              only the last N lines\n"
    "      --since TIME          only lines of this time before now, e.g. 90s or 5m\n"
    "      --timestamps          print the time of each line\n"
    "  -n, --namespace NS        namespace of the pod\n"
    "  -l, --selector SELECTOR   the logs of all pods whose labels match\n" //
    ARGUMENTS_SERVER_USAGE;

enum {
    NUMBER_SIZE = 24,
    PARAMETERS = 13,
};

static lw_status print_bytes(const char *bytes, size_t len, void *arg)
{
    (void)arg;
    (void)fwrite(bytes, 1, len, stdout);
    return output_push() ? LW_OK : LW_ERR_IO;
}

static int print_log(connection *conn, const char *ns, const char *pod)
{
    const arguments *args = conn->args;
    char tail[NUMBER_SIZE], since[NUMBER_SIZE];
    const char *query[PARAMETERS] = { NULL };
    size_t count = 0;
    const lw_resource pods = { .gvr = lw_gvr_make("", "v1", "pods"), .is_namespaced = true };
    lw_raw_options options = LW_RAW_OPTIONS_INIT;
    text_buf path = { 0 };
    lw_error err = LW_ERROR_INIT;
    const struct {
        const char *name, *value;
        bool is_set;
    } parameters[] = { { "container", args->container, args->container != NULL },
                       { "follow", "true", args->follows_changes },
                       { "previous", "true", args->is_previous },
                       { "timestamps", "true", args->has_timestamps },
                       { "tailLines", tail, args->tail >= 0 },
                       { "sinceSeconds", since, args->since_s > 0 } };
    (void)snprintf(tail, sizeof(tail), "%" PRId64, args->tail);
    (void)snprintf(since, sizeof(since), "%" PRId64, args->since_s);
    for (size_t i = 0; i < sizeof(parameters) / sizeof(parameters[0]); i++) {
        if (parameters[i].is_set) {
            query[count++] = parameters[i].name;
            query[count++] = parameters[i].value;
        }
    }
    options.query = query;
    options.on_bytes = print_bytes;
    target_path(&pods, ns, pod, "log", &path);
    lw_status st = text_status(&path);
    if (st == LW_OK)
        st = lw_client_raw(conn->client, "GET", text_of(&path), &options, NULL, &err);
    text_done(&path);
    if (st < 0 && output_works())
        connection_complain(conn, st, &err);
    return st == LW_OK ? EXIT_OK : EXIT_FAILED;
}

/* Prints the logs of the pods that match; only of the first one if |is_first_only|. */
static int print_selected(connection *conn, const char *ns, const char *selector,
                          bool is_first_only)
{
    lw_object_list *found = NULL;
    lw_error err = LW_ERROR_INIT;
    int code = EXIT_OK;
    lw_list_options options = { .size = sizeof(lw_list_options),
                                .ns = ns,
                                .label_selector = selector,
                                .is_metadata_only = true };
    lw_status st =
        lw_client_list_all(conn->client, lw_gvr_make("", "v1", "pods"), &options, &found, &err);
    size_t count = lw_object_list_count(found);
    if (st < 0) {
        connection_complain(conn, st, &err);
        return EXIT_FAILED;
    }
    if (count == 0) {
        message("no pods found for the selector %s in namespace %s", selector, ns);
        code = EXIT_FAILED;
    } else if (count > 1 && is_first_only) {
        fprintf(stderr, "Found %zu pods, using pod/%s\n", count,
                lw_object_name(lw_object_list_at(found, 0)));
        count = 1;
    } else if (count > 1 && conn->args->follows_changes) {
        message("-f can follow one pod only, and %zu match; specify its name", count);
        code = EXIT_FAILED;
    }
    for (size_t i = 0; code == EXIT_OK && i < count; i++)
        code = print_log(conn, ns, lw_object_name(lw_object_list_at(found, i)));
    lw_object_list_free(found);
    return code;
}

/* deployment/web: the pods that its selector finds. */
static int print_workload(connection *conn, const target *t)
{
    char selector[POD_SELECTOR_MAX];
    lw_object *obj = NULL;
    lw_error err = LW_ERROR_INIT;
    lw_status st = lw_client_get(conn->client, t->resource.gvr, t->ns, t->name, NULL, &obj, &err);
    bool is_found = st == LW_OK && pod_selector_of(obj, "/spec/selector/matchLabels", selector);
    lw_object_unref(obj);
    if (st < 0) {
        connection_complain(conn, st, &err);
        return EXIT_FAILED;
    }
    if (!is_found) {
        message("%s: the object does not select pods; specify a pod", t->name);
        return EXIT_FAILED;
    }
    return print_selected(conn, t->ns, selector, true);
}

static int run(connection *conn)
{
    const arguments *args = conn->args;
    target t;
    if (args->labels)
        return print_selected(conn, lw_config_namespace(conn->config), args->labels, false);
    if (!strchr(args->words[0], '/'))
        return print_log(conn, lw_config_namespace(conn->config), args->words[0]);
    int code = targets_find_one(&t, conn, args->words, 1, true);
    if (code != EXIT_OK)
        return code;
    return lw_str_equal(t.resource.kind, lw_str_of("Pod")) ? print_log(conn, t.ns, t.name)
                                                           : print_workload(conn, &t);
}

int command_logs(int argc, char **argv)
{
    arguments args = { .output = { .format = OUTPUT_NAME } };
    connection conn;
    bool is_over = false;
    int code = arguments_parse(&args, argc, argv, COMMAND_LOGS, usage, &is_over);
    if (is_over)
        return code;
    if ((args.word_count == 0) == !args.labels)
        return arguments_refuse(&args, "logs", "specify a pod, or a selector with -l");
    if (args.word_count == 2 && !args.container)
        args.container = args.words[1];
    else if (args.word_count > 1)
        return arguments_refuse(&args, args.words[1], "unexpected argument; specify one pod");
    if (!connection_open(&conn, &args))
        return EXIT_FAILED;
    code = run(&conn);
    connection_close(&conn);
    return output_flush() ? code : EXIT_FAILED;
}
