/* SPDX-License-Identifier: Apache-2.0 */
/* pod_warnings.c -- warnings about pods; the texts and their order are those of Kubernetes. */
#include "api/warnings/pod_warnings.h"

#include <stdio.h>
#include <string.h>

#include "api/pending/text_set.h"
#include "base/str.h"
#include "json/fields.h"

const char *const lw_container_lists[] = { "initContainers", "containers", "ephemeralContainers",
                                           NULL };

#define NO_SELECTOR ".labelSelector: a null labelSelector results in matching no pod"

static void warn_node_labels(lw_api_call *call, lw_field_path spec_path, const lw_node *spec)
{
    const lw_node *selector = lw_node_get(spec, LW_STR("nodeSelector"));
    for (size_t i = 0; i < lw_node_count(selector); i++) {
        lw_str key = lw_node_key_at(selector, i);
        const char *message = lw_warn_node_label(key);
        if (message)
            lw_warn_at(call, spec_path, ".nodeSelector[%.*s]: %s", LW_STR_ARG(key), message);
    }
    const lw_node *affinity = lw_fields_find(spec, "/affinity/nodeAffinity");
    static const char *const required = "requiredDuringSchedulingIgnoredDuringExecution";
    static const char *const preferred = "preferredDuringSchedulingIgnoredDuringExecution";
    lw_field_path above = lw_field_path_in(&spec_path, LW_STR("affinity.nodeAffinity"));
    lw_field_path at = lw_field_path_in(&above, lw_str_of(required));
    const lw_node *terms =
        lw_node_get(lw_node_get(affinity, lw_str_of(required)), LW_STR("nodeSelectorTerms"));
    for (size_t i = 0; i < lw_node_count(terms); i++)
        lw_warn_selector_term(call, lw_field_path_item(&at, LW_STR("nodeSelectorTerms"), i),
                              lw_node_at(terms, i), false);
    terms = lw_node_get(affinity, lw_str_of(preferred));
    for (size_t i = 0; i < lw_node_count(terms); i++) {
        lw_field_path item = lw_field_path_item(&above, lw_str_of(preferred), i);
        lw_warn_selector_term(call, lw_field_path_in(&item, LW_STR("preference")),
                              lw_node_get(lw_node_at(terms, i), LW_STR("preference")), true);
    }
}

static void warn_spreading(lw_api_call *call, lw_field_path spec_path, const lw_node *spec)
{
    const lw_node *constraints = lw_node_get(spec, LW_STR("topologySpreadConstraints"));
    for (size_t i = 0; i < lw_node_count(constraints); i++) {
        const lw_node *constraint = lw_node_at(constraints, i);
        lw_field_path at = lw_field_path_item(&spec_path, LW_STR("topologySpreadConstraints"), i);
        lw_str key = lw_fields_text(constraint, "topologyKey");
        const char *message = lw_warn_node_label(key);
        if (message)
            lw_warn_at(call, at, ".topologyKey: %.*s is %s", LW_STR_ARG(key), message);
        if (!lw_node_get(constraint, LW_STR("labelSelector")))
            lw_warn_at(call, at, NO_SELECTOR);
    }
}

static const lw_outdated annotations[] = {
    { "scheduler.alpha.kubernetes.io/critical-pod",
      "non-functional in v1.16+; use the \"priorityClassName\" field instead" },
    { "security.alpha.kubernetes.io/sysctls",
      "non-functional in v1.11+; use the \"sysctls\" field instead" },
    { "security.alpha.kubernetes.io/unsafe-sysctls",
      "non-functional in v1.11+; use the \"sysctls\" field instead" },
    { NULL, NULL },
};

