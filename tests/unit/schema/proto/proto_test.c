/* SPDX-License-Identifier: Apache-2.0 */
/* proto_test.c -- protobuf as Kubernetes writes it.  All expected bytes and documents were compared
 * with what the Go types of Kubernetes 1.37 make of the same. */
#include "schema/proto/proto.h"

#include <stdio.h>

#include "base/str.h"
#include "schema/proto/proto_wire.h"
#include "unit/test.h"
#include "json/scan.h"

enum {
    OUT_MAX = 1024 * 1024,
};

static const lw_type *type_of(const char *api_version, const char *kind)
{
    const lw_type *type = lw_proto_type(lw_str_of(api_version), lw_str_of(kind));
    if (!type)
        fail_msg("no type of %s %s", api_version, kind);
    return type;
}

/* The type of the field |name| of a kind. */
static const lw_type *type_in(const lw_type *type, const char *name)
{
    const lw_field *field = lw_type_field(type, lw_str_of(name));
    if (!field)
        fail_msg("no field %s", name);
    return field->type->element ? field->type->element : field->type;
}

static void hex_of(lw_str bytes, lw_buf *out)
{
    for (size_t i = 0; i < bytes.len; i++)
        lw_buf_printf(out, "%02x", (unsigned char)bytes.ptr[i]);
}

static lw_status write_hex(const lw_type *type, const char *json, lw_buf *hex, lw_error *err)
{
    lw_buf bytes;
    assert_int_equal(lw_json_validate(lw_str_of(json), 0, NULL), LW_OK);
    lw_buf_init(&bytes, OUT_MAX);
    lw_status st = lw_proto_write(type, lw_str_of(json), &bytes, err);
    hex_of(lw_buf_view(&bytes), hex);
    lw_buf_done(&bytes);
    return st;
}

static void assert_written(const lw_type *type, const char *json, const char *expected)
{
    lw_buf hex;
    lw_error err = LW_ERROR_INIT;
    lw_buf_init(&hex, OUT_MAX);
    if (write_hex(type, json, &hex, &err) < 0)
        fail_msg("%s: %s", json, err.message);
    if (!lw_str_equal(lw_buf_view(&hex), lw_str_of(expected)))
        fail_msg("%s\n  wrote:    %.*s\n  expected: %s", json, LW_STR_ARG(lw_buf_view(&hex)),
                 expected);
    lw_buf_done(&hex);
}

static lw_status read_hex(const lw_type *type, const char *hex, lw_buf *json, lw_error *err)
{
    char bytes[512];
    size_t len = 0;
    for (; hex[2 * len]; len++) {
        assert_true(len < sizeof(bytes));
        bytes[len] =
            (char)(lw_char_hex_value(hex[2 * len]) << 4 | lw_char_hex_value(hex[2 * len + 1]));
    }
    return lw_proto_read(type, NULL, lw_str_make(bytes, len), json, err);
}

static void assert_read(const lw_type *type, const char *hex, const char *expected)
{
    lw_buf json;
    lw_error err = LW_ERROR_INIT;
    lw_buf_init(&json, OUT_MAX);
    if (read_hex(type, hex, &json, &err) < 0)
        fail_msg("%s: %s", hex, err.message);
    assert_str_equal(lw_buf_view(&json), expected);
    lw_buf_done(&json);
}

static void assert_not_read(const lw_type *type, const char *hex, const char *why)
{
    lw_buf json;
    lw_error err = LW_ERROR_INIT;
    lw_buf_init(&json, OUT_MAX);
    assert_int_equal(read_hex(type, hex, &json, &err), LW_ERR_SYNTAX);
    assert_string_equal(err.message, why);
    lw_buf_done(&json);
}

/* Written and read back, where JSON is the same. */
static void assert_both(const lw_type *type, const char *json, const char *hex)
{
    assert_written(type, json, hex);
    assert_read(type, hex, json);
}

