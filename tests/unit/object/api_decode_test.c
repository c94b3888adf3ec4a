/* SPDX-License-Identifier: Apache-2.0 */
/* api_decode_test.c -- what a server's refusal means to a client. */
#include "object/api_errors.h"

#include "base/alloc.h"
#include "base/str.h"
#include "unit/test.h"

/* The body that |status| is written as, to lw_free; |status| is done with. */
static char *body_of(lw_api_status *status)
{
    lw_buf buf;
    lw_json_writer w;
    lw_buf_init(&buf, 1 << 20);
    lw_json_writer_init(&w, &buf, LW_JSON_COMPACT);
    assert_int_equal(lw_api_status_write(status, &w), LW_OK);
    lw_api_status_done(status);
    char *text = lw_buf_take_text(&buf);
    assert_non_null(text);
    return text;
}

static lw_error decode(const char *body, int http_status, const char *retry_after)
{
    lw_error err = LW_ERROR_INIT;
    lw_status st = lw_api_error_decode(lw_str_of(body), http_status, lw_str_of(retry_after), &err);
    assert_int_equal(st, err.code);
    assert_int_equal(lw_api_error_decode(lw_str_of(body), http_status, lw_str_of(""), NULL), st);
    return err;
}

static void reads_a_status(void **state)
{
    (void)state;
    lw_api_status status;
    lw_api_status_not_found(&status, lw_gvr_make("apps", "v1", "deployments"), LW_STR("web"));
    char *body = body_of(&status);
    lw_error err = decode(body, 404, "");
    lw_free(body);
    assert_int_equal(err.code, LW_ERR_NOT_FOUND);
    assert_int_equal(err.http_status, 404);
    assert_string_equal(err.reason, "NotFound");
    assert_string_equal(err.message, "deployments.apps \"web\" not found");
    assert_false(err.retriable);
    assert_int_equal(err.retry_after_s, 0);
    assert_true(err.offset == LW_NO_OFFSET);
}

static void reads_the_object_of_an_error_event(void **state)
{
    (void)state;
    lw_api_status status;
    lw_api_status_too_old_rv(&status, 1, 79);
    char *body = body_of(&status);
    lw_error err = decode(body, 0, "");
    lw_free(body);
    assert_int_equal(err.code, LW_ERR_EXPIRED);
    assert_int_equal(err.http_status, 410);
    assert_string_equal(err.reason, "Expired");
}

static void knows_a_resource_version_of_the_future(void **state)
{
    (void)state;
    lw_api_status status;
    lw_api_status_too_large_rv(&status, 99, 79);
    char *body = body_of(&status);
    lw_error err = decode(body, 504, "");
    lw_free(body);
    assert_int_equal(err.code, LW_ERR_TOO_LARGE_RV);
    assert_string_equal(err.reason, "Timeout");
    assert_true(err.retriable);
    assert_int_equal(err.retry_after_s, 1);
}

static void maps_reasons_whatever_the_code(void **state)
{
    (void)state;
    static const struct {
        const char *reason;
        lw_status st;
        bool retriable;
    } cases[] = {
        { "Unauthorized", LW_ERR_UNAUTHORIZED, false },
        { "Forbidden", LW_ERR_FORBIDDEN, false },
        { "NotFound", LW_ERR_NOT_FOUND, false },
        { "AlreadyExists", LW_ERR_EXISTS, false },
        { "Conflict", LW_ERR_CONFLICT, false },
        { "Gone", LW_ERR_EXPIRED, false },
        { "Expired", LW_ERR_EXPIRED, false },
        { "Invalid", LW_ERR_INVALID, false },
        { "BadRequest", LW_ERR_INVALID, false },
        { "MethodNotAllowed", LW_ERR_UNSUPPORTED, false },
        { "NotAcceptable", LW_ERR_UNSUPPORTED, false },
        { "UnsupportedMediaType", LW_ERR_UNSUPPORTED, false },
        { "RequestEntityTooLarge", LW_ERR_LIMIT, false },
        { "TooManyRequests", LW_ERR_TOO_MANY, true },
        { "InternalError", LW_ERR_INTERNAL, false },
        { "StorageReadError", LW_ERR_INTERNAL, false },
        { "ServerTimeout", LW_ERR_TIMEOUT, true },
        { "ServiceUnavailable", LW_ERR_UNAVAILABLE, true },
        { "Timeout", LW_ERR_TIMEOUT, true },
        { "InsufficientStorage", LW_ERR_NO_SPACE, false },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        lw_api_status status;
        lw_api_status_init(&status);
        status.code = 499;
        lw_api_status_set(&status, &status.reason, lw_str_of(cases[i].reason));
        char *body = body_of(&status);
        lw_error err = decode(body, 499, "");
        lw_free(body);
        assert_int_equal(err.code, cases[i].st);
        assert_int_equal(err.retriable, cases[i].retriable);
        assert_string_equal(err.reason, cases[i].reason);
    }
}