static const lw_outdated volume_types[] = {
    { "photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+" },
    { "gitRepo", "deprecated in v1.11, and disabled by default in v1.33+" },
    { "scaleIO", "deprecated in v1.16, non-functional in v1.22+" },
    { "flocker", "deprecated in v1.22, non-functional in v1.25+" },
    { "storageOS", "deprecated in v1.22, non-functional in v1.25+" },
    { "quobyte", "deprecated in v1.22, non-functional in v1.25+" },
    { "glusterfs", "deprecated in v1.25, non-functional in v1.26+" },
    { "cephfs", "deprecated in v1.28, non-functional in v1.31+" },
    { "rbd", "deprecated in v1.28, non-functional in v1.31+" },
    { NULL, NULL },
};

void lw_claim_warnings(lw_api_call *call, lw_field_path path, const lw_node *spec)
{
    lw_field_path resources = lw_field_path_in(&path, LW_STR("resources"));
    lw_warn_fraction(call, lw_field_path_in(&resources, LW_STR("requests")),
                     lw_fields_find(spec, "/resources/requests"), "storage");
    lw_warn_fraction(call, lw_field_path_in(&resources, LW_STR("limits")),
                     lw_fields_find(spec, "/resources/limits"), "storage");
}

static void warn_volumes(lw_api_call *call, lw_field_path spec_path, const lw_node *spec)
{
    const lw_node *volumes = lw_node_get(spec, LW_STR("volumes"));
    for (size_t i = 0; i < lw_node_count(volumes); i++) {
        lw_field_path at = lw_field_path_item(&spec_path, LW_STR("volumes"), i);
        const lw_node *volume = lw_node_at(volumes, i);
        lw_warn_outdated(call, at, volume, volume_types, false);
        lw_claim_warnings(call, lw_field_path_in(&at, LW_STR("ephemeral.volumeClaimTemplate.spec")),
                          lw_fields_find(volume, "/ephemeral/volumeClaimTemplate/spec"));
    }
    lw_volume_path_warnings(call, volumes);
}

/* Warns of items of the list |key| of which |member| has occurred before. */
static void warn_duplicates(lw_api_call *call, lw_field_path spec_path, const lw_node *spec,
                            const char *key, const char *member)
{
    const lw_node *list = lw_node_get(spec, lw_str_of(key));
    lw_text_set seen;
    lw_text_set_init(&seen, member);
    for (size_t i = 0; i < lw_node_count(list); i++) {
        lw_node *item = lw_node_at(list, i);
        if (!lw_text_set_add(&seen, item))
            lw_warn_at(call, lw_field_path_item(&spec_path, lw_str_of(key), i),
                       ".%s: duplicate %s \"%.*s\"", member, member,
                       LW_STR_ARG(lw_fields_text(item, member)));
    }
    lw_text_set_done(&seen, NULL);
}

static void warn_secrets(lw_api_call *call, lw_field_path spec_path, const lw_node *spec)
{
    const lw_node *secrets = lw_node_get(spec, LW_STR("imagePullSecrets"));
    warn_duplicates(call, spec_path, spec, "imagePullSecrets", "name");
    for (size_t i = 0; i < lw_node_count(secrets); i++) {
        if (lw_fields_text(lw_node_at(secrets, i), "name").len == 0)
            lw_warn_at(call, lw_field_path_item(&spec_path, LW_STR("imagePullSecrets"), i),
                       ".name: invalid empty name \"\"");
    }
}

/* Whether |value| uses the variable |name|, and more than that. */
static bool extends(lw_str value, lw_str name)
{
    char reference[LW_FIELD_PATH_SIZE];
    int len = snprintf(reference, sizeof(reference), "$(%.*s)", LW_STR_ARG(name));
    return len > 0 && (size_t)len < sizeof(reference) && value.len > (size_t)len &&
           memmem(value.ptr, value.len, reference, (size_t)len);
}