static const lw_type *port_type(void)
{
    return type_in(type_in(type_of("v1", "Service"), "spec"), "ports");
}

static void what_is_no_pointer_is_always_written(void **state)
{
    (void)state;
    assert_written(type_in(type_of("v1", "Pod"), "metadata"), "{}",
                   "0a0012001a0022002a00320038004200");
    assert_read(type_in(type_of("v1", "Pod"), "metadata"), "", "{}");
    assert_read(type_of("v1", "Pod"), "",
                "{\"metadata\":{},\"spec\":{\"containers\":null},\"status\":{}}");
}

static void numbers_that_may_be_strings_keep_which_they_are(void **state)
{
    (void)state;
    assert_both(port_type(), "{\"port\":80,\"targetPort\":\"http\"}",
                "0a0012001850220a080110001a0468747470"
                "2800");
    assert_both(port_type(), "{\"port\":80,\"targetPort\":8080}",
                "0a001200185022070800"
                "10903f1a00"
                "2800");
    assert_read(port_type(), "", "{\"port\":0,\"targetPort\":0}");
    assert_not_read(port_type(), "22020802",
                    "intstr.IntOrString: the message has no valid value of this type");
}

static void quantities_are_texts(void **state)
{
    (void)state;
    const lw_type *resources =
        type_in(type_in(type_in(type_of("v1", "Pod"), "spec"), "containers"), "resources");
    assert_both(resources, "{\"limits\":{\"cpu\":\"100m\"}}", "0a0d0a0363707512060a043130306d");
    assert_written(resources, "{\"limits\":{\"cpu\":1}}", "0a0a0a0363707512030a0131");
    assert_read(resources, "0a050a03637075", "{\"limits\":{\"cpu\":\"0\"}}");
    assert_not_read(resources, "0a0a0a0363707512030a0178",
                    "resource.Quantity: the message has no valid value of this type");
}

static void times_are_seconds_and_the_zero_time_is_nothing(void **state)
{
    (void)state;
    const lw_type *event = type_in(type_of("v1", "Event"), "series");
    assert_both(event, "{\"count\":1,\"lastObservedTime\":\"1970-01-01T00:00:01.000002Z\"}",
                "08011205080110d00f");
    assert_both(event, "{\"count\":1,\"lastObservedTime\":null}", "08011200");
    const lw_type *entry = type_in(type_in(type_of("v1", "Pod"), "metadata"), "managedFields");
    assert_both(entry, "{\"time\":\"1969-12-31T23:59:59Z\"}",
                "0a0012001a00220d08ffffffffffffffffff011000"
                "32004200");
    assert_read(type_in(type_of("v1", "Pod"), "metadata"), "4200", "{}");
    assert_not_read(entry, "22020a00", "v1.Time: the message has no valid value of this type");
}

static void any_json_is_kept_as_bytes_and_comes_back_without_blanks(void **state)
{
    (void)state;
    const lw_type *revision = type_of("apps/v1", "ControllerRevision");
    const char *metadata = "0a10"
                           "0a0012001a0022002a00320038004200";
    char hex[128];
    (void)snprintf(hex, sizeof(hex), "%s12090a077b2261223a317d1803", metadata);
    assert_both(revision, "{\"metadata\":{},\"data\":{\"a\":1},\"revision\":3}", hex);
    assert_read(revision, "12080a065b20223c225d",
                "{\"metadata\":{},\"data\":[\"\\u003c\"],\"revision\":0}");
    assert_not_read(revision, "12030a017b",
                    "runtime.RawExtension: the message has no valid value of this type");
}

static void bytes_are_base64_in_json(void **state)
{
    (void)state;
    const lw_type *secret = type_of("v1", "Secret");
    assert_read(secret,
                "12080a016112036869211206"
                "0a01621201"
                "00",
                "{\"metadata\":{},\"data\":{\"a\":\"aGkh\",\"b\":\"AA==\"}}");
    assert_read(secret, "12030a0161", "{\"metadata\":{},\"data\":{\"a\":null}}");
}

