/* SPDX-License-Identifier: Apache-2.0 */
/* schema_scenarios.c -- the registry, tables and documents, with every allocation failing in turn.
 */
#include <string.h>

#include <listwatch/document.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/str.h"
#include "oom/oom.h"
#include "schema/discovery/discovery.h"
#include "schema/kinds/conversion.h"
#include "schema/kinds/definition.h"
#include "schema/kinds/kinds.h"
#include "schema/kinds/table.h"
#include "schema/message/message.h"
#include "schema/openapi/openapi.h"
#include "schema/openapi/openapi_proto.h"
#include "schema/proto/proto.h"
#include "schema/proto/proto_similar.h"
#include "schema/strategicpatch/strategic_patch.h"
#include "schema/validation/check.h"

enum {
    DOCUMENT_MAX = 16 * 1024 * 1024,
};

/* The output of a scenario, to compare with the output of the run without failures. */
typedef struct document {
    lw_buf buf;
    lw_json_writer w;
} document;

static void document_begin(document *doc)
{
    lw_buf_init(&doc->buf, DOCUMENT_MAX);
    lw_json_writer_init(&doc->w, &doc->buf, LW_JSON_COMPACT);
}

/* The first run of a scenario has no failures and sets |*expected|. */
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
    lw_registry_unref(registry);
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
    st = document_end(&doc, &expected, err);
    lw_registry_unref(registry);
    return st;
}

/* One object with values for the cells of every kind. */
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
        st = lw_error_set(err, LW_ERR_INTERNAL, "wrong: the messages of a check");
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

#define POD_BEFORE                                                                                 \
    "{\"metadata\":{\"finalizers\":[\"a\",\"b\"]},\"spec\":{\"containers\":[{\"name\":\"a\","      \
    "\"env\":"                                                                                     \
    "[{\"name\":\"x\"}]},{\"name\":\"b\"},{\"name\":\"s\"}],\"volumes\":[{\"name\":\"v\","         \
    "\"emptyDir\":{}}]}}"

/* Patches a pod; |wanted| is the result, or the reason if it is refused with LW_ERR_INTERNAL. */
static lw_status patch_pod(const char *changes, const char *wanted, bool is_refused, lw_error *err)
{
    lw_tree *tree = NULL, *patch = NULL, *expected = NULL;
    lw_buf why;
    lw_buf_init(&why, DOCUMENT_MAX);
    lw_status st = lw_tree_parse(&tree, LW_STR(POD_BEFORE), 0, err);
    if (st == LW_OK)
        st = lw_tree_parse(&patch, lw_str_of(changes), 0, err);
    if (st == LW_OK && !is_refused)
        st = lw_tree_parse(&expected, lw_str_of(wanted), 0, err);
    if (st == LW_OK) {
        st =
            lw_strategic_patch_apply(tree, lw_gvk_make("", "v1", "Pod"), lw_tree_root(patch), &why);
        if (st == LW_OK &&
            (is_refused || !lw_node_equal(lw_tree_root(tree), lw_tree_root(expected))))
            st = lw_error_set(err, LW_ERR_INTERNAL, "wrong: the patched pod");
        else if (st == LW_ERR_INTERNAL && is_refused &&
                 lw_str_equal(lw_buf_view(&why), lw_str_of(wanted)))
            st = LW_OK;
    }
    lw_buf_done(&why);
    lw_tree_free(expected);
    lw_tree_free(patch);
    lw_tree_free(tree);
    return st;
}

static lw_status pod_is_patched(lw_error *err)
{
    return patch_pod(
        "{\"metadata\":{\"$setElementOrder/finalizers\":[\"c\",\"a\"],\"finalizers\":[\"c\"],"
        "\"$deleteFromPrimitiveList/"
        "finalizers\":[\"b\"]},\"spec\":{\"containers\":[{\"name\":\"b\","
        "\"$patch\":\"delete\"},{\"name\":\"a\",\"env\":[{\"name\":\"y\"}]},{\"name\":\"n\"}],"
        "\"volumes\":[{\"name\":\"v\",\"hostPath\":{\"path\":\"/a/long/way/down\"},\"$retainKeys\":"
        "[\"name\",\"hostPath\"]}]}}",
        "{\"metadata\":{\"finalizers\":[\"c\",\"a\"]},\"spec\":{\"containers\":[{\"name\":\"a\","
        "\"env\":"
        "[{\"name\":\"y\"},{\"name\":\"x\"}]},{\"name\":\"n\"},{\"name\":\"s\"}],\"volumes\":[{"
        "\"name\":"
        "\"v\",\"hostPath\":{\"path\":\"/a/long/way/down\"}}]}}",
        false, err);
}

