/* SPDX-License-Identifier: Apache-2.0 */
/* service_account.c -- gives a new pod its service account. */
#include "api/admission/service_account.h"

#include <stdio.h>

#include "api/authz/pod_refs.h"
#include "api/context/cache_lookup.h"
#include "api/context/generated_name.h"
#include "api/http/failures.h"
#include "base/str.h"
#include "schema/kinds/kinds.h"
#include "json/fields.h"

enum {
    TEXT_SIZE = 1024,
};

#define MOUNT_PATH    "/var/run/secrets/kubernetes.io/serviceaccount"
#define VOLUME_PREFIX "kube-api-access-"

/* The pod or the account may say that no token is mounted; the pod decides. */
static bool wants_token(const lw_node *spec, const lw_object *account)
{
    const lw_node *of_pod = lw_node_get(spec, LW_STR("automountServiceAccountToken"));
    if (of_pod || !account)
        return !of_pod || lw_node_bool(of_pod);
    return lw_object_bool(account, "/automountServiceAccountToken", true);
}

/* Returns the array |key| of |object|; makes it if it is absent. */
static lw_node *array_of(lw_tree *tree, lw_node *object, const char *key)
{
    lw_node *array = lw_node_get(object, lw_str_of(key));
    if (!lw_node_is(array, LW_JSON_ARRAY)) {
        array = lw_tree_array(tree);
        lw_node_put(tree, object, lw_str_of(key), array);
    }
    return array;
}

static bool has_mount(const lw_node *container)
{
    const lw_node *mounts = lw_node_get(container, LW_STR("volumeMounts"));
    for (size_t i = 0; lw_node_is(mounts, LW_JSON_ARRAY) && i < lw_node_count(mounts); i++) {
        if (lw_str_equal(lw_fields_text(lw_node_at(mounts, i), "mountPath"), LW_STR(MOUNT_PATH)))
            return true;
    }
    return false;
}

/* Mounts |volume| in the containers of the list |key| that mount nothing there.  Returns true if
 * there was one. */
static bool mount_in(lw_tree *tree, const lw_node *spec, const char *key, lw_str volume)
{
    bool is_mounted = false;
    const lw_node *containers = lw_node_get(spec, lw_str_of(key));
    for (size_t i = 0; lw_node_is(containers, LW_JSON_ARRAY) && i < lw_node_count(containers);
         i++) {
        lw_node *container = lw_node_at(containers, i), *mount;
        if (!lw_node_is(container, LW_JSON_OBJECT) || has_mount(container))
            continue;
        mount = lw_tree_object(tree);
        lw_fields_set_text(tree, mount, "name", volume);
        lw_node_put(tree, mount, LW_STR("readOnly"), lw_tree_bool(tree, true));
        lw_fields_set_text(tree, mount, "mountPath", LW_STR(MOUNT_PATH));
        lw_node_append(tree, array_of(tree, container, "volumeMounts"), mount);
        is_mounted = true;
    }
    return is_mounted;
}

/* The name of a volume that the client has added for this purpose; empty: none. */
static lw_str find_volume(const lw_node *spec)
{
    const lw_node *volumes = lw_node_get(spec, LW_STR("volumes"));
    for (size_t i = 0; lw_node_is(volumes, LW_JSON_ARRAY) && i < lw_node_count(volumes); i++) {
        lw_str name = lw_fields_text(lw_node_at(volumes, i), "name");
        if (lw_str_starts_with(name, LW_STR(VOLUME_PREFIX)))
            return name;
    }
    return LW_STR("");
}

/* The token, the CA of the server, and the namespace as files. */
static void add_volume(lw_pending_object *pending, lw_node *spec, lw_str name)
{
    static const lw_str sources = LW_STR_INIT(
        "{\"sources\":["
        "{\"serviceAccountToken\":{\"expirationSeconds\":3607,\"path\":\"token\"}},"
        "{\"configMap\":{\"name\":\"kube-root-ca.crt\","
        "\"items\":[{\"key\":\"ca.crt\",\"path\":\"ca.crt\"}]}},"
        "{\"downwardAPI\":{\"items\":[{\"path\":\"namespace\","
        "\"fieldRef\":{\"apiVersion\":\"v1\",\"fieldPath\":\"metadata.namespace\"}}]}}],"
        "\"defaultMode\":420}");
    lw_tree *tree = pending->tree;
    lw_node *volume = lw_tree_object(tree), *projected = NULL;
    lw_pending_object_note(pending, lw_tree_parse_node(tree, sources, &projected, NULL));
    lw_fields_set_text(tree, volume, "name", name);
    lw_node_put(tree, volume, LW_STR("projected"), projected);
    lw_node_append(tree, array_of(tree, spec, "volumes"), volume);
}

