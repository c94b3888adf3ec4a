/* SPDX-License-Identifier: Apache-2.0 */
/* hollow_node.c -- the Node and the Lease of a hollow node. */
#include "node/hollow.h"

#include <string.h>

#if defined(__aarch64__)
#define ARCHITECTURE "arm64"
#else
#define ARCHITECTURE "amd64"
#endif

typedef struct amount {
    const char *name;
    const char *value;
} amount;

/* More than hollow pods need; 110 pods is the default of kubelets. */
static const amount amounts[] = {
    { "/cpu", "16" },
    { "/memory", "64Gi" },
    { "/ephemeral-storage", "100Gi" },
    { "/pods", "110" },
};

static void write_amounts(lw_document *doc, const char *where)
{
    lw_value *to = lw_document_set_object(doc, NULL, where);
    for (size_t i = 0; i < sizeof(amounts) / sizeof(amounts[0]); i++)
        lw_document_set_string(doc, to, amounts[i].name, amounts[i].value);
}

static void write_address(lw_document *doc, const char *type, const char *address)
{
    lw_value *to = lw_document_set_object(doc, NULL, "/status/addresses/-");
    lw_document_set_string(doc, to, "/type", type);
    lw_document_set_string(doc, to, "/address", address);
}

static void write_info(lw_document *doc)
{
    lw_value *info = lw_document_set_object(doc, NULL, "/status/nodeInfo");
    static const char *const empty[] = { "/machineID", "/systemUUID", "/bootID", "/kernelVersion",
                                         "/kubeProxyVersion" };
    for (size_t i = 0; i < sizeof(empty) / sizeof(empty[0]); i++)
        lw_document_set_string(doc, info, empty[i], "");
    lw_document_set_string(doc, info, "/osImage", "hollow");
    lw_document_set_string(doc, info, "/containerRuntimeVersion", "hollow://" LW_VERSION);
    lw_document_set_string(doc, info, "/kubeletVersion", "v" LW_VERSION "-hollow");
    lw_document_set_string(doc, info, "/operatingSystem", "linux");
    lw_document_set_string(doc, info, "/architecture", ARCHITECTURE);
}

typedef struct condition {
    const char *type;
    const char *status;
    const char *reason;
    const char *message;
} condition;

static const condition conditions[] = {
    { "Ready", "True", "KubeletReady", "a hollow node is ready" },
    { "MemoryPressure", "False", "KubeletHasSufficientMemory",
      "a hollow node has sufficient memory" },
    { "DiskPressure", "False", "KubeletHasNoDiskPressure", "a hollow node has no disk pressure" },
    { "PIDPressure", "False", "KubeletHasSufficientPID", "a hollow node has sufficient PIDs" },
};

void lw_hollow_write_beat(lw_document *doc, bool is_new, int64_t wall_ns)
{
    char now[LW_TIME_TEXT_SIZE];
    lw_time_format_ns(now, wall_ns);
    for (size_t i = 0; i < sizeof(conditions) / sizeof(conditions[0]); i++) {
        lw_value *to = lw_document_set_object(doc, NULL, "/status/conditions/-");
        lw_document_set_string(doc, to, "/type", conditions[i].type);
        lw_document_set_string(doc, to, "/lastHeartbeatTime", now);
        if (!is_new)
            continue;
        lw_document_set_string(doc, to, "/status", conditions[i].status);
        lw_document_set_string(doc, to, "/reason", conditions[i].reason);
        lw_document_set_string(doc, to, "/message", conditions[i].message);
        lw_document_set_string(doc, to, "/lastTransitionTime", now);
    }
}

void lw_hollow_write_node(lw_document *doc, const char *name, unsigned number, int64_t wall_ns)
{
    char address[LW_HOLLOW_ADDRESS_SIZE], range[LW_HOLLOW_ADDRESS_SIZE];
    lw_hollow_node_address(address, number);
    lw_hollow_node_range(range, number);
    lw_document_set_string(doc, NULL, "/apiVersion", "v1");
    lw_document_set_string(doc, NULL, "/kind", "Node");
    lw_document_set_string(doc, NULL, "/metadata/name", name);
    lw_document_set_string(doc, NULL, "/metadata/annotations/listwatch.io~1hollow", "running");
    lw_document_set_string(doc, NULL, "/metadata/labels/kubernetes.io~1hostname", name);
    lw_document_set_string(doc, NULL, "/metadata/labels/kubernetes.io~1os", "linux");
    lw_document_set_string(doc, NULL, "/metadata/labels/kubernetes.io~1arch", ARCHITECTURE);
    lw_document_set_string(doc, NULL, "/spec/podCIDR", range);
    lw_document_set_string(doc, NULL, "/spec/podCIDRs/-", range);
    write_amounts(doc, "/status/capacity");
    write_amounts(doc, "/status/allocatable");
    write_address(doc, "InternalIP", address);
    write_address(doc, "Hostname", name);
    write_info(doc);
    lw_hollow_write_beat(doc, true, wall_ns);
}

void lw_hollow_write_lease(lw_document *doc, const char *name, int duration_s, int64_t wall_ns)
{
    char now[LW_TIME_TEXT_SIZE];
    lw_time_format_micro_ns(now, wall_ns);
    lw_document_set_string(doc, NULL, "/apiVersion", "coordination.k8s.io/v1");
    lw_document_set_string(doc, NULL, "/kind", "Lease");
    lw_document_set_string(doc, NULL, "/metadata/name", name);
    lw_document_set_string(doc, NULL, "/metadata/namespace", LW_NODE_LEASES);
    lw_document_set_string(doc, NULL, "/spec/holderIdentity", name);
    lw_document_set_int(doc, NULL, "/spec/leaseDurationSeconds", duration_s);
    lw_document_set_string(doc, NULL, "/spec/renewTime", now);
}

bool lw_hollow_is_stopped(const lw_object *node)
{
    const char *text = lw_object_annotation(node, LW_HOLLOW_ANNOTATION);
    return text && strcmp(text, "stopped") == 0;
}
