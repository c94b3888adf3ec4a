/* SPDX-License-Identifier: Apache-2.0 */
/* certificate_bundle_test.c -- what a bundle of trusted certificates verifies. */
#include "crypto/certificate_bundle.h"

#include <stdlib.h>

#include "unit/crypto/made_certificates.h"

typedef struct certificates {
    lw_buf ca, leaf, other, other_leaf;
} certificates;

static int certificates_setup(void **state)
{
    certificates *made = calloc(1, sizeof(*made));
    *state = made;
    if (!made)
        return -1;
    make_certificates(&made->ca, &made->leaf);
    make_certificates(&made->other, &made->other_leaf);
    return 0;
}

static int certificates_teardown(void **state)
{
    certificates *made = *state;
    lw_buf_done(&made->ca);
    lw_buf_done(&made->leaf);
    lw_buf_done(&made->other);
    lw_buf_done(&made->other_leaf);
    free(made);
    return 0;
}

static void a_ca_verifies_what_it_has_signed(void **state)
{
    certificates *made = *state;
    assert_true(lw_certificate_bundle_verifies(lw_buf_view(&made->ca), lw_buf_view(&made->leaf)));
    assert_false(
        lw_certificate_bundle_verifies(lw_buf_view(&made->other), lw_buf_view(&made->leaf)));
}

static void a_bundle_with_a_ca_of_somebody_else_verifies_nothing(void **state)
{
    certificates *made = *state;
    lw_buf_append_str(&made->other, lw_buf_view(&made->ca));
    assert_false(
        lw_certificate_bundle_verifies(lw_buf_view(&made->other), lw_buf_view(&made->leaf)));
    lw_buf_append_str(&made->ca, lw_buf_view(&made->other_leaf));
    assert_false(lw_certificate_bundle_verifies(lw_buf_view(&made->ca), lw_buf_view(&made->leaf)));
}

static void several_certificates_that_each_verify_are_taken(void **state)
{
    certificates *made = *state;
    lw_buf_append_str(&made->ca, lw_buf_view(&made->leaf));
    assert_true(lw_certificate_bundle_verifies(lw_buf_view(&made->ca), lw_buf_view(&made->leaf)));
}

/* A client may read a certificate where OpenSSL reads none. */
static void a_bundle_with_other_text_verifies_nothing(void **state)
{
    static const char *const texts[] = { "# a comment\n", "-----BEGIN CERTIFICATE-----\n",
                                         ("-----BEGIN CERTIFICATE-----\nAAAA\n"
                                          "-----END CERTIFICATE-----\n") };
    certificates *made = *state;
    size_t len = made->ca.len;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        made->ca.len = len;
        lw_buf_append_text(&made->ca, texts[i]);
        assert_false(
            lw_certificate_bundle_verifies(lw_buf_view(&made->ca), lw_buf_view(&made->leaf)));
        lw_buf_append_str(&made->ca, lw_buf_view(&made->other));
        assert_false(
            lw_certificate_bundle_verifies(lw_buf_view(&made->ca), lw_buf_view(&made->leaf)));
    }
    made->ca.len = len;
    lw_buf_append_text(&made->ca, "\n \n");
    assert_true(lw_certificate_bundle_verifies(lw_buf_view(&made->ca), lw_buf_view(&made->leaf)));
}

static void a_bundle_has_a_bound(void **state)
{
    certificates *made = *state;
    lw_buf many;
    lw_buf_init(&many, MADE_CERTIFICATE_MAX);
    for (int i = 0; i < 16; i++)
        lw_buf_append_str(&many, lw_buf_view(&made->ca));
    assert_true(lw_certificate_bundle_verifies(lw_buf_view(&many), lw_buf_view(&made->leaf)));
    lw_buf_append_str(&many, lw_buf_view(&made->ca));
    assert_false(lw_certificate_bundle_verifies(lw_buf_view(&many), lw_buf_view(&made->leaf)));
    lw_buf_done(&many);
}

static void a_certificate_verifies_itself(void **state)
{
    certificates *made = *state;
    assert_true(lw_certificate_bundle_verifies(lw_buf_view(&made->ca), lw_buf_view(&made->ca)));
    assert_true(lw_certificate_bundle_verifies(lw_buf_view(&made->leaf), lw_buf_view(&made->leaf)));
    assert_false(lw_certificate_bundle_verifies(lw_buf_view(&made->other), lw_buf_view(&made->ca)));
}

static void what_is_no_certificate_verifies_nothing(void **state)
{
    certificates *made = *state;
    assert_false(lw_certificate_bundle_verifies(LW_STR(""), lw_buf_view(&made->leaf)));
    assert_false(lw_certificate_bundle_verifies(LW_STR("other"), lw_buf_view(&made->leaf)));
    assert_false(lw_certificate_bundle_verifies(lw_buf_view(&made->ca), LW_STR("")));
}

#define BUNDLE_TEST(function)                                                                      \
    cmocka_unit_test_setup_teardown(function, certificates_setup, certificates_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        BUNDLE_TEST(a_ca_verifies_what_it_has_signed),
        BUNDLE_TEST(a_bundle_with_a_ca_of_somebody_else_verifies_nothing),
        BUNDLE_TEST(several_certificates_that_each_verify_are_taken),
        BUNDLE_TEST(a_bundle_with_other_text_verifies_nothing),
        BUNDLE_TEST(a_bundle_has_a_bound),
        BUNDLE_TEST(a_certificate_verifies_itself),
        BUNDLE_TEST(what_is_no_certificate_verifies_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
