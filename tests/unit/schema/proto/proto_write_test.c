/* SPDX-License-Identifier: Apache-2.0 */
/* proto_write_test.c -- documents that are the same for protobuf are written as the same bytes, in
 * any buffer, at all borders of lengths. */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "schema/proto/proto.h"
#include "schema/types/type_table.h"
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

static const lw_type *pod_type(void)
{
    return type_of("v1", "Pod");
}

static const lw_type *schema_type(void)
{
    static const char *const path[] = { "spec", "versions", "schema", "openAPIV3Schema" };
    const lw_type *type = type_of("apiextensions.k8s.io/v1", "CustomResourceDefinition");
    for (size_t i = 0; i < sizeof(path) / sizeof(path[0]); i++) {
        type = lw_type_field(type, lw_str_of(path[i]))->type;
        type = type->element ? type->element : type;
    }
    return type;
}

/* Writes |json|, which is copied so that a sanitizer finds any byte that is read after its end, to
 * a buffer that has |room|. */
static void write_to_room(const lw_type *type, lw_str json, size_t room, lw_buf *out)
{
    lw_error err = LW_ERROR_INIT;
    lw_buf copy;
    lw_buf_init(&copy, OUT_MAX);
    lw_buf_init(out, OUT_MAX);
    assert_int_equal(lw_buf_reserve(out, room), LW_OK);
    assert_int_equal(lw_json_validate(json, 0, NULL), LW_OK);
    lw_buf_append_str(&copy, json);
    if (lw_proto_write(type, lw_buf_view(&copy), out, &err) < 0)
        fail_msg("%.*s: %s", LW_STR_ARG(json), err.message);
    lw_buf_done(&copy);
}

/* Writes |json| to a buffer that has room and to one that grows: the same bytes. */
static void write_ok(const lw_type *type, lw_str json, lw_buf *out)
{
    lw_buf grown;
    write_to_room(type, json, 2 * json.len + 1024, out);
    write_to_room(type, json, 0, &grown);
    assert_true(lw_str_equal(lw_buf_view(out), lw_buf_view(&grown)));
    lw_buf_done(&grown);
}

static void assert_same(const lw_type *type, const char *json, const char *other)
{
    lw_buf a, b;
    write_ok(type, lw_str_of(json), &a);
    write_ok(type, lw_str_of(other), &b);
    if (!lw_str_equal(lw_buf_view(&a), lw_buf_view(&b)))
        fail_msg("not the same bytes:\n  %s\n  %s", json, other);
    lw_buf_done(&a);
    lw_buf_done(&b);
}

static void assert_refused(const lw_type *type, const char *json, const char *why)
{
    lw_buf out;
    lw_error err = LW_ERROR_INIT;
    lw_buf_init(&out, OUT_MAX);
    assert_int_equal(lw_proto_write(type, lw_str_of(json), &out, &err), LW_ERR_INVALID);
    assert_string_equal(err.message, why);
    lw_buf_done(&out);
}

/* In the order of the fields, and in others: late by one, by many, the first one last. */
static const char *const pod_orders[] = {
    "{\"metadata\":{\"name\":\"a\",\"namespace\":\"b\",\"labels\":{\"k\":\"v\"}},\"spec\":{"
    "\"volumes\":[{\"name\":\"v\",\"emptyDir\":{}}],\"containers\":[{\"name\":\"c\","
    "\"livenessProbe\""
    ":{\"httpGet\":{\"path\":\"/\",\"port\":80},\"periodSeconds\":3}}],\"priority\":0},"
    "\"status\":{\"phase\":\"Running\",\"podIP\":\"1.2.3.4\"}}",
    "{\"status\":{\"podIP\":\"1.2.3.4\",\"phase\":\"Running\"},\"spec\":{\"priority\":0,"
    "\"containers\":[{\"livenessProbe\":{\"periodSeconds\":3,\"httpGet\":{\"port\":80,\"path\":\"/"
    "\""
    "}},\"name\":\"c\"}],\"volumes\":[{\"emptyDir\":{},\"name\":\"v\"}]},\"metadata\":{\"labels\":"
    "{\"k\":\"v\"},\"namespace\":\"b\",\"name\":\"a\"}}",
    "{ \"spec\" : { \"containers\" : [ { \"livenessProbe\" : { \"httpGet\" : { \"path\" : \"/\" ,\n"
    "\"port\" : 80 } , \"periodSeconds\" : 3 } , \"name\" : \"c\" } ] , \"priority\" : 0 "
    ",\t\"volumes\""
    " : [ { \"name\" : \"v\" , \"emptyDir\" : { } } ] } , \"metadata\" : { \"namespace\" : \"b\" "
    ",\r\n"
    "\"name\" : \"a\" , \"labels\" : { \"k\" : \"v\" } } , \"status\" : { \"phase\" : \"Running\" "
    ", "
    "\"podIP\" : \"1.2.3.4\" } } ",
};

