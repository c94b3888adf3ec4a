/* SPDX-License-Identifier: Apache-2.0 */
/* pod_checks_baseline.c -- checks of the level baseline. */
#include <stdio.h>

#include "api/podsecurity/pod_checks_internal.h"
#include "base/str.h"
#include "object/quote.h"
#include "json/fields.h"

enum {
    TEXT_MAX = LW_POD_REPORT_MAX,
};

/* Returns true if the array |list| of texts contains |text|; it ends with NULL. */
static bool is_one_of(const char *const *list, lw_str text)
{
    for (; *list; list++) {
        if (lw_str_equal(text, lw_str_of(*list)))
            return true;
    }
    return false;
}

/* Adds |key|="value", quoted as Go does. */
static void add_annotation(lw_pod_check_run *run, lw_pod_texts *texts, lw_str key, lw_str value)
{
    lw_buf text;
    lw_buf_init(&text, TEXT_MAX);
    lw_buf_append_str(&text, key);
    lw_buf_append_char(&text, '=');
    lw_quote_append(&text, value);
    lw_pod_texts_add(run, texts, lw_arena_copy(&run->arena, lw_buf_view(&text)));
    lw_buf_done(&text);
}

static bool is_app_armor_good(const lw_node *security, lw_pod_check_run *run, lw_pod_texts *values)
{
    const lw_node *profile = lw_node_get(security, LW_STR("appArmorProfile"));
    lw_str type = lw_fields_text(profile, "type");
    if (!profile || lw_str_equal(type, LW_STR("RuntimeDefault")) ||
        lw_str_equal(type, LW_STR("Localhost")))
        return true;
    lw_pod_texts_add(run, values, type);
    return false;
}

/* Finds annotations of AppArmor profiles that are not allowed. */
static void find_app_armor_annotations(lw_pod_check_run *run, lw_pod_texts *found)
{
    const lw_node *annotations = lw_node_get(run->metadata, LW_STR("annotations"));
    for (size_t i = 0; i < lw_node_count(annotations); i++) {
        lw_str key = lw_node_key_at(annotations, i);
        lw_str value = lw_node_text(lw_node_at(annotations, i));
        if (lw_str_starts_with(key, LW_STR("container.apparmor.security.beta.kubernetes.io/")) &&
            value.len > 0 && !lw_str_equal(value, LW_STR("runtime/default")) &&
            !lw_str_starts_with(value, LW_STR("localhost/")))
            add_annotation(run, found, key, value);
    }
    lw_pod_texts_sort(found);
}

void lw_pod_check_app_armor(lw_pod_check_run *run)
{
    lw_pod_texts names = { 0 }, values = { 0 }, annotations = { 0 };
    lw_pod_walk walk = { 0 };
    lw_buf text;
    bool is_pod = !is_app_armor_good(run->security, run, &values);
    for (const lw_node *c; (c = lw_pod_next(run, &walk));) {
        if (!is_app_armor_good(lw_pod_security(c), run, &values))
            lw_pod_texts_add(run, &names, lw_fields_text(c, "name"));
    }
    lw_pod_texts_sort(&values);
    find_app_armor_annotations(run, &annotations);
    for (size_t i = 0; i < annotations.count; i++)
        lw_pod_texts_add(run, &values, annotations.at[i]);
    if (!is_pod && names.count == 0 && annotations.count == 0)
        return;
    lw_buf_init(&text, TEXT_MAX);
    lw_pod_append_setters(&text, is_pod, &names);
    if (annotations.count > 0)
        lw_buf_printf(&text, "%s%s", text.len > 0 ? " and " : "",
                      annotations.count == 1 ? "annotation" : "annotations");
    lw_buf_append_text(&text, " must not set AppArmor profile type to ");
    lw_pod_append_quoted(&text, &values);
    lw_pod_violates(run,
                    values.count == 1 ? "forbidden AppArmor profile"
                                      : "forbidden AppArmor profiles",
                    &text);
    lw_buf_done(&text);
}

