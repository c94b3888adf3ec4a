/* SPDX-License-Identifier: Apache-2.0 */
/* line_test.c -- the line of an audit event, byte by byte. */
#include "server/audit/line.h"

#include "base/clock.h"
#include "base/str.h"
#include "server/audit/event.h"
#include "unit/failing_alloc.h"
#include "unit/test.h"

enum {
    LINE_MAX_BYTES = 64 * 1024,
};

#define RECEIVED_NS INT64_C(1794707364123456789) /* 2026-11-15T01:49:24.123456Z */

static const lw_str groups[] = { LW_STR_INIT("dev"), LW_STR_INIT("a<b") };
static const lw_str values[] = { LW_STR_INIT("x"), LW_STR_INIT("y") };
static const lw_user_extra extras[] = { { .key = LW_STR_INIT("k"), .values = values, .count = 2 },
                                        { .key = LW_STR_INIT("l"), .values = values, .count = 1 } };
static const lw_user jane = { .name = LW_STR_INIT("jane"),
                              .uid = LW_STR_INIT("1"),
                              .groups = groups,
                              .group_count = 2,
                              .extras = extras,
                              .extra_count = 2 };
static const lw_user bob = { .name = LW_STR_INIT("bob") };

static lw_audit_facts get_facts(void)
{
    return (lw_audit_facts){
        .decision = { .level = LW_AUDIT_METADATA },
        .attributes = { .user = &jane,
                        .verb = LW_STR("get"),
                        .is_resource = true,
                        .group = LW_STR("apps"),
                        .version = LW_STR("v1"),
                        .resource = LW_STR("deployments"),
                        .subresource = LW_STR("scale"),
                        .ns = LW_STR("default"),
                        .name = LW_STR("web") },
        .audit_id = LW_STR("id-1"),
        .path = LW_STR("/apis/a\"b"),
        .query = LW_STR("c=\"d\""),
        .address = LW_STR("::1"),
        .user_agent = LW_STR("curl"),
        .received_ns = RECEIVED_NS,
    };
}

static void assert_line(const lw_audit_facts *facts, lw_audit_stage stage, int64_t now_ns,
                        const char *text)
{
    lw_buf out;
    lw_buf_init(&out, LINE_MAX_BYTES);
    lw_buf_append_text(&out, "{}\n"); /* the line before it */
    size_t bodies_at = lw_audit_line_append(&out, facts, stage, now_ns);
    assert_int_equal(out.st, LW_OK);
    assert_memory_equal(out.data + 3 + bodies_at, ",\"requestReceivedTimestamp\"", 27);
    lw_buf_append_char(&out, '\0');
    assert_string_equal(out.data + 3, text);
    lw_buf_done(&out);
}

#define HEAD(stage)                                                                                \
    "{\"kind\":\"Event\",\"apiVersion\":\"audit.k8s.io/v1\",\"level\":\"Metadata\",\"auditID\":"   \
    "\"id-1\",\"stage\":\"" stage "\",\"requestURI\":\"/apis/a\\\"b?c=\\\"d\\\"\",\"verb\":"       \
    "\"get\",\"user\":{\"username\":\"jane\",\"uid\":\"1\",\"groups\":[\"dev\",\"a\\u003cb\"],"    \
    "\"extra\":{\"k\":[\"x\",\"y\"],\"l\":[\"x\"]}}"
#define AGENT    ",\"sourceIPs\":[\"::1\"],\"userAgent\":\"curl\""
#define RECEIVED ",\"requestReceivedTimestamp\":\"2026-11-15T01:49:24.123456Z\""

static void the_first_event_is_what_the_request_says(void **state)
{
    lw_audit_facts facts = get_facts();
    (void)state;
    lw_audit_line_begin(&facts);
    assert_line(
        &facts, LW_AUDIT_REQUEST_RECEIVED, RECEIVED_NS,
        HEAD("RequestReceived") AGENT
        ",\"objectRef\":{\"resource\":\"deployments\",\"namespace\":\"default\",\"name\":"
        "\"web\",\"apiGroup\":\"apps\",\"apiVersion\":\"v1\",\"subresource\":\"scale\"}" RECEIVED
        ",\"stageTimestamp\":\"2026-11-15T01:49:24.123456Z\"}\n");
    lw_audit_line_done(&facts.line);
}

