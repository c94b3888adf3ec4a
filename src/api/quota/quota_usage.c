/* SPDX-License-Identifier: Apache-2.0 */
/* quota_usage.c -- the usage of pods, services, claims and other kinds. */
#include "api/quota/quota_usage.h"

#include "api/pending/pod_resources.h"
#include "api/quota/quota_devices.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/str.h"
#include "base/text/time_text.h"
#include "json/fields.h"

enum {
    NAME_MAX_BYTES = 1024, /* bytes of a composed resource name */
};

#define STORAGE_CLASS ".storageclass.storage.k8s.io/"

/* Kinds that have a name in quotas besides count/. */
static const lw_str with_alias[] = {
    LW_STR_INIT("configmaps"),
    LW_STR_INIT("resourcequotas"),
    LW_STR_INIT("replicationcontrollers"),
    LW_STR_INIT("secrets"),
};

static bool is_core(const lw_kind *kind, const char *plural)
{
    return kind->group.len == 0 && lw_str_equal(kind->plural, lw_str_of(plural));
}

static bool is_device_claim(const lw_kind *kind)
{
    return lw_str_equal(kind->group, LW_STR("resource.k8s.io")) &&
           lw_str_equal(kind->plural, LW_STR("resourceclaims"));
}

static bool is_any_of(lw_str name, const char *const *names)
{
    for (; *names; names++) {
        if (lw_str_equal(name, lw_str_of(*names)))
            return true;
    }
    return false;
}

bool lw_quota_is_counted(const lw_kind *kind)
{
    return kind->is_namespaced && kind->storage.len > 0 &&
           !lw_str_equal(kind->plural, LW_STR("events"));
}

bool lw_quota_is_plain(const lw_kind *kind)
{
    return !is_core(kind, "pods") && !is_core(kind, "services") &&
           !is_core(kind, "persistentvolumeclaims") && !is_device_claim(kind);
}

static bool has_alias(const lw_kind *kind)
{
    for (size_t i = 0; i < sizeof(with_alias) / sizeof(with_alias[0]); i++) {
        if (kind->group.len == 0 && lw_str_equal(kind->plural, with_alias[i]))
            return true;
    }
    return false;
}

/* Appends "count/deployments.apps". */
static void append_count_name(const lw_kind *kind, lw_buf *name)
{
    lw_buf_append_text(name, "count/");
    lw_buf_append_str(name, kind->plural);
    if (kind->group.len == 0)
        return;
    lw_buf_append_char(name, '.');
    lw_buf_append_str(name, kind->group);
}

static bool is_count_of(lw_str resource, const lw_kind *kind)
{
    lw_str rest;
    if (!lw_str_starts_with(resource, LW_STR("count/")))
        return false;
    rest = lw_str_skip(resource, 6);
    if (!lw_str_starts_with(rest, kind->plural))
        return false;
    rest = lw_str_skip(rest, kind->plural.len);
    if (kind->group.len == 0)
        return rest.len == 0;
    return rest.len > 0 && rest.ptr[0] == '.' && lw_str_equal(lw_str_skip(rest, 1), kind->group);
}

static bool is_found_in(lw_str text, lw_str part)
{
    for (size_t at = 0; at + part.len <= text.len; at++) {
        if (lw_str_starts_with(lw_str_skip(text, at), part))
            return true;
    }
    return false;
}

/* Returns true for an extended resource: "example.com/dongle". */
static bool is_extended(lw_str name)
{
    return is_found_in(name, LW_STR("/")) && !is_found_in(name, LW_STR("kubernetes.io/"));
}

static bool concerns_pods(lw_str resource)
{
    static const char *const names[] = { "pods",
                                         "cpu",
                                         "memory",
                                         "ephemeral-storage",
                                         "requests.cpu",
                                         "requests.memory",
                                         "requests.ephemeral-storage",
                                         "limits.cpu",
                                         "limits.memory",
                                         "limits.ephemeral-storage",
                                         NULL };
    return is_any_of(resource, names) || lw_str_starts_with(resource, LW_STR("hugepages-")) ||
           lw_str_starts_with(resource, LW_STR("requests.hugepages-")) ||
           (lw_str_starts_with(resource, LW_STR("requests.")) && is_extended(resource));
}

