/* SPDX-License-Identifier: Apache-2.0 */
/* api_errors_test.c -- the failures of an API server, byte by byte as k8s.io/apimachinery v0.36
 * writes them. */
#include "object/api_errors.h"

#include "base/error.h"
#include "base/str.h"
#include "unit/test.h"

#define FAILURE "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\","

static lw_gvr pods(void)
{
    return lw_gvr_make("", "v1", "pods");
}

static lw_gvr deployments(void)
{
    return lw_gvr_make("apps", "v1", "deployments");
}

/* |status| is written as |expected|; it is done with then. */
static void assert_answers_at(lw_api_status *status, const char *expected, const char *file,
                              int line)
{
    lw_buf buf;
    lw_json_writer w;
    lw_buf_init(&buf, 1 << 20);
    lw_json_writer_init(&w, &buf, LW_JSON_COMPACT);
    (void)lw_api_status_write(status, &w);
    assert_str_equal_at(lw_buf_view(&buf), expected, file, line);
    lw_buf_done(&buf);
    lw_api_status_done(status);
}
#define assert_answers(status, expected) assert_answers_at(status, expected, __FILE__, __LINE__)

/* clang-format off */

static void a_missing_object(void **state)
{
    (void)state;
    lw_api_status s;
    lw_api_status_not_found(&s, pods(), LW_STR("no\"pe"));
    assert_answers(&s, FAILURE "\"message\":\"pods \\\"no\\\\\\\"pe\\\" not found\",\"reason\":\"NotFound\",\"details\":{\"name\":\"no\\\"pe\",\"kind\":\"pods\"},\"code\":404}");
    lw_api_status_not_found(&s, deployments(), LW_STR("d"));
    assert_answers(&s, FAILURE "\"message\":\"deployments.apps \\\"d\\\" not found\",\"reason\":\"NotFound\",\"details\":{\"name\":\"d\",\"group\":\"apps\",\"kind\":\"deployments\"},\"code\":404}");
}

static void an_object_that_is_there_already(void **state)
{
    (void)state;
    lw_api_status s;
    lw_api_status_already_exists(&s, pods(), LW_STR("a"));
    assert_answers(&s, FAILURE "\"message\":\"pods \\\"a\\\" already exists\",\"reason\":\"AlreadyExists\",\"details\":{\"name\":\"a\",\"kind\":\"pods\"},\"code\":409}");
    lw_api_status_name_not_generated(&s, pods(), LW_STR("a"));
    assert_answers(&s, FAILURE "\"message\":\"pods \\\"a\\\" already exists, the server was not able to generate a unique name for the object\",\"reason\":\"AlreadyExists\",\"details\":{\"name\":\"a\",\"kind\":\"pods\",\"retryAfterSeconds\":1},\"code\":409}");
}

static void an_object_changed_meanwhile(void **state)
{
    (void)state;
    lw_api_status s;
    lw_api_status_modified(&s, deployments(), LW_STR("a"));
    assert_answers(&s, FAILURE "\"message\":\"Operation cannot be fulfilled on deployments.apps \\\"a\\\": the object has been modified; please apply your changes to the latest version and try again\",\"reason\":\"Conflict\",\"details\":{\"name\":\"a\",\"group\":\"apps\",\"kind\":\"deployments\"},\"code\":409}");
}

static void plain_messages(void **state)
{
    (void)state;
    lw_api_status s;
    lw_api_status_expired(&s, LW_STR("m"));
    assert_answers(&s, FAILURE "\"message\":\"m\",\"reason\":\"Expired\",\"code\":410}");
    lw_api_status_bad_request(&s, LW_STR("bad <x>"));
    assert_answers(&s, FAILURE "\"message\":\"bad \\u003cx\\u003e\",\"reason\":\"BadRequest\",\"code\":400}");
    lw_api_status_unauthorized(&s, LW_STR(""));
    assert_answers(&s, FAILURE "\"message\":\"not authorized\",\"reason\":\"Unauthorized\",\"code\":401}");
    lw_api_status_unauthorized(&s, LW_STR("Unauthorized"));
    assert_answers(&s, FAILURE "\"message\":\"Unauthorized\",\"reason\":\"Unauthorized\",\"code\":401}");
    lw_api_status_unavailable(&s, LW_STR("m"));
    assert_answers(&s, FAILURE "\"message\":\"m\",\"reason\":\"ServiceUnavailable\",\"code\":503}");
    lw_api_status_no_space(&s, LW_STR("m"));
    assert_answers(&s, FAILURE "\"message\":\"m\",\"reason\":\"InsufficientStorage\",\"code\":507}");
}

