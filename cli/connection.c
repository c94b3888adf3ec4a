/* SPDX-License-Identifier: Apache-2.0 */
/* connection.c -- connects to the server of a command line. */
#include "connection.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"

enum {
    SOURCE_SIZE = 4200,
    WARNINGS = 64,
    WARNING_SIZE = 256,
};

void connection_ignore_hangups(void)
{
    const struct sigaction ignore = { .sa_handler = SIG_IGN };
    (void)sigaction(SIGPIPE, &ignore, NULL);
}

/* Prints each warning of the server once, like kubectl. */
static void print_warning(const char *text, void *arg)
{
    static char seen[WARNINGS][WARNING_SIZE];
    static size_t count;
    (void)arg;
    for (size_t i = 0; i < count && i < WARNINGS; i++) {
        if (strncmp(seen[i], text, WARNING_SIZE - 1) == 0)
            return;
    }
    (void)snprintf(seen[count++ % WARNINGS], WARNING_SIZE, "%s", text);
    fprintf(stderr, "Warning: %s\n", text);
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
    lw_client_options client = LW_CLIENT_OPTIONS_INIT;
    lw_error err = LW_ERROR_INIT;
    client.on_warning = print_warning;
    conn->args = args;
    conn->config = NULL;
    conn->client = NULL;
    connection_ignore_hangups();
    lw_status st = lw_config_load(&conn->config, &options, &err);
    if (st == LW_OK)
        st = lw_client_new(&conn->client, conn->config, &client, &err);
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

/* Writes which option, variable or file the address or the credentials of the server are from. */
static void describe_source(const connection *conn, bool is_address, char text[SOURCE_SIZE])
{
    const arguments *args = conn->args;
    const char *option = is_address ? args->server : args->token;
    const char *origin = lw_config_origin(conn->config), *variable = getenv("KUBECONFIG");
    if (option)
        (void)snprintf(text, SOURCE_SIZE, "the option --%s", is_address ? "server" : "token");
    else if (args->kubeconfig)
        (void)snprintf(text, SOURCE_SIZE, "%s (option --kubeconfig)", origin);
    else if (variable && variable[0])
        (void)snprintf(text, SOURCE_SIZE, "%s (variable KUBECONFIG)", origin);
    else
        (void)snprintf(text, SOURCE_SIZE, "%s", origin);
}

/* Prints what the user can do about the error, if that is known, without what it says already. */
static void print_advice(const connection *conn, lw_status st, const char *error)
{
    char source[SOURCE_SIZE];
    if (!conn->config)
        return;
    const char *server = lw_config_server(conn->config);
    if (st == LW_ERR_UNAVAILABLE || st == LW_ERR_TIMEOUT) {
        describe_source(conn, true, source);
        fprintf(stderr, "Is a server running %s%s?  The address is from %s.\n",
                strstr(error, server) ? "there" : "at ", strstr(error, server) ? "" : server,
                source);
    } else if (st == LW_ERR_UNAUTHORIZED) {
        describe_source(conn, false, source);
        if (!strstr(error, lw_config_origin(conn->config)))
            fprintf(stderr, "The credentials are from %s.\n", source);
        fputs("To use other credentials, set --kubeconfig, --context or --token.\n", stderr);
    }
}

void connection_complain(const connection *conn, lw_status st, const lw_error *err)
{
    message("%s", err->message[0] ? err->message : lw_status_name(st));
    print_advice(conn, st, err->message);
}

bool connection_is_lost(lw_status st)
{
    return st == LW_ERR_UNAVAILABLE || st == LW_ERR_UNAUTHORIZED;
}
