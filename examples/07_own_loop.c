/* SPDX-License-Identifier: Apache-2.0 */
/* 07_own_loop.c -- an informer in the program's own loop, without a thread.
 *
 *     07_own_loop     type a label selector such as app=web to list the pods that match; Ctrl-D
 * ends
 *
 * Any loop (epoll, libuv, libevent) needs only one descriptor, one timeout and one call. */
#define _POSIX_C_SOURCE 200809L /* poll */

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <listwatch.h>

static void on_pod(const lw_event *event, void *arg)
{
    (void)arg;
    printf("%s %s\n", lw_event_type_name(event->type), lw_object_name(event->object));
}

/* Answers one line of standard input from the cache.  False: end of input. */
static bool answer(const lw_informer *pods)
{
    char line[256];
    ssize_t len = read(STDIN_FILENO, line, sizeof(line) - 1);
    if (len <= 0)
        return false;
    line[len] = '\0';
    line[strcspn(line, "\n")] = '\0';

    lw_object_list *found = lw_lister_list(lw_informer_lister(pods), NULL, line);
    if (!found)
        printf("\"%s\" is no selector\n", line);
    for (size_t i = 0; i < lw_object_list_count(found); i++)
        printf("- %s\n", lw_object_name(lw_object_list_at(found, i)));
    if (found)
        printf("%zu found%s\n", lw_object_list_count(found),
               lw_informer_is_synced(pods) ? "" : " so far");
    lw_object_list_free(found);
    return true;
}

int main(void)
{
    lw_error err = LW_ERROR_INIT;
    lw_factory *factory = NULL;
    lw_informer *pods = NULL;
    bool goes_on = true;

    lw_status st = lw_factory_new(&factory, NULL, &err);
    if (st == LW_OK)
        st = lw_factory_informer(factory, "pods", &pods, &err);
    if (st == LW_OK)
        st = lw_informer_add_handler(pods, &(lw_handler){ .on_event = on_pod }, NULL, &err);
    while (st == LW_OK && goes_on) {
        struct pollfd fds[] = {
            { .fd = lw_factory_fd(factory), .events = POLLIN },
            { .fd = STDIN_FILENO, .events = POLLIN },
        };
        (void)poll(fds, 2, lw_factory_timeout_ms(factory));
        st = lw_factory_dispatch(factory, &err); /* handlers are called from here */
        if (fds[1].revents)
            goes_on = answer(pods);
        fflush(stdout);
    }
    if (st < 0)
        fprintf(stderr, "07_own_loop: %s\n", err.message);
    lw_factory_free(factory);
    return st == LW_OK ? 0 : 1;
}
