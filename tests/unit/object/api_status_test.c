/* SPDX-License-Identifier: Apache-2.0 */
/* api_status_test.c -- the Status object: written in Kubernetes' order, read back whole. */
#include "object/api_status.h"

#include "base/str.h"
#include "unit/test.h"

static void assert_writes(const lw_api_status *status, const char *expected)
{
    lw_buf buf;
    lw_json_writer w;
    lw_buf_init(&buf, 1 << 20);
    lw_json_writer_init(&w, &buf, LW_JSON_COMPACT);
    assert_int_equal(lw_api_status_write(status, &w), LW_OK);
    assert_str_equal(lw_buf_view(&buf), expected);
    lw_buf_done(&buf);
}

static const char full[] =
    "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{\"continue\":\"token\"},"
    "\"status\":\"Failure\",\"message\":\"a \\\"b\\\" \\u003cc\\u003e\",\"reason\":\"Conflict\","
    "\"details\":{\"name\":\"n\",\"group\":\"g\",\"kind\":\"k\",\"uid\":\"u\",\"causes\":["
    "{\"reason\":\"r\",\"message\":\"m\",\"field\":\"f\"},{\"message\":\"only\"},{}],"
    "\"retryAfterSeconds\":7},\"code\":409}";

static void set_all(lw_api_status *status)
{
    lw_api_status_init(status);
    status->code = 409;
    status->retry_after_s = 7;
    lw_api_status_set(status, &status->uid, LW_STR("u"));
    lw_api_status_set(status, &status->kind, LW_STR("k"));
    lw_api_status_set(status, &status->group, LW_STR("g"));
    lw_api_status_set(status, &status->name, LW_STR("n"));
    lw_api_status_set(status, &status->reason, LW_STR("Conflict"));
    lw_api_status_set(status, &status->message, LW_STR("a \"b\" <c>"));
    lw_api_status_set(status, &status->continue_token, LW_STR("token"));
    lw_api_status_add_cause(status, LW_STR("r"), LW_STR("m"), LW_STR("f"));
    lw_api_status_add_cause(status, LW_STR(""), LW_STR("only"), LW_STR(""));
    lw_api_status_add_cause(status, LW_STR(""), LW_STR(""), LW_STR(""));
}

static void writes_its_keys_in_order(void **state)
{
    (void)state;
    lw_api_status status;
    set_all(&status);
    assert_writes(&status, full);
    lw_api_status_done(&status);
}

static void leaves_out_what_is_empty(void **state)
{
    (void)state;
    lw_api_status status;
    lw_api_status_init(&status);
    assert_writes(&status, "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},"
                           "\"status\":\"Failure\"}");
    status.has_details = true;
    status.is_success = true;
    assert_writes(&status, "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},"
                           "\"status\":\"Success\",\"details\":{}}");
    lw_api_status_done(&status);
}

static void writes_indented_too(void **state)
{
    (void)state;
    lw_api_status status;
    lw_buf buf;
    lw_json_writer w;
    lw_api_status_init(&status);
    status.code = 500;
    lw_buf_init(&buf, 1 << 20);
    lw_json_writer_init(&w, &buf, LW_JSON_INDENTED);
    assert_int_equal(lw_api_status_write(&status, &w), LW_OK);
    assert_str_equal(lw_buf_view(&buf), "{\n  \"kind\": \"Status\",\n  \"apiVersion\": \"v1\",\n"
                                        "  \"metadata\": {},\n  \"status\": \"Failure\",\n"
                                        "  \"code\": 500\n}");
    lw_buf_done(&buf);
    lw_api_status_done(&status);
}

static void reads_back_what_it_wrote(void **state)
{
    (void)state;
    lw_tree *tree = NULL;
    lw_api_status status;
    assert_int_equal(lw_tree_parse(&tree, LW_STR(full), 0, NULL), LW_OK);
    assert_int_equal(lw_api_status_from_tree(&status, lw_tree_root(tree)), LW_OK);
    lw_tree_free(tree);
    assert_writes(&status, full);
    lw_api_status_done(&status);
}

static void reads_only_a_status(void **state)
{
    (void)state;
    static const char *const others[] = {
        "null",
        "[]",
        "\"Status\"",
        "{}",
        "{\"kind\":\"Status\"}",
        "{\"kind\":\"Status\",\"apiVersion\":\"v2\"}",
        "{\"kind\":\"Pod\",\"apiVersion\":\"v1\"}",
        "{\"kind\":1,\"apiVersion\":\"v1\"}",
    };
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        lw_tree *tree = NULL;
        lw_api_status status;
        assert_int_equal(lw_tree_parse(&tree, lw_str_of(others[i]), 0, NULL), LW_OK);
        assert_int_equal(lw_api_status_from_tree(&status, lw_tree_root(tree)), LW_ERR_INVALID);
        lw_tree_free(tree);
        lw_api_status_done(&status);
    }
}