static bool concerns_services(lw_str resource)
{
    static const char *const names[] = { "services", "services.nodeports", "services.loadbalancers",
                                         NULL };
    return is_any_of(resource, names);
}

static bool concerns_claims(lw_str resource)
{
    static const char *const names[] = { "persistentvolumeclaims", "requests.storage", NULL };
    return is_any_of(resource, names) ||
           lw_str_ends_with(resource, LW_STR(STORAGE_CLASS "persistentvolumeclaims")) ||
           lw_str_ends_with(resource, LW_STR(STORAGE_CLASS "requests.storage"));
}

bool lw_quota_concerns(const lw_kind *kind, lw_str resource)
{
    if (is_count_of(resource, kind))
        return true;
    if (is_core(kind, "pods"))
        return concerns_pods(resource);
    if (is_core(kind, "services"))
        return concerns_services(resource);
    if (is_core(kind, "persistentvolumeclaims"))
        return concerns_claims(resource);
    if (is_device_claim(kind))
        return lw_quota_is_devices(resource);
    return has_alias(kind) && lw_str_equal(resource, kind->plural);
}

static void add_named(lw_amounts *used, const lw_buf *name, lw_quantity quantity)
{
    lw_amounts_add(used, lw_buf_view(name), quantity);
    if (name->st < 0 && used->st == LW_OK)
        used->st = name->st;
}

/* Adds |quantity| for the resource named by |head| followed by |tail|. */
static void add_joined(lw_amounts *used, lw_str head, lw_str tail, lw_quantity quantity)
{
    lw_buf name;
    lw_buf_init(&name, NAME_MAX_BYTES);
    lw_buf_append_str(&name, head);
    lw_buf_append_str(&name, tail);
    add_named(used, &name, quantity);
    lw_buf_done(&name);
}

static void count_one(lw_amounts *used, const lw_kind *kind)
{
    lw_buf name;
    lw_buf_init(&name, NAME_MAX_BYTES);
    append_count_name(kind, &name);
    add_named(used, &name, lw_quantity_of_count(1));
    lw_buf_done(&name);
    if (has_alias(kind))
        lw_amounts_add(used, kind->plural, lw_quantity_of_count(1));
}

/* Returns true if the pod has ended: only the object counts then. */
static bool is_over(const lw_node *pod, int64_t wall_ns)
{
    lw_time date;
    int64_t date_ns;
    const lw_node *metadata = lw_node_get(pod, LW_STR("metadata"));
    lw_str phase = lw_fields_text_at(pod, "/status/phase");
    lw_str deleted = lw_fields_text(metadata, "deletionTimestamp");
    int64_t grace = lw_fields_int(metadata, "deletionGracePeriodSeconds", -1);
    if (lw_str_equal(phase, LW_STR("Failed")) || lw_str_equal(phase, LW_STR("Succeeded")))
        return true;
    /* A pod that its node does not remove is not counted forever. */
    return deleted.len > 0 && grace >= 0 && lw_time_parse(deleted, &date) &&
           lw_time_to_ns(date, &date_ns) && (wall_ns - date_ns) / LW_NS_PER_S > grace;
}

static void add_compute(lw_amounts *used, const lw_amounts *requests, const lw_amounts *limits)
{
    static const char *const names[] = { "cpu", "memory", "ephemeral-storage" };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        lw_str name = lw_str_of(names[i]);
        const lw_quantity *request = lw_amounts_get(requests, name);
        const lw_quantity *limit = lw_amounts_get(limits, name);
        if (request) {
            lw_amounts_add(used, name, *request);
            add_joined(used, LW_STR("requests."), name, *request);
        }
        if (limit)
            add_joined(used, LW_STR("limits."), name, *limit);
    }
    for (size_t i = 0; i < requests->count; i++) {
        lw_str name = lw_str_of(requests->list[i].name);
        bool is_page = lw_str_starts_with(name, LW_STR("hugepages-"));
        if (is_page)
            lw_amounts_add(used, name, requests->list[i].quantity);
        if (is_page || (is_extended(name) && !lw_str_starts_with(name, LW_STR("requests."))))
            add_joined(used, LW_STR("requests."), name, requests->list[i].quantity);
    }
    if (used->st == LW_OK)
        used->st = requests->st < 0 ? requests->st : limits->st;
}