static void maps_are_written_in_the_order_of_their_keys(void **state)
{
    (void)state;
    const lw_type *map = type_of("v1", "ConfigMap");
    const char *expected = "0a100a0012001a0022002a00320038004200"
                           "12060a0161120132"
                           "12060a0162120131";
    assert_written(map, "{\"data\":{\"b\":\"1\",\"a\":\"2\"}}", expected);
    assert_written(map, "{\"data\":{\"b\":\"0\",\"\\u0061\":\"2\",\"b\":\"1\"}}", expected);
    assert_read(map, "12060a016212013112060a016112013212060a0162120133",
                "{\"metadata\":{},\"data\":{\"a\":\"2\",\"b\":\"3\"}}");
}

static void of_a_member_that_is_there_twice_the_last_counts(void **state)
{
    (void)state;
    const lw_type *volume = type_in(type_in(type_of("v1", "Pod"), "spec"), "volumes");
    const lw_type *owner = type_in(type_in(type_of("v1", "Pod"), "metadata"), "ownerReferences");
    assert_written(owner, "{\"kind\":\"a\",\"name\":\"b\",\"uid\":\"c\",\"kind\":\"d\"}",
                   "0a01641a01622201632a00");
    assert_written(owner, "{\"kind\":\"a\",\"name\":\"b\",\"name\":null}", "0a01611a016222002a00");
    assert_written(owner, "{\"k\\u0069nd\":\"a\",\"\":1,\"kin\":2}", "0a01611a0022002a00");
    assert_written(volume,
                   "{\"name\":\"v\",\"hostPath\":{\"path\":\"a\"},\"hostPath\":{\"path\":\"b\"}}",
                   "0a017612050a030a0162");
}

static void inline_structs_are_messages_of_their_own(void **state)
{
    (void)state;
    const lw_type *volume = type_in(type_in(type_of("v1", "Pod"), "spec"), "volumes");
    assert_both(volume, "{\"name\":\"v\",\"emptyDir\":{}}",
                "0a0176"
                "1204"
                "12020a00");
    assert_written(volume, "{\"emptyDir\":{},\"name\":\"v\"}",
                   "0a0176"
                   "1204"
                   "12020a00");
}

static void a_value_of_one_of_two_types_is_told_by_its_json(void **state)
{
    (void)state;
    const lw_type *version =
        type_in(type_in(type_of("apiextensions.k8s.io/v1", "CustomResourceDefinition"), "spec"),
                "versions");
    const lw_type *schema = type_in(type_in(version, "schema"), "openAPIV3Schema");
    static const char *const documents[] = { "{\"additionalProperties\":true}",
                                             "{\"additionalProperties\":false}",
                                             "{\"additionalProperties\":{\"type\":\"string\"}}",
                                             "{\"items\":{\"type\":\"string\"}}",
                                             "{\"items\":[{\"type\":\"string\"}]}",
                                             "{\"dependencies\":{\"a\":[\"b\"],\"c\":{}}}",
                                             "{\"maximum\":1.5,\"enum\":[null,1,\"x\"]}" };
    for (size_t i = 0; i < sizeof(documents) / sizeof(documents[0]); i++) {
        lw_buf bytes, back;
        lw_buf_init(&bytes, OUT_MAX);
        lw_buf_init(&back, OUT_MAX);
        assert_int_equal(lw_proto_write(schema, lw_str_of(documents[i]), &bytes, NULL), LW_OK);
        assert_int_equal(lw_proto_read(schema, NULL, lw_buf_view(&bytes), &back, NULL), LW_OK);
        assert_str_equal(lw_buf_view(&back), documents[i]);
        lw_buf_done(&bytes);
        lw_buf_done(&back);
    }
}