static void warn_variables(lw_api_call *call, lw_field_path path, const lw_node *container)
{
    const lw_node *env = lw_node_get(container, LW_STR("env"));
    lw_text_set seen;
    lw_text_set_init(&seen, "name");
    for (size_t i = 0; i < lw_node_count(env); i++) {
        lw_node *variable = lw_node_at(env, i);
        lw_str name = lw_fields_text(variable, "name");
        if (!lw_text_set_add(&seen, variable) &&
            (lw_node_get(variable, LW_STR("valueFrom")) ||
             !extends(lw_fields_text(variable, "value"), name)))
            lw_warn_at(call, lw_field_path_item(&path, LW_STR("env"), i),
                       ": hides previous definition of \"%.*s\", which may be dropped when using "
                       "apply",
                       LW_STR_ARG(name));
    }
    lw_text_set_done(&seen, NULL);
}

/* Warns of an annotation of the container |name| in place of a field. */
static void warn_annotation(lw_api_call *call, const lw_field_path *path, const lw_node *metadata,
                            const char *prefix, lw_str name, const char *message)
{
    const lw_node *marked = lw_node_get(metadata, LW_STR("annotations"));
    char key[LW_FIELD_PATH_SIZE];
    if (lw_node_count(marked) == 0)
        return;
    (void)snprintf(key, sizeof(key), "%s%.*s", prefix, LW_STR_ARG(name));
    if (lw_node_get(marked, lw_str_of(key)))
        lw_warn_at(call, lw_field_path_in(path, LW_STR("metadata.annotations")), "[%s]: %s", key,
                   message);
}

#define SECCOMP  "non-functional in v1.27+; use the \"seccompProfile\" field instead"
#define APPARMOR "deprecated since v1.30; use the \"appArmorProfile\" field instead"

static void warn_profiles(lw_api_call *call, const lw_field_path *path, const lw_node *pod,
                          const lw_node *container)
{
    const lw_node *metadata = lw_node_get(pod, LW_STR("metadata"));
    lw_str name = lw_fields_text(container, "name");
    if (!lw_fields_find(container, "/securityContext/seccompProfile"))
        warn_annotation(call, path, metadata, "container.seccomp.security.alpha.kubernetes.io/",
                        name, SECCOMP);
    if (path && !lw_fields_find(container, "/securityContext/appArmorProfile") &&
        !lw_fields_find(pod, "/spec/securityContext/appArmorProfile"))
        warn_annotation(call, path, metadata, "container.apparmor.security.beta.kubernetes.io/",
                        name, APPARMOR);
}

static void warn_resources(lw_api_call *call, lw_field_path path, const lw_node *container)
{
    lw_field_path limits = lw_field_path_in(&path, LW_STR("resources.limits"));
    lw_field_path requests = lw_field_path_in(&path, LW_STR("resources.requests"));
    const lw_node *limited = lw_fields_find(container, "/resources/limits");
    const lw_node *requested = lw_fields_find(container, "/resources/requests");
    lw_warn_fraction(call, limits, limited, "memory");
    lw_warn_fraction(call, requests, requested, "memory");
    lw_warn_fraction(call, limits, limited, "ephemeral-storage");
    lw_warn_fraction(call, requests, requested, "ephemeral-storage");
}

static void warn_containers(lw_api_call *call, const lw_field_path *path, lw_field_path spec_path,
                            const lw_node *pod)
{
    const lw_node *spec = lw_node_get(pod, LW_STR("spec"));
    for (size_t k = 0; lw_container_lists[k]; k++) {
        const lw_node *list = lw_node_get(spec, lw_str_of(lw_container_lists[k]));
        for (size_t i = 0; i < lw_node_count(list); i++) {
            lw_field_path at = lw_field_path_item(&spec_path, lw_str_of(lw_container_lists[k]), i);
            warn_profiles(call, path, pod, lw_node_at(list, i));
            warn_resources(call, at, lw_node_at(list, i));
            warn_variables(call, at, lw_node_at(list, i));
        }
    }
}