void lw_pod_check_capabilities(lw_pod_check_run *run)
{
    static const char *const allowed[] = {
        "AUDIT_WRITE",      "CHOWN",   "DAC_OVERRIDE", "FOWNER",  "FSETID", "KILL",       "MKNOD",
        "NET_BIND_SERVICE", "SETFCAP", "SETGID",       "SETPCAP", "SETUID", "SYS_CHROOT", NULL,
    };
    lw_pod_texts names = { 0 }, values = { 0 };
    lw_pod_walk walk = { 0 };
    lw_buf text;
    for (const lw_node *c; (c = lw_pod_next(run, &walk));) {
        const lw_node *add = lw_fields_find(c, "/securityContext/capabilities/add");
        size_t before = values.count;
        for (size_t i = 0; i < lw_node_count(add); i++) {
            if (!is_one_of(allowed, lw_node_text(lw_node_at(add, i))))
                lw_pod_texts_add(run, &values, lw_node_text(lw_node_at(add, i)));
        }
        if (values.count > before)
            lw_pod_texts_add(run, &names, lw_fields_text(c, "name"));
    }
    if (names.count == 0)
        return;
    lw_buf_init(&text, TEXT_MAX);
    lw_pod_texts_sort(&values);
    lw_pod_append_containers(&text, &names);
    lw_buf_append_text(&text, " must not include ");
    lw_pod_append_quoted(&text, &values);
    lw_buf_append_text(&text, " in securityContext.capabilities.add");
    lw_pod_violates(run, "non-default capabilities", &text);
    lw_buf_done(&text);
}

void lw_pod_check_host_namespaces(lw_pod_check_run *run)
{
    static const char *const fields[] = { "hostNetwork", "hostPID", "hostIPC" };
    lw_buf text;
    lw_buf_init(&text, TEXT_MAX);
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        if (lw_node_bool(lw_node_get(run->spec, lw_str_of(fields[i]))))
            lw_buf_printf(&text, "%s%s=true", text.len > 0 ? ", " : "", fields[i]);
    }
    if (text.len > 0)
        lw_pod_violates(run, "host namespaces", &text);
    lw_buf_done(&text);
}

void lw_pod_check_host_paths(lw_pod_check_run *run)
{
    const lw_node *volumes = lw_node_get(run->spec, LW_STR("volumes"));
    lw_pod_texts names = { 0 };
    lw_buf text;
    for (size_t i = 0; i < lw_node_count(volumes); i++) {
        const lw_node *volume = lw_node_at(volumes, i);
        if (lw_node_get(volume, LW_STR("hostPath")))
            lw_pod_texts_add(run, &names, lw_fields_text(volume, "name"));
    }
    if (names.count == 0)
        return;
    lw_buf_init(&text, TEXT_MAX);
    lw_buf_append_text(&text, names.count == 1 ? "volume " : "volumes ");
    lw_pod_append_quoted(&text, &names);
    lw_pod_violates(run, "hostPath volumes", &text);
    lw_buf_done(&text);
}

void lw_pod_check_host_ports(lw_pod_check_run *run)
{
    lw_pod_texts names = { 0 }, ports = { 0 };
    lw_pod_walk walk = { 0 };
    lw_buf text;
    for (const lw_node *c; (c = lw_pod_next(run, &walk));) {
        const lw_node *list = lw_node_get(c, LW_STR("ports"));
        size_t before = ports.count;
        for (size_t i = 0; i < lw_node_count(list); i++) {
            const lw_node *port = lw_node_get(lw_node_at(list, i), LW_STR("hostPort"));
            int64_t number = 0;
            if (lw_node_int64(port, &number) && number != 0)
                lw_pod_texts_add(run, &ports, lw_node_text(port));
        }
        if (ports.count > before)
            lw_pod_texts_add(run, &names, lw_fields_text(c, "name"));
    }
    if (names.count == 0)
        return;
    lw_buf_init(&text, TEXT_MAX);
    lw_pod_texts_sort(&ports);
    lw_pod_append_containers(&text, &names);
    lw_buf_printf(&text, " %s %s ", names.count == 1 ? "uses" : "use",
                  ports.count == 1 ? "hostPort" : "hostPorts");
    for (size_t i = 0; i < ports.count; i++) {
        lw_buf_append_text(&text, i > 0 ? ", " : "");
        lw_buf_append_str(&text, ports.at[i]);
    }
    lw_pod_violates(run, "hostPort", &text);
    lw_buf_done(&text);
}

