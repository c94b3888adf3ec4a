/* SPDX-License-Identifier: Apache-2.0 */
/* made_certificates.h -- certificates for tests of what reads them. */
#ifndef LW_TESTS_UNIT_CRYPTO_MADE_CERTIFICATES_H
#define LW_TESTS_UNIT_CRYPTO_MADE_CERTIFICATES_H

#include "base/buf.h"
#include "base/str.h"
#include "net/tls/tls_make.h"
#include "unit/test.h"

enum {
    MADE_CERTIFICATE_MAX = 1 << 20,
};

/* Makes the certificate of a CA, and one that it has signed; both are to be freed. */
static inline void make_certificates(lw_buf *ca, lw_buf *leaf)
{
    const lw_tls_subject of_ca = { .common_name = "ca", .is_ca = true, .days = 10 };
    const lw_tls_subject of_leaf = { .common_name = "leaf", .days = 10 };
    lw_buf ca_key, key;
    lw_buf_init(ca, MADE_CERTIFICATE_MAX);
    lw_buf_init(leaf, MADE_CERTIFICATE_MAX);
    lw_buf_init(&ca_key, MADE_CERTIFICATE_MAX);
    lw_buf_init(&key, MADE_CERTIFICATE_MAX);
    assert_int_equal(lw_tls_make(&of_ca, LW_STR(""), LW_STR(""), ca, &ca_key, NULL), LW_OK);
    assert_int_equal(lw_tls_make(&of_leaf, lw_buf_view(ca), lw_buf_view(&ca_key), leaf, &key, NULL),
                     LW_OK);
    lw_buf_done(&ca_key);
    lw_buf_done(&key);
}

#endif
