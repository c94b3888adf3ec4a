/* SPDX-License-Identifier: Apache-2.0 */
/* value_warnings.c -- which kind is warned about what. */
#include "api/warnings/value_warnings.h"

#include <string.h>

#include "api/warnings/pod_warnings.h"
#include "base/buf.h"
#include "base/str.h"
#include "object/names.h"
#include "schema/kinds/kinds.h"
#include "json/fields.h"

enum {
    MANY_INDEXES = 100000, /* of an Indexed Job */
    MANY_AT_ONCE = 10000,
};

/* An object that is written. */
typedef struct subject {
    lw_api_call *call;
    const lw_node *root, *metadata, *spec;
    bool is_create;
    bool has_new_spec; /* it is created, or its generation has changed */
} subject;

static void warn_pod(const subject *s)
{
    if (s->is_create)
        lw_pod_warnings(s->call, NULL, s->root);
}

static void warn_template(const subject *s, const char *pointer, const char *path)
{
    lw_field_path at = lw_field_path_in(NULL, lw_str_of(path));
    if (s->has_new_spec)
        lw_pod_warnings(s->call, &at, lw_fields_find(s->root, pointer));
}

/* The name of a workload becomes a part of host names. */
static void warn_name(const subject *s)
{
    lw_name_problems problems;
    lw_buf text;
    if (!s->is_create || lw_name_is_dns1123_label(lw_fields_text(s->metadata, "name"), &problems))
        return;
    lw_buf_init(&text, LW_WARNING_SIZE);
    lw_buf_append_str(&text, LW_STR("metadata.name: this is used in Pod names and hostnames, which "
                                    "can result in surprising behavior; a DNS label is "
                                    "recommended: ["));
    for (size_t i = 0; i < problems.count; i++)
        lw_buf_printf(&text, "%s%s", i > 0 ? " " : "", problems.text[i]);
    lw_buf_append_char(&text, ']');
    if (text.st == LW_OK)
        lw_call_warn(s->call, lw_buf_view(&text));
    lw_buf_done(&text);
}

static void warn_workload(const subject *s)
{
    warn_template(s, "/spec/template", "spec.template");
}

static void warn_named_workload(const subject *s)
{
    warn_name(s);
    warn_workload(s);
}

static void warn_pod_template(const subject *s)
{
    warn_template(s, "/template", "template");
}

static void warn_stateful_set(const subject *s)
{
    const lw_node *claims = lw_node_get(s->spec, LW_STR("volumeClaimTemplates"));
    lw_field_path spec = lw_field_path_in(NULL, LW_STR("spec"));
    warn_workload(s);
    for (size_t i = 0; i < lw_node_count(claims); i++) {
        lw_field_path item = lw_field_path_item(&spec, LW_STR("volumeClaimTemplates"), i);
        lw_claim_warnings(s->call, s->is_create ? item : lw_field_path_in(&item, LW_STR("Spec")),
                          lw_node_get(lw_node_at(claims, i), LW_STR("spec")));
    }
    if (lw_fields_int(s->spec, "revisionHistoryLimit", 0) < 0)
        lw_warn_at(s->call, spec,
                   ".revisionHistoryLimit: a negative value retains all historical revisions; a "
                   "value >= 0 is recommended");
}

static void warn_job_spec(const subject *s, const char *pointer, const char *path)
{
    const lw_node *spec = lw_fields_find(s->root, pointer);
    lw_field_path at = lw_field_path_in(NULL, lw_str_of(path));
    lw_field_path template = lw_field_path_in(&at, LW_STR("template"));
    if (!s->has_new_spec)
        return;
    if (lw_str_equal(lw_fields_text(spec, "completionMode"), LW_STR("Indexed")) &&
        lw_fields_int(spec, "completions", 0) > MANY_INDEXES &&
        lw_fields_int(spec, "parallelism", 0) > MANY_AT_ONCE)
        lw_warn_at(s->call, at,
                   ": In Indexed Jobs with a number of completions higher than 10^5 and a "
                   "parallelism higher than 10^4, Kubernetes might not be able to track "
                   "completedIndexes when a big number of indexes fail");
    lw_pod_warnings(s->call, &template, lw_node_get(spec, LW_STR("template")));
}