void lw_pod_check_host_probes(lw_pod_check_run *run)
{
    static const char *const places[] = {
        "/livenessProbe/httpGet/host",       "/livenessProbe/tcpSocket/host",
        "/readinessProbe/httpGet/host",      "/readinessProbe/tcpSocket/host",
        "/startupProbe/httpGet/host",        "/startupProbe/tcpSocket/host",
        "/lifecycle/postStart/httpGet/host", "/lifecycle/postStart/tcpSocket/host",
        "/lifecycle/preStop/httpGet/host",   "/lifecycle/preStop/tcpSocket/host",
    };
    lw_pod_texts names = { 0 }, hosts = { 0 };
    lw_pod_walk walk = { 0 };
    lw_buf text;
    for (const lw_node *c; (c = lw_pod_next(run, &walk));) {
        size_t before = hosts.count;
        for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
            lw_str host = lw_fields_text_at(c, places[i]);
            if (host.len > 0)
                lw_pod_texts_add(run, &hosts, host);
        }
        if (hosts.count > before)
            lw_pod_texts_add(run, &names, lw_fields_text(c, "name"));
    }
    if (names.count == 0)
        return;
    lw_buf_init(&text, TEXT_MAX);
    lw_pod_texts_sort(&hosts);
    lw_pod_texts_sort(&names);
    lw_pod_append_containers(&text, &names);
    lw_buf_printf(&text, " %s probe or lifecycle host%s ", names.count == 1 ? "uses" : "use",
                  hosts.count == 1 ? "" : "s");
    lw_pod_append_quoted(&text, &hosts);
    lw_pod_violates(run, "probe or lifecycle host", &text);
    lw_buf_done(&text);
}

void lw_pod_check_privileged(lw_pod_check_run *run)
{
    lw_pod_texts names = { 0 };
    lw_pod_walk walk = { 0 };
    lw_buf text;
    for (const lw_node *c; (c = lw_pod_next(run, &walk));) {
        if (lw_node_bool(lw_node_get(lw_pod_security(c), LW_STR("privileged"))))
            lw_pod_texts_add(run, &names, lw_fields_text(c, "name"));
    }
    if (names.count == 0)
        return;
    lw_buf_init(&text, TEXT_MAX);
    lw_pod_append_containers(&text, &names);
    lw_buf_append_text(&text, " must not set securityContext.privileged=true");
    lw_pod_violates(run, "privileged", &text);
    lw_buf_done(&text);
}

/* The check of the level restricted is the same for pods without a user namespace. */
void lw_pod_check_proc_mount(lw_pod_check_run *run)
{
    if (run->version < 35 || !lw_pod_has_user_namespace(run))
        lw_pod_check_proc_mount_strictly(run);
}

static bool is_selinux_good(lw_pod_check_run *run, const lw_node *security, lw_pod_texts *types,
                            bool *has_user, bool *has_role)
{
    static const char *const allowed[] = { "", "container_t", "container_init_t", "container_kvm_t",
                                           NULL };
    const lw_node *options = lw_node_get(security, LW_STR("seLinuxOptions"));
    lw_str type = lw_fields_text(options, "type");
    bool is_engine = run->version >= 31 && lw_str_equal(type, LW_STR("container_engine_t"));
    bool is_type = is_engine || is_one_of(allowed, type);
    bool is_user = lw_fields_text(options, "user").len > 0;
    bool is_role = lw_fields_text(options, "role").len > 0;
    if (!options)
        return true;
    if (!is_type)
        lw_pod_texts_add(run, types, type);
    *has_user = *has_user || is_user;
    *has_role = *has_role || is_role;
    return is_type && !is_user && !is_role;
}

