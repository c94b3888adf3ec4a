/* SPDX-License-Identifier: Apache-2.0 */
/* schema_scenarios.c -- the registry, tables and documents, with every allocation failing in turn.
 */
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/str.h"
#include "oom/oom.h"
#include "schema/check.h"
#include "schema/discovery.h"
#include "schema/kinds.h"
#include "schema/table.h"

enum {
    DOCUMENT_MAX = 16 * 1024 * 1024,
};

/* What a scenario writes, to be compared with what it wrote when nothing failed. */
typedef struct document {
    lw_buf buf;
    lw_json_writer w;
} document;

static void document_begin(document *doc)
{
    lw_buf_init(&doc->buf, DOCUMENT_MAX);
    lw_json_writer_init(&doc->w, &doc->buf, LW_JSON_COMPACT);
}

/* The first run of a scenario is undisturbed and sets |*expected|. */
static lw_status document_end(document *doc, uint64_t *expected, lw_error *err)
{
    static const lw_hash_seed seed = { 1, 2 };
    lw_status st = lw_json_writer_status(&doc->w);
    uint64_t hash = lw_hash_str(seed, lw_buf_view(&doc->buf));
    if (st == LW_OK && *expected == 0)
        *expected = hash;
    if (st == LW_OK && *expected != hash)
        st = lw_error_set(err, LW_ERR_INTERNAL, "wrong: the document");
    lw_buf_done(&doc->buf);
    return st;
}

static lw_status registry_is_made(lw_error *err)
{
    lw_registry *registry = NULL;
    lw_status st = lw_registry_new(&registry);
    if (st == LW_OK &&
        lw_registry_find(registry, LW_STR(""), LW_STR("v1"), LW_STR("pods")) != &lw_kind_pods)
        st = lw_error_set(err, LW_ERR_INTERNAL, "wrong: the registry");
    lw_registry_free(registry);
    return st;
}

static lw_status discovery_is_written(lw_error *err)
{
    static uint64_t expected;
    lw_registry *registry = NULL;
    document doc;
    lw_status st = lw_registry_new(&registry);
    if (st < 0)
        return st;
    document_begin(&doc);
    lw_discovery_groups(registry, &doc.w);
    (void)lw_discovery_resources(registry, LW_STR("apps"), LW_STR("v1"), &doc.w);
    lw_discovery_aggregated(registry, true, &doc.w);
    (void)lw_openapi_v3_group(registry, LW_STR("policy"), LW_STR("v1"), &doc.w);
    st = document_end(&doc, &expected, err);
    lw_registry_free(registry);
    return st;
}

static lw_status openapi_index_is_written(lw_error *err)
{
    static uint64_t expected;
    lw_registry *registry = NULL;
    document doc;
    lw_status st = lw_registry_new(&registry);
    if (st < 0)
        return st;
    document_begin(&doc);
    lw_openapi_v3_index(registry, &doc.w);
    st = document_end(&doc, &expected, err);
    lw_registry_free(registry);
    return st;
}

/* One object that has something for the cells of every kind. */
static const char everything[] =
    "{\"kind\":\"X\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\",\"labels\":{"
    "\"node-role.kubernetes.io/a\":\"\",\"kubernetes.io/role\":\"b\"},\"ownerReferences\":[{"
    "\"apiVersion\":\"apps/v1\",\"kind\":\"StatefulSet\",\"name\":\"w\",\"controller\":true}]},"
    "\"spec\":{\"selector\":{\"matchLabels\":{\"a\":\"b\"}},\"template\":{\"spec\":{\"containers\":"
    "["
    "{\"name\":\"c\",\"image\":\"i\"}],\"nodeSelector\":{\"a\":\"b\",\"c\":\"d\"}}},\"type\":"
    "\"LoadBalancer\",\"externalIPs\":[\"1.1.1.1\"],\"ports\":[{\"port\":80}],\"readinessGates\":[{"
    "\"conditionType\":\"x\"}],\"accessModes\":[\"ReadWriteOnce\"],\"metrics\":[{\"type\":"
    "\"Resource\",\"resource\":{\"name\":\"cpu\"}}]},\"status\":{\"phase\":\"Running\","
    "\"loadBalancer\":{\"ingress\":[{\"ip\":\"2.2.2.2\"}]},\"hard\":{\"cpu\":\"1\",\"limits.cpu\":"
    "\"2\"},\"used\":{\"cpu\":\"1\"},\"containerStatuses\":[{\"restartCount\":1,\"state\":{"
    "\"waiting\":{\"reason\":\"CrashLoopBackOff\"}}}]},\"subsets\":[{\"addresses\":[{\"ip\":"
    "\"fd00::1\"}],\"ports\":[{\"port\":1}]}],\"involvedObject\":{\"kind\":\"Pod\",\"name\":\"p\"},"
    "\"message\":\"m\",\"subjects\":[{\"kind\":\"User\",\"name\":\"u\"}]}";