static void the_order_of_members_and_blanks_do_not_matter(void **state)
{
    (void)state;
    for (size_t i = 1; i < sizeof(pod_orders) / sizeof(pod_orders[0]); i++)
        assert_same(pod_type(), pod_orders[0], pod_orders[i]);
}

/* |json| with each |from| replaced. */
static void assert_same_replaced(const char *json, const char *from, const char *to)
{
    lw_buf other;
    lw_buf_init(&other, OUT_MAX);
    for (const char *at = json; *at;) {
        bool is_found = strncmp(at, from, strlen(from)) == 0;
        if (is_found)
            lw_buf_append_text(&other, to);
        else
            lw_buf_append_char(&other, *at);
        at += is_found ? strlen(from) : 1;
    }
    lw_buf_append_char(&other, '\0');
    assert_same(pod_type(), json, other.data);
    lw_buf_done(&other);
}

static void blanks_may_be_between_all_tokens(void **state)
{
    (void)state;
    assert_same_replaced(pod_orders[0], "\":", "\": ");
    assert_same_replaced(pod_orders[0], "\":", "\" :");
    assert_same_replaced(pod_orders[0], ",", ", ");
    assert_same_replaced(pod_orders[0], ",", " ,");
    assert_same_replaced(pod_orders[0], "{", "{\n");
    assert_same_replaced(pod_orders[0], "}", "\t}");
    assert_same_replaced(pod_orders[0], "[", "[\r");
    assert_same_replaced(pod_orders[0], "]", " ]");
}

static void inline_structs_may_contain_inline_structs(void **state)
{
    (void)state;
    static const char head[] = "{\"spec\":{\"matchConstraints\":{\"resourceRules\":[{";
    static const char *const rules[] = {
        "\"resourceNames\":[\"n\"],\"operations\":[\"*\"],\"apiGroups\":[\"g\"],\"scope\":\"*\"",
        "\"scope\":\"*\",\"operations\":[\"*\"],\"resourceNames\":[\"n\"],\"apiGroups\":[\"g\"]",
        "\"apiGroups\":[\"x\",\"y\"],\"scope\":\"*\",\"resourceNames\":[\"n\"],\"apiGroups\":["
        "\"g\"],"
        "\"operations\":[\"*\"]",
    };
    char first[512], other[512];
    (void)snprintf(first, sizeof(first), "%s%s}]}}}", head, rules[0]);
    for (size_t i = 1; i < sizeof(rules) / sizeof(rules[0]); i++) {
        (void)snprintf(other, sizeof(other), "%s%s}]}}}", head, rules[i]);
        assert_same(type_of("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy"), first,
                    other);
    }
    lw_buf out;
    write_ok(type_of("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy"),
             lw_str_of(first), &out);
    /* The rule: 1 "n", 2 { 1 "*", 2 { 1 "g", 4 "*" } }. */
    static const char rule[] = "\x0a\x01n\x12\x0b\x0a\x01*\x12\x06\x0a\x01g\x22\x01*";
    assert_non_null(memmem(out.data, out.len, rule, sizeof(rule) - 1));
    lw_buf_done(&out);
}

