/* SPDX-License-Identifier: Apache-2.0 */
/* aes_test.c -- AES with the vectors of NIST SP 800-38A (CBC) and of the GCM specification. */
#include "crypto/aes.h"

#include "unit/crypto/hex.h"

static void cbc_encrypts_the_vectors_of_nist(void **state)
{
    (void)state;
    lw_str key = from_hex("2b7e151628aed2a6abf7158809cf4f3c");
    lw_str iv = from_hex("000102030405060708090a0b0c0d0e0f");
    lw_str plain = from_hex("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51");
    lw_buf out;
    lw_buf_init(&out, HEX_ROOM);
    assert_int_equal(lw_aes_cbc_encrypt(key, iv, plain, &out), LW_OK);
    assert_int_equal(out.len, 48); /* a block of padding follows */
    assert_bytes(lw_str_make(out.data, 32),
                 from_hex("7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2"));
    lw_buf back;
    lw_buf_init(&back, HEX_ROOM);
    assert_int_equal(lw_aes_cbc_decrypt(key, iv, lw_buf_view(&out), &back), LW_OK);
    assert_bytes(lw_buf_view(&back), plain);
    lw_buf_done(&back);
    lw_buf_done(&out);
}

static void cbc_of_another_key_or_length_is_refused(void **state)
{
    (void)state;
    lw_str key = from_hex("000102030405060708090a0b0c0d0e0f1011121314151617");
    lw_str other = from_hex("100102030405060708090a0b0c0d0e0f1011121314151617");
    lw_str iv = from_hex("000102030405060708090a0b0c0d0e0f");
    lw_buf out, back;
    lw_buf_init(&out, HEX_ROOM);
    lw_buf_init(&back, HEX_ROOM);
    assert_int_equal(lw_aes_cbc_encrypt(key, iv, lw_str_of("hello"), &out), LW_OK);
    assert_int_equal(lw_aes_cbc_decrypt(other, iv, lw_buf_view(&out), &back), LW_ERR_INVALID);
    assert_int_equal(lw_aes_cbc_decrypt(key, iv, lw_str_make(out.data, out.len - 1), &back),
                     LW_ERR_INVALID);
    assert_int_equal(lw_aes_cbc_decrypt(key, iv, lw_str_of(""), &back), LW_ERR_INVALID);
    assert_int_equal(back.len, 0);
    lw_buf_done(&back);
    lw_buf_done(&out);
}

static void gcm_encrypts_test_case_4(void **state)
{
    (void)state;
    lw_str key = from_hex("feffe9928665731c6d6a8f9467308308");
    lw_str nonce = from_hex("cafebabefacedbaddecaf888");
    lw_str data = from_hex("feedfacedeadbeeffeedfacedeadbeefabaddad2");
    lw_str plain =
        from_hex("d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c9"
                 "5956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39");
    lw_buf out, back;
    lw_buf_init(&out, HEX_ROOM);
    lw_buf_init(&back, HEX_ROOM);
    assert_int_equal(lw_aes_gcm_encrypt(key, nonce, data, plain, &out), LW_OK);
    assert_bytes(lw_buf_view(&out),
                 from_hex("42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b2"
                          "5466931c7d8f6a5aac84aa051ba30b396a0aac973d58e0915bc94fbc3221a5db94fae95a"
                          "e7121a47"));
    assert_int_equal(lw_aes_gcm_decrypt(key, nonce, data, lw_buf_view(&out), &back), LW_OK);
    assert_bytes(lw_buf_view(&back), plain);
    lw_buf_done(&back);
    lw_buf_done(&out);
}

/* Of an empty text there is only the tag, which authenticates the data. */
static void gcm_notices_every_changed_byte(void **state)
{
    (void)state;
    lw_str key = from_hex("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f");
    lw_str nonce = from_hex("000102030405060708090a0b");
    lw_buf out, back;
    lw_buf_init(&out, HEX_ROOM);
    lw_buf_init(&back, HEX_ROOM);
    assert_int_equal(lw_aes_gcm_encrypt(key, nonce, lw_str_of("/a"), lw_str_of("text"), &out),
                     LW_OK);
    assert_int_equal(out.len, 4 + LW_AES_GCM_TAG);
    for (size_t i = 0; i < out.len; i++) {
        out.data[i] ^= 1;
        assert_int_equal(lw_aes_gcm_decrypt(key, nonce, lw_str_of("/a"), lw_buf_view(&out), &back),
                         LW_ERR_INVALID);
        out.data[i] ^= 1;
    }
    assert_int_equal(lw_aes_gcm_decrypt(key, nonce, lw_str_of("/b"), lw_buf_view(&out), &back),
                     LW_ERR_INVALID);
    assert_int_equal(lw_aes_gcm_decrypt(key, nonce, lw_str_of("/a"), lw_str_of("short"), &back),
                     LW_ERR_INVALID);
    assert_int_equal(back.len, 0);
    assert_int_equal(lw_aes_gcm_decrypt(key, nonce, lw_str_of("/a"), lw_buf_view(&out), &back),
                     LW_OK);
    assert_str_equal(lw_buf_view(&back), "text");
    lw_buf_done(&back);
    lw_buf_done(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(cbc_encrypts_the_vectors_of_nist),
        TEST(cbc_of_another_key_or_length_is_refused),
        TEST(gcm_encrypts_test_case_4),
        TEST(gcm_notices_every_changed_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
