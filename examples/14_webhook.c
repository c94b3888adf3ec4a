/* SPDX-License-Identifier: Apache-2.0 */
/* 14_webhook.c -- an admission webhook: ConfigMaps with the label "frozen" cannot be changed, and
 * new ones get the label "checked".
 *
 *     14_webhook [HOST:PORT]     until Ctrl-C; KUBECONFIG names the API server
 *
 * It makes its certificate at the start and puts its CA into the configurations of the webhooks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <listwatch.h>
#include <listwatch/server_webhook.h>

enum {
    TEXT_SIZE = 16384,
};

static const char configuration[] =
    "{\"apiVersion\":\"admissionregistration.k8s.io/v1\",\"kind\":\"%s\","
    "\"metadata\":{\"name\":\"frozen\"},\"webhooks\":[{\"name\":\"frozen.example.com\","
    "\"admissionReviewVersions\":[\"v1\"],\"sideEffects\":\"None\",\"timeoutSeconds\":5,"
    "\"clientConfig\":{\"url\":\"%s%s\",\"caBundle\":\"%s\"},"
    "\"rules\":[{\"apiGroups\":[\"\"],\"apiVersions\":[\"v1\"],\"resources\":[\"configmaps\"],"
    "\"operations\":[\"%s\"]}]}]}";

/* A ConfigMap is to be updated: not if it was frozen. */
static void validate(const lw_webhook_admission *request, lw_webhook_response *response, void *arg)
{
    lw_object *old = NULL;
    (void)arg;
    if (lw_object_from_json(&old, request->old_object.ptr, request->old_object.len, NULL) ==
            LW_OK &&
        lw_object_label(old, "frozen"))
        lw_webhook_deny(response, 0, "%s is frozen: %s must not change it", request->name,
                        request->user);
    lw_object_unref(old);
}

/* A ConfigMap is to be created: it gets a label. */
static void mutate(const lw_webhook_admission *request, lw_webhook_response *response, void *arg)
{
    lw_object *obj = NULL;
    (void)arg;
    if (lw_object_from_json(&obj, request->object.ptr, request->object.len, NULL) < 0)
        return;
    bool has_labels = lw_object_label_count(obj) > 0;
    lw_webhook_patch(response,
                     lw_str_of(has_labels
                                   ? "[{\"op\":\"add\",\"path\":\"/metadata/labels/checked\","
                                     "\"value\":\"yes\"}]"
                                   : "[{\"op\":\"add\",\"path\":\"/metadata/labels\","
                                     "\"value\":{\"checked\":\"yes\"}}]"));
    if (lw_object_label(obj, "frozen"))
        lw_webhook_warn(response, "%s cannot be changed later", request->name);
    lw_object_unref(obj);
}

/* Tells the API server where the webhook is. */
static lw_status configure(lw_client *client, const lw_webhook_server *server, const char *kind,
                           const char *resource, const char *path, const char *operation,
                           lw_error *err)
{
    char text[TEXT_SIZE];
    const lw_apply_options options = { .size = sizeof(options),
                                       .field_manager = "frozen-webhook",
                                       .force = true };
    (void)snprintf(text, sizeof(text), configuration, kind, lw_webhook_server_url(server), path,
                   lw_webhook_server_ca_bundle(server), operation);
    return lw_client_apply(client, lw_gvr_make("admissionregistration.k8s.io", "v1", resource),
                           NULL, "frozen", lw_str_of(text), &options, NULL, err);
}

int main(int argc, char **argv)
{
    lw_error err = LW_ERROR_INIT;
    lw_manager *manager = NULL;
    lw_webhook_server *server = NULL;
    const lw_webhook_server_options options = { .size = sizeof(options),
                                                .listen = argc > 1 ? argv[1] : NULL,
                                                .workers = 2 };
    const lw_manager_options program = { .size = sizeof(program),
                                         .name = "frozen-webhook",
                                         .handles_signals = true };
    if (lw_manager_new(&manager, &program, &err) < 0 ||
        lw_webhook_server_new(&server, &options, &err) < 0 ||
        lw_webhook_server_add_admission(server, "/validate", validate, NULL, &err) < 0 ||
        lw_webhook_server_add_admission(server, "/mutate", mutate, NULL, &err) < 0 ||
        lw_webhook_server_start(server, &err) < 0 ||
        configure(lw_manager_client(manager), server, "ValidatingWebhookConfiguration",
                  "validatingwebhookconfigurations", "/validate", "UPDATE", &err) < 0 ||
        configure(lw_manager_client(manager), server, "MutatingWebhookConfiguration",
                  "mutatingwebhookconfigurations", "/mutate", "CREATE", &err) < 0) {
        fprintf(stderr, "14_webhook: %s\n", err.message);
    } else {
        printf("ready: %s\n%s", lw_webhook_server_url(server), lw_webhook_server_ca(server));
        (void)fflush(stdout);
        if (lw_manager_run(manager, &err) < 0)
            fprintf(stderr, "14_webhook: %s\n", err.message);
    }
    lw_webhook_server_free(server);
    lw_manager_free(manager);
    return err.code < 0;
}
