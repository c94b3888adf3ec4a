/* SPDX-License-Identifier: Apache-2.0 */
/* http_client_tls_test.c -- the HTTP client with TLS: which servers it trusts, who it says it is,
 * and which protocol it uses.  The server is the project's own. */
#include "unit/net/client/http_client_scene.h"

static void trusts_a_server_whose_certificate_the_bundle_signed(void **state)
{
    (void)state;
    scene s;
    told t;
    scene_open(&s, false);
    const lw_tls_pem_options pem = { .ca = lw_buf_view(&s.ca) };
    lw_tls_context *tls = scene_make_client(&pem);
    for (int i = 0; i < 2; i++) {
        scene_ask(&s, &t, tls, i == 0 ? NULL : "localhost");
        assert_string_equal(t.err.message, "");
        assert_int_equal(t.status, 200);
        assert_string_equal(t.body, "secret");
    }
    assert_string_equal(s.site.peer, "tls unknown CN=");
    lw_tls_context_free(tls);
    scene_close(&s);
}

static void a_bundle_of_several_authorities_is_read_completely(void **state)
{
    (void)state;
    scene s;
    told t;
    lw_buf other, other_key;
    const lw_tls_subject subject = { .common_name = "other", .is_ca = true, .days = 1 };
    scene_open(&s, false);
    scene_make(&subject, LW_STR(""), LW_STR(""), &other, &other_key);
    lw_buf_append_str(&other, lw_buf_view(&s.ca));
    const lw_tls_pem_options pem = { .ca = lw_buf_view(&other) };
    lw_tls_context *tls = scene_make_client(&pem);
    scene_ask(&s, &t, tls, NULL);
    assert_int_equal(t.status, 200);
    lw_tls_context_free(tls);
    lw_buf_done(&other);
    lw_buf_done(&other_key);
    scene_close(&s);
}

static void refuses_a_server_that_another_authority_signed(void **state)
{
    (void)state;
    scene s;
    told t;
    lw_buf other, other_key;
    const lw_tls_subject subject = { .common_name = "other", .is_ca = true, .days = 1 };
    scene_open(&s, false);
    scene_make(&subject, LW_STR(""), LW_STR(""), &other, &other_key);
    const lw_tls_pem_options pem = { .ca = lw_buf_view(&other) };
    lw_tls_context *tls = scene_make_client(&pem);
    scene_ask(&s, &t, tls, NULL);
    assert_int_equal(t.err.code, LW_ERR_INVALID);
    assert_non_null(strstr(t.err.message, "cannot verify the certificate"));
    assert_int_equal(s.site.requests, 0);
    lw_tls_context_free(tls);
    lw_buf_done(&other);
    lw_buf_done(&other_key);
    scene_close(&s);
}

static void refuses_a_certificate_for_another_name(void **state)
{
    (void)state;
    scene s;
    told t;
    scene_open(&s, false);
    const lw_tls_pem_options pem = { .ca = lw_buf_view(&s.ca) };
    lw_tls_context *tls = scene_make_client(&pem);
    scene_ask(&s, &t, tls, "example.org");
    assert_int_equal(t.err.code, LW_ERR_INVALID);
    assert_non_null(strstr(t.err.message, "hostname mismatch"));
    assert_int_equal(s.site.requests, 0);
    lw_tls_context_free(tls);
    scene_close(&s);
}

static void skips_verification_if_it_is_told_to(void **state)
{
    (void)state;
    scene s;
    told t;
    scene_open(&s, false);
    const lw_tls_pem_options pem = { .skips_verification = true };
    lw_tls_context *tls = scene_make_client(&pem);
    scene_ask(&s, &t, tls, "example.org");
    assert_string_equal(t.err.message, "");
    assert_int_equal(t.status, 200);
    lw_tls_context_free(tls);
    scene_close(&s);
}

static void shows_its_certificate(void **state)
{
    (void)state;
    scene s;
    told t;
    scene_open(&s, false);
    const lw_tls_pem_options pem = { .ca = lw_buf_view(&s.ca),
                                     .cert = lw_buf_view(&s.client_cert),
                                     .key = lw_buf_view(&s.client_key) };
    lw_tls_context *tls = scene_make_client(&pem);
    scene_ask(&s, &t, tls, NULL);
    assert_int_equal(t.status, 200);
    assert_string_equal(s.site.peer, "tls verified CN=me");
    lw_tls_context_free(tls);
    scene_close(&s);
}

static void malformed_pem_is_refused(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, false);
    lw_str ca = lw_buf_view(&s.ca), cert = lw_buf_view(&s.client_cert);
    lw_str key = lw_buf_view(&s.client_key);
    const lw_tls_pem_options rows[] = {
        { .ca = LW_STR("x") },
        { .ca = lw_str_make(ca.ptr, ca.len / 2) },
        { .ca = ca, .cert = cert },
        { .ca = ca, .key = key },
        { .ca = ca, .cert = LW_STR("x"), .key = key },
        { .ca = ca, .cert = cert, .key = LW_STR("x") },
        { .ca = ca, .cert = cert, .key = lw_buf_view(&s.key) }, /* of another certificate */
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        lw_tls_context *tls = NULL;
        lw_error err = LW_ERROR_INIT;
        if (lw_tls_client_context_new_pem(&tls, &rows[i], &err) != LW_ERR_INVALID)
            fail_msg("row %zu is accepted", i);
        assert_true(err.message[0] != '\0');
    }
    scene_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(trusts_a_server_whose_certificate_the_bundle_signed),
        TEST(a_bundle_of_several_authorities_is_read_completely),
        TEST(refuses_a_server_that_another_authority_signed),
        TEST(refuses_a_certificate_for_another_name),
        TEST(skips_verification_if_it_is_told_to),
        TEST(shows_its_certificate),
        TEST(malformed_pem_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