static bool selects_other_namespaces(const lw_node *terms, bool is_weighted)
{
    for (size_t i = 0; lw_node_is(terms, LW_JSON_ARRAY) && i < lw_node_count(terms); i++) {
        const lw_node *term = lw_node_at(terms, i);
        if (is_weighted)
            term = lw_node_get(term, LW_STR("podAffinityTerm"));
        if (lw_node_count(lw_node_get(term, LW_STR("namespaces"))) > 0 ||
            lw_node_is(lw_node_get(term, LW_STR("namespaceSelector")), LW_JSON_OBJECT))
            return true;
    }
    return false;
}

static bool crosses_namespaces(const lw_node *spec)
{
    static const char *const kinds[] = { "/affinity/podAffinity", "/affinity/podAntiAffinity" };
    for (size_t i = 0; i < 2; i++) {
        const lw_node *affinity = lw_fields_find(spec, kinds[i]);
        if (selects_other_namespaces(
                lw_node_get(affinity, LW_STR("requiredDuringSchedulingIgnoredDuringExecution")),
                false) ||
            selects_other_namespaces(
                lw_node_get(affinity, LW_STR("preferredDuringSchedulingIgnoredDuringExecution")),
                true))
            return true;
    }
    return false;
}

/* Returns true if neither a container nor the pod itself specifies cpu or memory above 0. */
static bool is_best_effort(const lw_node *spec, lw_status *st)
{
    static const lw_pod_share shares[] = { LW_POD_REQUESTS, LW_POD_LIMITS };
    bool is_asking = false;
    for (size_t i = 0; i < 2; i++) {
        lw_amounts sum = { .list = NULL };
        lw_pod_resources_add(&sum, spec, shares[i]);
        const lw_quantity *cpu = lw_amounts_get(&sum, LW_STR("cpu"));
        const lw_quantity *memory = lw_amounts_get(&sum, LW_STR("memory"));
        is_asking |= (cpu && cpu->nanos > 0) || (memory && memory->nanos > 0);
        if (*st == LW_OK)
            *st = sum.st;
        lw_amounts_done(&sum);
    }
    return !is_asking;
}

static void add_class(lw_quota_usage *usage, lw_str name)
{
    if (name.len > 0 && usage->class_count < LW_QUOTA_CLASSES)
        usage->classes[usage->class_count++] = name;
}

static void use_pod(lw_quota_usage *usage, const lw_node *pod, int64_t wall_ns)
{
    const lw_node *spec = lw_node_get(pod, LW_STR("spec"));
    lw_amounts requests = { .list = NULL }, limits = { .list = NULL };
    usage->is_pod = true;
    usage->is_terminating = lw_fields_int(spec, "activeDeadlineSeconds", -1) >= 0;
    usage->is_best_effort = is_best_effort(spec, &usage->used.st);
    usage->crosses_namespaces = crosses_namespaces(spec);
    add_class(usage, lw_fields_text(spec, "priorityClassName"));
    if (is_over(pod, wall_ns))
        return;
    lw_amounts_add(&usage->used, LW_STR("pods"), lw_quantity_of_count(1));
    lw_pod_resources_add_gross(&requests, spec, LW_POD_REQUESTS);
    lw_pod_resources_add_gross(&limits, spec, LW_POD_LIMITS);
    add_compute(&usage->used, &requests, &limits);
    lw_amounts_done(&requests);
    lw_amounts_done(&limits);
}

