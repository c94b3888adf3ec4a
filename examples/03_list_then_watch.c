/* SPDX-License-Identifier: Apache-2.0 */
/* 03_list_then_watch.c -- list-watch by hand: a list, a watch from its resourceVersion, and further
 * watches from the last resourceVersion that was seen; a new list only if the server has compacted
 * it.
 *
 *     03_list_then_watch [ROUNDS [SECONDS]]     config maps; number and duration of the watches
 *
 * An informer does the same, and adds a cache, backoff and retries. */
#include <stdio.h>
#include <stdlib.h>

#include <listwatch.h>

typedef struct place {
    char revision[64]; /* everything up to here was seen */
} place;

static void remember(place *p, const char *revision)
{
    snprintf(p->revision, sizeof(p->revision), "%s", revision);
}

static lw_status on_event(const lw_watch_event *event, void *arg, lw_error *err)
{
    if (event->type == LW_WATCH_ERROR) { /* usually 410: this revision is compacted */
        *err = *event->error;
        return event->error->code;
    }
    remember(arg, lw_object_resource_version(event->object));
    if (event->type != LW_WATCH_BOOKMARK) /* a bookmark only updates the revision */
        printf("%s %s\n", lw_watch_event_type_name(event->type), lw_object_name(event->object));
    fflush(stdout);
    return LW_OK;
}

static lw_status list(lw_client *client, lw_gvr gvr, place *p, lw_error *err)
{
    lw_object_list *objects = NULL;
    const lw_list_options options = { .size = sizeof(lw_list_options), .limit = 500 };
    lw_status st = lw_client_list_all(client, gvr, &options, &objects, err);
    if (st < 0)
        return st;
    for (size_t i = 0; i < lw_object_list_count(objects); i++)
        printf("LISTED %s\n", lw_object_name(lw_object_list_at(objects, i)));
    remember(p, lw_object_list_metadata(objects)->resource_version);
    printf("-- as of %s\n", p->revision);
    fflush(stdout);
    lw_object_list_free(objects);
    return LW_OK;
}

/* Watches until the server ends the stream; LW_ERR_EXPIRED: list again. */
static lw_status watch(lw_client *client, lw_gvr gvr, place *p, int seconds, lw_error *err)
{
    place from = *p; /* the options must not change during the watch */
    const lw_list_options options = {
        .size = sizeof(lw_list_options),
        .resource_version = from.revision,
        .allows_bookmarks = true,
        .timeout_s = seconds,
    };
    return lw_client_watch(client, gvr, &options, on_event, p, err);
}

int main(int argc, char **argv)
{
    lw_error err = LW_ERROR_INIT;
    lw_config *config = NULL;
    lw_client *client = NULL;
    lw_gvr gvr = lw_gvr_make("", "v1", "configmaps");
    place p = { "" };
    long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 1000000;
    int seconds = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 300;

    lw_status st = lw_config_load(&config, NULL, &err);
    if (st == LW_OK)
        st = lw_client_new(&client, config, NULL, &err);
    if (st == LW_OK)
        st = list(client, gvr, &p, &err);
    for (long i = 0; st == LW_OK && i < rounds; i++) {
        st = watch(client, gvr, &p, seconds, &err);
        if (st == LW_ERR_EXPIRED)
            st = list(client, gvr, &p, &err);
    }
    if (st < 0)
        fprintf(stderr, "03_list_then_watch: %s\n", err.message);
    lw_client_unref(client);
    lw_config_unref(config);
    return st == LW_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
