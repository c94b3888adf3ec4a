/* SPDX-License-Identifier: Apache-2.0 */
/* connection.c -- connects to the server of a command line and finds the resource and namespace. */
#include "connection.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"

void connection_ignore_hangups(void)
{
    const struct sigaction ignore = { .sa_handler = SIG_IGN };
    (void)sigaction(SIGPIPE, &ignore, NULL);
}

lw_config_options connection_options(const arguments *args)
{
    lw_config_options options = LW_CONFIG_OPTIONS_INIT;
    options.kubeconfig = args->kubeconfig;
    options.context = args->context;
    options.server = args->server;
    options.ns = args->ns;
    options.token = args->token;
    options.ca_file = args->ca_file;
    options.impersonate = args->impersonate;
    options.is_insecure = args->is_insecure;
    return options;
}

bool connection_open(connection *conn, const arguments *args)
{
    lw_config_options options = connection_options(args);
    lw_error err = LW_ERROR_INIT;
    conn->args = args;
    conn->config = NULL;
    conn->client = NULL;
    connection_ignore_hangups();
    lw_status st = lw_config_load(&conn->config, &options, &err);
    if (st == LW_OK)
        st = lw_client_new(&conn->client, conn->config, NULL, &err);
    if (st < 0) {
        connection_complain(conn, st, &err);
        connection_close(conn);
    }
    return st == LW_OK;
}

void connection_close(connection *conn)
{
    lw_client_unref(conn->client);
    lw_config_unref(conn->config);
    conn->client = NULL;
    conn->config = NULL;
}

const char *connection_namespace(const connection *conn, const lw_resource *resource)
{
    if (!resource->is_namespaced || conn->args->all_namespaces)
        return NULL;
    return lw_config_namespace(conn->config);
}

/* Prints what the user can do about the error, if that is known. */
static void print_advice(const connection *conn, lw_status st)
{
    const char *origin = conn->config ? lw_config_origin(conn->config) : "";
    if (!conn->config)
        return;
    if (st == LW_ERR_UNAVAILABLE || st == LW_ERR_TIMEOUT)
        fprintf(stderr, "Is a server running at %s?  The address comes from %s.\n",
                lw_config_server(conn->config), origin);
    else if (st == LW_ERR_UNAUTHORIZED)
        fprintf(stderr,
                "The credentials come from %s; to use others, set --kubeconfig, --context or "
                "--token.\n",
                origin);
}

void connection_complain(const connection *conn, lw_status st, const lw_error *err)
{
    fprintf(stderr, "listwatch %s: %s\n", conn->args->command,
            err->message[0] ? err->message : lw_status_name(st));
    print_advice(conn, st);
}

/* Splits "pods/web" into resource and name. */
static int split_type(connection *conn, target *t)
{
    const arguments *args = conn->args;
    const char *word = args->words[0];
    const char *slash = strchr(word, '/');
    size_t len = slash ? (size_t)(slash - word) : strlen(word);
    if (len == 0 || len >= sizeof(t->type))
        return arguments_refuse(
            args, word, "not a resource; use for example pods, deployments.apps or pods/web");
    memcpy(t->type, word, len);
    t->type[len] = '\0';
    t->name = slash ? slash + 1 : NULL;
    t->names = args->words + 1;
    t->name_count = slash ? 1 : args->word_count - 1;
    if (slash && args->word_count > 1)
        return arguments_refuse(args, args->words[1],
                                "unexpected argument after RESOURCE/NAME; to name several objects, "
                                "use RESOURCE NAME NAME");
    return EXIT_OK;
}

const char *target_name(const target *t, size_t index)
{
    return t->name ? t->name : t->names[index];
}

/* A name becomes part of a URL and of a field selector, so it must not contain their separators. */
static int check_names(const connection *conn, const target *t)
{
    for (size_t i = 0; i < t->name_count; i++) {
        const char *name = target_name(t, i);
        if (!name[0] || strpbrk(name, "/,=%") || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
            return arguments_refuse(conn->args, name, "not a valid object name");
    }
    return EXIT_OK;
}

int connection_target(connection *conn, target *t)
{
    lw_error err = LW_ERROR_INIT;
    int code = split_type(conn, t);
    if (code == EXIT_OK)
        code = check_names(conn, t);
    if (code != EXIT_OK)
        return code;
    if (t->name_count > 0 && (conn->args->labels || conn->args->fields))
        return arguments_refuse(conn->args, "selectors",
                                "cannot be combined with object names; use one or the other");
    lw_status st = lw_client_find_resource(conn->client, t->type, &t->resource, &err);
    if (st < 0) {
        connection_complain(conn, st, &err);
        return EXIT_FAILED;
    }
    t->ns = connection_namespace(conn, &t->resource);
    if (t->name_count > 0 && t->resource.is_namespaced && !t->ns)
        return arguments_refuse(conn->args, "-A",
                                "an object name needs one namespace; use -n instead");
    return EXIT_OK;
}