static lw_status an_invalid_patch_has_a_reason(lw_error *err)
{
    return patch_pod(
        "{\"spec\":{\"containers\":[{\"image\":\"a-long-name-of-an-image\",\"args\":[1]}]}}",
        "map: map[args:[1] image:a-long-name-of-an-image] does not contain declared "
        "merge key: name",
        true, err);
}

static const char definition_json[] =
    "{\"kind\":\"CustomResourceDefinition\",\"apiVersion\":\"apiextensions.k8s.io/"
    "v1\",\"metadata\":"
    "{\"name\":\"gears.example.com\",\"uid\":\"1\"},\"spec\":{\"group\":\"example.com\",\"scope\":"
    "\"Cluster\",\"names\":{\"plural\":\"gears\",\"kind\":\"Gear\",\"shortNames\":[\"gr\"],"
    "\"categories\":[\"all\"]},\"versions\":[{\"name\":\"v1\",\"served\":true,\"storage\":true,"
    "\"subresources\":{\"scale\":{\"specReplicasPath\":\".spec.n\",\"statusReplicasPath\":"
    "\".status.n\"}},\"additionalPrinterColumns\":[{\"name\":\"N\",\"type\":\"integer\","
    "\"jsonPath\":\".spec.n\"}],\"selectableFields\":[{\"jsonPath\":\".spec.n\"}],\"schema\":{"
    "\"openAPIV3Schema\":{\"type\":\"object\",\"properties\":{\"spec\":{\"type\":\"object\","
    "\"required\":[\"m\"],\"properties\":{\"n\":{\"type\":\"integer\",\"default\":4,\"enum\":[1,2]}"
    ","
    "\"s\":{\"type\":\"string\",\"pattern\":\"^a{2,3}[b-d]*$\"},\"l\":{\"type\":\"array\","
    "\"x-kubernetes-list-type\":\"set\",\"items\":{\"type\":\"string\"}}},\"anyOf\":[{\"required\":"
    "[\"n\"]}]}}}}}]}}";

static lw_status definition_is_served(lw_error *err)
{
    lw_object *crd = NULL;
    lw_definition *definition = NULL;
    lw_registry *registry = NULL;
    lw_status st = lw_object_from_json(&crd, definition_json, sizeof(definition_json) - 1, err);
    if (st == LW_OK)
        st = lw_definition_new(&definition, crd, err);
    if (st == LW_OK)
        st = lw_registry_new_with(&registry, &definition, 1);
    if (st == LW_OK &&
        !lw_registry_find(registry, LW_STR("example.com"), LW_STR("v1"), LW_STR("gears")))
        st = lw_error_set(err, LW_ERR_INTERNAL, "wrong: the registry");
    lw_registry_unref(registry);
    lw_definition_unref(definition);
    lw_object_unref(crd);
    return st;
}

/* Writes the models of a custom kind and of all others, in both versions and in protobuf. */
static lw_status write_openapi(const lw_registry *registry, lw_error *err)
{
    static uint64_t expected;
    lw_buf json;
    lw_json_writer w;
    document doc;
    document_begin(&doc);
    lw_buf_init(&json, DOCUMENT_MAX);
    lw_json_writer_init(&w, &json, LW_JSON_COMPACT);
    lw_openapi_v2(registry, &w);
    lw_openapi_v3(lw_kind_span_of_group(registry, LW_STR("example.com")), &doc.w);
    if (lw_json_writer_status(&w) == LW_OK)
        (void)lw_openapi_append_proto(lw_buf_view(&json), &doc.buf);
    else
        doc.buf.st = lw_json_writer_status(&w);
    lw_buf_done(&json);
    return document_end(&doc, &expected, err);
}

static lw_status openapi_is_written(lw_error *err)
{
    lw_object *crd = NULL;
    lw_definition *definition = NULL;
    lw_registry *registry = NULL;
    lw_status st = lw_object_from_json(&crd, definition_json, sizeof(definition_json) - 1, err);
    if (st == LW_OK)
        st = lw_definition_new(&definition, crd, err);
    if (st == LW_OK)
        st = lw_registry_new_with(&registry, &definition, 1);
    if (st == LW_OK)
        st = write_openapi(registry, err);
    lw_registry_unref(registry);
    lw_definition_unref(definition);
    lw_object_unref(crd);
    return st;
}