static void warn_job(const subject *s)
{
    warn_name(s);
    warn_job_spec(s, "/spec", "spec");
}

static void warn_cron_job(const subject *s)
{
    lw_str schedule = lw_fields_text(s->spec, "schedule");
    warn_name(s);
    warn_job_spec(s, "/spec/jobTemplate/spec", "spec.jobTemplate.spec");
    if (!s->is_create && memmem(schedule.ptr, schedule.len, "TZ", 2))
        lw_call_warn(s->call,
                     LW_STR("cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, "
                            "see https://kubernetes.io/docs/concepts/workloads/controllers/"
                            "cron-jobs/ for more details"));
}

static void warn_service_addresses(const subject *s)
{
    lw_field_path spec = lw_field_path_in(NULL, LW_STR("spec"));
    const lw_node *list = lw_node_get(s->spec, LW_STR("externalIPs"));
    for (size_t i = 0; i < lw_node_count(list); i++)
        lw_warn_ip(s->call, lw_field_path_item(&spec, LW_STR("externalIPs"), i),
                   lw_node_text(lw_node_at(list, i)));
    if (lw_node_count(list) > 0 &&
        !lw_str_equal(lw_fields_text(s->spec, "clusterIP"), LW_STR("None")) &&
        !lw_str_equal(lw_fields_text(s->spec, "type"), LW_STR("ExternalName")))
        lw_warn_at(s->call, spec,
                   ".externalIPs is deprecated and may no longer be implemented in some clusters");
    lw_warn_ip(s->call, lw_field_path_in(&spec, LW_STR("loadBalancerIP")),
               lw_fields_text(s->spec, "loadBalancerIP"));
    list = lw_node_get(s->spec, LW_STR("loadBalancerSourceRanges"));
    for (size_t i = 0; i < lw_node_count(list); i++)
        lw_warn_range(s->call, lw_field_path_item(&spec, LW_STR("loadBalancerSourceRanges"), i),
                      lw_node_text(lw_node_at(list, i)));
}

static void warn_headless(const subject *s)
{
    if (!lw_str_equal(lw_fields_text(s->spec, "clusterIP"), LW_STR("None")) ||
        !lw_str_equal(lw_fields_text(s->spec, "type"), LW_STR("ClusterIP")))
        return;
    if (lw_fields_text(s->spec, "loadBalancerIP").len > 0)
        lw_call_warn(s->call, LW_STR("spec.loadBalancerIP is ignored for headless services"));
    if (lw_node_count(lw_node_get(s->spec, LW_STR("externalIPs"))) > 0)
        lw_call_warn(s->call, LW_STR("spec.externalIPs is ignored for headless services"));
    if (!lw_str_equal(lw_fields_text(s->spec, "sessionAffinity"), LW_STR("None")))
        lw_call_warn(s->call, LW_STR("spec.SessionAffinity is ignored for headless services"));
}

static void warn_service(const subject *s)
{
    lw_field_path spec = lw_field_path_in(NULL, LW_STR("spec"));
    const lw_node *ips = lw_node_get(s->spec, LW_STR("clusterIPs"));
    bool has_name = lw_str_equal(lw_fields_text(s->spec, "type"), LW_STR("ExternalName"));
    if (lw_node_get(lw_node_get(s->metadata, LW_STR("annotations")),
                    LW_STR("service.kubernetes.io/topology-aware-hints")))
        lw_call_warn(s->call, LW_STR("annotation service.kubernetes.io/topology-aware-hints is "
                                     "deprecated, please use service.kubernetes.io/topology-mode "
                                     "instead"));
    for (size_t i = 0; i < lw_node_count(ips); i++)
        lw_warn_ip(s->call, lw_field_path_item(&spec, LW_STR("clusterIPs"), i),
                   lw_node_text(lw_node_at(ips, i)));
    warn_headless(s);
    warn_service_addresses(s);
    if (has_name && lw_node_count(lw_node_get(s->spec, LW_STR("externalIPs"))) > 0)
        lw_call_warn(s->call,
                     LW_STR("spec.externalIPs is ignored when spec.type is \"ExternalName\""));
    if (!has_name && lw_fields_text(s->spec, "externalName").len > 0)
        lw_call_warn(s->call,
                     LW_STR("spec.externalName is ignored when spec.type is not \"ExternalName\""));
    if (lw_str_equal(lw_fields_text(s->spec, "trafficDistribution"), LW_STR("PreferClose")))
        lw_call_warn(s->call, LW_STR("spec.trafficDistribution: \"PreferClose\" is deprecated; use "
                                     "\"PreferSameZone\""));
}