static void unknown_null_and_repeated_members_are_passed_over(void **state)
{
    (void)state;
    static const char plain[] =
        "{\"metadata\":{\"name\":\"a\",\"finalizers\":[\"x\"]},\"spec\":{\"nodeName\":\"n\"}}";
    static const char *const others[] = {
        "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\",\"finalizers\":["
        "\"x\"]},"
        "\"spec\":{\"nodeName\":\"n\"}}",
        "{\"\":[{}],\"metadata\":{\"nam\":1,\"name\":\"a\",\"names\":{},\"finalizers\":[\"x\"],"
        "\"uid\":"
        "null},\"spec\":{\"nodeName\":\"n\",\"zzz\":\"]\"},\"\\u0000\":0,\"kind\":\"x\"}",
        "{\"metadata\":{\"name\":\"0\",\"finalizers\":[\"x\",\"y\"],\"name\":\"a\",\"finalizers\":["
        "\"x\"]},\"spec\":{\"nodeName\":\"n\"}}",
        "{\"spec\":1e1,\"spec\":{\"nodeName\":\"n\"},\"metadata\":{\"finalizers\":[\"x\"],\"name\":"
        "\"b\","
        "\"name\":\"a\",\"name\":null}}",
        "{\"metadata\":{\"n\\u0061me\":\"a\",\"\\u0066inalizers\":[\"x\"]},\"sp\\u0065c\":{"
        "\"nodeName"
        "\":\"\\u006e\"}}",
        "{\"metadata\":{\"na\\u006de\":\"b\",\"name\":\"a\",\"finalizers\":[\"\\u0078\"]},\"spec\":"
        "{"
        "\"nodeName\":\"n\"}}",
    };
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        if (i != 3)
            assert_same(pod_type(), plain, others[i]);
    }
    assert_refused(pod_type(), others[3], "spec: 1e1 is not a valid v1.PodSpec");
    assert_refused(pod_type(), "{\"kind\":1}", "kind: 1 is not a valid string");
}

static void an_integer_may_be_written_in_any_way(void **state)
{
    (void)state;
    static const char *const same[][2] = {
        { "1000", "1e3" },
        { "1000", "1000.0" },
        { "1000", "0.1e+4" },
        { "0", "-0" },
        { "0", "0.0e9" },
        { "123456789", "1234567890E-1" },
        { "2147483647", "2147483647.0" },
        { "-2147483648", "-2147483648e0" },
    };
    for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
        char a[64], b[64];
        (void)snprintf(a, sizeof(a), "{\"spec\":{\"priority\":%s}}", same[i][0]);
        (void)snprintf(b, sizeof(b), "{\"spec\":{\"priority\":%s }}", same[i][1]);
        assert_same(pod_type(), a, b);
    }
    assert_refused(pod_type(), "{\"spec\":{\"priority\":2147483648}}",
                   "priority: 2147483648 is not a valid int32");
    assert_refused(pod_type(), "{\"spec\":{\"priority\":12345678901}}",
                   "priority: 12345678901 is not a valid int32");
    assert_refused(pod_type(), "{\"spec\":{\"priority\":123456789.5}}",
                   "priority: 123456789.5 is not a valid int32");
    assert_refused(pod_type(), "{\"spec\":{\"priority\":\"1\"}}",
                   "priority: \"1\" is not a valid int32");
    assert_refused(pod_type(), "{\"spec\":{\"hostPID\":\"t\"}}",
                   "hostPID: \"t\" is not a valid bool");
}

static void the_same_time_may_have_two_precisions(void **state)
{
    (void)state;
    const lw_type *lease = type_of("coordination.k8s.io/v1", "Lease");
    lw_buf out;
    write_ok(lease,
             LW_STR("{\"metadata\":{\"creationTimestamp\":\"2026-01-02T03:04:05.678901Z\","
                    "\"deletionTimestamp\":\"2026-01-02T03:04:05.678901Z\"},"
                    "\"spec\":{\"acquireTime\":\"2026-01-02T03:04:05.678901Z\","
                    "\"renewTime\":\"2026-01-02T03:04:05.678901Z\"}}"),
             &out);
    static const char seconds[] = "\x42\x08\x08\xa5\xeb\xdc\xca\x06\x10\x00\x4a\x08\x08\xa5\xeb\xdc"
                                  "\xca\x06\x10\x00";
    static const char micros[] = "\x1a\x0c\x08\xa5\xeb\xdc\xca\x06\x10\x88\xea\xdc\xc3\x02\x22\x0c"
                                 "\x08\xa5\xeb\xdc\xca\x06\x10\x88\xea\xdc\xc3\x02";
    assert_non_null(memmem(out.data, out.len, seconds, sizeof(seconds) - 1));
    assert_non_null(memmem(out.data, out.len, micros, sizeof(micros) - 1));
    lw_buf_done(&out);
    assert_refused(lease, "{\"metadata\":{\"creationTimestamp\":\"\"}}",
                   "creationTimestamp: \"\" is not a valid v1.Time");
    assert_refused(lease,
                   "{\"metadata\":{\"creationTimestamp\":\"2026-01-02T03:04:05Z\","
                   "\"deletionTimestamp\":\"\"}}",
                   "deletionTimestamp: \"\" is not a valid v1.Time");
}

