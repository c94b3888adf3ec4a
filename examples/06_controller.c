/* SPDX-License-Identifier: Apache-2.0 */
/* 06_controller.c -- a controller: every namespace with the label "team" gets a ConfigMap "team"
 * with the value of the label.  If either is changed or deleted, the ConfigMap is corrected.
 *
 *     06_controller     until Ctrl-C */
#define _POSIX_C_SOURCE 200809L /* sigwait */

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include <listwatch.h>

typedef struct controller {
    lw_factory *factory;
    lw_informer *namespaces;
    lw_informer *maps;
} controller;

/* Looks at the current state, not at what has happened: it may be called too often, but never too
 * rarely. */
static lw_status reconcile(lw_key key, lw_reconcile_result *result, void *arg, lw_error *err)
{
    const controller *c = arg;
    const lw_gvr maps = lw_gvr_make("", "v1", "configmaps");
    lw_client *client = lw_factory_client(c->factory);
    char name[256], json[512];
    lw_object *wanted = NULL;
    lw_status st = LW_OK;
    (void)result;
    snprintf(name, sizeof(name), "%.*s", (int)key.name.len, key.name.ptr);

    lw_object *ns = lw_lister_get(lw_informer_lister(c->namespaces), NULL, name);
    lw_object *map = lw_lister_get(lw_informer_lister(c->maps), name, "team");
    const char *team = ns ? lw_object_label(ns, "team") : NULL;
    int len = snprintf(json, sizeof(json),
                       "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":"
                       "\"team\",\"namespace\":\"%s\"},\"data\":{\"team\":\"%s\"}}",
                       name, team ? team : "");
    if (team && !map) {
        st = lw_object_from_json(&wanted, json, (size_t)len, err);
        if (st == LW_OK)
            st = lw_client_create(client, maps, wanted, NULL, NULL, err);
    } else if (team && strcmp(lw_object_string(map, "/data/team", ""), team) != 0) {
        st = lw_client_patch(client, maps, name, "team", lw_str_make(json, (size_t)len), NULL, NULL,
                             err);
    } else if (map && ns && !team) {
        st = lw_client_delete(client, maps, name, "team", NULL, err);
    }
    if (st == LW_OK)
        printf("%s: %s\n", name, team ? team : "no team");
    fflush(stdout);
    lw_object_unref(wanted);
    lw_object_unref(map);
    lw_object_unref(ns);
    return st; /* after an error it is called again, with increasing delays */
}

/* A ConfigMap of ours concerns its namespace. */
static void map_to_namespace(const lw_event *event, lw_workqueue *queue, void *arg)
{
    (void)arg;
    if (strcmp(lw_object_name(event->object), "team") == 0)
        (void)lw_workqueue_add(queue, lw_object_namespace(event->object));
}

int main(void)
{
    lw_error err = LW_ERROR_INIT;
    lw_reconciler *loop = NULL;
    controller c = { NULL, NULL, NULL };
    const lw_reconciler_options options = {
        .size = sizeof(lw_reconciler_options), .name = "team", .reconcile = reconcile, .arg = &c
    };
    sigset_t signals;
    int number = 0, code = 0;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigprocmask(SIG_BLOCK, &signals, NULL);

    if (lw_factory_new(&c.factory, NULL, &err) < 0 ||
        lw_factory_informer(c.factory, "namespaces", &c.namespaces, &err) < 0 ||
        lw_factory_informer(c.factory, "configmaps", &c.maps, &err) < 0 ||
        lw_reconciler_new(&loop, &options, &err) < 0 ||
        lw_reconciler_watch(loop, c.namespaces, &err) < 0 ||
        lw_reconciler_watch_mapped(loop, c.maps, map_to_namespace, NULL, &err) < 0 ||
        lw_factory_start(c.factory, &err) < 0 ||
        lw_factory_wait_for_sync(c.factory, 30, &err) < 0 || lw_reconciler_start(loop, &err) < 0) {
        fprintf(stderr, "06_controller: %s\n", err.message);
        code = 1;
    } else {
        sigwait(&signals, &number);
    }
    lw_reconciler_free(loop); /* before the informers it listens to */
    lw_factory_free(c.factory);
    return code;
}