static void members_of_a_wrong_type_count_as_absent(void **state)
{
    (void)state;
    lw_tree *tree = NULL;
    lw_api_status status;
    lw_str json =
        LW_STR("{\"kind\":\"Status\",\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":[],"
               "\"status\":{},\"message\":7,\"reason\":null,\"code\":\"404\",\"details\":{"
               "\"name\":[],\"causes\":[1,null,{\"reason\":1,\"message\":\"m\"},[]],"
               "\"retryAfterSeconds\":-3}}");
    assert_int_equal(lw_tree_parse(&tree, json, 0, NULL), LW_OK);
    assert_int_equal(lw_api_status_from_tree(&status, lw_tree_root(tree)), LW_OK);
    lw_tree_free(tree);
    assert_writes(&status,
                  "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},"
                  "\"status\":\"Failure\",\"details\":{\"causes\":[{\"message\":\"m\"}]}}");
    lw_api_status_done(&status);
}

static void codes_that_do_not_fit_count_as_absent(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"code\":2147483648}",
        "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"code\":404.5}",
        "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"code\":1e99}",
    };
    for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
        lw_tree *tree = NULL;
        lw_api_status status;
        assert_int_equal(lw_tree_parse(&tree, lw_str_of(bodies[i]), 0, NULL), LW_OK);
        assert_int_equal(lw_api_status_from_tree(&status, lw_tree_root(tree)), LW_OK);
        assert_int_equal(status.code, 0);
        lw_tree_free(tree);
        lw_api_status_done(&status);
    }
}

static void drops_causes_beyond_the_maximum(void **state)
{
    (void)state;
    lw_api_status status;
    lw_api_status_init(&status);
    for (size_t i = 0; i < LW_API_STATUS_CAUSES_MAX + 10; i++)
        lw_api_status_add_cause(&status, LW_STR("r"), LW_STR("m"), LW_STR("f"));
    assert_int_equal(status.cause_count, LW_API_STATUS_CAUSES_MAX);
    assert_int_equal(lw_api_status_state(&status), LW_OK);
    lw_api_status_done(&status);
}

static void refuses_to_write_half_a_status(void **state)
{
    (void)state;
    lw_api_status status;
    lw_buf buf;
    lw_json_writer w;
    lw_api_status_init(&status);
    status.text.limit = 4;
    lw_api_status_set(&status, &status.message, LW_STR("too long"));
    lw_api_status_set(&status, &status.reason, LW_STR("r"));
    lw_buf_init(&buf, 1 << 20);
    lw_json_writer_init(&w, &buf, LW_JSON_COMPACT);
    assert_int_equal(lw_api_status_write(&status, &w), LW_ERR_LIMIT);
    assert_int_equal(buf.len, 0);
    lw_buf_done(&buf);
    lw_api_status_done(&status);
}

static void reasons_and_codes_agree(void **state)
{
    (void)state;
    for (int i = LW_REASON_UNAUTHORIZED; i <= LW_REASON_TIMEOUT; i++) {
        lw_api_reason reason = (lw_api_reason)i;
        lw_str text = lw_api_reason_text(reason);
        assert_true(text.len > 0);
        assert_int_equal(lw_api_reason_of_text(text), reason);
        assert_true(lw_api_reason_code(reason) >= 400);
        assert_true(lw_api_reason_status(reason, 0) < 0);
    }
    assert_int_equal(lw_api_reason_of_text(LW_STR("")), LW_REASON_UNKNOWN);
    assert_int_equal(lw_api_reason_of_text(LW_STR("notfound")), LW_REASON_UNKNOWN);
}

static void every_failure_has_a_reason_to_answer_with(void **state)
{
    (void)state;
    for (int st = LW_ERR_INTERNAL; st < 0; st++) {
        lw_api_reason reason = lw_api_reason_of_status((lw_status)st);
        assert_true(reason != LW_REASON_UNKNOWN);
    }
    assert_int_equal(lw_api_reason_of_status(LW_ERR_NOT_FOUND), LW_REASON_NOT_FOUND);
    assert_int_equal(lw_api_reason_of_status(LW_ERR_EXISTS), LW_REASON_ALREADY_EXISTS);
    assert_int_equal(lw_api_reason_of_status(LW_ERR_EXPIRED), LW_REASON_EXPIRED);
    assert_int_equal(lw_api_reason_of_status(LW_ERR_NOMEM), LW_REASON_INTERNAL_ERROR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(writes_its_keys_in_order),
        TEST(leaves_out_what_is_empty),
        TEST(writes_indented_too),
        TEST(reads_back_what_it_wrote),
        TEST(reads_only_a_status),
        TEST(members_of_a_wrong_type_count_as_absent),
        TEST(codes_that_do_not_fit_count_as_absent),
        TEST(drops_causes_beyond_the_maximum),
        TEST(refuses_to_write_half_a_status),
        TEST(reasons_and_codes_agree),
        TEST(every_failure_has_a_reason_to_answer_with),
    };
    return cmocka_run_group_tests_name("api_status", tests, NULL, NULL);
}
