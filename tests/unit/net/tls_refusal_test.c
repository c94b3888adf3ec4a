/* SPDX-License-Identifier: Apache-2.0 */
/* tls_refusal_test.c -- what a client may not send after the handshake, and the alert it gets. */
#include "net/tls/tls_channel.h"

#include "unit/net/tls_scene.h"

enum {
    EMPTY_MAX = 32,
};

static void a_changed_byte_is_refused_after_the_data_before_it(void **state)
{
    (void)state;
    lw_buf bytes;
    lw_buf_init(&bytes, READ_SIZE);
    for (size_t at = LW_TLS_RECORD_HEAD; at < LW_TLS_RECORD_HEAD + 3 + 1 + LW_TLS_RECORD_TAG;
         at++) {
        scene s;
        open_scene(&s, CHACHA);
        lw_buf_reset(&bytes);
        tls_peer_seal(&s.peer, LW_TLS_DATA, LW_STR("one"), &bytes);
        size_t second = bytes.len;
        tls_peer_seal(&s.peer, LW_TLS_DATA, LW_STR("two"), &bytes);
        bytes.data[second + at] ^= 1;
        send_raw(&s, lw_buf_view(&bytes));
        expect_data(&s, "one");
        assert_true(lw_tls_channel_has_more(s.peer.channel));
        expect_result(&s, LW_TLS_FAILED);
        expect_alert(&s, 2, LW_TLS_BAD_RECORD_MAC);
        close_scene(&s);
    }
    lw_buf_done(&bytes);
}

static void a_record_that_was_sent_before_is_refused(void **state)
{
    (void)state;
    scene s;
    lw_buf bytes;
    open_scene(&s, AES_128);
    lw_buf_init(&bytes, READ_SIZE);
    tls_peer_seal(&s.peer, LW_TLS_DATA, LW_STR("one"), &bytes);
    send_raw(&s, lw_buf_view(&bytes));
    expect_data(&s, "one");
    send_raw(&s, lw_buf_view(&bytes));
    expect_result(&s, LW_TLS_FAILED);
    expect_alert(&s, 2, LW_TLS_BAD_RECORD_MAC);
    lw_buf_done(&bytes);
    close_scene(&s);
}

static void what_is_no_record_is_refused(void **state)
{
    (void)state;
    static const struct {
        lw_str bytes;
        lw_tls_alert alert;
    } rows[] = {
        { LW_STR_INIT("GET / HTTP/1.1\r\n"), LW_TLS_UNEXPECTED_MESSAGE },
        { LW_STR_INIT("\x16\x03\x03\x00\x20........"), LW_TLS_UNEXPECTED_MESSAGE },
        { LW_STR_INIT("\x14\x03\x03\x00\x01\x01"), LW_TLS_UNEXPECTED_MESSAGE },
        { LW_STR_INIT("\x15\x03\x03\x00\x02\x01\x00"), LW_TLS_UNEXPECTED_MESSAGE },
        { LW_STR_INIT("\x17\x03\x03\x41\x01........"), LW_TLS_RECORD_OVERFLOW },
        { LW_STR_INIT("\x17\x03\x03\xff\xff........"), LW_TLS_RECORD_OVERFLOW },
        { LW_STR_INIT("\x17\x03\x03\x00\x00"), LW_TLS_BAD_RECORD_MAC },
        { LW_STR_INIT("\x17\x03\x03\x00\x10................"), LW_TLS_BAD_RECORD_MAC },
        { LW_STR_INIT("\x17\x03\x03\x00\x11................."), LW_TLS_BAD_RECORD_MAC },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        for (size_t cut = 0; cut <= LW_TLS_RECORD_HEAD; cut += LW_TLS_RECORD_HEAD - 1) {
            scene s;
            open_scene(&s, AES_128);
            if (cut > 0 && cut < LW_TLS_RECORD_HEAD) {
                send_raw(&s, lw_str_make(rows[i].bytes.ptr, cut));
                expect_result(&s, LW_TLS_WANTS_READ);
                send_raw(&s, lw_str_skip(rows[i].bytes, cut));
            } else {
                send_raw(&s, rows[i].bytes);
            }
            expect_result(&s, LW_TLS_FAILED);
            expect_alert(&s, 2, rows[i].alert);
            close_scene(&s);
        }
    }
}