void lw_pod_check_selinux(lw_pod_check_run *run)
{
    lw_pod_texts names = { 0 }, types = { 0 };
    lw_pod_walk walk = { 0 };
    bool has_user = false, has_role = false;
    const char *separator = "";
    lw_buf text;
    bool is_pod = !is_selinux_good(run, run->security, &types, &has_user, &has_role);
    for (const lw_node *c; (c = lw_pod_next(run, &walk));) {
        if (!is_selinux_good(run, lw_pod_security(c), &types, &has_user, &has_role))
            lw_pod_texts_add(run, &names, lw_fields_text(c, "name"));
    }
    if (!is_pod && names.count == 0)
        return;
    lw_buf_init(&text, TEXT_MAX);
    lw_pod_append_setters(&text, is_pod, &names);
    lw_buf_append_text(&text, " set forbidden securityContext.seLinuxOptions: ");
    lw_pod_texts_sort(&types);
    if (types.count > 0) {
        lw_buf_append_text(&text, types.count == 1 ? "type " : "types ");
        lw_pod_append_quoted(&text, &types);
        separator = "; ";
    }
    if (has_user) {
        lw_buf_printf(&text, "%suser may not be set", separator);
        separator = "; ";
    }
    if (has_role)
        lw_buf_printf(&text, "%srole may not be set", separator);
    lw_pod_violates(run, "seLinuxOptions", &text);
    lw_buf_done(&text);
}

static void check_seccomp_annotation(lw_pod_check_run *run, lw_str key, lw_pod_texts *found)
{
    const lw_node *node = lw_node_get(lw_node_get(run->metadata, LW_STR("annotations")), key);
    lw_str value = lw_node_text(node);
    if (node && !lw_str_equal(value, LW_STR("runtime/default")) &&
        !lw_str_equal(value, LW_STR("docker/default")) &&
        !lw_str_starts_with(value, LW_STR("localhost/")))
        add_annotation(run, found, key, value);
}

/* Before version 1.19 the profile was an annotation. */
static void check_seccomp_annotations(lw_pod_check_run *run)
{
    lw_pod_texts found = { 0 };
    lw_pod_walk walk = { 0 };
    lw_buf text;
    lw_buf_init(&text, TEXT_MAX);
    check_seccomp_annotation(run, LW_STR("seccomp.security.alpha.kubernetes.io/pod"), &found);
    for (const lw_node *c; (c = lw_pod_next(run, &walk));) {
        lw_buf_truncate(&text, 0);
        lw_buf_append_text(&text, "container.seccomp.security.alpha.kubernetes.io/");
        lw_buf_append_str(&text, lw_fields_text(c, "name"));
        check_seccomp_annotation(run, lw_arena_copy(&run->arena, lw_buf_view(&text)), &found);
    }
    lw_pod_texts_sort(&found);
    lw_buf_truncate(&text, 0);
    lw_buf_append_text(&text,
                       found.count == 1 ? "forbidden annotation " : "forbidden annotations ");
    for (size_t i = 0; i < found.count; i++) {
        lw_buf_append_text(&text, i > 0 ? ", " : "");
        lw_buf_append_str(&text, found.at[i]);
    }
    if (found.count > 0)
        lw_pod_violates(run, "seccompProfile", &text);
    lw_buf_done(&text);
}