static void what_is_forbidden(void **state)
{
    (void)state;
    lw_api_status s;
    lw_api_status_forbidden(&s, pods(), LW_STR(""), LW_STR("why"));
    assert_answers(&s, FAILURE "\"message\":\"pods is forbidden: why\",\"reason\":\"Forbidden\",\"details\":{\"kind\":\"pods\"},\"code\":403}");
    lw_api_status_forbidden(&s, deployments(), LW_STR("n"), LW_STR("why"));
    assert_answers(&s, FAILURE "\"message\":\"deployments.apps \\\"n\\\" is forbidden: why\",\"reason\":\"Forbidden\",\"details\":{\"name\":\"n\",\"group\":\"apps\",\"kind\":\"deployments\"},\"code\":403}");
    lw_api_status_forbidden(&s, (lw_gvr){ 0 }, LW_STR(""), LW_STR("why"));
    assert_answers(&s, FAILURE "\"message\":\"forbidden: why\",\"reason\":\"Forbidden\",\"details\":{},\"code\":403}");
    lw_api_status_forbidden(&s, (lw_gvr){ 0 }, LW_STR("n"), LW_STR("why"));
    assert_answers(&s, FAILURE "\"message\":\"forbidden: why\",\"reason\":\"Forbidden\",\"details\":{\"name\":\"n\"},\"code\":403}");
}

static void methods_and_sizes(void **state)
{
    (void)state;
    lw_api_status s;
    lw_api_status_method_not_supported(&s, deployments(), LW_STR("patch"));
    assert_answers(&s, FAILURE "\"message\":\"patch is not supported on resources of kind \\\"deployments.apps\\\"\",\"reason\":\"MethodNotAllowed\",\"details\":{\"group\":\"apps\",\"kind\":\"deployments\"},\"code\":405}");
    lw_api_status_too_large(&s, LW_STR("limit is 3145728"));
    assert_answers(&s, FAILURE "\"message\":\"Request entity too large: limit is 3145728\",\"reason\":\"RequestEntityTooLarge\",\"code\":413}");
}

static void when_to_come_back(void **state)
{
    (void)state;
    lw_api_status s;
    lw_api_status_too_many(&s, LW_STR("storage is (re)initializing"), 1);
    assert_answers(&s, FAILURE "\"message\":\"storage is (re)initializing\",\"reason\":\"TooManyRequests\",\"details\":{\"retryAfterSeconds\":1},\"code\":429}");
    lw_api_status_too_many(&s, LW_STR("m"), 0);
    assert_answers(&s, FAILURE "\"message\":\"m\",\"reason\":\"TooManyRequests\",\"details\":{},\"code\":429}");
    lw_api_status_server_timeout(&s, deployments(), LW_STR("list"), 2);
    assert_answers(&s, FAILURE "\"message\":\"The list operation against deployments.apps could not be completed at this time, please try again.\",\"reason\":\"ServerTimeout\",\"details\":{\"name\":\"list\",\"group\":\"apps\",\"kind\":\"deployments\",\"retryAfterSeconds\":2},\"code\":500}");
    lw_api_status_timeout(&s, LW_STR("m"), 0);
    assert_answers(&s, FAILURE "\"message\":\"Timeout: m\",\"reason\":\"Timeout\",\"details\":{},\"code\":504}");
    lw_api_status_timeout(&s, LW_STR("m"), 3);
    assert_answers(&s, FAILURE "\"message\":\"Timeout: m\",\"reason\":\"Timeout\",\"details\":{\"retryAfterSeconds\":3},\"code\":504}");
}

static void faults_of_its_own(void **state)
{
    (void)state;
    lw_api_status s;
    lw_api_status_internal(&s, LW_STR("boom"));
    assert_answers(&s, FAILURE "\"message\":\"Internal error occurred: boom\",\"reason\":\"InternalError\",\"details\":{\"causes\":[{\"message\":\"boom\"}]},\"code\":500}");
}