static void fields_may_come_in_any_order_and_unknown_ones_are_passed_over(void **state)
{
    (void)state;
    const lw_type *group = type_in(type_in(type_of("v1", "Pod"), "spec"), "securityContext");
    /* 4: 1, unknown 100 of each sort, 4: 2, packed 4: 3 and 4. */
    assert_read(group,
                "2001"
                "a00605"
                "a106"
                "0000000000000000"
                "a20601ff"
                "a506"
                "00000000"
                "a306"
                "0801"
                "a406"
                "2002"
                "22020304",
                "{\"supplementalGroups\":[1,2,3,4]}");
    const lw_type *meta = type_in(type_of("v1", "Pod"), "metadata");
    assert_read(meta,
                "1a016e"
                "0a0161"
                "0a0162",
                "{\"name\":\"b\",\"namespace\":\"n\"}");
}

static void what_is_no_protobuf_of_the_type_is_refused(void **state)
{
    (void)state;
    const lw_type *pod = type_of("v1", "Pod");
    assert_not_read(pod, "0a", "unexpected EOF");
    assert_not_read(pod, "0a05", "unexpected EOF");
    assert_not_read(pod, "00", "proto: illegal tag");
    assert_not_read(pod, "0c", "proto: wiretype end group for non-group");
    assert_not_read(pod, "0e", "proto: illegal wireType");
    assert_not_read(pod, "0800", "metadata: proto: wrong wireType");
    assert_not_read(pod, "0affffffffffffffffffff01", "proto: integer overflow");
    assert_not_read(pod, "0a000a00", "metadata: proto: duplicate field");
    assert_not_read(pod, "a3060b", "unexpected EOF");
}

static void depth_and_size_are_bounded(void **state)
{
    (void)state;
    const lw_type *version =
        type_in(type_in(type_of("apiextensions.k8s.io/v1", "CustomResourceDefinition"), "spec"),
                "versions");
    const lw_type *schema = type_in(type_in(version, "schema"), "openAPIV3Schema");
    lw_buf nested, next, json;
    lw_error err = LW_ERROR_INIT;
    lw_buf_init(&nested, OUT_MAX);
    for (int i = 0; i < LW_PROTO_DEPTH_MAX + 1; i++) { /* "not" is number 28 */
        lw_buf_init(&next, OUT_MAX);
        lw_proto_put_bytes(&next, 28, lw_buf_view(&nested));
        lw_buf_done(&nested);
        nested = next;
    }
    lw_buf_init(&json, OUT_MAX);
    assert_int_equal(lw_proto_read(schema, NULL, lw_buf_view(&nested), &json, &err), LW_ERR_LIMIT);
    lw_buf_done(&json);
    lw_buf_init(&json, 10);
    assert_int_equal(lw_proto_read(type_of("v1", "Pod"), NULL, LW_STR(""), &json, &err),
                     LW_ERR_LIMIT);
    lw_buf_done(&json);
    lw_buf_done(&nested);
}

static void a_value_of_another_type_is_not_written(void **state)
{
    (void)state;
    static const struct {
        const char *json, *why;
    } rows[] = {
        { "{\"spec\":1}", "spec: 1 is not a valid v1.ServiceSpec" },
        { "{\"spec\":{\"ports\":{}}}", "ports: {} is not a valid []v1.ServicePort" },
        { "{\"spec\":{\"ports\":[{\"port\":\"x\"}]}}", "port: \"x\" is not a valid int32" },
        { "{\"spec\":{\"ports\":[{\"port\":2147483648}]}}",
          "port: 2147483648 is not a valid int32" },
        { "{\"spec\":{\"ports\":[{\"targetPort\":true}]}}",
          "targetPort: true is not a valid intstr.IntOrString" },
        { "{\"metadata\":{\"labels\":{\"a\":1}}}", "labels: 1 is not a valid string" },
        { "{\"metadata\":{\"creationTimestamp\":\"x\"}}",
          "creationTimestamp: \"x\" is not a valid v1.Time" },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        lw_buf hex;
        lw_error err = LW_ERROR_INIT;
        lw_buf_init(&hex, OUT_MAX);
        assert_int_equal(write_hex(type_of("v1", "Service"), rows[i].json, &hex, &err),
                         LW_ERR_INVALID);
        assert_string_equal(err.message, rows[i].why);
        lw_buf_done(&hex);
    }
}