/* Warns of terms of the affinity |name| to other pods that match none. */
static void warn_affinity(lw_api_call *call, lw_field_path spec_path, const lw_node *spec,
                          const char *name)
{
    const lw_node *affinity = lw_node_get(lw_node_get(spec, LW_STR("affinity")), lw_str_of(name));
    const lw_node *required =
        lw_node_get(affinity, LW_STR("requiredDuringSchedulingIgnoredDuringExecution"));
    const lw_node *preferred =
        lw_node_get(affinity, LW_STR("preferredDuringSchedulingIgnoredDuringExecution"));
    lw_field_path above = lw_field_path_in(&spec_path, LW_STR("affinity"));
    lw_field_path at = lw_field_path_in(&above, lw_str_of(name));
    for (size_t i = 0; i < lw_node_count(required); i++) {
        if (!lw_node_get(lw_node_at(required, i), LW_STR("labelSelector")))
            lw_warn_at(call,
                       lw_field_path_item(&at,
                                          LW_STR("requiredDuringSchedulingIgnoredDuringExecution"),
                                          i),
                       NO_SELECTOR);
    }
    for (size_t i = 0; i < lw_node_count(preferred); i++) {
        if (!lw_fields_find(lw_node_at(preferred, i), "/podAffinityTerm/labelSelector"))
            lw_warn_at(call,
                       lw_field_path_item(&at,
                                          LW_STR("preferredDuringSchedulingIgnoredDuringExecution"),
                                          i),
                       ".podAffinityTerm" NO_SELECTOR);
    }
}

static void warn_addresses(lw_api_call *call, lw_field_path spec_path, const lw_node *spec)
{
    const lw_node *servers = lw_fields_find(spec, "/dnsConfig/nameservers");
    const lw_node *aliases = lw_node_get(spec, LW_STR("hostAliases"));
    for (size_t i = 0; i < lw_node_count(servers); i++)
        lw_warn_ip(call, lw_field_path_item(&spec_path, LW_STR("dnsConfig.nameservers"), i),
                   lw_node_text(lw_node_at(servers, i)));
    for (size_t i = 0; i < lw_node_count(aliases); i++) {
        lw_field_path alias = lw_field_path_item(&spec_path, LW_STR("hostAliases"), i);
        lw_warn_ip(call, lw_field_path_in(&alias, LW_STR("ip")),
                   lw_fields_text(lw_node_at(aliases, i), "ip"));
    }
}

void lw_pod_warnings(lw_api_call *call, const lw_field_path *path, const lw_node *pod)
{
    const lw_node *spec = lw_node_get(pod, LW_STR("spec"));
    const lw_node *metadata = lw_node_get(pod, LW_STR("metadata"));
    const lw_node *overhead = lw_node_get(spec, LW_STR("overhead"));
    lw_field_path spec_path = lw_field_path_in(path, LW_STR("spec"));
    warn_node_labels(call, spec_path, spec);
    warn_spreading(call, spec_path, spec);
    lw_warn_outdated(call, lw_field_path_in(path, LW_STR("metadata.annotations")),
                     lw_node_get(metadata, LW_STR("annotations")), annotations, true);
    warn_volumes(call, spec_path, spec);
    warn_duplicates(call, spec_path, spec, "hostAliases", "ip");
    warn_secrets(call, spec_path, spec);
    lw_warn_fraction(call, lw_field_path_in(&spec_path, LW_STR("overhead")), overhead, "memory");
    lw_warn_fraction(call, lw_field_path_in(&spec_path, LW_STR("overhead")), overhead,
                     "ephemeral-storage");
    if (!lw_fields_find(spec, "/securityContext/seccompProfile"))
        warn_annotation(call, path, metadata, "seccomp.security.alpha.kubernetes.io/pod",
                        LW_STR(""), SECCOMP);
    warn_containers(call, path, spec_path, pod);
    lw_port_warnings(call, spec_path, spec);
    if (lw_fields_int(spec, "terminationGracePeriodSeconds", 0) < 0)
        lw_warn_at(call, spec_path,
                   ".terminationGracePeriodSeconds: must be >= 0; negative values are invalid and "
                   "will be treated as 1");
    warn_affinity(call, spec_path, spec, "podAffinity");
    warn_affinity(call, spec_path, spec, "podAntiAffinity");
    warn_addresses(call, spec_path, spec);
}
