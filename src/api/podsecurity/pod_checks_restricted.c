/* SPDX-License-Identifier: Apache-2.0 */
/* pod_checks_restricted.c -- checks of the level restricted. */
#include "api/podsecurity/pod_checks_internal.h"
#include "base/str.h"
#include "json/fields.h"

enum {
    TEXT_MAX = LW_POD_REPORT_MAX,
};

static bool is_false(const lw_node *node)
{
    return lw_node_is(node, LW_JSON_BOOL) && !lw_node_bool(node);
}

void lw_pod_check_escalation(lw_pod_check_run *run)
{
    lw_pod_texts names = { 0 };
    lw_pod_walk walk = { 0 };
    lw_buf text;
    if (run->version >= 25 && lw_pod_is_windows(run))
        return;
    for (const lw_node *c; (c = lw_pod_next(run, &walk));) {
        if (!is_false(lw_node_get(lw_pod_security(c), LW_STR("allowPrivilegeEscalation"))))
            lw_pod_texts_add(run, &names, lw_fields_text(c, "name"));
    }
    if (names.count == 0)
        return;
    lw_buf_init(&text, TEXT_MAX);
    lw_pod_append_containers(&text, &names);
    lw_buf_append_text(&text, " must set securityContext.allowPrivilegeEscalation=false");
    lw_pod_violates(run, "allowPrivilegeEscalation != false", &text);
    lw_buf_done(&text);
}

/* Adds the capabilities that |container| adds and must not.  Returns true if there are some. */
static bool find_added(lw_pod_check_run *run, const lw_node *container, lw_pod_texts *values)
{
    const lw_node *add = lw_fields_find(container, "/securityContext/capabilities/add");
    size_t before = values->count;
    for (size_t i = 0; i < lw_node_count(add); i++) {
        if (!lw_str_equal(lw_node_text(lw_node_at(add, i)), LW_STR("NET_BIND_SERVICE")))
            lw_pod_texts_add(run, values, lw_node_text(lw_node_at(add, i)));
    }
    return values->count > before;
}

void lw_pod_check_dropped_capabilities(lw_pod_check_run *run)
{
    lw_pod_texts missing = { 0 }, adding = { 0 }, values = { 0 };
    lw_pod_walk walk = { 0 };
    lw_buf text;
    if (run->version >= 25 && lw_pod_is_windows(run))
        return;
    for (const lw_node *c; (c = lw_pod_next(run, &walk));) {
        const lw_node *drop = lw_fields_find(c, "/securityContext/capabilities/drop");
        if (!lw_fields_list_has(drop, LW_STR("ALL")))
            lw_pod_texts_add(run, &missing, lw_fields_text(c, "name"));
        if (find_added(run, c, &values))
            lw_pod_texts_add(run, &adding, lw_fields_text(c, "name"));
    }
    if (missing.count == 0 && adding.count == 0)
        return;
    lw_buf_init(&text, TEXT_MAX);
    if (missing.count > 0) {
        lw_pod_append_containers(&text, &missing);
        lw_buf_append_text(&text, " must set securityContext.capabilities.drop=[\"ALL\"]");
    }
    if (adding.count > 0) {
        lw_pod_texts_sort(&values);
        lw_buf_append_text(&text, text.len > 0 ? "; " : "");
        lw_pod_append_containers(&text, &adding);
        lw_buf_append_text(&text, " must not include ");
        lw_pod_append_quoted(&text, &values);
        lw_buf_append_text(&text, " in securityContext.capabilities.add");
    }
    lw_pod_violates(run, "unrestricted capabilities", &text);
    lw_buf_done(&text);
}

void lw_pod_check_proc_mount_strictly(lw_pod_check_run *run)
{
    lw_pod_texts names = { 0 }, values = { 0 };
    lw_pod_walk walk = { 0 };
    lw_buf text;
    for (const lw_node *c; (c = lw_pod_next(run, &walk));) {
        const lw_node *mount = lw_node_get(lw_pod_security(c), LW_STR("procMount"));
        if (!mount || lw_str_equal(lw_node_text(mount), LW_STR("Default")))
            continue;
        lw_pod_texts_add(run, &names, lw_fields_text(c, "name"));
        lw_pod_texts_add(run, &values, lw_node_text(mount));
    }
    if (names.count == 0)
        return;
    lw_buf_init(&text, TEXT_MAX);
    lw_pod_texts_sort(&values);
    lw_pod_append_containers(&text, &names);
    lw_buf_append_text(&text, " must not set securityContext.procMount to ");
    lw_pod_append_quoted(&text, &values);
    lw_pod_violates(run, "procMount", &text);
    lw_buf_done(&text);
}

/* Returns the type of a volume that is restricted; NULL: it is allowed. */
static const char *restricted_type(const lw_node *volume)
{
    static const char *const allowed[] = {
        "configMap", "csi",   "downwardAPI",           "emptyDir",
        "ephemeral", "image", "persistentVolumeClaim", "projected",
        "secret",
    };
    static const char *const types[] = {
        "hostPath",
        "gcePersistentDisk",
        "awsElasticBlockStore",
        "gitRepo",
        "nfs",
        "iscsi",
        "glusterfs",
        "rbd",
        "flexVolume",
        "cinder",
        "cephfs",
        "flocker",
        "fc",
        "azureFile",
        "vsphereVolume",
        "quobyte",
        "azureDisk",
        "photonPersistentDisk",
        "portworxVolume",
        "scaleIO",
        "storageos",
    };
    for (size_t i = 0; i < sizeof(allowed) / sizeof(allowed[0]); i++) {
        if (lw_node_get(volume, lw_str_of(allowed[i])))
            return NULL;
    }
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        if (lw_node_get(volume, lw_str_of(types[i])))
            return types[i];
    }
    return "unknown";
}

