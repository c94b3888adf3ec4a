/* SPDX-License-Identifier: Apache-2.0 */
/* 04_informer.c -- a first informer: pods, live, with a cache to read from.
 *
 *     04_informer     until Ctrl-C */
#define _POSIX_C_SOURCE 200809L /* sigwait */

#include <signal.h>
#include <stdio.h>

#include <listwatch.h>

static void on_pod(const lw_event *event, void *arg)
{
    (void)arg;
    printf("%-8s %s/%s on %s\n", lw_event_type_name(event->type),
           lw_object_namespace(event->object), lw_object_name(event->object),
           lw_object_string(event->object, "/spec/nodeName", "<none>"));
    fflush(stdout);
}

int main(void)
{
    lw_error err = LW_ERROR_INIT;
    lw_factory *factory = NULL;
    lw_informer *pods;
    sigset_t signals;
    int number = 0;

    /* The factory has its own thread.  A program that waits for signals must block them before it
     * starts threads. */
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigprocmask(SIG_BLOCK, &signals, NULL);

    if (lw_factory_new(&factory, NULL, &err) < 0 ||
        lw_factory_informer(factory, "pods", &pods, &err) < 0 ||
        lw_informer_add_handler(pods, &(lw_handler){ .on_event = on_pod }, NULL, &err) < 0 ||
        lw_factory_start(factory, &err) < 0 || lw_factory_wait_for_sync(factory, 30, &err) < 0) {
        fprintf(stderr, "04_informer: %s\n", err.message);
        lw_factory_free(factory);
        return 1;
    }
    /* Reads local memory; sends no request. */
    lw_object_list *web = lw_lister_list(lw_informer_lister(pods), "default", "app=web");
    printf("%zu web pods\n", lw_object_list_count(web));
    fflush(stdout);
    lw_object_list_free(web);

    sigwait(&signals, &number);
    lw_factory_free(factory);
    return 0;
}
