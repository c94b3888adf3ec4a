/* SPDX-License-Identifier: Apache-2.0 */
/* tls_channel_test.c -- records of TLS 1.3 on a socket.  The handshake before them, and clients
 * that we did not write, are in tests/e2e; what is refused is in tls_refusal_test.c. */
#include "net/tls/tls_channel.h"

#include "unit/net/tls_scene.h"

enum {
    BIG = 200 * 1000,
};

static const unsigned suites[] = { AES_128, AES_256, CHACHA };
enum {
    SUITES = sizeof(suites) / sizeof(suites[0])
};

static const lw_str update_requested = LW_STR_INIT("\x18\0\0\x01\x01");
static const lw_str close_notify = LW_STR_INIT("\x01\0");

/* The second record of the server in the first trace of RFC 8448. */
static void records_are_those_of_the_rfc(void **state)
{
    static const unsigned char secret[] = {
        0xa1, 0x1a, 0xf9, 0xf0, 0x55, 0x31, 0xf8, 0x56, 0xad, 0x47, 0x11,
        0x6b, 0x45, 0xa9, 0x50, 0x32, 0x82, 0x04, 0xb4, 0xf4, 0x4b, 0xfb,
        0x6b, 0x3a, 0x4b, 0x4f, 0x1f, 0x3f, 0xcb, 0x63, 0x16, 0x43,
    };
    static const unsigned char expected[] = {
        0x17, 0x03, 0x03, 0x00, 0x43, 0x2e, 0x93, 0x7e, 0x11, 0xef, 0x4a, 0xc7, 0x40, 0xe5, 0x38,
        0xad, 0x36, 0x00, 0x5f, 0xc4, 0xa4, 0x69, 0x32, 0xfc, 0x32, 0x25, 0xd0, 0x5f, 0x82, 0xaa,
        0x1b, 0x36, 0xe3, 0x0e, 0xfa, 0xf9, 0x7d, 0x90, 0xe6, 0xdf, 0xfc, 0x60, 0x2d, 0xcb, 0x50,
        0x1a, 0x59, 0xa8, 0xfc, 0xc4, 0x9c, 0x4b, 0xf2, 0xe5, 0xf0, 0xa2, 0x1c, 0x00, 0x47, 0xc2,
        0xab, 0xf3, 0x32, 0x54, 0x0d, 0xd0, 0x32, 0xe1, 0x67, 0xc2, 0x95, 0x5d,
    };
    (void)state;
    char data[50], record[sizeof(data) + LW_TLS_RECORD_COST];
    lw_tls_engine *engine = lw_tls_engine_new();
    lw_tls_keys keys;
    lw_tls_sealing sealing;
    for (size_t i = 0; i < sizeof(data); i++)
        data[i] = (char)i;
    assert_true(lw_tls_keys_init(&keys, engine, lw_tls_suite_find(AES_128), secret));
    keys.sequence = 1;
    lw_tls_seal_begin(&sealing, engine, &keys, record, sizeof(data));
    lw_tls_seal_add(&sealing, engine, lw_str_make(data, 20));
    lw_tls_seal_add(&sealing, engine, lw_str_make(data + 20, sizeof(data) - 20));
    assert_ptr_equal(lw_tls_seal_end(&sealing, engine, LW_TLS_DATA), record + sizeof(record));
    assert_int_equal(sizeof(expected), sizeof(record));
    assert_memory_equal(record, expected, sizeof(record));
    lw_tls_engine_free(engine);
}

static void data_arrive_with_each_suite(void **state)
{
    (void)state;
    for (size_t i = 0; i < SUITES; i++) {
        scene s;
        open_scene(&s, suites[i]);
        for (int round = 0; round < 3; round++) {
            send_record(&s, LW_TLS_DATA, LW_STR("a request"));
            expect_data(&s, "a request");
            expect_written(&s, "a reply");
            expect_record(&s, LW_TLS_DATA, LW_STR("a reply"));
        }
        expect_result(&s, LW_TLS_WANTS_READ);
        close_scene(&s);
    }
    assert_null(lw_tls_suite_find(0xc02f));
}