/* Prunes, defaults and validates an object with every sort of error. */
static lw_status validate(const lw_structural *schema, lw_error *err)
{
    static const char json[] = "{\"spec\":{\"s\":\"b\",\"l\":[\"x\",\"x\"],\"odd\":1}}";
    lw_tree *tree = NULL;
    lw_api_status faults;
    lw_buf unknown;
    lw_status st = lw_tree_parse(&tree, LW_STR(json), 0, err);
    if (st < 0)
        return st;
    lw_api_status_init(&faults);
    lw_buf_init(&unknown, 1000);
    lw_structural_prune_reporting(schema, lw_tree_root(tree), &unknown);
    lw_structural_default(schema, tree, lw_tree_root(tree));
    st = unknown.st < 0 ? unknown.st : lw_tree_status(tree);
    if (st == LW_OK && unknown.len != sizeof("unknown field \"spec.odd\""))
        st = lw_error_set(err, LW_ERR_INTERNAL, "wrong: %zu bytes of unknown fields", unknown.len);
    lw_buf_done(&unknown);
    if (st == LW_OK)
        lw_structural_validate(schema, lw_tree_root(tree), NULL, NULL, &faults);
    if (st == LW_OK)
        st = lw_api_status_state(&faults);
    if (st == LW_OK && faults.cause_count != 4)
        st = lw_error_set(err, LW_ERR_INTERNAL, "wrong: %zu errors", faults.cause_count);
    lw_api_status_done(&faults);
    lw_tree_free(tree);
    return st;
}

static lw_status object_is_validated_by_its_schema(lw_error *err)
{
    lw_object *crd = NULL;
    lw_definition *definition = NULL;
    size_t count;
    lw_status st = lw_object_from_json(&crd, definition_json, sizeof(definition_json) - 1, err);
    if (st == LW_OK)
        st = lw_definition_new(&definition, crd, err);
    if (st == LW_OK)
        st = validate(lw_definition_served(definition, &count)[0].schema, err);
    lw_definition_unref(definition);
    lw_object_unref(crd);
    return st;
}

/* Keys that are unsorted and escaped, and more than fit without an allocation. */
static lw_status an_object_is_encoded_and_decoded_as_protobuf(lw_error *err)
{
    static const char json[] =
        "{\"kind\":\"Secret\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"\\u0061\"},\"data\":{"
        "\"j\":\"YQ==\",\"i\":\"YQ==\",\"h\":\"YQ==\",\"g\":\"YQ==\",\"f\":\"YQ==\",\"e\":\"YQ==\","
        "\"d\":"
        "\"YQ==\",\"c\":\"YQ==\",\"b\":\"YQ==\",\"\\u0061\":\"YQ==\"}}";
    lw_buf bytes, back;
    lw_proto_document opened;
    lw_buf_init(&bytes, sizeof(json) * 4);
    lw_buf_init(&back, sizeof(json) * 4);
    lw_status st = lw_proto_write_document(LW_STR(json), &bytes, err);
    if (st == LW_OK)
        st = lw_proto_open(lw_buf_view(&bytes), &opened, err);
    if (st == LW_OK)
        st = lw_proto_read(lw_proto_type(opened.api_version, opened.kind), &opened, opened.message,
                           &back, err);
    if (st == LW_OK && back.len < sizeof(json) / 2)
        st = lw_error_set(err, LW_ERR_INTERNAL, "wrong: the round trip");
    lw_buf_done(&bytes);
    lw_buf_done(&back);
    return st;
}

/* Without memory for a sample, or for strings without escapes, a document is encoded as always. */
static lw_status similar_objects_are_encoded_as_protobuf(lw_error *err)
{
    static const char *const documents[] = {
        "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\"}}",
        "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"b\\n\"}}",
        "{\"kind\":\"Node\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"c\"}}",
    };
    lw_proto_similar *similar = NULL;
    lw_status st = lw_proto_similar_new(&similar);
    if (st < 0)
        return lw_error_nomem(err);
    for (size_t i = 0; i < sizeof(documents) / sizeof(documents[0]) && st == LW_OK; i++) {
        lw_buf expected, bytes;
        lw_buf_init(&expected, 4096);
        lw_buf_init(&bytes, 4096);
        st = lw_proto_write_document(lw_str_of(documents[i]), &expected, err);
        if (st == LW_OK)
            st = lw_proto_write_similar(similar, lw_str_of(documents[i]), &bytes, err);
        if (st == LW_OK && !lw_str_equal(lw_buf_view(&expected), lw_buf_view(&bytes)))
            st = lw_error_set(err, LW_ERR_INTERNAL, "wrong: the encoding");
        lw_buf_done(&expected);
        lw_buf_done(&bytes);
    }
    lw_proto_similar_free(similar);
    return st;
}