static void a_later_event_says_what_was_learned(void **state)
{
    static const char annotations[] = "a\0b\0c\0<";
    lw_audit_facts facts = get_facts();
    (void)state;
    lw_audit_line_begin(&facts);
    facts.impersonated = &bob;
    facts.object = (lw_audit_object){
        .is_known = true, .name = LW_STR("no"), .uid = LW_STR("u"), .resource_version = LW_STR("7")
    };
    facts.code = 201;
    facts.verdict = LW_AUDIT_ALLOWED;
    facts.reason = LW_STR("because");
    facts.has_lost_body = true;
    facts.annotations = lw_str_make(annotations, sizeof(annotations));
    assert_line(
        &facts, LW_AUDIT_RESPONSE_COMPLETE, RECEIVED_NS + LW_NS_PER_S,
        HEAD(
            "ResponseComplete") ",\"impersonatedUser\":{\"username\":\"bob\"}" AGENT
                                ",\"objectRef\":{\"resource\":\"deployments\",\"namespace\":"
                                "\"default\",\"name\":"
                                "\"web\",\"uid\":\"u\",\"apiGroup\":\"apps\",\"apiVersion\":\"v1\","
                                "\"resourceVersion\":\"7\",\"subresource\":\"scale\"},"
                                "\"responseStatus\":{"
                                "\"metadata\":{},\"code\":201}" RECEIVED
                                ",\"stageTimestamp\":\"2026-11-15T01:49:25.123456Z\","
                                "\"annotations\":{"
                                "\"audit.k8s.io/truncated\":\"true\",\"authorization.k8s.io/"
                                "decision\":\"allow\","
                                "\"authorization.k8s.io/"
                                "reason\":\"because\",\"a\":\"b\",\"c\":\"\\u003c\"}}\n");
    lw_audit_line_done(&facts.line);
}

static void a_request_of_nobody_to_no_resource_has_no_object(void **state)
{
    lw_audit_facts facts = { .decision = { .level = LW_AUDIT_REQUEST },
                             .attributes = { .verb = LW_STR("get") },
                             .audit_id = LW_STR("id"),
                             .path = LW_STR("/livez"),
                             .forwarded_for = LW_STR("10.0.0.1, none"),
                             .real_ip = LW_STR("10.0.0.2"),
                             .address = LW_STR("10.0.0.2"),
                             .received_ns = RECEIVED_NS };
    (void)state;
    lw_audit_line_begin(&facts);
    facts.code = 200;
    facts.message = "Connection closed early";
    assert_line(&facts, LW_AUDIT_RESPONSE_COMPLETE, RECEIVED_NS + 1000,
                "{\"kind\":\"Event\",\"apiVersion\":\"audit.k8s.io/v1\",\"level\":\"Request\","
                "\"auditID\":\"id\",\"stage\":\"ResponseComplete\",\"requestURI\":\"/livez\","
                "\"verb\":\"get\",\"user\":{},\"sourceIPs\":[\"10.0.0.1\",\"10.0.0.2\"],"
                "\"responseStatus\":{\"metadata\":{},\"status\":\"Success\",\"message\":"
                "\"Connection closed early\",\"code\":200}" RECEIVED
                ",\"stageTimestamp\":\"2026-11-15T01:49:24.123457Z\"}\n");
    lw_audit_line_done(&facts.line);
}

/* Fails each allocation in turn. */
static void memory_that_runs_out_fails_the_line(void **state)
{
    lw_audit_facts facts = get_facts();
    lw_status st = LW_ERR_NOMEM;
    failing_alloc failing;
    (void)state;
    size_t at = 0; /* allocations that succeed */
    for (; st == LW_ERR_NOMEM; at++) {
        lw_buf out;
        lw_buf_init(&out, LINE_MAX_BYTES);
        failing_alloc_begin(&failing, at);
        lw_audit_line_begin(&facts);
        (void)lw_audit_line_append(&out, &facts, LW_AUDIT_REQUEST_RECEIVED, RECEIVED_NS);
        st = out.st;
        lw_buf_done(&out);
        lw_audit_line_done(&facts.line);
        failing_alloc_end();
        assert_int_equal(failing.live, 0);
    }
    assert_int_equal(st, LW_OK);
    assert_int_equal(at, 3); /* what is common, and the line */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_event_is_what_the_request_says),
        cmocka_unit_test(a_later_event_says_what_was_learned),
        cmocka_unit_test(a_request_of_nobody_to_no_resource_has_no_object),
        cmocka_unit_test(memory_that_runs_out_fails_the_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