static void records_may_come_byte_by_byte(void **state)
{
    (void)state;
    scene s;
    lw_buf bytes;
    open_scene(&s, AES_128);
    lw_buf_init(&bytes, READ_SIZE);
    tls_peer_seal(&s.peer, LW_TLS_DATA, LW_STR("one"), &bytes);
    size_t first = bytes.len;
    tls_peer_seal(&s.peer, LW_TLS_DATA, LW_STR("two"), &bytes);
    for (size_t i = 0; i < bytes.len; i++) {
        send_raw(&s, lw_str_make(bytes.data + i, 1));
        if (i + 1 == first)
            expect_data(&s, "one");
        else if (i + 1 < bytes.len)
            expect_result(&s, LW_TLS_WANTS_READ);
    }
    expect_data(&s, "two");
    lw_buf_done(&bytes);
    close_scene(&s);
}

static void records_may_be_cut_anywhere(void **state)
{
    (void)state;
    scene s;
    open_scene(&s, AES_128);
    for (size_t cut = 1; cut < 60; cut++) {
        lw_buf bytes;
        lw_buf_init(&bytes, READ_SIZE);
        tls_peer_seal(&s.peer, LW_TLS_DATA, LW_STR("one"), &bytes);
        tls_peer_seal(&s.peer, LW_TLS_DATA, LW_STR("two"), &bytes);
        tls_peer_seal(&s.peer, LW_TLS_DATA, LW_STR("three"), &bytes);
        lw_buf got;
        lw_buf_init(&got, READ_SIZE);
        send_raw(&s, lw_str_make(bytes.data, cut));
        while (read_some(&s, &got) == LW_TLS_OK)
            ;
        send_raw(&s, lw_str_make(bytes.data + cut, bytes.len - cut));
        while (read_some(&s, &got) == LW_TLS_OK)
            ;
        assert_str_equal(lw_buf_view(&got), "onetwothree");
        lw_buf_done(&got);
        lw_buf_done(&bytes);
    }
    close_scene(&s);
}

static void full_records_and_padding_are_read(void **state)
{
    (void)state;
    scene s;
    static char full[LW_TLS_RECORD_DATA_MAX];
    memset(full, 'x', sizeof(full));
    open_scene(&s, AES_128);
    for (int i = 0; i < 3; i++)
        send_record(&s, LW_TLS_DATA, lw_str_make(full, sizeof(full)));
    lw_buf got;
    lw_buf_init(&got, 4 * sizeof(full));
    while (read_some(&s, &got) == LW_TLS_OK)
        ;
    assert_int_equal(got.len, 3 * sizeof(full));
    lw_buf_done(&got);
    /* The type is the last byte that is not zero. */
    send_record(&s, 0, lw_str_make("padded\x17\0\0\0", 10));
    expect_data(&s, "padded");
    close_scene(&s);
}

/* Lets the client take at most 1,000 bytes from the socket into |raw|, and appends the data of the
 * records that are complete to |got|. */
static void take_a_little(scene *s, lw_buf *raw, lw_buf *got)
{
    char part[1000];
    lw_tls_alert alert;
    lw_tls_content content;
    lw_str data;
    ssize_t more = recv(s->peer.fds[1], part, sizeof(part), 0);
    assert_true(more > 0);
    lw_buf_append(raw, part, (size_t)more);
    while (raw->len >= LW_TLS_RECORD_HEAD) {
        size_t size = lw_tls_record_size(raw->data, &alert);
        assert_true(size > 0);
        if (raw->len < size)
            return;
        assert_true(
            lw_tls_open(s->peer.engine, &s->peer.reads, raw->data, size, &data, &content, &alert));
        lw_buf_append_str(got, data);
        assert_int_equal(got->st, LW_OK); /* not more than was written */
        memmove(raw->data, raw->data + size, raw->len - size);
        lw_buf_truncate(raw, raw->len - size);
    }
}

