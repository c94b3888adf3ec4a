/* SPDX-License-Identifier: Apache-2.0 */
/* certificate_test.c -- certificate signing requests are read and signed. */
#include "crypto/certificate_authority.h"

#include "base/error.h"
#include "base/str.h"
#include "base/text/base64.h"
#include "net/tls/tls_make.h"
#include "support/certificate_requests.h"
#include "unit/test.h"

enum {
    PEM_MAX = 1 << 20,
    DAY_S = 24 * 60 * 60,
};

static lw_certificate_request *read_good(const char *base64)
{
    lw_certificate_request *request = NULL;
    lw_error err = LW_ERROR_INIT;
    if (lw_certificate_request_read(&request, lw_str_of(base64), &err) < 0)
        fail_msg("%s", err.message);
    return request;
}

static void assert_refused(const char *base64, const char *why)
{
    lw_certificate_request *request = NULL;
    lw_error err = LW_ERROR_INIT;
    assert_int_equal(lw_certificate_request_read(&request, lw_str_of(base64), &err),
                     LW_ERR_INVALID);
    assert_null(request);
    assert_string_equal(err.message, why);
}

static void subject_and_alternative_names_are_read(void **state)
{
    size_t count = 0;
    (void)state;
    lw_certificate_request *request = read_good(REQUEST_USER);
    const lw_str *organizations = lw_certificate_request_organizations(request, &count);
    assert_int_equal(count, 2);
    assert_str_equal(organizations[0], "dev");
    assert_str_equal(organizations[1], "ops");
    assert_str_equal(lw_certificate_request_common_name(request), "ann");
    assert_int_equal(lw_certificate_request_sans(request), 0);
    lw_certificate_request_free(request);
    request = read_good(REQUEST_SERVING);
    assert_int_equal(lw_certificate_request_sans(request), LW_SAN_DNS | LW_SAN_IP);
    lw_certificate_request_free(request);
    request = read_good(REQUEST_NAMES);
    assert_int_equal(lw_certificate_request_sans(request), LW_SAN_EMAIL | LW_SAN_URI);
    lw_certificate_request_free(request);
}

static void what_is_not_a_request_is_refused(void **state)
{
    (void)state;
    assert_refused("", "PEM block type must be CERTIFICATE REQUEST");
    assert_refused("aGVsbG8=", "PEM block type must be CERTIFICATE REQUEST");
    assert_refused("!", "the certificate request is not base64");
}

static void a_request_that_its_key_has_not_signed_is_refused(void **state)
{
    lw_certificate_request *request = NULL;
    (void)state;
    assert_int_equal(lw_certificate_request_read(&request, LW_STR(REQUEST_FORGED), NULL),
                     LW_ERR_INVALID);
    assert_null(request);
}

static void data_behind_the_request_is_refused(void **state)
{
    (void)state;
    assert_refused(REQUEST_TRAILING, "malformed certificate request: data follows the request");
}

static void two_common_names_are_refused(void **state)
{
    (void)state;
    assert_refused(REQUEST_TWICE, "the subject has more than one common name");
}

/* Makes a CA whose certificate ends in ten days. */
static lw_certificate_authority *make_authority(void)
{
    static const lw_tls_subject subject = { .common_name = "ca", .is_ca = true, .days = 10 };
    lw_certificate_authority *authority = NULL;
    lw_buf cert, key;
    lw_buf_init(&cert, PEM_MAX);
    lw_buf_init(&key, PEM_MAX);
    assert_int_equal(lw_tls_make(&subject, LW_STR(""), LW_STR(""), &cert, &key, NULL), LW_OK);
    assert_int_equal(lw_certificate_authority_read(&authority, lw_buf_view(&cert),
                                                   lw_buf_view(&key), NULL),
                     LW_OK);
    assert_int_equal(lw_certificate_authority_read(&authority, lw_buf_view(&key), lw_buf_view(&key),
                                                   NULL),
                     LW_ERR_INVALID);
    lw_buf_done(&cert);
    lw_buf_done(&key);
    return authority;
}

static const lw_str client_usages[] = { LW_STR_INIT("digital signature"),
                                        LW_STR_INIT("client auth") };

/* Signs for |ttl_s| and returns when the certificate expires, in seconds after |now_s|. */
static int64_t sign(const lw_certificate_authority *authority, int64_t now_s, int64_t ttl_s)
{
    lw_certificate_request *request = read_good(REQUEST_NODE);
    const lw_certificate_terms terms = {
        .usages = client_usages, .usage_count = 2, .now_s = now_s, .ttl_s = ttl_s
    };
    int64_t expires_s = 0;
    lw_buf pem, base64;
    lw_buf_init(&pem, PEM_MAX);
    lw_buf_init(&base64, PEM_MAX);
    assert_int_equal(lw_certificate_authority_sign(authority, request, &terms, &pem, NULL), LW_OK);
    lw_base64_encode(&base64, lw_buf_view(&pem));
    assert_int_equal(lw_certificate_check(lw_buf_view(&base64), &expires_s, NULL), LW_OK);
    lw_buf_done(&pem);
    lw_buf_done(&base64);
    lw_certificate_request_free(request);
    return expires_s - now_s;
}

