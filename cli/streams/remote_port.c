/* SPDX-License-Identifier: Apache-2.0 */
/* remote_port.c -- finds ports by number and by name in services and pods. */
#include "remote_port.h"

#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "message.h"
#include "quantity.h"

enum {
    PORT_MAX = 65535,
    ITEMS_MAX = 1000, /* containers of a pod, ports of a container or a service */
    POINTER_SIZE = 80,
};

static bool parse_number(const char *text, unsigned *out)
{
    return quantity_parse_count(text, out) && *out <= PORT_MAX;
}

static const char *string_at(const lw_object *obj, const char *format, unsigned i, unsigned k)
{
    char pointer[POINTER_SIZE];
    (void)snprintf(pointer, sizeof(pointer), format, i, k);
    return lw_object_string(obj, pointer, NULL);
}

static unsigned number_at(const lw_object *obj, const char *format, unsigned i, unsigned k)
{
    char pointer[POINTER_SIZE];
    (void)snprintf(pointer, sizeof(pointer), format, i, k);
    int64_t number = lw_object_int(obj, pointer, 0);
    return number > 0 && number <= PORT_MAX ? (unsigned)number : 0;
}

/* Returns the port that a container of the pod calls |name|; 0: none does. */
static unsigned named_port(const lw_object *pod, const char *name)
{
    for (unsigned i = 0; i < ITEMS_MAX && string_at(pod, "/spec/containers/%u/name", i, 0); i++) {
        for (unsigned k = 0; k < ITEMS_MAX; k++) {
            unsigned number = number_at(pod, "/spec/containers/%u/ports/%u/containerPort", i, k);
            const char *found = string_at(pod, "/spec/containers/%u/ports/%u/name", i, k);
            if (number == 0)
                break;
            if (found && strcmp(found, name) == 0)
                return number;
        }
    }
    return 0;
}

static int find_named(connection *conn, pod_choice *pod, const char *name, unsigned *out)
{
    lw_error err = LW_ERROR_INIT;
    lw_status st = LW_OK;
    if (!pod->pod)
        st = lw_client_get(conn->client, lw_gvr_make("", "v1", "pods"), pod->ns, pod->name, NULL,
                           &pod->pod, &err);
    if (st < 0) {
        connection_complain(conn, st, &err);
        return EXIT_FAILED;
    }
    *out = named_port(pod->pod, name);
    if (*out > 0)
        return EXIT_OK;
    message("pod %s has no port named %s", pod->name, name);
    return EXIT_FAILED;
}

/* The port |word| of the service becomes the one of the pod. */
static int find_of_service(port_pair *out, connection *conn, pod_choice *pod, const char *word)
{
    const lw_object *service = pod->service;
    unsigned wanted = 0, port;
    bool is_number = parse_number(word, &wanted);
    for (unsigned i = 0; i < ITEMS_MAX && (port = number_at(service, "/spec/ports/%u/port", i, 0));
         i++) {
        const char *name = string_at(service, "/spec/ports/%u/name", i, 0);
        if (is_number ? port != wanted : !name || strcmp(name, word) != 0)
            continue;
        const char *target = string_at(service, "/spec/ports/%u/targetPort", i, 0);
        out->shown = port;
        out->remote = number_at(service, "/spec/ports/%u/targetPort", i, 0);
        if (target)
            return find_named(conn, pod, target, &out->remote);
        if (out->remote == 0)
            out->remote = port;
        return EXIT_OK;
    }
    message("service %s has no port %s", lw_object_name(service), word);
    return EXIT_FAILED;
}

static int find_remote(port_pair *out, connection *conn, pod_choice *pod, const char *word)
{
    if (pod->service)
        return find_of_service(out, conn, pod, word);
    int code = EXIT_OK;
    if (!parse_number(word, &out->remote))
        code = find_named(conn, pod, word, &out->remote);
    out->shown = out->remote;
    return code;
}

int remote_port_parse(port_pair *out, connection *conn, pod_choice *pod, const char *word)
{
    const char *colon = strchr(word, ':');
    const char *remote = colon ? colon + 1 : word;
    char local[16] = "";
    *out = (port_pair){ 0 };
    if (colon)
        (void)snprintf(local, sizeof(local), "%.*s", (int)(colon - word), word);
    if (remote[0] == '\0' || strcmp(remote, "0") == 0 ||
        (colon && colon != word && (!parse_number(local, &out->local) || out->local == 0)))
        return arguments_refuse(conn->args, word,
                                "not a valid port; use PORT, LOCAL:REMOTE or :REMOTE");
    int code = find_remote(out, conn, pod, remote);
    if (code == EXIT_OK && !colon)
        out->local = out->shown;
    return code;
}
