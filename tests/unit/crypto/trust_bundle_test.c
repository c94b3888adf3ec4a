/* SPDX-License-Identifier: Apache-2.0 */
/* trust_bundle_test.c -- bundles of trust anchors: each block is the certificate of a CA. */
#include "crypto/trust_bundle.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "unit/crypto/made_certificates.h"

enum {
    TEXT_MAX = 1 << 20,
};

typedef struct heard {
    char text[512];
} heard;

static void hear(const char *text, void *arg)
{
    heard *h = arg;
    size_t len = strlen(h->text);
    (void)snprintf(h->text + len, sizeof(h->text) - len, "%s;", text);
}

static void assert_problems(lw_str pem, const char *expected)
{
    heard h = { "" };
    assert_int_equal(lw_trust_bundle_check(pem, hear, &h), LW_OK);
    assert_string_equal(h.text, expected);
}

static void anchors_are_certificates_of_authorities(void **state)
{
    lw_buf ca, leaf;
    (void)state;
    make_certificates(&ca, &leaf);
    assert_problems(lw_buf_view(&ca), "");
    assert_problems(lw_buf_view(&leaf), "entry 0 does not have the CA bit set;");
    lw_buf_done(&ca);
    lw_buf_done(&leaf);
}

static void duplicates_are_found(void **state)
{
    lw_buf ca, leaf, twice;
    (void)state;
    make_certificates(&ca, &leaf);
    lw_buf_init(&twice, TEXT_MAX);
    lw_buf_append_str(&twice, lw_buf_view(&ca));
    lw_buf_append_str(&twice, lw_buf_view(&ca));
    assert_problems(lw_buf_view(&twice), "duplicate trust anchor (indices [0 1]);");
    lw_buf_done(&twice);
    lw_buf_done(&ca);
    lw_buf_done(&leaf);
}

static void other_blocks_are_reported(void **state)
{
    (void)state;
    assert_problems(LW_STR(""), "at least one trust anchor must be provided;");
    assert_problems(LW_STR("-----BEGIN FOO-----\nYWJj\n-----END FOO-----\n"
                           "-----BEGIN CERTIFICATE-----\nYWJj\n-----END CERTIFICATE-----\n"),
                    "entry 0 has bad block type: FOO;entry 1 does not parse as X.509;");
}

static void a_bundle_has_a_limit(void **state)
{
    heard h = { "" };
    (void)state;
    assert_int_equal(lw_trust_bundle_check(lw_str_make("", LW_TRUST_BUNDLE_MAX + 1), hear, &h),
                     LW_ERR_LIMIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(anchors_are_certificates_of_authorities),
        cmocka_unit_test(duplicates_are_found),
        cmocka_unit_test(other_blocks_are_reported),
        cmocka_unit_test(a_bundle_has_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
