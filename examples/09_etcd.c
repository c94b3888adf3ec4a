/* SPDX-License-Identifier: Apache-2.0 */
/* 09_etcd.c -- an informer on etcd, without an API server.
 *
 *     09_etcd http://127.0.0.1:2379 /my/config/     until Ctrl-C
 *
 *     cc 09_etcd.c $(pkg-config --cflags --libs listwatch-etcd) */
#define _POSIX_C_SOURCE 200809L /* sigwait */

#include <signal.h>
#include <stdio.h>

#include <listwatch.h>
#include <listwatch/etcd.h>

/* Text is in "data"; JSON would be in "value", or would be the object itself. */
static void on_key(const lw_event *event, void *arg)
{
    const char *ns = lw_object_namespace(event->object);
    (void)arg;
    printf("%-8s %s%s%s = %s\n", lw_event_type_name(event->type), ns, ns[0] ? "/" : "",
           lw_object_name(event->object), lw_object_string(event->object, "/data", "(no text)"));
    fflush(stdout);
}

int main(int argc, char **argv)
{
    lw_error err = LW_ERROR_INIT;
    lw_provider *etcd = NULL;
    lw_factory *factory = NULL;
    lw_informer *keys;
    sigset_t signals;
    int number = 0;

    if (argc != 3) {
        fprintf(stderr, "usage: 09_etcd ENDPOINTS PREFIX\n");
        return 2;
    }
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigprocmask(SIG_BLOCK, &signals, NULL);

    /* The factory owns the provider from here on, even if creating the factory fails. */
    const lw_etcd_provider_options options = { .endpoints = argv[1] };
    if (lw_etcd_provider_new(&etcd, &options, &err) < 0 ||
        lw_factory_new(&factory,
                       &(lw_factory_options){ .size = sizeof(lw_factory_options),
                                              .provider = etcd },
                       &err) < 0 ||
        lw_factory_informer(factory, argv[2], &keys, &err) < 0 ||
        lw_informer_add_handler(keys, &(lw_handler){ .on_event = on_key }, NULL, &err) < 0 ||
        lw_factory_start(factory, &err) < 0 || lw_factory_wait_for_sync(factory, 30, &err) < 0) {
        fprintf(stderr, "09_etcd: %s\n", err.message);
        lw_factory_free(factory);
        return 1;
    }
    printf("%zu keys\n", lw_lister_count(lw_informer_lister(keys)));
    lw_object *theme = lw_lister_get(lw_informer_lister(keys), "", "theme");
    if (theme)
        printf("the theme is %s\n", lw_object_string(theme, "/data", "(no text)"));
    fflush(stdout);
    lw_object_unref(theme);

    sigwait(&signals, &number);
    lw_factory_free(factory);
    return 0;
}