static void conflicts_of_managers(void **state)
{
    (void)state;
    lw_api_status s;
    lw_api_status_init(&s);
    lw_api_status_add_cause(&s, LW_STR("FieldManagerConflict"), LW_STR("conflict with \"me\""), LW_STR(".data.k"));
    lw_api_status_complete_apply_conflict(&s, LW_STR("Apply failed with 1 conflict: conflict with \"me\": .data.k"));
    assert_answers(&s, FAILURE "\"message\":\"Apply failed with 1 conflict: conflict with \\\"me\\\": .data.k\",\"reason\":\"Conflict\",\"details\":{\"causes\":[{\"reason\":\"FieldManagerConflict\",\"message\":\"conflict with \\\"me\\\"\",\"field\":\".data.k\"}]},\"code\":409}");
}

static void an_invalid_object(void **state)
{
    (void)state;
    lw_api_status s;
    lw_gvk deployment = lw_gvk_make("apps", "v1", "Deployment");
    lw_api_status_init(&s);
    lw_api_status_complete_invalid(&s, deployment, LW_STR("x"));
    assert_answers(&s, FAILURE "\"message\":\"Deployment.apps \\\"x\\\" is invalid\",\"reason\":\"Invalid\",\"details\":{\"name\":\"x\",\"group\":\"apps\",\"kind\":\"Deployment\"},\"code\":422}");
    lw_api_status_init(&s);
    lw_api_status_add_field_error(&s, LW_FIELD_REQUIRED, LW_STR("spec.c"), LW_STR("ignored"), LW_STR(""));
    lw_api_status_complete_invalid(&s, lw_gvk_make("", "v1", "Pod"), LW_STR("x"));
    assert_answers(&s, FAILURE "\"message\":\"Pod \\\"x\\\" is invalid: spec.c: Required value\",\"reason\":\"Invalid\",\"details\":{\"name\":\"x\",\"kind\":\"Pod\",\"causes\":[{\"reason\":\"FieldValueRequired\",\"message\":\"Required value\",\"field\":\"spec.c\"}]},\"code\":422}");
    lw_api_status_init(&s);
    lw_api_status_add_field_error(&s, LW_FIELD_INVALID, LW_STR("metadata.name"), LW_STR("A_b"), LW_STR("bad"));
    lw_api_status_add_field_error(&s, LW_FIELD_FORBIDDEN, LW_STR("spec"), LW_STR(""), LW_STR("no"));
    lw_api_status_add_field_error(&s, LW_FIELD_DUPLICATE, LW_STR("a"), LW_STR("v"), LW_STR(""));
    lw_api_status_add_field_error(&s, LW_FIELD_NOT_FOUND, LW_STR("b"), LW_STR("w"), LW_STR(""));
    lw_api_status_add_field_error(&s, LW_FIELD_TOO_LONG, LW_STR("t"), LW_STR(""), LW_STR("may not be more than 5 bytes"));
    lw_api_status_add_field_error(&s, LW_FIELD_INTERNAL, LW_STR("i"), LW_STR(""), LW_STR("e"));
    lw_api_status_add_field_error(&s, LW_FIELD_TYPE_INVALID, LW_STR("ty"), LW_STR("q"), LW_STR("d"));
    lw_api_status_add_field_error(&s, LW_FIELD_FORBIDDEN, LW_STR("spec"), LW_STR(""), LW_STR("no"));
    lw_api_status_add_field_error(&s, LW_FIELD_NOT_SUPPORTED, LW_STR("s"), LW_STR("v"), LW_STR("supported values: \"b\", \"a\""));
    lw_api_status_complete_invalid(&s, deployment, LW_STR("x"));
    assert_answers(&s, FAILURE "\"message\":\"Deployment.apps \\\"x\\\" is invalid: [metadata.name: Invalid value: \\\"A_b\\\": bad, spec: Forbidden: no, a: Duplicate value: \\\"v\\\", b: Not found: \\\"w\\\", t: Too long: may not be more than 5 bytes, i: Internal error: e, ty: Invalid value: \\\"q\\\": d, s: Unsupported value: \\\"v\\\": supported values: \\\"b\\\", \\\"a\\\"]\",\"reason\":\"Invalid\",\"details\":{\"name\":\"x\",\"group\":\"apps\",\"kind\":\"Deployment\",\"causes\":[{\"reason\":\"FieldValueInvalid\",\"message\":\"Invalid value: \\\"A_b\\\": bad\",\"field\":\"metadata.name\"},{\"reason\":\"FieldValueForbidden\",\"message\":\"Forbidden: no\",\"field\":\"spec\"},{\"reason\":\"FieldValueDuplicate\",\"message\":\"Duplicate value: \\\"v\\\"\",\"field\":\"a\"},{\"reason\":\"FieldValueNotFound\",\"message\":\"Not found: \\\"w\\\"\",\"field\":\"b\"},{\"reason\":\"FieldValueTooLong\",\"message\":\"Too long: may not be more than 5 bytes\",\"field\":\"t\"},{\"reason\":\"InternalError\",\"message\":\"Internal error: e\",\"field\":\"i\"},{\"reason\":\"FieldValueTypeInvalid\",\"message\":\"Invalid value: \\\"q\\\": d\",\"field\":\"ty\"},{\"reason\":\"FieldValueForbidden\",\"message\":\"Forbidden: no\",\"field\":\"spec\"},{\"reason\":\"FieldValueNotSupported\",\"message\":\"Unsupported value: \\\"v\\\": supported values: \\\"b\\\", \\\"a\\\"\",\"field\":\"s\"}]},\"code\":422}");
}

