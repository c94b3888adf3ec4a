/* SPDX-License-Identifier: Apache-2.0 */
/* pem_test.c -- a first look at certificates and keys. */
#include "transport/upstream.h"

#include "base/str.h"
#include "unit/test.h"

#define BLOCK(label, inner) "-----BEGIN " label "-----\n" inner "-----END " label "-----\n"
#define CERT                BLOCK("CERTIFICATE", "AAAA\n")
#define KEY                 BLOCK("PRIVATE KEY", "AAAA\n")

static lw_status certificate(const char *pem)
{
    return lw_pem_check_certificate(lw_str_of(pem), "it", NULL);
}

static lw_status key(const char *pem)
{
    return lw_pem_check_key(lw_str_of(pem), "it", NULL);
}

static void takes_whole_blocks(void **state)
{
    (void)state;
    assert_int_equal(certificate(CERT), LW_OK);
    assert_int_equal(certificate("a comment\n" KEY CERT CERT), LW_OK);
    assert_int_equal(certificate(BLOCK("TRUSTED CERTIFICATE", "AAAA\n")), LW_OK);
    assert_int_equal(key(KEY), LW_OK);
    assert_int_equal(key(BLOCK("EC PARAMETERS", "AA==\n") BLOCK("EC PRIVATE KEY", "AAAA\n")),
                     LW_OK);
    assert_int_equal(key(BLOCK("RSA PRIVATE KEY", "AAAA\n")), LW_OK);
}

static void refuses_what_is_not_there_or_not_whole(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "",
        "hello",
        "-----BEGIN ",
        "-----BEGIN CERTIFICATE",
        "-----BEGIN CERTIFICATE-----\nAAAA\n",
        "-----BEGIN CERTIFICATE-----\nAAAA\n-----END ",
        "-----BEGIN CERTIFICATE-----\nAAAA\n-----END PRIVATE KEY-----\n",
        BLOCK("CERTIFICATE", "\n"),
        KEY,
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_int_equal(certificate(wrong[i]), LW_ERR_INVALID);
    assert_int_equal(key(CERT), LW_ERR_INVALID);
}

/* OpenSSL would ask at the terminal. */
static void refuses_keys_with_a_passphrase(void **state)
{
    (void)state;
    lw_error err = LW_ERROR_INIT;
    lw_str old = LW_STR(BLOCK("RSA PRIVATE KEY", "Proc-Type: 4,ENCRYPTED\nDEK-Info: x\n\nAAAA\n"));
    assert_int_equal(key(BLOCK("ENCRYPTED PRIVATE KEY", "AAAA\n")), LW_ERR_INVALID);
    assert_int_equal(lw_pem_check_key(old, "the client key", &err), LW_ERR_INVALID);
    assert_string_equal(err.message,
                        "the client key is encrypted with a passphrase; use an unencrypted key");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(takes_whole_blocks),
        TEST(refuses_what_is_not_there_or_not_whole),
        TEST(refuses_keys_with_a_passphrase),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
