/* SPDX-License-Identifier: Apache-2.0 */
/* oidc_keys_test.c -- key sets of issuers, and their URLs. */
#include "server/authn/oidc/oidc_keys.h"

#include "base/error.h"
#include "base/str.h"
#include "server/authn/oidc/oidc_url.h"
#include "unit/test.h"

#define ON_CURVE                                                                                   \
    "\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU\","      \
    "\"y\":\"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0\""

static void unusable_keys_are_left_out(void **state)
{
    lw_oidc_keys *keys = NULL;
    (void)state;
    assert_int_equal(lw_oidc_keys_read(
                         &keys,
                         LW_STR("{\"keys\":[{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"AA\"},"
                                "{\"kty\":\"RSA\",\"n\":\"AQAB\",\"e\":\"AQAB\",\"kid\":\"short\"},"
                                "{\"kty\":\"oct\",\"k\":\"AAAA\"},{" ON_CURVE ",\"use\":\"enc\"},5,"
                                "{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"AA\",\"y\":\"AA\"},"
                                "{" ON_CURVE ",\"kid\":\"good\",\"use\":\"sig\"}]}"),
                         NULL),
                     LW_OK);
    assert_int_equal(keys->count, 1);
    assert_string_equal(keys->keys[0].id, "good");
    lw_oidc_keys_unref(keys);
}

static void other_documents_are_refused(void **state)
{
    static const char *const texts[] = {
        "", "null", "{}", "{\"keys\":{}}", "{\"keys\":[]}", "{\"keys\":[{\"kty\":\"EC\"}]}",
    };
    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        lw_oidc_keys *keys = NULL;
        assert_true(lw_oidc_keys_read(&keys, lw_str_of(texts[i]), NULL) < 0);
        assert_null(keys);
    }
}

static void the_number_of_keys_is_limited(void **state)
{
    lw_oidc_keys *keys = NULL;
    lw_buf json;
    (void)state;
    lw_buf_init(&json, 1024 * 1024);
    lw_buf_append_text(&json, "{\"keys\":[{" ON_CURVE "}");
    for (int i = 0; i < LW_SIGNING_KEYS_MAX; i++)
        lw_buf_append_text(&json, ",{" ON_CURVE "}");
    lw_buf_append_text(&json, "]}");
    assert_int_equal(lw_oidc_keys_read(&keys, lw_buf_view(&json), NULL), LW_ERR_LIMIT);
    lw_buf_done(&json);
}

static void urls_are_split(void **state)
{
    lw_oidc_url url;
    (void)state;
    assert_true(lw_oidc_url_parse(&url, LW_STR("https://a.example:8443/b/c?d#e")));
    assert_str_equal(url.scheme, "https");
    assert_str_equal(url.host, "a.example");
    assert_str_equal(url.authority, "a.example:8443");
    assert_int_equal(url.port, 8443);
    assert_str_equal(url.path, "/b/c");
    assert_str_equal(url.query, "d");
    assert_str_equal(url.fragment, "e");
    assert_true(lw_oidc_url_parse(&url, LW_STR("https://[::1]")));
    assert_str_equal(url.host, "::1");
    assert_int_equal(url.port, 443);
    assert_true(lw_oidc_url_parse(&url, LW_STR("https://u:p@a")) && url.has_user);
    static const char *const wrong[] = { "https://a b",     "https://a:b",  "https://a:0",
                                         "https://a:70000", "https://[::1", "https://[::1]x",
                                         "https://::1",     "https://a\n" };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        if (lw_oidc_url_parse(&url, lw_str_of(wrong[i])))
            fail_msg("%s", wrong[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unusable_keys_are_left_out),
        cmocka_unit_test(other_documents_are_refused),
        cmocka_unit_test(the_number_of_keys_is_limited),
        cmocka_unit_test(urls_are_split),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
