/* SPDX-License-Identifier: Apache-2.0 */
/* pod_choice.c -- finds the pod that a word means; of several, the first that is running. */
#include "pod_choice.h"

#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "message.h"
#include "targets.h"

bool pod_selector_of(const lw_object *obj, const char *pointer, char text[POD_SELECTOR_MAX])
{
    lw_document *doc = NULL;
    size_t used = 0;
    text[0] = '\0';
    if (lw_document_from_object(&doc, obj, NULL) < 0)
        return false;
    const lw_value *labels = lw_document_find(doc, NULL, pointer);
    for (size_t i = 0; i < lw_document_count(labels) && used < POD_SELECTOR_MAX; i++) {
        lw_str key = lw_document_key(labels, i);
        used += (size_t)snprintf(text + used, POD_SELECTOR_MAX - used, "%s%.*s=%s",
                                 i > 0 ? "," : "", (int)key.len, key.ptr,
                                 lw_document_string(doc, lw_document_item(labels, i), "", ""));
    }
    lw_document_free(doc);
    return used > 0 && used < POD_SELECTOR_MAX;
}

static bool is_running(const lw_object *pod)
{
    return strcmp(lw_object_string(pod, "/status/phase", ""), "Running") == 0 &&
           !lw_object_string(pod, "/metadata/deletionTimestamp", NULL);
}

static int choose(pod_choice *out, connection *conn, const char *selector, const char *word)
{
    lw_object_list *found = NULL;
    lw_error err = LW_ERROR_INIT;
    lw_list_options options = LW_LIST_OPTIONS_INIT;
    options.ns = out->ns;
    options.label_selector = selector;
    lw_status st =
        lw_client_list_all(conn->client, lw_gvr_make("", "v1", "pods"), &options, &found, &err);
    if (st < 0) {
        connection_complain(conn, st, &err);
        return EXIT_FAILED;
    }
    for (size_t i = 0; i < lw_object_list_count(found) && !out->pod; i++) {
        if (is_running(lw_object_list_at(found, i)))
            out->pod = lw_object_ref(lw_object_list_at(found, i));
    }
    if (out->pod)
        (void)snprintf(out->name, sizeof(out->name), "%s", lw_object_name(out->pod));
    else
        message("%s: none of its %zu pods is running", word, lw_object_list_count(found));
    lw_object_list_free(found);
    return out->pod ? EXIT_OK : EXIT_FAILED;
}

/* |obj| is a workload or a service. */
static int choose_of(pod_choice *out, connection *conn, const lw_object *obj, bool is_service,
                     const char *word)
{
    char selector[POD_SELECTOR_MAX];
    if (pod_selector_of(obj, is_service ? "/spec/selector" : "/spec/selector/matchLabels",
                        selector))
        return choose(out, conn, selector, word);
    message("%s: the object does not select pods; specify a pod", word);
    return EXIT_FAILED;
}

int pod_choice_find(pod_choice *out, connection *conn, char *word)
{
    lw_object *obj = NULL;
    lw_error err = LW_ERROR_INIT;
    target t;
    *out = (pod_choice){ .ns = lw_config_namespace(conn->config) };
    if (!strchr(word, '/')) {
        (void)snprintf(out->name, sizeof(out->name), "%s", word);
        return EXIT_OK;
    }
    char *const words[] = { word };
    int code = targets_find_one(&t, conn, words, 1, true);
    if (code != EXIT_OK)
        return code;
    out->ns = t.ns ? t.ns : out->ns;
    if (lw_str_equal(t.resource.kind, lw_str_of("Pod"))) {
        (void)snprintf(out->name, sizeof(out->name), "%s", t.name);
        return EXIT_OK;
    }
    lw_status st = lw_client_get(conn->client, t.resource.gvr, t.ns, t.name, NULL, &obj, &err);
    if (st < 0) {
        connection_complain(conn, st, &err);
        return EXIT_FAILED;
    }
    bool is_service = lw_str_equal(t.resource.kind, lw_str_of("Service"));
    code = choose_of(out, conn, obj, is_service, word);
    if (is_service)
        out->service = lw_object_ref(obj);
    lw_object_unref(obj);
    return code;
}

void pod_choice_done(pod_choice *choice)
{
    lw_object_unref(choice->service);
    lw_object_unref(choice->pod);
    choice->service = choice->pod = NULL;
}
