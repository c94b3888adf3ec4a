/* SPDX-License-Identifier: Apache-2.0 */
/* page_token_test.c -- continue tokens. */
#include "api/media/page_token.h"

#include <stdio.h>

#include "base/str.h"
#include "base/text/base64.h"
#include "unit/test.h"

static void equals_a_token_of_kube_apiserver(void **state)
{
    (void)state;
    lw_buf out;
    lw_buf_init(&out, LW_PAGE_TOKEN_MAX);
    lw_page_token_write_after(&out, 104, LW_STR("p1"));
    assert_str_equal(lw_buf_view(&out),
                     "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MTA0LCJzdGFydCI6InAxXHUwMDAwIn0");
    lw_buf_reset(&out);
    lw_page_token_write(&out, -1, lw_str_make("p1\0", 3));
    assert_str_equal(lw_buf_view(&out),
                     "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6LTEsInN0YXJ0IjoicDFcdTAwMDAifQ");
    lw_buf_done(&out);
}

static void parses_its_own_tokens(void **state)
{
    (void)state;
    lw_buf out;
    lw_page_token token;
    lw_buf_init(&out, LW_PAGE_TOKEN_MAX);
    lw_page_token_write_after(&out, 1234567890123, LW_STR("ns-1/web-0"));
    assert_int_equal(lw_page_token_read(&token, lw_buf_view(&out), NULL), LW_OK);
    assert_int_equal(token.revision, 1234567890123);
    assert_int_equal(token.start.len, 11);
    assert_memory_equal(token.start.data, "ns-1/web-0\0", 11);
    lw_page_token_done(&token);
    lw_buf_done(&out);
}

static void assert_refused(const char *json, const char *message)
{
    lw_buf text;
    lw_page_token token;
    lw_error err = LW_ERROR_INIT;
    lw_buf_init(&text, LW_PAGE_TOKEN_MAX);
    lw_base64url_encode(&text, lw_str_of(json));
    assert_int_equal(lw_page_token_read(&token, lw_buf_view(&text), &err), LW_ERR_INVALID);
    assert_string_equal(err.message, message);
    lw_page_token_done(&token);
    lw_buf_done(&text);
}

static void invalid_tokens_are_refused_as_in_kubernetes(void **state)
{
    (void)state;
    assert_refused("{\"v\":\"meta.k8s.io/v1\",\"rv\":0,\"start\":\"a\"}",
                   "continue key is not valid: incorrect encoded start resourceVersion (version "
                   "meta.k8s.io/v1)");
    assert_refused("{\"v\":\"meta.k8s.io/v1\",\"start\":\"a\"}",
                   "continue key is not valid: incorrect encoded start resourceVersion (version "
                   "meta.k8s.io/v1)");
    assert_refused("{\"v\":\"meta.k8s.io/v1\",\"rv\":5,\"start\":\"\"}",
                   "continue key is not valid: encoded start key empty (version meta.k8s.io/v1)");
    assert_refused("{\"v\":\"v2\",\"rv\":5,\"start\":\"a\"}",
                   "continue key is not valid: server does not recognize this encoded version v2");
    assert_refused("{}", "continue key is not valid: server does not recognize this encoded "
                         "version ");
    assert_refused("{\"v\":\"meta.k8s.io/v1\",\"rv\":\"5\",\"start\":\"a\"}",
                   "continue key is not valid: not a continue token");
    assert_refused("[1]", "continue key is not valid: not a continue token");
    assert_refused("{", "continue key is not valid: not JSON");
}

static void a_start_outside_of_the_list_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = { "../secrets/a", "a/../../b", "a//b", "./a",
                                       "a/.",          "a/",        "//a" };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        char json[100], message[100];
        (void)snprintf(json, sizeof(json), "{\"v\":\"meta.k8s.io/v1\",\"rv\":5,\"start\":\"%s\"}",
                       bad[i]);
        (void)snprintf(message, sizeof(message), "continue key is not valid: %s", bad[i]);
        assert_refused(json, message);
    }
}

static void invalid_base64_is_refused(void **state)
{
    (void)state;
    lw_page_token token;
    lw_error err = LW_ERROR_INIT;
    assert_int_equal(lw_page_token_read(&token, LW_STR("a b"), &err), LW_ERR_INVALID);
    assert_string_equal(err.message, "continue key is not valid: illegal base64 data");
    lw_page_token_done(&token);
}

static void a_token_that_is_too_long_is_refused(void **state)
{
    (void)state;
    char text[LW_PAGE_TOKEN_MAX + 4];
    lw_page_token token;
    memset(text, 'A', sizeof(text));
    assert_int_equal(lw_page_token_read(&token, lw_str_make(text, sizeof(text)), NULL),
                     LW_ERR_INVALID);
    lw_page_token_done(&token);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(equals_a_token_of_kube_apiserver),
        TEST(parses_its_own_tokens),
        TEST(invalid_tokens_are_refused_as_in_kubernetes),
        TEST(a_start_outside_of_the_list_is_refused),
        TEST(invalid_base64_is_refused),
        TEST(a_token_that_is_too_long_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