static void revisions_that_cannot_be_served(void **state)
{
    (void)state;
    lw_api_status s;
    lw_api_status_too_old_rv(&s, 1, 79);
    assert_answers(&s, FAILURE "\"message\":\"too old resource version: 1 (79)\",\"reason\":\"Expired\",\"code\":410}");
    lw_api_status_list_expired(&s);
    assert_answers(&s, FAILURE "\"message\":\"The resourceVersion for the provided list is too old.\",\"reason\":\"Expired\",\"code\":410}");
    lw_api_status_page_expired(&s, LW_STR("dG9r"));
    assert_answers(&s, "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{\"continue\":\"dG9r\"},\"status\":\"Failure\",\"message\":\"The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.\",\"reason\":\"Expired\",\"code\":410}");
    lw_api_status_too_large_rv(&s, 99999999, 79);
    assert_answers(&s, FAILURE "\"message\":\"Timeout: Too large resource version: 99999999, current: 79\",\"reason\":\"Timeout\",\"details\":{\"causes\":[{\"reason\":\"ResourceVersionTooLarge\",\"message\":\"Too large resource version\"}],\"retryAfterSeconds\":1},\"code\":504}");
}

static void media_types_nobody_speaks(void **state)
{
    (void)state;
    lw_api_status s;
    lw_api_status_not_acceptable(&s, LW_STR("only the following media types are accepted: application/json"));
    assert_answers(&s, FAILURE "\"message\":\"only the following media types are accepted: application/json\",\"reason\":\"NotAcceptable\",\"code\":406}");
    lw_api_status_unsupported_media_type(&s, LW_STR("m"));
    assert_answers(&s, FAILURE "\"message\":\"m\",\"reason\":\"UnsupportedMediaType\",\"code\":415}");
}

static void a_delete_that_was_done(void **state)
{
    (void)state;
    lw_api_status s;
    lw_api_status_success(&s, lw_gvr_make("", "v1", "configmaps"), LW_STR("s"), LW_STR("u-1"));
    assert_answers(&s, "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Success\",\"details\":{\"name\":\"s\",\"kind\":\"configmaps\",\"uid\":\"u-1\"}}");
}