/* Points |pieces| to what is left of |text|, |step| bytes each. */
static size_t cut(lw_str text, size_t step, struct iovec *pieces, size_t max)
{
    size_t count = 0;
    for (; text.len > 0 && count < max; count++) {
        size_t part = text.len < step ? text.len : step;
        pieces[count].iov_len = part;
        memcpy(&pieces[count].iov_base, &text.ptr, sizeof(text.ptr));
        text = lw_str_skip(text, part);
    }
    return count;
}

/* Writes in pieces of |step| bytes to a socket that accepts little at once; the client reads when
 * it is full. */
static void write_slowly(size_t step)
{
    enum {
        PIECES = 64
    };
    static char text[BIG];
    int small = 4096;
    unsigned blocks = 0;
    scene s;
    lw_buf raw, got;
    open_scene(&s, AES_128);
    assert_int_equal(setsockopt(s.peer.fds[0], SOL_SOCKET, SO_SNDBUF, &small, sizeof(small)), 0);
    for (size_t i = 0; i < sizeof(text); i++)
        text[i] = (char)(i * 7 + i / 251);
    lw_buf_init(&raw, 2 * LW_TLS_RECORD_MAX);
    lw_buf_init(&got, BIG);
    for (lw_str left = lw_str_make(text, BIG); left.len > 0;) {
        struct iovec pieces[PIECES];
        size_t sent = 0;
        /* After a block there may be more than before. */
        size_t count = cut(left, step, pieces, blocks % 2 ? PIECES : PIECES / 2);
        lw_tls_result result = lw_tls_channel_write(s.peer.channel, pieces, count, &sent);
        assert_true(result == LW_TLS_OK ? sent > 0 : result == LW_TLS_WANTS_WRITE);
        if (result == LW_TLS_OK) {
            left = lw_str_skip(left, sent);
            continue;
        }
        blocks++;
        take_a_little(&s, &raw, &got);
    }
    while (got.len < BIG)
        take_a_little(&s, &raw, &got);
    assert_int_equal(got.len, BIG);
    assert_memory_equal(got.data, text, BIG);
    assert_true(blocks > 2);
    lw_buf_done(&raw);
    lw_buf_done(&got);
    close_scene(&s);
}

static void what_the_socket_does_not_accept_is_sent_later(void **state)
{
    (void)state;
    write_slowly(BIG);
    write_slowly(100);
    write_slowly(16385);
}

static void a_key_update_is_followed_and_answered(void **state)
{
    (void)state;
    for (size_t i = 0; i < SUITES; i++) {
        scene s;
        open_scene(&s, suites[i]);
        for (int round = 0; round < 3; round++) {
            send_record(&s, LW_TLS_HANDSHAKE, update_requested);
            assert_true(lw_tls_keys_update(&s.peer.writes, s.peer.engine));
            send_record(&s, LW_TLS_DATA, LW_STR("new key"));
            expect_data(&s, "new key");
            expect_written(&s, "reply");
            expect_record(&s, LW_TLS_HANDSHAKE, update);
            assert_true(lw_tls_keys_update(&s.peer.reads, s.peer.engine));
            expect_record(&s, LW_TLS_DATA, LW_STR("reply"));
            send_record(&s, LW_TLS_HANDSHAKE, update);
            assert_true(lw_tls_keys_update(&s.peer.writes, s.peer.engine));
            expect_result(&s, LW_TLS_WANTS_READ);
            expect_written(&s, "another");
            expect_record(&s, LW_TLS_DATA, LW_STR("another"));
        }
        close_scene(&s);
    }
}