static void what_a_client_does_not_send_is_refused(void **state)
{
    (void)state;
    static char big[LW_TLS_RECORD_DATA_MAX + 1];
    const struct {
        lw_tls_content content;
        lw_str data;
        lw_tls_alert alert;
    } rows[] = {
        { 0, LW_STR("\0\0\0"), LW_TLS_UNEXPECTED_MESSAGE },
        { 20, LW_STR("\x01"), LW_TLS_UNEXPECTED_MESSAGE },
        { 24, LW_STR("x"), LW_TLS_UNEXPECTED_MESSAGE },
        { LW_TLS_HANDSHAKE, LW_STR(""), LW_TLS_UNEXPECTED_MESSAGE },
        { LW_TLS_HANDSHAKE, LW_STR("\x01\0\0\x01\0"), LW_TLS_UNEXPECTED_MESSAGE },
        { LW_TLS_HANDSHAKE, LW_STR("\x18\0\0\x01"), LW_TLS_UNEXPECTED_MESSAGE },
        { LW_TLS_HANDSHAKE, LW_STR("\x18\0\0\x01\0\x18\0\0\x01\0"), LW_TLS_UNEXPECTED_MESSAGE },
        { LW_TLS_HANDSHAKE, LW_STR("\x18\0\0\x01\x02"), LW_TLS_ILLEGAL_PARAMETER },
        { LW_TLS_ALERT, LW_STR(""), LW_TLS_DECODE_ERROR },
        { LW_TLS_ALERT, LW_STR("\x01\0\x01\0"), LW_TLS_DECODE_ERROR },
        { LW_TLS_DATA, lw_str_make(big, sizeof(big)), LW_TLS_RECORD_OVERFLOW },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        scene s;
        open_scene(&s, AES_128);
        send_record(&s, rows[i].content, rows[i].data);
        expect_result(&s, LW_TLS_FAILED);
        expect_alert(&s, 2, rows[i].alert);
        close_scene(&s);
    }
}

static void an_alert_of_the_client_ends_the_connection(void **state)
{
    (void)state;
    scene s;
    open_scene(&s, AES_128);
    send_record(&s, LW_TLS_ALERT, LW_STR("\x01\x5a")); /* user_canceled: close_notify follows */
    expect_result(&s, LW_TLS_WANTS_READ);
    send_record(&s, LW_TLS_ALERT, LW_STR("\x02\x2e"));
    expect_result(&s, LW_TLS_FAILED);
    close_scene(&s);
}

static void records_without_data_are_bounded(void **state)
{
    (void)state;
    scene s;
    open_scene(&s, AES_128);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < EMPTY_MAX; i++)
            send_record(&s, LW_TLS_DATA, LW_STR(""));
        expect_result(&s, LW_TLS_WANTS_READ);
        send_record(&s, LW_TLS_DATA, LW_STR("data"));
        expect_data(&s, "data");
    }
    for (int i = 0; i <= EMPTY_MAX; i++) {
        send_record(&s, LW_TLS_HANDSHAKE, update);
        assert_true(lw_tls_keys_update(&s.peer.writes, s.peer.engine));
    }
    expect_result(&s, LW_TLS_FAILED);
    expect_alert(&s, 2, LW_TLS_UNEXPECTED_MESSAGE);
    close_scene(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_changed_byte_is_refused_after_the_data_before_it),
        TEST(a_record_that_was_sent_before_is_refused),
        TEST(what_is_no_record_is_refused),
        TEST(what_a_client_does_not_send_is_refused),
        TEST(an_alert_of_the_client_ends_the_connection),
        TEST(records_without_data_are_bounded),
    };
    return cmocka_run_group_tests_name("tls_refusal", tests, NULL, NULL);
}