static int64_t node_ports(const lw_node *spec)
{
    const lw_node *ports = lw_node_get(spec, LW_STR("ports"));
    const lw_node *allocates = lw_node_get(spec, LW_STR("allocateLoadBalancerNodePorts"));
    lw_str type = lw_fields_text(spec, "type");
    bool is_balanced = lw_str_equal(type, LW_STR("LoadBalancer"));
    int64_t said = 0, count = (int64_t)lw_node_count(ports);
    if (!is_balanced && !lw_str_equal(type, LW_STR("NodePort")))
        return 0;
    if (!is_balanced || !allocates || lw_node_bool(allocates))
        return count;
    for (size_t i = 0; i < (size_t)count; i++)
        said += lw_fields_int(lw_node_at(ports, i), "nodePort", 0) != 0;
    return said;
}

static void use_service(lw_quota_usage *usage, const lw_node *service)
{
    const lw_node *spec = lw_node_get(service, LW_STR("spec"));
    bool is_balanced = lw_str_equal(lw_fields_text(spec, "type"), LW_STR("LoadBalancer"));
    lw_amounts_add(&usage->used, LW_STR("services"), lw_quantity_of_count(1));
    lw_amounts_add(&usage->used, LW_STR("services.loadbalancers"),
                   lw_quantity_of_count(is_balanced));
    lw_amounts_add(&usage->used, LW_STR("services.nodeports"),
                   lw_quantity_of_count(node_ports(spec)));
}

/* Sets the storage of a claim: requested, or allocated if that is more; in whole bytes. */
static bool storage_of(const lw_node *claim, lw_quantity *storage)
{
    lw_quantity allocated;
    if (!lw_quantity_of_node(lw_fields_find(claim, "/spec/resources/requests/storage"), storage))
        return false;
    if (lw_quantity_of_node(lw_fields_find(claim, "/status/allocatedResources/storage"),
                            &allocated) &&
        lw_quantity_compare(allocated, *storage) > 0)
        *storage = allocated;
    *storage = lw_quantity_whole(*storage);
    return true;
}

static lw_str storage_class_of(const lw_node *claim)
{
    const lw_node *annotations = lw_fields_find(claim, "/metadata/annotations");
    lw_str old = lw_fields_text(annotations, "volume.beta.kubernetes.io/storage-class");
    return old.len > 0 ? old : lw_fields_text_at(claim, "/spec/storageClassName");
}

static void use_claim(lw_quota_usage *usage, const lw_node *claim)
{
    lw_str class = storage_class_of(claim);
    lw_quantity storage;
    bool has_storage = storage_of(claim, &storage);
    usage->is_claim = true;
    lw_amounts_add(&usage->used, LW_STR("persistentvolumeclaims"), lw_quantity_of_count(1));
    if (has_storage)
        lw_amounts_add(&usage->used, LW_STR("requests.storage"), storage);
    if (class.len > 0)
        add_joined(&usage->used, class, LW_STR(STORAGE_CLASS "persistentvolumeclaims"),
                   lw_quantity_of_count(1));
    if (class.len > 0 && has_storage)
        add_joined(&usage->used, class, LW_STR(STORAGE_CLASS "requests.storage"), storage);
    add_class(usage, lw_fields_text_at(claim, "/spec/volumeAttributesClassName"));
    add_class(usage, lw_fields_text_at(claim, "/status/currentVolumeAttributesClassName"));
    add_class(usage,
              lw_fields_text_at(claim,
                                "/status/modifyVolumeStatus/targetVolumeAttributesClassName"));
}

void lw_quota_usage_of(lw_quota_usage *usage, const lw_kind *kind, const lw_node *object,
                       int64_t wall_ns)
{
    count_one(&usage->used, kind);
    if (is_core(kind, "pods"))
        use_pod(usage, object, wall_ns);
    else if (is_core(kind, "services"))
        use_service(usage, object);
    else if (is_core(kind, "persistentvolumeclaims"))
        use_claim(usage, object);
    else if (is_device_claim(kind))
        lw_quota_add_devices(&usage->used, object);
}

void lw_quota_usage_done(lw_quota_usage *usage)
{
    lw_amounts_done(&usage->used);
}