static lw_status tables_are_written(lw_error *err)
{
    static uint64_t expected;
    const lw_table_form form = {
        .api_version = LW_STR("meta.k8s.io/v1"),
        .has_columns = true,
        .now_ns = 1000000000,
    };
    size_t count;
    const lw_kind *const *kinds = lw_kinds_builtin(&count);
    lw_object *obj = NULL;
    document doc;
    lw_status st = lw_object_from_json(&obj, everything, strlen(everything), err);
    if (st < 0)
        return st;
    document_begin(&doc);
    for (size_t i = 0; i < count; i++) {
        lw_table_begin(kinds[i], &form, LW_STR("{}"), &doc.w);
        lw_table_row(kinds[i], &form, obj, &doc.w);
        lw_table_end(&doc.w);
    }
    st = document_end(&doc, &expected, err);
    lw_object_unref(obj);
    return st;
}

static lw_status check_says(const lw_type *type, const char *json, const char *said, lw_error *err)
{
    lw_check check;
    lw_buf out;
    lw_check_init(&check);
    lw_buf_init(&out, DOCUMENT_MAX);
    lw_status st = lw_check_document(&check, type, lw_str_of(json));
    if (st == LW_OK && check.fault.len > 0)
        lw_buf_append_str(&out, lw_buf_view(&check.fault));
    else if (st == LW_OK)
        lw_check_append_strict(&check, &out);
    if (st == LW_OK)
        st = out.st;
    if (st == LW_OK && !lw_str_equal(lw_buf_view(&out), lw_str_of(said)))
        st = lw_error_set(err, LW_ERR_INTERNAL, "wrong: what is said of a document");
    lw_buf_done(&out);
    lw_check_done(&check);
    return st;
}

static lw_status documents_are_checked(lw_error *err)
{
    const lw_type *pod = lw_type_of_kind(lw_gvk_make("", "v1", "Pod"));
    lw_status st =
        check_says(pod, "{\"\\u0061\":1,\"metadata\":{\"labels\":{\"a\":\"\",\"a\":\"\"}}}",
                   "strict decoding error: unknown field \"a\", "
                   "duplicate field \"metadata.labels.a\"",
                   err);
    if (st == LW_OK)
        st = check_says(pod, "{\"spec\":{\"hostPID\":1,\"overhead\":{\"cpu\":\"1e\"}}}",
                        "unable to parse quantity's suffix", err);
    if (st == LW_OK)
        st =
            check_says(pod, "{\"metadata\":{\"creationTimestamp\":\"\\u0032\"}}",
                       "parsing time \"2\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"2\" as "
                       "\"2006\"",
                       err);
    return st;
}

const oom_scenario schema_scenarios[] = {
    { "registry is made", registry_is_made },
    { "discovery is written", discovery_is_written },
    { "OpenAPI index is written", openapi_index_is_written },
    { "tables are written", tables_are_written },
    { "documents are checked", documents_are_checked },
};
const size_t schema_scenario_count = sizeof(schema_scenarios) / sizeof(schema_scenarios[0]);