static void warn_claim(const subject *s)
{
    static const lw_outdated annotations[] = {
        { "volume.beta.kubernetes.io/storage-class",
          "deprecated since v1.8; use \"storageClassName\" attribute instead" },
        { NULL, NULL },
    };
    lw_warn_outdated(s->call, lw_field_path_in(NULL, LW_STR("metadata.annotations")),
                     lw_node_get(s->metadata, LW_STR("annotations")), annotations, true);
    lw_claim_warnings(s->call, lw_field_path_in(NULL, LW_STR("spec")), s->spec);
}

static void warn_volume(const subject *s)
{
    static const lw_outdated annotations[] = {
        { "volume.beta.kubernetes.io/storage-class",
          "deprecated since v1.8; use \"storageClassName\" attribute instead" },
        { "volume.beta.kubernetes.io/mount-options",
          "deprecated since v1.31; use \"mountOptions\" attribute instead" },
        { NULL, NULL },
    };
    static const lw_outdated types[] = {
        { "cephfs", "deprecated in v1.28, non-functional in v1.31+" },
        { "photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+" },
        { "scaleIO", "deprecated in v1.16, non-functional in v1.22+" },
        { "storageOS", "deprecated in v1.22, non-functional in v1.25+" },
        { "glusterfs", "deprecated in v1.25, non-functional in v1.26+" },
        { "rbd", "deprecated in v1.28, non-functional in v1.31+" },
        { NULL, NULL },
    };
    lw_field_path spec = lw_field_path_in(NULL, LW_STR("spec"));
    lw_field_path required = lw_field_path_in(&spec, LW_STR("nodeAffinity.required"));
    const lw_node *terms = lw_fields_find(s->spec, "/nodeAffinity/required/nodeSelectorTerms");
    lw_warn_outdated(s->call, lw_field_path_in(NULL, LW_STR("metadata.annotations")),
                     lw_node_get(s->metadata, LW_STR("annotations")), annotations, true);
    if (lw_str_equal(lw_fields_text(s->spec, "persistentVolumeReclaimPolicy"), LW_STR("Recycle")))
        lw_warn_at(s->call, spec,
                   ".persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. "
                   "Instead, the recommended approach is to use dynamic provisioning.");
    for (size_t i = 0; i < lw_node_count(terms); i++)
        lw_warn_selector_term(s->call,
                              lw_field_path_item(&required, LW_STR("nodeSelectorTerms"), i),
                              lw_node_at(terms, i), false);
    lw_warn_outdated(s->call, spec, s->spec, types, false);
}

static void warn_storage_class(const subject *s)
{
    const lw_node *topologies = lw_node_get(s->root, LW_STR("allowedTopologies"));
    for (size_t i = 0; i < lw_node_count(topologies); i++) {
        lw_field_path item = lw_field_path_item(NULL, LW_STR("allowedTopologies"), i);
        const lw_node *list =
            lw_node_get(lw_node_at(topologies, i), LW_STR("matchLabelExpressions"));
        for (size_t k = 0; k < lw_node_count(list); k++) {
            const char *message = lw_warn_node_label(lw_fields_text(lw_node_at(list, k), "key"));
            if (message)
                lw_warn_at(s->call, lw_field_path_item(&item, LW_STR("matchLabelExpressions"), k),
                           ".key: %s", message);
        }
    }
}

static void warn_runtime_class(const subject *s)
{
    const lw_node *selector = lw_fields_find(s->root, "/scheduling/nodeSelector");
    for (size_t i = 0; i < lw_node_count(selector); i++) {
        const char *message = lw_warn_node_label(lw_node_key_at(selector, i));
        if (message)
            lw_warn_at(s->call, lw_field_path_in(NULL, LW_STR("scheduling.nodeSelector")), ": %s",
                       message);
    }
}