/* |json| comes back from protobuf. */
static void assert_comes_back(const lw_type *type, lw_str json)
{
    lw_buf bytes, back;
    lw_error err = LW_ERROR_INIT;
    write_ok(type, json, &bytes);
    lw_buf_init(&back, OUT_MAX);
    if (lw_proto_read(type, NULL, lw_buf_view(&bytes), &back, &err) < 0)
        fail_msg("%zu bytes: %s", json.len, err.message);
    if (!lw_str_equal(lw_buf_view(&back), json))
        fail_msg("%.*s\n  came back as %.*s", LW_STR_ARG(json), LW_STR_ARG(lw_buf_view(&back)));
    lw_buf_done(&bytes);
    lw_buf_done(&back);
}

/* Appends |before|, |count| letters and |after|. */
static void append_filled(lw_buf *json, const char *before, size_t count, const char *after)
{
    lw_buf_append_text(json, before);
    for (size_t i = 0; i < count; i++)
        lw_buf_append_char(json, (char)('a' + i % 26));
    lw_buf_append_text(json, after);
}

static void lengths_take_as_many_bytes_as_they_need(void **state)
{
    (void)state;
    static const struct {
        const char *before, *after;
    } rows[] = {
        { "{\"metadata\":{\"name\":\"", "\"},\"spec\":{\"containers\":null},\"status\":{}}" },
        { "{\"metadata\":{\"labels\":{\"k\":\"",
          "\"}},\"spec\":{\"containers\":null},\"status\":{}}" },
        { "{\"metadata\":{\"labels\":{\"",
          "\":\"v\",\"z\":\"\"}},\"spec\":{\"containers\":null},\"status\":{}}" },
        { "{\"metadata\":{\"managedFields\":[{\"fieldsV1\":{\"f:",
          "\":{}}}]},\"spec\":{\"containers\":null},\"status\":{}}" },
        { "{\"metadata\":{},\"spec\":{\"volumes\":[{\"name\":\"v\",\"hostPath\":{\"path\":\"",
          "\"}}],\"containers\":null},\"status\":{}}" },
        { "{\"metadata\":{},\"spec\":{\"containers\":null,\"hostname\":\"\\n",
          "\"},\"status\":{}}" },
    };
    static const size_t borders[] = { 17, 32, 48, 64, 80, 127, 16383 };
    lw_buf json;
    lw_buf_init(&json, OUT_MAX);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        for (size_t k = 0; k < sizeof(borders) / sizeof(borders[0]); k++) {
            for (size_t len = borders[k] - 16; len < borders[k] + 4; len++) {
                lw_buf_reset(&json);
                append_filled(&json, rows[i].before, len, rows[i].after);
                assert_comes_back(pod_type(), lw_buf_view(&json));
            }
        }
    }
    lw_buf_done(&json);
}