static void a_key_is_replaced_before_it_is_worn(void **state)
{
    (void)state;
    scene s = { .engine = lw_tls_engine_new() };
    lw_tls_secrets secrets = tls_peer_secrets(AES_128, 1);
    secrets.sent = LW_TLS_KEY_RECORDS - 1;
    assert_true(tls_peer_open(&s.peer, s.engine, secrets));
    s.peer.reads.sequence = secrets.sent;
    expect_written(&s, "the last");
    expect_record(&s, LW_TLS_DATA, LW_STR("the last"));
    expect_written(&s, "the first");
    expect_record(&s, LW_TLS_HANDSHAKE, update);
    assert_true(lw_tls_keys_update(&s.peer.reads, s.peer.engine));
    expect_record(&s, LW_TLS_DATA, LW_STR("the first"));
    close_scene(&s);
}

static void an_end_is_reported_after_the_data(void **state)
{
    (void)state;
    scene s;
    open_scene(&s, AES_128);
    send_record(&s, LW_TLS_DATA, LW_STR("last words"));
    send_record(&s, LW_TLS_ALERT, close_notify);
    expect_data(&s, "last words");
    assert_true(lw_tls_channel_has_more(s.peer.channel));
    expect_result(&s, LW_TLS_CLOSED);
    assert_false(lw_tls_channel_has_more(s.peer.channel));
    expect_written(&s, "a reply");
    expect_record(&s, LW_TLS_DATA, LW_STR("a reply"));
    close_scene(&s);
}

static void an_end_without_notice_is_an_end(void **state)
{
    (void)state;
    scene s;
    open_scene(&s, AES_128);
    send_raw(&s, LW_STR("\x17\x03"));
    expect_result(&s, LW_TLS_WANTS_READ);
    assert_int_equal(shutdown(s.peer.fds[1], SHUT_WR), 0);
    expect_result(&s, LW_TLS_CLOSED);
    close_scene(&s);
}

static void a_shutdown_is_announced(void **state)
{
    (void)state;
    scene s;
    open_scene(&s, AES_128);
    lw_tls_channel_shutdown(s.peer.channel);
    expect_alert(&s, 1, LW_TLS_CLOSE_NOTIFY);
    close_scene(&s);
}

static void connections_of_a_loop_have_their_own_keys(void **state)
{
    (void)state;
    scene s;
    open_scene(&s, AES_128);
    scene t = { .engine = s.engine };
    for (unsigned round = 0; round < 4; round++) {
        assert_true(tls_peer_open(&t.peer, s.engine, tls_peer_secrets(AES_128, 10 + round)));
        for (int i = 0; i < 3; i++) {
            send_record(&s, LW_TLS_DATA, LW_STR("to one"));
            send_record(&t, LW_TLS_DATA, LW_STR("to the other"));
            expect_data(&s, "to one");
            expect_data(&t, "to the other");
            expect_written(&s, "from one");
            expect_written(&t, "from the other");
            expect_record(&s, LW_TLS_DATA, LW_STR("from one"));
            expect_record(&t, LW_TLS_DATA, LW_STR("from the other"));
        }
        tls_peer_close(&t.peer); /* the next is at the same address */
    }
    close_scene(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(records_are_those_of_the_rfc),
        TEST(data_arrive_with_each_suite),
        TEST(records_may_come_byte_by_byte),
        TEST(records_may_be_cut_anywhere),
        TEST(full_records_and_padding_are_read),
        TEST(what_the_socket_does_not_accept_is_sent_later),
        TEST(a_key_update_is_followed_and_answered),
        TEST(a_key_is_replaced_before_it_is_worn),
        TEST(an_end_is_reported_after_the_data),
        TEST(an_end_without_notice_is_an_end),
        TEST(a_shutdown_is_announced),
        TEST(connections_of_a_loop_have_their_own_keys),
    };
    return cmocka_run_group_tests_name("tls_channel", tests, NULL, NULL);
}