static void codes_without_a_word_of_explanation(void **state)
{
    (void)state;
    static const struct {
        int code;
        const char *said;
        const char *expected;
    } cases[] = {
        { 302, "unknown", FAILURE "\"message\":\"the server responded with the status code 302 but did not return more information\",\"details\":{},\"code\":302}" },
        { 400, "unknown", FAILURE "\"message\":\"the server rejected our request for an unknown reason\",\"reason\":\"BadRequest\",\"details\":{},\"code\":400}" },
        { 401, "unknown", FAILURE "\"message\":\"the server has asked for the client to provide credentials\",\"reason\":\"Unauthorized\",\"details\":{},\"code\":401}" },
        { 403, "unknown", FAILURE "\"message\":\"unknown\",\"reason\":\"Forbidden\",\"details\":{},\"code\":403}" },
        { 404, "unknown", FAILURE "\"message\":\"the server could not find the requested resource\",\"reason\":\"NotFound\",\"details\":{},\"code\":404}" },
        { 405, "unknown", FAILURE "\"message\":\"the server does not allow this method on the requested resource\",\"reason\":\"MethodNotAllowed\",\"details\":{},\"code\":405}" },
        { 406, "unknown", FAILURE "\"message\":\"the server was unable to respond with a content type that the client supports\",\"reason\":\"NotAcceptable\",\"details\":{},\"code\":406}" },
        { 409, "unknown", FAILURE "\"message\":\"the server reported a conflict\",\"reason\":\"Conflict\",\"details\":{},\"code\":409}" },
        { 410, "unknown", FAILURE "\"message\":\"the server responded with the status code 410 but did not return more information\",\"details\":{},\"code\":410}" },
        { 413, "unknown", FAILURE "\"message\":\"the server responded with the status code 413 but did not return more information\",\"details\":{},\"code\":413}" },
        { 415, "unknown", FAILURE "\"message\":\"unknown\",\"reason\":\"UnsupportedMediaType\",\"details\":{},\"code\":415}" },
        { 418, "unknown", FAILURE "\"message\":\"the server responded with the status code 418 but did not return more information\",\"details\":{},\"code\":418}" },
        { 422, "unknown", FAILURE "\"message\":\"the server rejected our request due to an error in our request\",\"reason\":\"Invalid\",\"details\":{},\"code\":422}" },
        { 429, "unknown", FAILURE "\"message\":\"the server has received too many requests and has asked us to try again later\",\"reason\":\"TooManyRequests\",\"details\":{},\"code\":429}" },
        { 500, "unknown", FAILURE "\"message\":\"an error on the server (\\\"unknown\\\") has prevented the request from succeeding\",\"reason\":\"InternalError\",\"details\":{},\"code\":500}" },
        { 502, "unknown", FAILURE "\"message\":\"an error on the server (\\\"unknown\\\") has prevented the request from succeeding\",\"reason\":\"InternalError\",\"details\":{},\"code\":502}" },
        { 503, "unknown", FAILURE "\"message\":\"the server is currently unable to handle the request\",\"reason\":\"ServiceUnavailable\",\"details\":{},\"code\":503}" },
        { 504, "unknown", FAILURE "\"message\":\"the server was unable to return a response in the time allotted, but may still be processing the request\",\"reason\":\"Timeout\",\"details\":{},\"code\":504}" },
        { 406, "only json", FAILURE "\"message\":\"only json\",\"reason\":\"NotAcceptable\",\"details\":{},\"code\":406}" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        lw_api_status s;
        lw_api_status_generic(&s, cases[i].code, lw_str_of(cases[i].said));
        assert_answers(&s, cases[i].expected);
    }
}

static void errors_from_below(void **state)
{
    (void)state;
    lw_api_status s;
    lw_error err = LW_ERROR_INIT;
    (void)lw_error_set(&err, LW_ERR_SYNTAX, "unable to parse requirement: found '' expected: '('");
    lw_api_status_of_error(&s, &err);
    assert_answers(&s, FAILURE "\"message\":\"unable to parse requirement: found '' expected: '('\",\"reason\":\"BadRequest\",\"code\":400}");
    (void)lw_error_set(&err, LW_ERR_TOO_MANY, "slow down");
    err.retry_after_s = 4;
    lw_api_status_of_error(&s, &err);
    assert_answers(&s, FAILURE "\"message\":\"slow down\",\"reason\":\"TooManyRequests\",\"details\":{\"retryAfterSeconds\":4},\"code\":429}");
}

/* clang-format on */

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_missing_object),
        TEST(an_object_that_is_there_already),
        TEST(an_object_changed_meanwhile),
        TEST(plain_messages),
        TEST(what_is_forbidden),
        TEST(methods_and_sizes),
        TEST(when_to_come_back),
        TEST(faults_of_its_own),
        TEST(conflicts_of_managers),
        TEST(an_invalid_object),
        TEST(revisions_that_cannot_be_served),
        TEST(media_types_nobody_speaks),
        TEST(a_delete_that_was_done),
        TEST(codes_without_a_word_of_explanation),
        TEST(errors_from_below),
    };
    return cmocka_run_group_tests_name("api_errors", tests, NULL, NULL);
}
