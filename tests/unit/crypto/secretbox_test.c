/* SPDX-License-Identifier: Apache-2.0 */
/* secretbox_test.c -- XSalsa20-Poly1305 with the example of D. J. Bernstein, "Cryptography in
 * NaCl". */
#include "crypto/secretbox.h"

#include "crypto/salsa20.h"
#include "unit/crypto/hex.h"

static const char first_key[] = "1b27556473e985d462cd51197a9a46c76009549eac6474f206c4ee0844f68389";
static const char nonce_text[] = "69696ee955b62b73cd62bda875fc73d68219e0036b7a0b37";
static const char message[] =
    "be075fc53c81f2d5cf141316ebeb0c7b5228c52a4c62cbd44b66849b64244ffce5ecbaaf33bd751a1ac728d45e6c61"
    "296cdc3c01233561f41db66cce314adb310e3be8250c46f06dceea3a7fa1348057e2f6556ad6b1318a024a838f21af"
    "1fde048977eb48f59ffd4924ca1c60902e52f0a089bc76897040e082f937763848645e0705";
static const char boxed[] =
    "f3ffc7703f9400e52a7dfb4b3d3305d98e993b9f48681273c29650ba32fc76ce48332ea7164d96a4476fb8c531a118"
    "6ac0dfc17c98dce87b4da7f011ec48c97271d2c20f9b928fe2270d6fb863d51738b48eeee314a7cc8ab932164548e5"
    "26ae90224368517acfeabd6bb3732bc0e9da99832b61ca01b6de56244a9e88d5f9b37973f622a43d14a6599b1f654c"
    "b45a74e355a5";

static void derives_the_second_key_of_the_paper(void **state)
{
    (void)state;
    unsigned char second[LW_SALSA20_KEY];
    lw_hsalsa20((const unsigned char *)from_hex(first_key).ptr,
                (const unsigned char *)from_hex(nonce_text).ptr, second);
    assert_bytes(lw_str_make((const char *)second, sizeof(second)),
                 from_hex("dc908dda0b9344a953629b733820778880f3ceb421bb61b91cbd4c3e66256ce4"));
}

static void seals_the_message_of_the_paper(void **state)
{
    (void)state;
    lw_buf box, back;
    lw_buf_init(&box, HEX_ROOM);
    lw_buf_init(&back, HEX_ROOM);
    assert_int_equal(lw_secretbox_seal(from_hex(first_key), from_hex(nonce_text), from_hex(message),
                                       &box),
                     LW_OK);
    assert_bytes(lw_buf_view(&box), from_hex(boxed));
    assert_int_equal(lw_secretbox_open(from_hex(first_key), from_hex(nonce_text), from_hex(boxed),
                                       &back),
                     LW_OK);
    assert_bytes(lw_buf_view(&back), from_hex(message));
    lw_buf_done(&back);
    lw_buf_done(&box);
}

static void a_changed_box_is_not_opened(void **state)
{
    (void)state;
    lw_buf box, back;
    lw_buf_init(&box, HEX_ROOM);
    lw_buf_init(&back, HEX_ROOM);
    lw_buf_append_str(&box, from_hex(boxed));
    for (size_t i = 0; i < box.len; i++) {
        box.data[i] ^= 0x10;
        assert_int_equal(lw_secretbox_open(from_hex(first_key), from_hex(nonce_text),
                                           lw_buf_view(&box), &back),
                         LW_ERR_INVALID);
        box.data[i] ^= 0x10;
    }
    assert_int_equal(lw_secretbox_open(from_hex(first_key), from_hex(nonce_text),
                                       lw_str_of("short"), &back),
                     LW_ERR_INVALID);
    assert_int_equal(back.len, 0);
    lw_buf_done(&back);
    lw_buf_done(&box);
}

/* Reads of the stream in pieces are as one read, beyond 256 blocks too: the counter carries. */
static void pieces_of_the_stream_fit_together(void **state)
{
    (void)state;
    static unsigned char whole[20000], pieces[20000];
    lw_xsalsa20 stream;
    lw_xsalsa20_init(&stream, (const unsigned char *)from_hex(first_key).ptr,
                     (const unsigned char *)from_hex(nonce_text).ptr);
    lw_xsalsa20_xor(&stream, whole, sizeof(whole), whole);
    lw_xsalsa20_init(&stream, (const unsigned char *)from_hex(first_key).ptr,
                     (const unsigned char *)from_hex(nonce_text).ptr);
    for (size_t at = 0, step = 1; at < sizeof(pieces); at += step, step = step * 3 % 97 + 1) {
        size_t len = sizeof(pieces) - at < step ? sizeof(pieces) - at : step;
        lw_xsalsa20_xor(&stream, pieces + at, len, pieces + at);
    }
    assert_memory_equal(whole, pieces, sizeof(whole));
    /* No block repeats. */
    for (size_t at = LW_SALSA20_BLOCK; at + LW_SALSA20_BLOCK <= sizeof(whole);
         at += LW_SALSA20_BLOCK)
        assert_memory_not_equal(whole, whole + at, LW_SALSA20_BLOCK);
    lw_xsalsa20_done(&stream);
}

static void an_empty_text_has_a_tag(void **state)
{
    (void)state;
    lw_buf box, back;
    lw_buf_init(&box, HEX_ROOM);
    lw_buf_init(&back, HEX_ROOM);
    assert_int_equal(lw_secretbox_seal(from_hex(first_key), from_hex(nonce_text), lw_str_of(""),
                                       &box),
                     LW_OK);
    assert_int_equal(box.len, LW_SECRETBOX_TAG);
    assert_int_equal(lw_secretbox_open(from_hex(first_key), from_hex(nonce_text), lw_buf_view(&box),
                                       &back),
                     LW_OK);
    assert_int_equal(back.len, 0);
    lw_buf_done(&back);
    lw_buf_done(&box);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(derives_the_second_key_of_the_paper),
        TEST(seals_the_message_of_the_paper),
        TEST(a_changed_box_is_not_opened),
        TEST(pieces_of_the_stream_fit_together),
        TEST(an_empty_text_has_a_tag),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
