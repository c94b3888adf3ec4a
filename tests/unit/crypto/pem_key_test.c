/* SPDX-License-Identifier: Apache-2.0 */
/* pem_key_test.c -- private keys as PEM are those of OpenSSL, whichever of both wrote them. */
#include "crypto/pem_key.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include "base/str.h"
#include "unit/test.h"

enum {
    PEM_MAX = 16 * 1024,
};

/* What OpenSSL writes. */
static void write_with_openssl(EVP_PKEY *key, lw_buf *pem)
{
    char *text = NULL;
    BIO *bio = BIO_new(BIO_s_mem());
    assert_int_equal(PEM_write_bio_PKCS8PrivateKey(bio, key, NULL, NULL, 0, NULL, NULL), 1);
    long len = BIO_get_mem_data(bio, &text);
    lw_buf_append(pem, text, (size_t)len);
    BIO_free(bio);
}

static void assert_same_bytes(lw_str got, lw_str wanted)
{
    if (!lw_str_equal(got, wanted))
        fail_msg("\"%.*s\" is not \"%.*s\"", LW_STR_ARG(got), LW_STR_ARG(wanted));
}

static void assert_same_text(EVP_PKEY *key)
{
    lw_buf own, theirs;
    lw_buf_init(&own, PEM_MAX);
    lw_buf_init(&theirs, PEM_MAX);
    assert_int_equal(lw_pem_key_write(key, &own), LW_OK);
    write_with_openssl(key, &theirs);
    assert_same_bytes(lw_buf_view(&own), lw_buf_view(&theirs));
    EVP_PKEY *read = lw_pem_key_read(lw_buf_view(&own));
    assert_non_null(read);
    assert_int_equal(EVP_PKEY_eq(read, key), 1);
    EVP_PKEY_free(read);
    lw_buf_done(&own);
    lw_buf_done(&theirs);
}

static void assert_same_public_key(EVP_PKEY *key)
{
    unsigned char *der = NULL;
    lw_buf own;
    lw_buf_init(&own, PEM_MAX);
    assert_int_equal(lw_public_key_write(key, &own), LW_OK);
    int len = i2d_PUBKEY(key, &der);
    assert_true(len > 0);
    assert_same_bytes(lw_buf_view(&own), lw_str_make((const char *)der, (size_t)len));
    OPENSSL_free(der);
    lw_buf_done(&own);
}

static void all_keys_are_written_as_openssl_does(void **state)
{
    (void)state;
    for (int i = 0; i < 16; i++) { /* also numbers that begin with zeros, now and then */
        EVP_PKEY *key = EVP_EC_gen("P-256");
        assert_same_text(key);
        assert_same_public_key(key);
        EVP_PKEY_free(key);
    }
    EVP_PKEY *others[] = { EVP_EC_gen("P-384"), EVP_EC_gen("P-521"), EVP_RSA_gen(2048),
                           EVP_PKEY_Q_keygen(NULL, NULL, "ED25519") };
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        assert_same_text(others[i]);
        assert_same_public_key(others[i]);
        EVP_PKEY_free(others[i]);
    }
}

/* The key signs: its number is read, not only its point. */
static void a_key_that_was_read_signs(void **state)
{
    (void)state;
    static const unsigned char text[] = "text";
    unsigned char signature[256];
    size_t len = sizeof(signature);
    lw_buf pem;
    lw_buf_init(&pem, PEM_MAX);
    EVP_PKEY *key = EVP_EC_gen("P-256");
    write_with_openssl(key, &pem);
    EVP_PKEY *read = lw_pem_key_read(lw_buf_view(&pem));
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    assert_int_equal(EVP_DigestSignInit(context, NULL, EVP_sha256(), NULL, read), 1);
    assert_int_equal(EVP_DigestSign(context, signature, &len, text, sizeof(text)), 1);
    EVP_MD_CTX_reset(context);
    assert_int_equal(EVP_DigestVerifyInit(context, NULL, EVP_sha256(), NULL, key), 1);
    assert_int_equal(EVP_DigestVerify(context, signature, len, text, sizeof(text)), 1);
    EVP_MD_CTX_free(context);
    EVP_PKEY_free(read);
    EVP_PKEY_free(key);
    lw_buf_done(&pem);
}

static void other_formats_and_what_stands_before_them_are_read(void **state)
{
    (void)state;
    char *text = NULL;
    EVP_PKEY *key = EVP_EC_gen("P-256");
    BIO *bio = BIO_new(BIO_s_mem());
    BIO_puts(bio, "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n");
    assert_int_equal(PEM_write_bio_PrivateKey_traditional(bio, key, NULL, NULL, 0, NULL, NULL), 1);
    long len = BIO_get_mem_data(bio, &text);
    EVP_PKEY *read = lw_pem_key_read(lw_str_make(text, (size_t)len));
    assert_non_null(read);
    assert_int_equal(EVP_PKEY_eq(read, key), 1);
    EVP_PKEY_free(read);
    EVP_PKEY_free(key);
    BIO_free(bio);
}

static void what_is_no_key_is_refused(void **state)
{
    (void)state;
    lw_buf pem;
    lw_buf_init(&pem, PEM_MAX);
    assert_null(lw_pem_key_read(LW_STR("")));
    assert_null(lw_pem_key_read(lw_str_make(NULL, 0)));
    assert_null(lw_pem_key_read(LW_STR("no key")));
    assert_null(lw_pem_key_decode(LW_STR("\x30\x00")));
    EVP_PKEY *key = EVP_EC_gen("P-256");
    write_with_openssl(key, &pem);
    /* The point is at the end. */
    BIO *bio = BIO_new_mem_buf(pem.data, (int)pem.len);
    char *name = NULL, *header = NULL;
    unsigned char *der = NULL;
    long len = 0;
    assert_int_equal(PEM_read_bio(bio, &name, &header, &der, &len), 1);
    der[len - 1] ^= 1;
    assert_null(lw_pem_key_decode(lw_str_make((const char *)der, (size_t)len)));
    assert_null(lw_pem_key_decode(lw_str_make((const char *)der, (size_t)len - 1)));
    OPENSSL_free(name);
    OPENSSL_free(header);
    OPENSSL_free(der);
    BIO_free(bio);
    EVP_PKEY_free(key);
    lw_buf_done(&pem);
    ERR_clear_error();
}

static void an_encrypted_key_is_refused_and_no_password_is_asked(void **state)
{
    (void)state;
    char *text = NULL, password[] = "secret";
    EVP_PKEY *key = EVP_EC_gen("P-256");
    BIO *bio = BIO_new(BIO_s_mem());
    assert_int_equal(PEM_write_bio_PKCS8PrivateKey(bio, key, EVP_aes_128_cbc(), NULL, 0, NULL,
                                                   password),
                     1);
    long len = BIO_get_mem_data(bio, &text);
    assert_null(lw_pem_key_read(lw_str_make(text, (size_t)len)));
    BIO_free(bio);
    EVP_PKEY_free(key);
    ERR_clear_error();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(all_keys_are_written_as_openssl_does),
        TEST(a_key_that_was_read_signs),
        TEST(other_formats_and_what_stands_before_them_are_read),
        TEST(what_is_no_key_is_refused),
        TEST(an_encrypted_key_is_refused_and_no_password_is_asked),
    };
    return cmocka_run_group_tests_name("pem_key", tests, NULL, NULL);
}