static lw_status read_message(lw_str bytes, lw_error *err)
{
    static const char pointer[] = "/data/c";
    const lw_read_options read = LW_READ_OPTIONS_INIT;
    lw_object *obj = NULL, *copy = NULL;
    lw_document *doc = NULL;
    lw_str text;
    lw_status st = lw_message_object(&obj, bytes, &read, err);
    if (st == LW_OK)
        st = lw_object_get_string(obj, pointer, &text);
    if (st == LW_OK)
        st = lw_object_raw(obj, "/data", &text);
    if (st == LW_OK)
        st = lw_object_raw(obj, "", &text);
    if (st == LW_OK)
        st = lw_document_from_object(&doc, obj, err);
    if (st == LW_OK)
        st = lw_object_with_revision(&copy, obj, 2);
    if (st == LW_OK && strcmp(lw_object_string(obj, pointer, "YQ=="), "YQ==") != 0)
        st = lw_error_set(err, LW_ERR_INTERNAL, "wrong: the value");
    lw_document_free(doc);
    lw_object_unref(copy);
    lw_object_unref(obj);
    return st;
}

static lw_status read_message_list(lw_str bytes, lw_error *err)
{
    const lw_list_reader_options options = { .on_object = NULL };
    lw_message_list *list = NULL;
    lw_status st = lw_message_list_new(&list, &options, err);
    for (size_t i = 0; st == LW_OK && i < bytes.len; i++)
        st = lw_message_list_feed(list, bytes.ptr + i, 1, err);
    if (st == LW_OK)
        st = lw_message_list_finish(list, err);
    lw_message_list_free(list);
    return st;
}

/* An object that keeps its protobuf, and a list in small pieces. */
static lw_status a_message_is_read(lw_error *err)
{
    static const char json[] =
        "{\"kind\":\"Secret\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\",\"labels\":{"
        "\"x\":\"y\"}},\"data\":{\"c\":\"YQ==\"}}";
    static const char list[] = "k8s\0\n\x10\n\x02v1\x12\nSecretList\x12\x09\n\x03\x12\x01"
                               "5\x12\x02\n\0";
    lw_buf bytes;
    lw_buf_init(&bytes, sizeof(json) * 4);
    lw_status st = lw_proto_write_document(LW_STR(json), &bytes, err);
    if (st == LW_OK)
        st = read_message(lw_buf_view(&bytes), err);
    if (st == LW_OK)
        st = read_message_list(lw_str_make(list, sizeof(list) - 1), err);
    lw_buf_done(&bytes);
    return st;
}

/* A stored autoscaler as v1 shows it, and back. */
static lw_status object_is_converted(lw_error *err)
{
    static const char json[] =
        "{\"kind\":\"HorizontalPodAutoscaler\",\"apiVersion\":\"autoscaling/v2\",\"metadata\":{"
        "\"name\":\"a\"},\"spec\":{\"maxReplicas\":3,\"metrics\":[{\"type\":\"Pods\",\"pods\":{"
        "\"metric\":{\"name\":\"qps\"},\"target\":{\"type\":\"AverageValue\",\"averageValue\":"
        "\"1\"}}}"
        "],\"behavior\":{\"scaleUp\":{\"selectPolicy\":\"Max\"}}}}";
    const lw_kind *kind = &lw_kind_horizontalpodautoscalers_v1;
    lw_object *obj = NULL;
    lw_tree *tree = NULL;
    lw_status st = lw_object_from_json(&obj, json, sizeof(json) - 1, err);
    if (st == LW_OK)
        st = lw_kind_parse_converted(kind, obj, NULL, &tree);
    lw_node *root = tree ? lw_tree_root(tree) : NULL;
    if (st == LW_OK)
        st = lw_kind_to_stored(kind, tree, &root);
    const lw_node *spec = lw_node_get(root, LW_STR("spec"));
    if (st == LW_OK && (lw_node_count(lw_node_get(spec, LW_STR("metrics"))) != 1 ||
                        !lw_node_get(spec, LW_STR("behavior"))))
        st = lw_error_set(err, LW_ERR_INTERNAL, "wrong: the converted object");
    lw_tree_free(tree);
    lw_object_unref(obj);
    return st;
}

const oom_scenario schema_scenarios[] = {
    { "registry is made", registry_is_made },
    { "discovery is written", discovery_is_written },
    { "OpenAPI documents are written", openapi_is_written },
    { "tables are written", tables_are_written },
    { "an object is converted", object_is_converted },
    { "definition is served", definition_is_served },
    { "object is validated by its schema", object_is_validated_by_its_schema },
    { "documents are checked", documents_are_checked },
    { "similar objects are encoded as protobuf", similar_objects_are_encoded_as_protobuf },
    { "an object is encoded and decoded as protobuf",
      an_object_is_encoded_and_decoded_as_protobuf },
    { "a message is read", a_message_is_read },
    { "a pod is patched", pod_is_patched },
    { "an invalid patch has a reason", an_invalid_patch_has_a_reason },
};
const size_t schema_scenario_count = sizeof(schema_scenarios) / sizeof(schema_scenarios[0]);