static void codes_count_when_the_reason_is_unknown(void **state)
{
    (void)state;
    static const struct {
        int code;
        lw_status st;
    } cases[] = {
        { 400, LW_ERR_INVALID },     { 401, LW_ERR_UNAUTHORIZED }, { 403, LW_ERR_FORBIDDEN },
        { 404, LW_ERR_NOT_FOUND },   { 405, LW_ERR_UNSUPPORTED },  { 406, LW_ERR_UNSUPPORTED },
        { 408, LW_ERR_TIMEOUT },     { 409, LW_ERR_CONFLICT },     { 410, LW_ERR_EXPIRED },
        { 413, LW_ERR_LIMIT },       { 415, LW_ERR_UNSUPPORTED },  { 418, LW_ERR_INVALID },
        { 422, LW_ERR_INVALID },     { 429, LW_ERR_TOO_MANY },     { 500, LW_ERR_INTERNAL },
        { 502, LW_ERR_UNAVAILABLE }, { 503, LW_ERR_UNAVAILABLE },  { 504, LW_ERR_TIMEOUT },
        { 599, LW_ERR_INTERNAL },    { 302, LW_ERR_INTERNAL },     { 200, LW_ERR_INTERNAL },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        lw_api_status status;
        lw_api_status_init(&status);
        status.code = cases[i].code;
        lw_api_status_set(&status, &status.reason, LW_STR("SomethingNew"));
        char *body = body_of(&status);
        lw_error err = decode(body, 0, "");
        lw_free(body);
        assert_int_equal(err.code, cases[i].st);
        assert_string_equal(err.reason, "SomethingNew");
    }
}

