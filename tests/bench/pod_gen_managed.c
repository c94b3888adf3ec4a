/* SPDX-License-Identifier: Apache-2.0 */
/* pod_gen_managed.c -- managedFields: who set what, as the controller manager and the kubelet leave
 * it on every pod.  Keys hold escaped JSON, and nearly every value is {}. */
#include "bench/pod_gen_pod.h"

static void write_probe_fields(lw_buf *out, const char *name)
{
    lw_buf_printf(out,
                  "\"f:%s\":{\".\":{},\"f:failureThreshold\":{},\"f:httpGet\":{\".\":{},"
                  "\"f:path\":{},\"f:port\":{},\"f:scheme\":{}},\"f:initialDelaySeconds\":{},"
                  "\"f:periodSeconds\":{},\"f:successThreshold\":{},\"f:timeoutSeconds\":{}},",
                  name);
}

static void write_container_fields(lw_buf *out, const gen_pod *pod, const gen_container *container)
{
    lw_buf_printf(out, "\"k:{\\\"name\\\":\\\"%s\\\"}\":{\".\":{},", container->name);
    if (container->env_count > 0) {
        lw_buf_append_text(out, "\"f:env\":{\".\":{}");
        for (unsigned i = 0; i < container->env_count; i++)
            lw_buf_printf(out, ",\"k:{\\\"name\\\":\\\"%s\\\"}\":{\".\":{},\"f:name\":{},%s}",
                          gen_envs[i].name,
                          gen_envs[i].value ? "\"f:value\":{}"
                                            : "\"f:valueFrom\":{\".\":{},\"f:fieldRef\":{}}");
        lw_buf_append_text(out, "},");
    }
    lw_buf_append_text(out, "\"f:image\":{},\"f:imagePullPolicy\":{},");
    if (container->has_probes) {
        write_probe_fields(out, "livenessProbe");
        write_probe_fields(out, "readinessProbe");
    }
    lw_buf_append_text(out, "\"f:name\":{},");
    if (container->port)
        lw_buf_printf(out,
                      "\"f:ports\":{\".\":{},\"k:{\\\"containerPort\\\":%u,\\\"protocol\\\":"
                      "\\\"TCP\\\"}\":{\".\":{},\"f:containerPort\":{},\"f:name\":{},"
                      "\"f:protocol\":{}}},",
                      container->port);
    lw_buf_append_text(out, container->has_limits
                                ? "\"f:resources\":{\".\":{},\"f:limits\":{\".\":{},\"f:cpu\":{},"
                                  "\"f:memory\":{}},\"f:requests\":{\".\":{},\"f:cpu\":{},"
                                  "\"f:memory\":{}}},"
                                : "\"f:resources\":{},");
    lw_buf_append_text(out, "\"f:terminationMessagePath\":{},\"f:terminationMessagePolicy\":{}");
    if (pod->has_config)
        lw_buf_append_text(out, ",\"f:volumeMounts\":{\".\":{},\"k:{\\\"mountPath\\\":\\\"/etc/app"
                                "\\\"}\":{\".\":{},\"f:mountPath\":{},\"f:name\":{},"
                                "\"f:readOnly\":{}}}");
    lw_buf_append_char(out, '}');
}

static void write_controller_entry(lw_buf *out, const gen_pod *pod)
{
    lw_buf_printf(out,
                  "{\"manager\":\"kube-controller-manager\",\"operation\":\"Update\","
                  "\"apiVersion\":\"v1\",\"time\":\"%s\",\"fieldsType\":\"FieldsV1\",\"fieldsV1\":{"
                  "\"f:metadata\":{\"f:annotations\":{\".\":{},\"f:checksum/config\":{}",
                  pod->created);
    if (pod->is_scraped)
        lw_buf_append_text(out, ",\"f:prometheus.io/path\":{},\"f:prometheus.io/port\":{},"
                                "\"f:prometheus.io/scrape\":{}");
    lw_buf_printf(out,
                  "},\"f:generateName\":{},\"f:labels\":{\".\":{},\"f:app\":{},"
                  "\"f:app.kubernetes.io/instance\":{},\"f:app.kubernetes.io/version\":{},"
                  "\"f:pod-template-hash\":{},\"f:tier\":{}},\"f:ownerReferences\":{\".\":{},"
                  "\"k:{\\\"uid\\\":\\\"%s\\\"}\":{}}},\"f:spec\":{\"f:containers\":{",
                  pod->set_uid);
    for (unsigned i = 0; i < pod->container_count; i++) {
        if (i > 0)
            lw_buf_append_char(out, ',');
        write_container_fields(out, pod, &pod->containers[i]);
    }
    lw_buf_append_text(out,
                       "},\"f:dnsPolicy\":{},\"f:enableServiceLinks\":{},\"f:restartPolicy\":{},"
                       "\"f:schedulerName\":{},\"f:securityContext\":{},\"f:serviceAccount\":{},"
                       "\"f:serviceAccountName\":{},\"f:terminationGracePeriodSeconds\":{}");
    if (pod->has_config)
        lw_buf_append_text(out, ",\"f:volumes\":{\".\":{},\"k:{\\\"name\\\":\\\"config\\\"}\":{"
                                "\".\":{},\"f:configMap\":{\".\":{},\"f:defaultMode\":{},"
                                "\"f:name\":{}},\"f:name\":{}}}");
    lw_buf_append_text(out, "}}}");
}

static void write_kubelet_entry(lw_buf *out, const gen_pod *pod)
{
    static const char *const conditions[] = { "ContainersReady", "Initialized", "Ready" };
    lw_buf_printf(out,
                  "{\"manager\":\"kubelet\",\"operation\":\"Update\",\"apiVersion\":\"v1\","
                  "\"time\":\"%s\",\"fieldsType\":\"FieldsV1\",\"fieldsV1\":{\"f:status\":{"
                  "\"f:conditions\":{",
                  pod->created);
    for (unsigned i = 0; i < 3; i++)
        lw_buf_printf(out,
                      "%s\"k:{\\\"type\\\":\\\"%s\\\"}\":{\".\":{},\"f:lastProbeTime\":{},"
                      "\"f:lastTransitionTime\":{},\"f:status\":{},\"f:type\":{}}",
                      i ? "," : "", conditions[i]);
    lw_buf_printf(out,
                  "},\"f:containerStatuses\":{},\"f:hostIP\":{},\"f:phase\":{},\"f:podIP\":{},"
                  "\"f:podIPs\":{\".\":{},\"k:{\\\"ip\\\":\\\"10.244.%u.%u\\\"}\":{\".\":{},"
                  "\"f:ip\":{}}},\"f:startTime\":{}}},\"subresource\":\"status\"}",
                  pod->address[0], pod->address[1]);
}

void gen_write_managed_fields(lw_buf *out, const gen_pod *pod)
{
    lw_buf_append_char(out, '[');
    write_controller_entry(out, pod);
    lw_buf_append_char(out, ',');
    write_kubelet_entry(out, pod);
    lw_buf_append_char(out, ']');
}
