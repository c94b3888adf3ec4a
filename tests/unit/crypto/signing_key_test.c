/* SPDX-License-Identifier: Apache-2.0 */
/* signing_key_test.c -- keys of tokens: made, written, read, and what they accept. */
#include "crypto/signing_key.h"

#include "base/error.h"
#include "base/str.h"
#include "base/text/base64.h"
#include "unit/test.h"

/* RFC 7515, A.3. */
static const lw_jwk rfc_key = {
    .type = LW_STR_INIT("EC"),
    .curve = LW_STR_INIT("P-256"),
    .x = LW_STR_INIT("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"),
    .y = LW_STR_INIT("x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"),
};
static const lw_str rfc_text =
    LW_STR_INIT("eyJhbGciOiJFUzI1NiJ9."
                "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19y"
                "b290Ijp0cnVlfQ");
static const lw_str rfc_signature =
    LW_STR_INIT("DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-"
                "Kg6NU1Q");

static void the_signature_of_the_standard_is_accepted(void **state)
{
    lw_signing_key *key = NULL;
    lw_buf signature;
    (void)state;
    lw_buf_init(&signature, 100);
    assert_true(lw_base64url_decode(&signature, rfc_signature));
    assert_int_equal(lw_signing_key_of_jwk(&key, &rfc_key, NULL), LW_OK);
    assert_string_equal(lw_signing_key_algorithm(key), "ES256");
    assert_false(lw_signing_key_is_private(key));
    assert_true(lw_signing_key_verify(key, LW_STR("ES256"), rfc_text, lw_buf_view(&signature)));
    assert_false(lw_signing_key_verify(key, LW_STR("ES256"), lw_str_skip(rfc_text, 1),
                                       lw_buf_view(&signature)));
    assert_int_equal(lw_signing_key_sign(key, rfc_text, &signature), LW_ERR_INVALID);
    lw_buf_done(&signature);
    lw_signing_key_unref(key);
}

static void a_point_that_is_not_on_the_curve_is_refused(void **state)
{
    lw_signing_key *key = NULL;
    lw_jwk jwk = rfc_key;
    lw_error err = LW_ERROR_INIT;
    (void)state;
    jwk.y = jwk.x;
    assert_int_equal(lw_signing_key_of_jwk(&key, &jwk, &err), LW_ERR_INVALID);
    jwk = rfc_key;
    jwk.curve = LW_STR("P-384");
    assert_int_equal(lw_signing_key_of_jwk(&key, &jwk, &err), LW_ERR_INVALID);
    jwk = (lw_jwk){ .type = LW_STR("oct") };
    assert_int_equal(lw_signing_key_of_jwk(&key, &jwk, &err), LW_ERR_INVALID);
}

static void short_rsa_keys_are_refused(void **state)
{
    /* 64 bytes: 512 bits */
    const lw_jwk jwk = { .type = LW_STR("RSA"),
                         .modulus =
                             LW_STR("0nj9tO4lN8l9Hc3m6n0o1p2q3r4s5t6u7v8w9x0y1z2A3B4C5D6E7F8G"
                                    "9H0I1J2K3L4M5N6O7P8Q9R0S1Q"),
                         .public = LW_STR("AQAB") };
    lw_signing_key *key = NULL;
    lw_error err = LW_ERROR_INIT;
    (void)state;
    assert_int_equal(lw_signing_key_of_jwk(&key, &jwk, &err), LW_ERR_INVALID);
}

/* Signs with a new key, reads the key back, and verifies with what was read. */
static void check_round_trip(bool is_rsa, const char *algorithm, const char *other)
{
    lw_signing_key *key = NULL, *keys[LW_SIGNING_KEYS_MAX];
    lw_buf pem, signature, jwk;
    size_t count = 0;
    lw_buf_init(&pem, 65536);
    lw_buf_init(&jwk, 65536);
    lw_buf_init(&signature, 65536);
    assert_int_equal(lw_signing_key_generate(&key, is_rsa, NULL), LW_OK);
    assert_string_equal(lw_signing_key_algorithm(key), algorithm);
    assert_int_equal(strlen(lw_signing_key_id(key)), 43);
    assert_int_equal(lw_signing_key_write(key, &pem), LW_OK);
    assert_int_equal(lw_signing_key_write_jwk(key, &jwk), LW_OK);
    assert_int_equal(lw_signing_key_sign(key, LW_STR("text"), &signature), LW_OK);
    assert_int_equal(lw_signing_keys_read(lw_buf_view(&pem), keys, &count, NULL), LW_OK);
    assert_int_equal(count, 1);
    assert_true(lw_signing_key_is_private(keys[0]));
    assert_string_equal(lw_signing_key_id(keys[0]), lw_signing_key_id(key));
    assert_true(lw_signing_key_verify(keys[0], lw_str_of(algorithm), LW_STR("text"),
                                      lw_buf_view(&signature)));
    assert_false(
        lw_signing_key_verify(keys[0], lw_str_of(other), LW_STR("text"), lw_buf_view(&signature)));
    assert_false(lw_signing_key_verify(keys[0], LW_STR("none"), LW_STR("text"), LW_STR("")));
    assert_false(
        lw_signing_key_verify(keys[0], LW_STR("HS256"), LW_STR("text"), lw_buf_view(&signature)));
    lw_signing_key_unref(keys[0]);
    lw_signing_key_unref(key);
    lw_buf_done(&pem);
    lw_buf_done(&jwk);
    lw_buf_done(&signature);
}

static void a_key_verifies_what_it_signed_and_only_by_its_algorithms(void **state)
{
    (void)state;
    check_round_trip(true, "RS256", "ES256");
    check_round_trip(false, "ES256", "RS256");
    check_round_trip(false, "ES256", "ES384");
}

static void a_file_without_keys_is_refused_with_the_reason(void **state)
{
    lw_signing_key *keys[LW_SIGNING_KEYS_MAX];
    size_t count = 0;
    lw_error err = LW_ERROR_INIT;
    (void)state;
    assert_int_equal(lw_signing_keys_read(LW_STR("nothing"), keys, &count, &err), LW_ERR_INVALID);
    assert_string_equal(err.message, "no PEM block with a key");
    assert_int_equal(lw_signing_keys_read(LW_STR("-----BEGIN THING-----\nAAAA\n"
                                                 "-----END THING-----\n"),
                                          keys, &count, &err),
                     LW_ERR_INVALID);
    assert_non_null(strstr(err.message, "\"THING\""));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_signature_of_the_standard_is_accepted),
        cmocka_unit_test(a_point_that_is_not_on_the_curve_is_refused),
        cmocka_unit_test(short_rsa_keys_are_refused),
        cmocka_unit_test(a_key_verifies_what_it_signed_and_only_by_its_algorithms),
        cmocka_unit_test(a_file_without_keys_is_refused_with_the_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