static void reads_bodies_that_are_no_status(void **state)
{
    (void)state;
    static const struct {
        const char *body;
        int http_status;
        lw_status st;
        const char *reason;
        const char *message;
    } cases[] = {
        { "404 page not found\n", 404, LW_ERR_NOT_FOUND, "NotFound",
          "the server could not find the requested resource" },
        { "Too many requests, please try again later.", 429, LW_ERR_TOO_MANY, "TooManyRequests",
          "the server has received too many requests and has asked us to try again later" },
        { "<html>\n<h1>502 Bad Gateway</h1>\n</html>\n", 502, LW_ERR_UNAVAILABLE, "InternalError",
          "an error on the server (\"<html>\\n<h1>502 Bad Gateway</h1>\\n</html>\") has prevented "
          "the request from succeeding" },
        { "", 500, LW_ERR_INTERNAL, "InternalError",
          "an error on the server (\"unknown\") has prevented the request from succeeding" },
        { "\x01\x02", 500, LW_ERR_INTERNAL, "InternalError",
          "an error on the server (\"unknown\") has prevented the request from succeeding" },
        { "\xff\xfe", 500, LW_ERR_INTERNAL, "InternalError",
          "an error on the server (\"unknown\") has prevented the request from succeeding" },
        { "you may not", 403, LW_ERR_FORBIDDEN, "Forbidden", "you may not" },
        { "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"reason\":\"Conf", 409, LW_ERR_CONFLICT,
          "Conflict", "the server reported a conflict" },
        { "{\"kind\":\"Pod\",\"apiVersion\":\"v1\"}", 410, LW_ERR_EXPIRED, "",
          "the server responded with the status code 410 but did not return more information" },
        { "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Success\"}", 503,
          LW_ERR_UNAVAILABLE, "ServiceUnavailable",
          "the server is currently unable to handle the request" },
        { "{\"kind\":\"Pod\"}", 0, LW_ERR_INTERNAL, "", "unexpected object: {\"kind\":\"Pod\"}" },
        { "[1,2]", 401, LW_ERR_UNAUTHORIZED, "Unauthorized",
          "the server has asked for the client to provide credentials" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        lw_error err = decode(cases[i].body, cases[i].http_status, "");
        assert_int_equal(err.code, cases[i].st);
        assert_string_equal(err.reason, cases[i].reason);
        assert_string_equal(err.message, cases[i].message);
        assert_int_equal(err.http_status, cases[i].http_status);
    }
}

static void listens_to_the_retry_after_header(void **state)
{
    (void)state;
    static const struct {
        const char *header;
        int seconds;
    } cases[] = {
        { "5", 5 },   { " 7 ", 7 },
        { "0", 0 },   { "-1", 0 },
        { "", 0 },    { "Wed, 21 Oct 2015 07:28:00 GMT", 0 },
        { "1.5", 0 }, { "99999999999", INT32_MAX },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        lw_error err = decode("", 500, cases[i].header);
        assert_int_equal(err.retry_after_s, cases[i].seconds);
        assert_int_equal(err.retriable, cases[i].seconds > 0);
    }
}

static void a_missing_permission_is_not_retriable_whatever_the_header_says(void **state)
{
    (void)state;
    static const int refusals[] = { 401, 403 };
    for (size_t i = 0; i < 2; i++) {
        lw_error err = decode("", refusals[i], "5");
        assert_int_equal(err.retry_after_s, 5);
        assert_false(err.retriable);
    }
}

static void the_body_says_better_than_the_header_when_to_retry(void **state)
{
    (void)state;
    lw_api_status status;
    lw_api_status_too_many(&status, LW_STR("m"), 9);
    char *body = body_of(&status);
    lw_error err = decode(body, 429, "3");
    lw_free(body);
    assert_int_equal(err.retry_after_s, 9);
    assert_true(err.retriable);
}

static void cuts_long_messages_at_a_character(void **state)
{
    (void)state;
    lw_api_status status;
    lw_api_status_init(&status);
    char text[2 * LW_ERROR_MESSAGE_SIZE];
    for (size_t i = 0; i < sizeof(text); i += 2)
        memcpy(text + i, "\xc3\xa9", 2);
    lw_api_status_set(&status, &status.message, lw_str_make(text, sizeof(text)));
    char *body = body_of(&status);
    lw_error err = decode(body, 400, "");
    lw_free(body);
    size_t len = strlen(err.message);
    assert_true(len >= LW_ERROR_MESSAGE_SIZE - 3);
    assert_string_equal(err.message + len - 3, "...");
    assert_int_equal((unsigned char)err.message[len - 4], 0xA9);
}

static void messages_are_one_line_without_surprises(void **state)
{
    (void)state;
    lw_error err = decode("{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"code\":400,"
                          "\"message\":\"a\\nb\\u001b[31mc\"}",
                          400, "");
    assert_string_equal(err.message, "a b [31mc");
    err = decode("{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"code\":400,"
                 "\"message\":\"a\\u0000b\"}",
                 400, "");
    assert_string_equal(err.message, "a b");
}

static void an_empty_message_becomes_the_name_of_the_status(void **state)
{
    (void)state;
    lw_error err = decode("{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"code\":409}", 409, "");
    assert_string_equal(err.message, "conflict");
    assert_string_equal(err.reason, "");
}

static void every_cut_body_is_survived(void **state)
{
    (void)state;
    lw_api_status status;
    lw_api_status_too_large_rv(&status, 99, 79);
    char *body = body_of(&status);
    size_t len = strlen(body);
    for (size_t i = 0; i < len; i++) {
        lw_error err = LW_ERROR_INIT;
        assert_int_equal(lw_api_error_decode(lw_str_make(body, i), 504, LW_STR(""), &err),
                         LW_ERR_TIMEOUT);
    }
    lw_free(body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(reads_a_status),
        TEST(reads_the_object_of_an_error_event),
        TEST(knows_a_resource_version_of_the_future),
        TEST(maps_reasons_whatever_the_code),
        TEST(codes_count_when_the_reason_is_unknown),
        TEST(reads_bodies_that_are_no_status),
        TEST(listens_to_the_retry_after_header),
        TEST(the_body_says_better_than_the_header_when_to_retry),
        TEST(a_missing_permission_is_not_retriable_whatever_the_header_says),
        TEST(cuts_long_messages_at_a_character),
        TEST(messages_are_one_line_without_surprises),
        TEST(an_empty_message_becomes_the_name_of_the_status),
        TEST(every_cut_body_is_survived),
    };
    return cmocka_run_group_tests_name("api_decode", tests, NULL, NULL);
}