static void an_envelope_says_what_is_in_it(void **state)
{
    (void)state;
    static const char json[] = "{\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\"},"
                               "\"kind\":\"ConfigMap\"}";
    static const char expected[] = "6b387300"
                                   "0a0f"
                                   "0a027631"
                                   "1209436f6e6669674d6170"
                                   "1213"
                                   "0a110a016112001a0022002a00320038004200"
                                   "1a00"
                                   "2200";
    lw_buf bytes, hex;
    lw_proto_document document;
    lw_buf_init(&bytes, OUT_MAX);
    lw_buf_init(&hex, OUT_MAX);
    assert_int_equal(lw_proto_write_document(LW_STR(json), &bytes, NULL), LW_OK);
    hex_of(lw_buf_view(&bytes), &hex);
    assert_str_equal(lw_buf_view(&hex), expected);
    assert_int_equal(lw_proto_open(lw_buf_view(&bytes), &document, NULL), LW_OK);
    assert_str_equal(document.api_version, "v1");
    assert_str_equal(document.kind, "ConfigMap");
    assert_int_equal(document.message.len, 0x13);
    lw_buf_done(&bytes);
    lw_buf_done(&hex);
}

static void an_envelope_that_is_none_is_refused(void **state)
{
    (void)state;
    lw_proto_document document;
    lw_error err = LW_ERROR_INIT;
    assert_int_equal(lw_proto_open(LW_STR("{}"), &document, &err), LW_ERR_SYNTAX);
    assert_string_equal(err.message, "provided data does not appear to be a protobuf message, "
                                     "expected prefix [107 56 115 0]");
    assert_int_equal(lw_proto_open(LW_STR("k8s\0\x0a\x05"), &document, &err), LW_ERR_SYNTAX);
    assert_int_equal(lw_proto_open(LW_STR("k8s\0\x08\x05"), &document, &err), LW_ERR_SYNTAX);
    assert_int_equal(lw_proto_open(LW_STR("k8s\0"), &document, &err), LW_OK);
    assert_int_equal(document.kind.len, 0);
    lw_buf out;
    lw_buf_init(&out, OUT_MAX);
    assert_int_equal(lw_proto_write_document(LW_STR("{\"kind\":\"Gear\"}"), &out, &err),
                     LW_ERR_UNSUPPORTED);
    lw_buf_done(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_is_no_pointer_is_always_written),
        TEST(numbers_that_may_be_strings_keep_which_they_are),
        TEST(quantities_are_texts),
        TEST(times_are_seconds_and_the_zero_time_is_nothing),
        TEST(any_json_is_kept_as_bytes_and_comes_back_without_blanks),
        TEST(bytes_are_base64_in_json),
        TEST(maps_are_written_in_the_order_of_their_keys),
        TEST(of_a_member_that_is_there_twice_the_last_counts),
        TEST(inline_structs_are_messages_of_their_own),
        TEST(a_value_of_one_of_two_types_is_told_by_its_json),
        TEST(fields_may_come_in_any_order_and_unknown_ones_are_passed_over),
        TEST(what_is_no_protobuf_of_the_type_is_refused),
        TEST(depth_and_size_are_bounded),
        TEST(a_value_of_another_type_is_not_written),
        TEST(an_envelope_says_what_is_in_it),
        TEST(an_envelope_that_is_none_is_refused),
    };
    return cmocka_run_group_tests_name("proto", tests, NULL, NULL);
}
