/* SPDX-License-Identifier: Apache-2.0 */
/* 01_list.c -- lists all pods and their nodes, and prints each while the list arrives.
 *
 *     01_list [SELECTOR]
 *
 * The server is that of $KUBECONFIG, ~/.kube/config, or the cluster this program runs in. */
#include <stdio.h>
#include <stdlib.h>

#include <listwatch.h>

static lw_status on_pod(const lw_object *pod, void *arg, lw_error *err)
{
    size_t *count = arg;
    (void)err;
    (*count)++;
    printf("%s/%s on %s\n", lw_object_namespace(pod), lw_object_name(pod),
           lw_object_string(pod, "/spec/nodeName", "<none>"));
    return LW_OK;
}

int main(int argc, char **argv)
{
    lw_error err = LW_ERROR_INIT;
    lw_config *config = NULL;
    lw_client *client = NULL;
    size_t count = 0;
    const lw_list_options options = {
        .size = sizeof(lw_list_options),
        .label_selector = argc > 1 ? argv[1] : NULL,
        .limit = 500, /* page size; all pages are read, one object at a time */
    };

    lw_status st = lw_config_load(&config, NULL, &err);
    if (st == LW_OK)
        st = lw_client_new(&client, config, NULL, &err);
    if (st == LW_OK)
        st = lw_client_list(client, lw_gvr_make("", "v1", "pods"), &options, on_pod, &count, &err);
    if (st == LW_OK)
        printf("%zu pods\n", count);
    else
        fprintf(stderr, "01_list: %s\n", err.message);
    lw_client_unref(client);
    lw_config_unref(config);
    return st == LW_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