static void structs_may_be_nested_deep(void **state)
{
    (void)state;
    enum {
        DEPTH = 90
    };
    for (size_t len = 0; len < 200; len += 7) {
        lw_buf json;
        lw_buf_init(&json, OUT_MAX);
        for (size_t i = 0; i < DEPTH; i++)
            append_filled(&json, "{\"type\":\"", len, "\",\"not\":");
        append_filled(&json, "{\"id\":\"", len + 1, "\"}");
        for (size_t i = 0; i < DEPTH; i++)
            lw_buf_append_char(&json, '}');
        lw_buf reordered;
        lw_buf_init(&reordered, OUT_MAX);
        for (size_t i = 0; i < DEPTH; i++)
            lw_buf_append_text(&reordered, "{\"not\":");
        append_filled(&reordered, "{\"id\":\"", len + 1, "\"}");
        for (size_t i = 0; i < DEPTH; i++)
            append_filled(&reordered, ",\"type\":\"", len, "\"}");
        lw_buf a, b;
        write_ok(schema_type(), lw_buf_view(&json), &a);
        write_ok(schema_type(), lw_buf_view(&reordered), &b);
        assert_true(lw_str_equal(lw_buf_view(&a), lw_buf_view(&b)));
        lw_buf_done(&a);
        lw_buf_done(&b);
        lw_buf_done(&json);
        lw_buf_done(&reordered);
    }
}

/* Writes to a buffer for |limit| bytes. */
static lw_status write_limited(lw_str json, lw_str expected, size_t limit)
{
    lw_buf out;
    lw_error err = LW_ERROR_INIT;
    lw_buf_init(&out, limit);
    lw_status st = lw_proto_write(pod_type(), json, &out, &err);
    assert_true(out.len <= limit);
    assert_true(st == LW_OK || st == LW_ERR_LIMIT);
    if (st == LW_OK)
        assert_true(lw_str_equal(lw_buf_view(&out), expected));
    lw_buf_done(&out);
    return st;
}

static void any_buffer_that_is_large_enough_will_do(void **state)
{
    enum {
        MORE = 200
    };
    (void)state;
    for (size_t i = 0; i < sizeof(pod_orders) / sizeof(pod_orders[0]); i++) {
        lw_buf all;
        lw_str json = lw_str_of(pod_orders[i]);
        write_ok(pod_type(), json, &all);
        lw_str expected = lw_buf_view(&all);
        for (size_t limit = 1; limit < all.len + MORE + 20; limit++) {
            lw_status st = write_limited(json, expected, limit);
            if (limit < all.len)
                assert_int_equal(st, LW_ERR_LIMIT);
            /* Members in another order may take more until they are sorted: those of absent fields
             * that were not absent. */
            if (limit >= all.len + (i == 0 ? 0 : MORE))
                assert_int_equal(st, LW_OK);
        }
        lw_buf_done(&all);
    }
}

/* The bytes of absent fields are constants: all at once, and one by one in front of the others. */
static void absent_fields_have_the_same_bytes_wherever_they_are(void **state)
{
    (void)state;
    for (size_t i = 0; i < lw_type_kind_count; i++) {
        const lw_type *type = lw_type_kinds[i].type;
        lw_buf none, back, again;
        write_ok(type, LW_STR("{}"), &none);
        assert_int_equal(none.len, lw_wire_messages[type->wire].zeros_len);
        lw_buf_init(&back, OUT_MAX);
        if (lw_proto_read(type, NULL, lw_buf_view(&none), &back, NULL) == LW_OK) {
            write_ok(type, lw_buf_view(&back), &again);
            if (!lw_str_equal(lw_buf_view(&none), lw_buf_view(&again)))
                fail_msg("%.*s: %.*s", LW_STR_ARG(type->name), LW_STR_ARG(lw_buf_view(&back)));
            lw_buf_done(&again);
        }
        lw_buf_done(&none);
        lw_buf_done(&back);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_order_of_members_and_blanks_do_not_matter),
        TEST(blanks_may_be_between_all_tokens),
        TEST(inline_structs_may_contain_inline_structs),
        TEST(unknown_null_and_repeated_members_are_passed_over),
        TEST(an_integer_may_be_written_in_any_way),
        TEST(the_same_time_may_have_two_precisions),
        TEST(lengths_take_as_many_bytes_as_they_need),
        TEST(structs_may_be_nested_deep),
        TEST(any_buffer_that_is_large_enough_will_do),
        TEST(absent_fields_have_the_same_bytes_wherever_they_are),
    };
    return cmocka_run_group_tests_name("proto_write", tests, NULL, NULL);
}