void lw_pod_check_seccomp(lw_pod_check_run *run)
{
    lw_pod_texts names = { 0 }, values = { 0 };
    lw_pod_walk walk = { 0 };
    lw_buf text;
    if (run->version < 19) {
        check_seccomp_annotations(run);
        return;
    }
    const lw_node *profile = lw_node_get(run->security, LW_STR("seccompProfile"));
    bool is_pod = profile && !lw_pod_is_seccomp_good(profile);
    if (is_pod)
        lw_pod_texts_add(run, &values, lw_fields_text(profile, "type"));
    for (const lw_node *c; (c = lw_pod_next(run, &walk));) {
        profile = lw_node_get(lw_pod_security(c), LW_STR("seccompProfile"));
        if (!profile || lw_pod_is_seccomp_good(profile))
            continue;
        lw_pod_texts_add(run, &names, lw_fields_text(c, "name"));
        lw_pod_texts_add(run, &values, lw_fields_text(profile, "type"));
    }
    if (!is_pod && names.count == 0)
        return;
    lw_buf_init(&text, TEXT_MAX);
    lw_pod_texts_sort(&values);
    lw_pod_append_setters(&text, is_pod, &names);
    lw_buf_append_text(&text, " must not set securityContext.seccompProfile.type to ");
    lw_pod_append_quoted(&text, &values);
    lw_pod_violates(run, "seccompProfile", &text);
    lw_buf_done(&text);
}

void lw_pod_check_sysctls(lw_pod_check_run *run)
{
    static const struct {
        const char *name;
        int since;
    } allowed[] = {
        { "kernel.shm_rmid_forced", 0 },
        { "net.ipv4.ip_local_port_range", 0 },
        { "net.ipv4.tcp_syncookies", 0 },
        { "net.ipv4.ping_group_range", 0 },
        { "net.ipv4.ip_unprivileged_port_start", 0 },
        { "net.ipv4.ip_local_reserved_ports", 27 },
        { "net.ipv4.tcp_keepalive_time", 29 },
        { "net.ipv4.tcp_fin_timeout", 29 },
        { "net.ipv4.tcp_keepalive_intvl", 29 },
        { "net.ipv4.tcp_keepalive_probes", 29 },
        { "net.ipv4.tcp_rmem", 32 },
        { "net.ipv4.tcp_wmem", 32 },
        { "net.ipv4.tcp_slow_start_after_idle", 37 },
        { "net.ipv4.tcp_notsent_lowat", 37 },
    };
    const lw_node *sysctls = lw_node_get(run->security, LW_STR("sysctls"));
    lw_buf text;
    bool is_bad = false;
    lw_buf_init(&text, TEXT_MAX);
    for (size_t i = 0; i < lw_node_count(sysctls); i++) {
        lw_str name = lw_fields_text(lw_node_at(sysctls, i), "name");
        bool is_allowed = false;
        for (size_t k = 0; k < sizeof(allowed) / sizeof(allowed[0]); k++)
            is_allowed = is_allowed || (run->version >= allowed[k].since &&
                                        lw_str_equal(name, lw_str_of(allowed[k].name)));
        if (is_allowed)
            continue;
        lw_buf_append_text(&text, is_bad ? ", " : "");
        lw_buf_append_str(&text, name);
        is_bad = true;
    }
    if (is_bad)
        lw_pod_violates(run, "forbidden sysctls", &text);
    lw_buf_done(&text);
}

static bool is_host_process(const lw_node *security)
{
    return lw_node_bool(lw_fields_find(security, "/windowsOptions/hostProcess"));
}

void lw_pod_check_windows(lw_pod_check_run *run)
{
    lw_pod_texts names = { 0 };
    lw_pod_walk walk = { 0 };
    lw_buf text;
    bool is_pod = is_host_process(run->security);
    for (const lw_node *c; (c = lw_pod_next(run, &walk));) {
        if (is_host_process(lw_pod_security(c)))
            lw_pod_texts_add(run, &names, lw_fields_text(c, "name"));
    }
    if (!is_pod && names.count == 0)
        return;
    lw_buf_init(&text, TEXT_MAX);
    lw_pod_append_setters(&text, is_pod, &names);
    lw_buf_append_text(&text, " must not set securityContext.windowsOptions.hostProcess=true");
    lw_pod_violates(run, "hostProcess", &text);
    lw_buf_done(&text);
}