static void the_lifetime_is_the_requested_one(void **state)
{
    (void)state;
    lw_certificate_authority *authority = make_authority();
    int64_t long_ago_s = 1700000000;
    assert_int_equal(sign(authority, long_ago_s, 3600), 3600);
    /* Long ones end as much earlier as they begin. */
    assert_int_equal(sign(authority, long_ago_s, DAY_S), DAY_S - 300);
    lw_certificate_authority_free(authority);
}

static void no_certificate_outlives_its_ca(void **state)
{
    (void)state;
    lw_certificate_authority *authority = make_authority();
    int64_t end_s = sign(authority, 1700000000, 100000LL * DAY_S) + 1700000000;
    assert_int_equal(sign(authority, end_s - 10, 3600), 10);
    lw_certificate_request *request = read_good(REQUEST_NODE);
    const lw_certificate_terms terms = { .now_s = end_s, .ttl_s = 3600 };
    lw_buf pem;
    lw_buf_init(&pem, PEM_MAX);
    assert_int_equal(lw_certificate_authority_sign(authority, request, &terms, &pem, NULL),
                     LW_ERR_EXPIRED);
    lw_buf_done(&pem);
    lw_certificate_request_free(request);
    lw_certificate_authority_free(authority);
}

static void an_unknown_usage_is_not_signed(void **state)
{
    static const lw_str usage = LW_STR_INIT("world domination");
    (void)state;
    lw_certificate_authority *authority = make_authority();
    lw_certificate_request *request = read_good(REQUEST_NODE);
    const lw_certificate_terms terms = {
        .usages = &usage, .usage_count = 1, .now_s = 1700000000, .ttl_s = 3600
    };
    lw_buf pem;
    lw_buf_init(&pem, PEM_MAX);
    assert_int_equal(lw_certificate_authority_sign(authority, request, &terms, &pem, NULL),
                     LW_ERR_INVALID);
    assert_int_equal(pem.len, 0);
    lw_buf_done(&pem);
    lw_certificate_request_free(request);
    lw_certificate_authority_free(authority);
}

static void every_usage_can_be_signed(void **state)
{
    (void)state;
    lw_certificate_authority *authority = make_authority();
    lw_certificate_request *request = read_good(REQUEST_NODE);
    lw_str rest = lw_str_of(lw_key_usages), usage;
    bool goes_on = true;
    while (goes_on) {
        goes_on = lw_str_cut(rest, '|', &usage, &rest);
        const lw_certificate_terms terms = {
            .usages = &usage, .usage_count = 1, .now_s = 1700000000, .ttl_s = 3600
        };
        lw_buf pem;
        lw_buf_init(&pem, PEM_MAX);
        assert_int_equal(lw_certificate_authority_sign(authority, request, &terms, &pem, NULL),
                         LW_OK);
        lw_buf_done(&pem);
    }
    lw_certificate_request_free(request);
    lw_certificate_authority_free(authority);
}

static void only_certificates_are_certificates(void **state)
{
    lw_error err = LW_ERROR_INIT;
    (void)state;
    assert_int_equal(lw_certificate_check(LW_STR(REQUEST_NODE), NULL, &err), LW_ERR_INVALID);
    assert_string_equal(err.message,
                        "only CERTIFICATE PEM blocks are allowed, found \"CERTIFICATE REQUEST\"");
    assert_int_equal(lw_certificate_check(LW_STR("aGVsbG8="), NULL, &err), LW_ERR_INVALID);
    assert_string_equal(err.message, "must contain at least one CERTIFICATE PEM block");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(subject_and_alternative_names_are_read),
        cmocka_unit_test(what_is_not_a_request_is_refused),
        cmocka_unit_test(a_request_that_its_key_has_not_signed_is_refused),
        cmocka_unit_test(data_behind_the_request_is_refused),
        cmocka_unit_test(two_common_names_are_refused),
        cmocka_unit_test(the_lifetime_is_the_requested_one),
        cmocka_unit_test(no_certificate_outlives_its_ca),
        cmocka_unit_test(an_unknown_usage_is_not_signed),
        cmocka_unit_test(every_usage_can_be_signed),
        cmocka_unit_test(only_certificates_are_certificates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
