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

static void one_of_several_cas_is_enough(void **state)
{
    certificates *made = *state;
    lw_buf_append_str(&made->other, lw_buf_view(&made->ca));
    assert_true(
        lw_certificate_bundle_verifies(lw_buf_view(&made->other), lw_buf_view(&made->leaf)));
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
        BUNDLE_TEST(one_of_several_cas_is_enough),
        BUNDLE_TEST(a_certificate_verifies_itself),
        BUNDLE_TEST(what_is_no_certificate_verifies_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
