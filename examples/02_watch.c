/* SPDX-License-Identifier: Apache-2.0 */
/* 02_watch.c -- a single watch: prints the events until the server ends the stream.
 *
 *     02_watch [SECONDS]     config maps of all namespaces, for this time
 *
 * A watch without a resourceVersion first reports the existing objects, then the changes.  This
 * example does not reconnect: 03 shows what that takes, and 04 uses an informer, which does it for
 * you. */
#include <stdio.h>
#include <stdlib.h>

#include <listwatch.h>

static lw_status on_event(const lw_watch_event *event, void *arg, lw_error *err)
{
    (void)arg;
    if (event->type == LW_WATCH_ERROR) {
        *err = *event->error;
        return event->error->code;
    }
    printf("%s %s/%s\n", lw_watch_event_type_name(event->type), lw_object_namespace(event->object),
           lw_object_name(event->object));
    fflush(stdout);
    return LW_OK;
}

int main(int argc, char **argv)
{
    lw_error err = LW_ERROR_INIT;
    lw_config *config = NULL;
    lw_client *client = NULL;
    const lw_list_options options = {
        .size = sizeof(lw_list_options),
        .timeout_s = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 300,
    };

    lw_status st = lw_config_load(&config, NULL, &err);
    if (st == LW_OK)
        st = lw_client_new(&client, config, NULL, &err);
    if (st == LW_OK)
        st = lw_client_watch(client, lw_gvr_make("", "v1", "configmaps"), &options, on_event, NULL,
                             &err);
    if (st < 0)
        fprintf(stderr, "02_watch: %s\n", err.message);
    lw_client_unref(client);
    lw_config_unref(config);
    return st == LW_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
