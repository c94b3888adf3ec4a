/* SPDX-License-Identifier: Apache-2.0 */
/* pod_gen_spec.c -- what a pod is to run, and how it runs. */
#include "bench/pod_gen_pod.h"

/* By name, for that is how managedFields orders them. */
const gen_env gen_envs[GEN_ENV_COUNT] = {
    { "DATABASE_URL", "postgres://db.shop.svc:5432/shop?sslmode=verify-full" },
    { "FEATURE_FLAGS", "fast-path,new-cart" },
    { "LOG_LEVEL", "info" },
    { "OTEL_EXPORTER_OTLP_ENDPOINT", "http://otel-collector.monitoring.svc:4317" },
    { "POD_NAME", NULL },
    { "REGION", "eu-central-1" },
};

static void write_env(lw_buf *out, const gen_container *container)
{
    if (container->env_count == 0)
        return;
    lw_buf_append_text(out, "\"env\":[");
    for (unsigned i = 0; i < container->env_count; i++) {
        lw_buf_printf(out, "%s{\"name\":\"%s\",", i ? "," : "", gen_envs[i].name);
        if (gen_envs[i].value)
            lw_buf_printf(out, "\"value\":\"%s\"}", gen_envs[i].value);
        else
            lw_buf_append_text(out, "\"valueFrom\":{\"fieldRef\":{\"apiVersion\":\"v1\","
                                    "\"fieldPath\":\"metadata.name\"}}}");
    }
    lw_buf_append_text(out, "],");
}

static void write_probe(lw_buf *out, const char *name, const char *path, unsigned period)
{
    lw_buf_printf(out,
                  "\"%s\":{\"httpGet\":{\"path\":\"%s\",\"port\":\"http\",\"scheme\":\"HTTP\"},"
                  "\"initialDelaySeconds\":5,\"timeoutSeconds\":1,\"periodSeconds\":%u,"
                  "\"successThreshold\":1,\"failureThreshold\":3},",
                  name, path, period);
}

static void write_container(lw_buf *out, const gen_pod *pod, const gen_container *container)
{
    lw_buf_printf(out, "{\"name\":\"%s\",\"image\":\"%s\",", container->name, container->image);
    if (container->port)
        lw_buf_printf(out,
                      "\"ports\":[{\"name\":\"http\",\"containerPort\":%u,\"protocol\":\"TCP\"}],",
                      container->port);
    write_env(out, container);
    lw_buf_append_text(out,
                       container->has_limits
                           ? "\"resources\":{\"limits\":{\"cpu\":\"500m\",\"memory\":\"256Mi\"}"
                             ",\"requests\":{\"cpu\":\"100m\",\"memory\":\"128Mi\"}},"
                           : "\"resources\":{},");
    lw_buf_append_text(out, "\"volumeMounts\":[");
    if (pod->has_config)
        lw_buf_append_text(out,
                           "{\"name\":\"config\",\"readOnly\":true,\"mountPath\":\"/etc/app\"},");
    lw_buf_printf(out,
                  "{\"name\":\"%s\",\"readOnly\":true,"
                  "\"mountPath\":\"/var/run/secrets/kubernetes.io/serviceaccount\"}],",
                  pod->token_volume);
    if (container->has_probes) {
        write_probe(out, "livenessProbe", "/healthz", 10);
        write_probe(out, "readinessProbe", "/readyz?verbose=0\\u0026full=1", 5);
    }
    lw_buf_append_text(out, "\"terminationMessagePath\":\"/dev/termination-log\","
                            "\"terminationMessagePolicy\":\"File\","
                            "\"imagePullPolicy\":\"IfNotPresent\"}");
}

static void write_volumes(lw_buf *out, const gen_pod *pod)
{
    lw_buf_append_text(out, "\"volumes\":[");
    if (pod->has_config)
        lw_buf_printf(out,
                      "{\"name\":\"config\",\"configMap\":{\"name\":\"%s-config\","
                      "\"defaultMode\":420}},",
                      pod->app);
    lw_buf_printf(
        out,
        "{\"name\":\"%s\",\"projected\":{\"sources\":[{\"serviceAccountToken\":{"
        "\"expirationSeconds\":3607,\"path\":\"token\"}},{\"configMap\":{"
        "\"name\":\"kube-root-ca.crt\",\"items\":[{\"key\":\"ca.crt\",\"path\":\"ca.crt\"}]"
        "}},{\"downwardAPI\":{\"items\":[{\"path\":\"namespace\",\"fieldRef\":{"
        "\"apiVersion\":\"v1\",\"fieldPath\":\"metadata.namespace\"}}]}}],"
        "\"defaultMode\":420}}],",
        pod->token_volume);
}