static void warn_ingress(const subject *s)
{
    if (s->is_create && lw_node_get(lw_node_get(s->metadata, LW_STR("annotations")),
                                    LW_STR("kubernetes.io/ingress.class")))
        lw_call_warn(s->call, LW_STR("annotation \"kubernetes.io/ingress.class\" is deprecated, "
                                     "please use 'spec.ingressClassName' instead"));
}

static void warn_node(const subject *s)
{
    const lw_node *ranges = lw_node_get(s->spec, LW_STR("podCIDRs"));
    lw_field_path spec = lw_field_path_in(NULL, LW_STR("spec"));
    if (lw_node_get(s->spec, LW_STR("configSource")))
        lw_call_warn(s->call, LW_STR("spec.configSource: the feature is removed"));
    if (lw_fields_text(s->spec, "externalID").len > 0)
        lw_call_warn(s->call, LW_STR("spec.externalID: this field is deprecated, and is unused by "
                                     "Kubernetes"));
    for (size_t i = 0; i < lw_node_count(ranges); i++)
        lw_warn_range(s->call, lw_field_path_item(&spec, LW_STR("podCIDRs"), i),
                      lw_node_text(lw_node_at(ranges, i)));
}

static void warn_rules(const subject *s, const char *rules_key, const char *peers_key)
{
    const lw_node *rules = lw_node_get(s->spec, lw_str_of(rules_key));
    lw_field_path spec = lw_field_path_in(NULL, LW_STR("spec"));
    for (size_t i = 0; i < lw_node_count(rules); i++) {
        lw_field_path rule = lw_field_path_item(&spec, lw_str_of(rules_key), i);
        const lw_node *peers = lw_node_get(lw_node_at(rules, i), lw_str_of(peers_key));
        for (size_t k = 0; k < lw_node_count(peers); k++) {
            lw_field_path peer = lw_field_path_item(&rule, lw_str_of(peers_key), k);
            lw_field_path block = lw_field_path_in(&peer, LW_STR("ipBlock"));
            const lw_node *range = lw_node_get(lw_node_at(peers, k), LW_STR("ipBlock"));
            const lw_node *except = lw_node_get(range, LW_STR("except"));
            lw_warn_range(s->call, lw_field_path_in(&block, LW_STR("cidr")),
                          lw_fields_text(range, "cidr"));
            for (size_t n = 0; n < lw_node_count(except); n++)
                lw_warn_range(s->call, lw_field_path_item(&block, LW_STR("except"), n),
                              lw_node_text(lw_node_at(except, n)));
        }
    }
}

static void warn_network_policy(const subject *s)
{
    warn_rules(s, "ingress", "from");
    warn_rules(s, "egress", "to");
}

static const struct {
    const lw_kind *kind;
    void (*warn)(const subject *s);
} kinds[] = {
    { &lw_kind_pods, warn_pod },
    { &lw_kind_podtemplates, warn_pod_template },
    { &lw_kind_replicationcontrollers, warn_named_workload },
    { &lw_kind_deployments, warn_named_workload },
    { &lw_kind_replicasets, warn_named_workload },
    { &lw_kind_daemonsets, warn_workload },
    { &lw_kind_statefulsets, warn_stateful_set },
    { &lw_kind_jobs, warn_job },
    { &lw_kind_cronjobs, warn_cron_job },
    { &lw_kind_services, warn_service },
    { &lw_kind_persistentvolumeclaims, warn_claim },
    { &lw_kind_persistentvolumes, warn_volume },
    { &lw_kind_storageclasses, warn_storage_class },
    { &lw_kind_runtimeclasses, warn_runtime_class },
    { &lw_kind_ingresses, warn_ingress },
    { &lw_kind_nodes, warn_node },
    { &lw_kind_networkpolicies, warn_network_policy },
};

void lw_value_warnings(lw_api_call *call, const lw_pending_object *object, bool is_create)
{
    const subject s = {
        .call = call,
        .root = object->root,
        .metadata = object->metadata,
        .spec = lw_node_get(object->root, LW_STR("spec")),
        .is_create = is_create,
        .has_new_spec = is_create || lw_fields_int(object->metadata, "generation", 0) !=
                                         lw_fields_int(lw_node_get(object->old, LW_STR("metadata")),
                                                       "generation", 0),
    };
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (kinds[i].kind == object->kind)
            kinds[i].warn(&s);
    }
}