static void mount_token(lw_pending_object *pending, lw_node *spec)
{
    char generated[LW_GENERATED_NAME_SIZE];
    lw_str name = find_volume(spec);
    bool is_there = name.len > 0;
    if (!is_there) {
        lw_name_generate(generated, LW_STR(VOLUME_PREFIX), &pending->port->random);
        name = lw_str_of(generated);
    }
    bool is_mounted = mount_in(pending->tree, spec, "initContainers", name);
    is_mounted = mount_in(pending->tree, spec, "containers", name) || is_mounted;
    if (is_mounted && !is_there)
        add_volume(pending, spec, name);
}

static void copy_pull_secrets(lw_pending_object *pending, lw_node *spec, const lw_object *account)
{
    lw_str text;
    lw_node *secrets = NULL;
    if (lw_node_count(lw_node_get(spec, LW_STR("imagePullSecrets"))) > 0 ||
        lw_object_raw(account, "/imagePullSecrets", &text) < 0)
        return;
    lw_pending_object_note(pending, lw_tree_parse_node(pending->tree, text, &secrets, NULL));
    if (lw_node_count(secrets) > 0)
        lw_node_put(pending->tree, spec, LW_STR("imagePullSecrets"), secrets);
}

static bool refuse_mirror(lw_str name, const char *why, lw_api_status *status)
{
    lw_api_status_forbidden(status, lw_kind_gvr(&lw_kind_pods), name, lw_str_of(why));
    return false;
}

static lw_status note_secret(lw_ref_kind kind, lw_str ns, lw_str name, void *arg)
{
    (void)ns;
    (void)name;
    *(bool *)arg |= kind == LW_REF_SECRET;
    return LW_OK;
}

static bool projects_token(const lw_node *spec)
{
    const lw_node *volumes = lw_node_get(spec, LW_STR("volumes"));
    for (size_t i = 0; lw_node_is(volumes, LW_JSON_ARRAY) && i < lw_node_count(volumes); i++) {
        const lw_node *sources = lw_fields_find(lw_node_at(volumes, i), "/projected/sources");
        for (size_t j = 0; lw_node_is(sources, LW_JSON_ARRAY) && j < lw_node_count(sources); j++) {
            if (lw_node_get(lw_node_at(sources, j), LW_STR("serviceAccountToken")))
                return true;
        }
    }
    return false;
}

/* A mirror pod is the image of a static pod, which cannot use the API. */
static bool admits_mirror(const lw_pending_object *pending, const lw_node *spec, lw_str name,
                          lw_api_status *status)
{
    bool has_secret = false;
    (void)lw_pod_visit_refs(pending->root, note_secret, &has_secret);
    if (lw_fields_text(spec, "serviceAccountName").len > 0)
        return refuse_mirror(name, "a mirror pod may not reference service accounts", status);
    if (has_secret)
        return refuse_mirror(name, "a mirror pod may not reference secrets", status);
    if (projects_token(spec))
        return refuse_mirror(name,
                             "a mirror pod may not use ServiceAccountToken volume projections",
                             status);
    return true;
}

static void refuse_missing(lw_str name, lw_key account, lw_api_status *status)
{
    char why[TEXT_SIZE];
    (void)snprintf(why, sizeof(why),
                   "error looking up service account %.*s/%.*s: serviceaccount \"%.*s\" not found",
                   LW_STR_ARG(account.ns), LW_STR_ARG(account.name), LW_STR_ARG(account.name));
    lw_api_status_forbidden(status, lw_kind_gvr(&lw_kind_pods), name, lw_str_of(why));
}

bool lw_service_account_admits(lw_pending_object *pending, lw_str name, lw_api_status *status)
{
    lw_object *account = NULL;
    lw_tree *tree = pending->tree;
    lw_node *spec = lw_fields_object(tree, pending->root, "spec");
    if (lw_pod_is_mirror(pending->root))
        return admits_mirror(pending, spec, name, status);
    if (lw_fields_text(spec, "serviceAccountName").len == 0) {
        lw_fields_set_text(tree, spec, "serviceAccountName", LW_STR("default"));
        lw_fields_set_text(tree, spec, "serviceAccount", LW_STR("default"));
    }
    if (lw_pending_object_state(pending) < 0)
        return true; /* a later stage reports it */
    const lw_key key = { lw_fields_text(pending->metadata, "namespace"),
                         lw_fields_text(spec, "serviceAccountName") };
    lw_status st =
        lw_lookup(lw_api_resource(pending->port->api, &lw_kind_serviceaccounts), key, &account);
    if (st < 0) {
        lw_api_status_unreadable(status, st);
        return false;
    }
    /* The server itself creates "default" (namespace_object.h): a pod may come some milliseconds
     * earlier, right after its namespace. */
    if (!account && !lw_str_equal(key.name, LW_STR("default"))) {
        refuse_missing(name, key, status);
        return false;
    }
    if (wants_token(spec, account))
        mount_token(pending, spec);
    if (account)
        copy_pull_secrets(pending, spec, account);
    lw_object_unref(account);
    return true;
}
