/* SPDX-License-Identifier: Apache-2.0 */
/* pod_gen.c -- the list around the pods, and a pod's metadata. */
#include "bench/pod_gen.h"

#include <stdio.h>

#include "bench/pod_gen_pod.h"

enum {
    POD_LIMIT = 1 << 20, /* no pod comes near it */
};

/* |text| inside a JSON string, escaped as Go escapes it. */
static void write_escaped(lw_buf *out, const char *text)
{
    for (; *text; text++) {
        switch (*text) {
        case '"': lw_buf_append_text(out, "\\\""); break;
        case '\\': lw_buf_append_text(out, "\\\\"); break;
        case '\n': lw_buf_append_text(out, "\\n"); break;
        case '<': lw_buf_append_text(out, "\\u003c"); break;
        case '>': lw_buf_append_text(out, "\\u003e"); break;
        case '&': lw_buf_append_text(out, "\\u0026"); break;
        default: lw_buf_append_char(out, *text);
        }
    }
}

/* The pod as kubectl apply saw it: JSON inside a string of JSON. */
static void write_last_applied(lw_buf *out, const gen_pod *pod)
{
    char applied[1024];
    const gen_container *first = &pod->containers[0];
    snprintf(applied, sizeof(applied),
             "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"annotations\":{},\"labels\":{"
             "\"app\":\"%s\",\"tier\":\"%s\"},\"name\":\"%s\",\"namespace\":\"%s\"},\"spec\":{"
             "\"containers\":[{\"command\":[\"sh\",\"-c\",\"exec /bin/%s --listen :%u >/dev/null "
             "2>&1\"],\"image\":\"%s\",\"name\":\"%s\",\"resources\":{\"limits\":{\"memory\":"
             "\"256Mi\"}}}],\"terminationGracePeriodSeconds\":30}}\n",
             pod->app, pod->tier, pod->name, pod->ns, pod->app, first->port, first->image,
             first->name);
    lw_buf_append_text(out, "\"kubectl.kubernetes.io/last-applied-configuration\":\"");
    write_escaped(out, applied);
    lw_buf_append_text(out, "\"");
}

static void write_annotations(lw_buf *out, const gen_pod *pod)
{
    lw_buf_printf(out, ",\"annotations\":{\"checksum/config\":\"%016llx%016llx\"",
                  (unsigned long long)pod->noise,
                  (unsigned long long)(pod->noise * 0x9E3779B97F4A7C15U));
    if (pod->is_international)
        lw_buf_append_text(out,
                           ",\"example.com/beschreibung\":\"Zahlungen für Zürich \\u0026 東京: "
                           "größer, schneller 🚀\\u003cbeta\\u003e\"");
    if (pod->was_applied) {
        lw_buf_append_char(out, ',');
        write_last_applied(out, pod);
    }
    if (pod->is_scraped)
        lw_buf_printf(out,
                      ",\"prometheus.io/path\":\"/metrics\",\"prometheus.io/port\":\"%u\","
                      "\"prometheus.io/scrape\":\"true\"",
                      pod->containers[0].port);
    lw_buf_append_char(out, '}');
}

static void write_metadata(lw_buf *out, const gen_pod *pod, bool drops_managed_fields)
{
    lw_buf_printf(
        out,
        "{\"name\":\"%s\",\"generateName\":\"%s-%s-\",\"namespace\":\"%s\",\"uid\":\"%s\","
        "\"resourceVersion\":\"%llu\",\"creationTimestamp\":\"%s\",\"labels\":{"
        "\"app\":\"%s\",\"app.kubernetes.io/instance\":\"%s-%s\","
        "\"app.kubernetes.io/version\":\"1.%u.0\",\"pod-template-hash\":\"%s\","
        "\"tier\":\"%s\"}",
        pod->name, pod->app, pod->set_hash, pod->ns, pod->uid,
        (unsigned long long)pod->resource_version, pod->created, pod->app, pod->app, pod->ns,
        pod->version, pod->set_hash, pod->tier);
    write_annotations(out, pod);
    lw_buf_printf(out,
                  ",\"ownerReferences\":[{\"apiVersion\":\"apps/v1\",\"kind\":\"ReplicaSet\","
                  "\"name\":\"%s-%s\",\"uid\":\"%s\",\"controller\":true,"
                  "\"blockOwnerDeletion\":true}]",
                  pod->app, pod->set_hash, pod->set_uid);
    if (!drops_managed_fields) {
        lw_buf_append_text(out, ",\"managedFields\":");
        gen_write_managed_fields(out, pod);
    }
    lw_buf_append_char(out, '}');
}

void gen_write_pod(lw_buf *out, const gen_pod *pod, bool drops_managed_fields)
{
    lw_buf_append_text(out, "{\"metadata\":");
    write_metadata(out, pod, drops_managed_fields);
    lw_buf_append_text(out, ",\"spec\":");
    gen_write_spec(out, pod);
    lw_buf_append_text(out, ",\"status\":");
    gen_write_status(out, pod);
    lw_buf_append_char(out, '}');
}

/* Hands the buffer on and empties it. */
static bool flush(lw_buf *out, pod_gen_write_fn write, void *arg, pod_gen_totals *totals)
{
    bool is_good = out->st == LW_OK && write(out->data, out->len, arg);
    totals->bytes += out->len;
    lw_buf_reset(out);
    return is_good;
}

static bool is_complete(const pod_gen_options *options, const pod_gen_totals *totals)
{
    if (options->pods == 0 && options->bytes == 0)
        return true;
    return (options->pods > 0 && totals->pods >= options->pods) ||
           (options->bytes > 0 && totals->bytes >= options->bytes);
}

bool pod_gen_list(const pod_gen_options *options, pod_gen_write_fn write, void *arg,
                  pod_gen_totals *totals)
{
    pod_gen_totals done = { 0 };
    gen_pod pod;
    lw_buf out;
    lw_buf_init(&out, POD_LIMIT);
    lw_buf_append_text(&out, "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{"
                             "\"resourceVersion\":\"987654321\"},\"items\":[");
    bool is_good = true;
    while (is_good && !is_complete(options, &done)) {
        if (done.pods > 0)
            lw_buf_append_char(&out, ',');
        gen_pod_decide(&pod, options->seed, done.pods);
        gen_write_pod(&out, &pod, options->drops_managed_fields);
        is_good = flush(&out, write, arg, &done);
        done.pods++;
    }
    lw_buf_append_text(&out, "]}\n");
    is_good = is_good && flush(&out, write, arg, &done);
    lw_buf_done(&out);
    if (totals)
        *totals = done;
    return is_good;
}