void lw_pod_check_volumes(lw_pod_check_run *run)
{
    const lw_node *volumes = lw_node_get(run->spec, LW_STR("volumes"));
    lw_pod_texts names = { 0 }, types = { 0 };
    lw_buf text;
    for (size_t i = 0; i < lw_node_count(volumes); i++) {
        const lw_node *volume = lw_node_at(volumes, i);
        const char *type = restricted_type(volume);
        if (!type)
            continue;
        lw_pod_texts_add(run, &names, lw_fields_text(volume, "name"));
        lw_pod_texts_add(run, &types, lw_str_of(type));
    }
    if (names.count == 0)
        return;
    lw_buf_init(&text, TEXT_MAX);
    lw_pod_texts_sort(&types);
    lw_buf_append_text(&text, names.count == 1 ? "volume " : "volumes ");
    lw_pod_append_quoted(&text, &names);
    lw_buf_printf(&text, " %s restricted volume type%s ", names.count == 1 ? "uses" : "use",
                  types.count == 1 ? "" : "s");
    lw_pod_append_quoted(&text, &types);
    lw_pod_violates(run, "restricted volume types", &text);
    lw_buf_done(&text);
}

void lw_pod_check_non_root(lw_pod_check_run *run)
{
    static const char reason[] = "runAsNonRoot != true";
    lw_pod_texts bad = { 0 }, unset = { 0 };
    lw_pod_walk walk = { 0 };
    lw_buf text;
    if (run->version >= 35 && lw_pod_has_user_namespace(run))
        return;
    const lw_node *of_pod = lw_node_get(run->security, LW_STR("runAsNonRoot"));
    for (const lw_node *c; (c = lw_pod_next(run, &walk));) {
        const lw_node *own = lw_node_get(lw_pod_security(c), LW_STR("runAsNonRoot"));
        if (is_false(own))
            lw_pod_texts_add(run, &bad, lw_fields_text(c, "name"));
        else if (!own && !lw_node_bool(of_pod))
            lw_pod_texts_add(run, &unset, lw_fields_text(c, "name"));
    }
    lw_buf_init(&text, TEXT_MAX);
    if (is_false(of_pod) || bad.count > 0) {
        lw_pod_append_setters(&text, is_false(of_pod), &bad);
        lw_buf_append_text(&text, " must not set securityContext.runAsNonRoot=false");
        lw_pod_violates(run, reason, &text);
    } else if (unset.count > 0) {
        lw_buf_append_text(&text, "pod or ");
        lw_pod_append_containers(&text, &unset);
        lw_buf_append_text(&text, " must set securityContext.runAsNonRoot=true");
        lw_pod_violates(run, reason, &text);
    }
    lw_buf_done(&text);
}

static bool is_root(const lw_node *security)
{
    int64_t user;
    return lw_node_int64(lw_node_get(security, LW_STR("runAsUser")), &user) && user == 0;
}

void lw_pod_check_user(lw_pod_check_run *run)
{
    lw_pod_texts names = { 0 };
    lw_pod_walk walk = { 0 };
    lw_buf text;
    if (run->version >= 35 && lw_pod_has_user_namespace(run))
        return;
    for (const lw_node *c; (c = lw_pod_next(run, &walk));) {
        if (is_root(lw_pod_security(c)))
            lw_pod_texts_add(run, &names, lw_fields_text(c, "name"));
    }
    if (!is_root(run->security) && names.count == 0)
        return;
    lw_buf_init(&text, TEXT_MAX);
    lw_pod_append_setters(&text, is_root(run->security), &names);
    lw_buf_append_text(&text, " must not set runAsUser=0");
    lw_pod_violates(run, "runAsUser=0", &text);
    lw_buf_done(&text);
}

void lw_pod_check_seccomp_strictly(lw_pod_check_run *run)
{
    lw_pod_texts bad = { 0 }, unset = { 0 }, values = { 0 };
    lw_pod_walk walk = { 0 };
    lw_buf text;
    if (run->version >= 25 && lw_pod_is_windows(run))
        return;
    const lw_node *of_pod = lw_node_get(run->security, LW_STR("seccompProfile"));
    bool is_set = of_pod && lw_pod_is_seccomp_good(of_pod);
    if (of_pod && !is_set)
        lw_pod_texts_add(run, &values, lw_fields_text(of_pod, "type"));
    for (const lw_node *c; (c = lw_pod_next(run, &walk));) {
        const lw_node *own = lw_node_get(lw_pod_security(c), LW_STR("seccompProfile"));
        if (own && !lw_pod_is_seccomp_good(own)) {
            lw_pod_texts_add(run, &bad, lw_fields_text(c, "name"));
            lw_pod_texts_add(run, &values, lw_fields_text(own, "type"));
        } else if (!own && !is_set) {
            lw_pod_texts_add(run, &unset, lw_fields_text(c, "name"));
        }
    }
    lw_buf_init(&text, TEXT_MAX);
    if (values.count > 0) {
        lw_pod_texts_sort(&values);
        lw_pod_append_setters(&text, of_pod && !is_set, &bad);
        lw_buf_append_text(&text, " must not set securityContext.seccompProfile.type to ");
        lw_pod_append_quoted(&text, &values);
        lw_pod_violates(run, "seccompProfile", &text);
    } else if (unset.count > 0) {
        lw_buf_append_text(&text, "pod or ");
        lw_pod_append_containers(&text, &unset);
        lw_buf_append_text(&text, " must set securityContext.seccompProfile.type to "
                                  "\"RuntimeDefault\" or \"Localhost\"");
        lw_pod_violates(run, "seccompProfile", &text);
    }
    lw_buf_done(&text);
}