void gen_write_spec(lw_buf *out, const gen_pod *pod)
{
    lw_buf_append_char(out, '{');
    write_volumes(out, pod);
    lw_buf_append_text(out, "\"containers\":[");
    for (unsigned i = 0; i < pod->container_count; i++) {
        if (i > 0)
            lw_buf_append_char(out, ',');
        write_container(out, pod, &pod->containers[i]);
    }
    lw_buf_printf(out,
                  "],\"restartPolicy\":\"Always\",\"terminationGracePeriodSeconds\":30,"
                  "\"dnsPolicy\":\"ClusterFirst\",\"serviceAccountName\":\"%s\","
                  "\"serviceAccount\":\"%s\",\"nodeName\":\"node-%03u.eu-central-1.example.com\","
                  "\"securityContext\":{},\"schedulerName\":\"default-scheduler\",\"tolerations\":["
                  "{\"key\":\"node.kubernetes.io/not-ready\",\"operator\":\"Exists\","
                  "\"effect\":\"NoExecute\",\"tolerationSeconds\":300},"
                  "{\"key\":\"node.kubernetes.io/unreachable\",\"operator\":\"Exists\","
                  "\"effect\":\"NoExecute\",\"tolerationSeconds\":300}],\"priority\":0,"
                  "\"enableServiceLinks\":true,\"preemptionPolicy\":\"PreemptLowerPriority\"}",
                  pod->app, pod->app, pod->node);
}

static void write_condition(lw_buf *out, const gen_pod *pod, const char *type, bool is_true)
{
    lw_buf_printf(out,
                  "{\"type\":\"%s\",\"status\":\"%s\",\"lastProbeTime\":null,"
                  "\"lastTransitionTime\":\"%s\"",
                  type, is_true ? "True" : "False", pod->created);
    if (!is_true)
        lw_buf_printf(out,
                      ",\"reason\":\"ContainersNotReady\",\"message\":\"containers with unready "
                      "status: [%s]\"",
                      pod->containers[0].name);
    lw_buf_append_char(out, '}');
}

static void write_container_status(lw_buf *out, const gen_pod *pod, unsigned index)
{
    const gen_container *container = &pod->containers[index];
    bool is_ready = pod->is_ready || index > 0;
    uint64_t id = pod->noise ^ (index * 0x9E3779B97F4A7C15U);
    lw_buf_printf(out, "{\"name\":\"%s\",\"state\":{", container->name);
    if (is_ready)
        lw_buf_printf(out, "\"running\":{\"startedAt\":\"%s\"}", pod->created);
    else
        lw_buf_append_text(out,
                           "\"waiting\":{\"reason\":\"CrashLoopBackOff\",\"message\":\"back-off "
                           "5m0s restarting failed container\"}");
    lw_buf_printf(
        out,
        "},\"lastState\":{},\"ready\":%s,\"restartCount\":%u,\"image\":\"%s\","
        "\"imageID\":\"%s\",\"containerID\":\"containerd://%016llx%016llx%016llx%016llx\","
        "\"started\":%s}",
        is_ready ? "true" : "false", is_ready ? 0 : (unsigned)(pod->noise % 90), container->image,
        container->image, (unsigned long long)id, (unsigned long long)(id * 3),
        (unsigned long long)(id * 5), (unsigned long long)(id * 7), is_ready ? "true" : "false");
}

void gen_write_status(lw_buf *out, const gen_pod *pod)
{
    lw_buf_append_text(out, "{\"phase\":\"Running\",\"conditions\":[");
    write_condition(out, pod, "Initialized", true);
    lw_buf_append_char(out, ',');
    write_condition(out, pod, "Ready", pod->is_ready);
    lw_buf_append_char(out, ',');
    write_condition(out, pod, "ContainersReady", pod->is_ready);
    lw_buf_append_char(out, ',');
    write_condition(out, pod, "PodScheduled", true);
    lw_buf_printf(out,
                  "],\"hostIP\":\"10.0.%u.%u\",\"podIP\":\"10.244.%u.%u\",\"podIPs\":[{\"ip\":"
                  "\"10.244.%u.%u\"}],\"startTime\":\"%s\",\"containerStatuses\":[",
                  pod->node / 250, 1 + pod->node % 250, pod->address[0], pod->address[1],
                  pod->address[0], pod->address[1], pod->created);
    for (unsigned i = 0; i < pod->container_count; i++) {
        if (i > 0)
            lw_buf_append_char(out, ',');
        write_container_status(out, pod, i);
    }
    lw_buf_printf(out, "],\"qosClass\":\"%s\"}",
                  pod->containers[0].has_limits ? "Burstable" : "BestEffort");
}
