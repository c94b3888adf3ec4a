/* SPDX-License-Identifier: Apache-2.0 */
/* h2_abuse_test.c -- frames and header blocks that are cheap to send and expensive to receive end
 * the connection. */
#include "net/h2/h2.h"

#include "base/clock.h"
#include "unit/net/h2_site.h"

enum {
    FRAME_MAX = 16384,
    FRAME_HEADER_SIZE = 9,
    VALUE_LEN = 4000, /* of a field in the dynamic table, which has 4096 bytes */
    REFERENCES = 12000,
    REFERENCE = 0xbe, /* the newest entry of the dynamic table (RFC 7541, 6.1) */
};

/* :method GET, :scheme http, :path / from the static table (RFC 7541, appendix A). */
static const char request[] = "\x82\x86\x84";

static void append_frame(lw_buf *out, size_t len, int type, int flags, int32_t id)
{
    const char header[] = { (char)(len >> 16), (char)(len >> 8), (char)len,
                            (char)type,        (char)flags,      (char)(id >> 24),
                            (char)(id >> 16),  (char)(id >> 8),  (char)id };
    lw_buf_append(out, header, sizeof(header));
}

/* Appends a field that is added to the dynamic table: "a" and |len| characters. */
static void append_indexed(lw_buf *out, size_t len)
{
    lw_buf_append(out,
                  "\x40\x01"
                  "a\x7f",
                  4);
    for (len -= 127; len >= 128; len /= 128)
        lw_buf_append_char(out, (char)(len % 128 + 128));
    lw_buf_append_char(out, (char)len);
}

/* Appends a block that refers |count| times to a field with |value_len| characters. */
static void append_block(lw_buf *out, bool is_request, size_t value_len, size_t count)
{
    if (is_request)
        lw_buf_append(out, request, sizeof(request) - 1);
    append_indexed(out, value_len);
    for (size_t i = 0; i < value_len; i++)
        lw_buf_append_char(out, 'v');
    for (size_t i = 0; i < count; i++)
        lw_buf_append_char(out, (char)REFERENCE);
}

static void feed(h2_site *site, lw_buf *bytes)
{
    assert_int_equal(bytes->st, LW_OK);
    fake_conn_feed(&site->pair.conn, bytes->data, bytes->len, SIZE_MAX);
    lw_buf_done(bytes);
}

/* Sends a header block in one frame. */
static void send_block(h2_site *site, int32_t id, bool is_request, size_t value_len, size_t count)
{
    lw_buf block, frame;
    lw_buf_init(&block, 2 * FRAME_MAX);
    lw_buf_init(&frame, 2 * FRAME_MAX);
    append_block(&block, is_request, value_len, count);
    append_frame(&frame, block.len, NGHTTP2_HEADERS,
                 NGHTTP2_FLAG_END_HEADERS | NGHTTP2_FLAG_END_STREAM, id);
    lw_buf_append_str(&frame, lw_buf_view(&block));
    lw_buf_done(&block);
    feed(site, &frame);
}

static void assert_told_to_calm_down(h2_site *site)
{
    assert_true(site->pair.conn.is_finished);
    while (h2_pair_receive(&site->pair)) {
    }
    assert_int_equal(site->pair.goaway, NGHTTP2_ENHANCE_YOUR_CALM);
    site_close(site);
}

static const lw_h2 *h2_of(const h2_site *site)
{
    return (const lw_h2 *)(const void *)site->pair.conn.protocol;
}

static void a_block_of_references_ends_the_connection(void **state)
{
    (void)state;
    h2_site *site = site_open();
    send_block(site, 1, true, VALUE_LEN, REFERENCES);
    assert_int_equal(site->heads, 0);
    assert_told_to_calm_down(site);
}

static void decoding_stops_at_twice_the_limit(void **state)
{
    (void)state;
    h2_site *site = site_open();
    send_block(site, 1, true, VALUE_LEN, REFERENCES);
    size_t most = (size_t)LW_H2_OVERSIZED_FACTOR * LW_HTTP_HEAD_MAX + VALUE_LEN + 64;
    assert_in_range(h2_of(site)->abuse.bytes, LW_HTTP_HEAD_MAX, most);
    assert_told_to_calm_down(site);

    site = site_open();
    send_block(site, 1, true, 200, REFERENCES);
    most = (size_t)LW_H2_OVERSIZED_FACTOR * LW_H2_FIELDS_MAX + 1;
    assert_in_range(h2_of(site)->abuse.fields, LW_H2_FIELDS_MAX, most);
    assert_told_to_calm_down(site);
}

static void trailers_of_references_end_the_connection(void **state)
{
    (void)state;
    h2_site *site = site_open();
    int32_t id =
        h2_pair_request_with(&site->pair, "PUT", "/hold", NULL, 0, LW_STR("x"), true /* no end */);
    (void)h2_pair_send(&site->pair);
    assert_int_equal(site->heads, 1);
    send_block(site, id, false, VALUE_LEN, REFERENCES);
    assert_told_to_calm_down(site);
}

static void oversized_heads_are_refused_a_few_times_and_then_end_the_connection(void **state)
{
    (void)state;
    h2_site *site = site_open();
    int32_t id = 1;
    for (int i = 0; i < LW_H2_OVERSIZED_BURST; i++, id += 2)
        send_block(site, id, true, VALUE_LEN, LW_HTTP_HEAD_MAX / VALUE_LEN);
    assert_false(site->pair.conn.is_finished);
    send_block(site, id, true, VALUE_LEN, LW_HTTP_HEAD_MAX / VALUE_LEN);
    assert_int_equal(site->heads, 0);
    assert_true(site->pair.conn.is_finished);
    assert_true(h2_of(site)->abuse.is_flood);
    site_close(site);
}

static void oversized_heads_are_forgiven_with_time(void **state)
{
    (void)state;
    h2_site *site = site_open();
    int32_t id = 1;
    for (int i = 0; i < 3 * LW_H2_OVERSIZED_BURST; i++, id += 2) {
        send_block(site, id, true, VALUE_LEN, LW_HTTP_HEAD_MAX / VALUE_LEN);
        lw_manual_clock_advance(site->pair.clock, LW_NS_PER_S);
        h2_pair_turn(&site->pair);
    }
    assert_false(site->pair.conn.is_finished);
    site_close(site);
}

/* Sends |count| frames of |type| with |len| zero bytes, the server's replies being read. */
static void send_frames(h2_site *site, int type, size_t len, int32_t id, int count)
{
    static const char zeros[16];
    for (int i = 0; i < count && !site->pair.conn.is_finished; i++) {
        lw_buf frame;
        lw_buf_init(&frame, FRAME_MAX);
        append_frame(&frame, len, type, 0, id);
        lw_buf_append(&frame, zeros, len);
        if (type == NGHTTP2_WINDOW_UPDATE)
            frame.data[frame.len - 1] = 1;
        feed(site, &frame);
        (void)fake_conn_take(&site->pair.conn, SIZE_MAX);
    }
}

static void frames_without_content_end_the_connection(void **state)
{
    (void)state;
    static const struct {
        int type;
        size_t len;
    } kinds[] = {
        { NGHTTP2_SETTINGS, 0 }, { NGHTTP2_PING, 8 },     { NGHTTP2_WINDOW_UPDATE, 4 },
        { NGHTTP2_PRIORITY, 5 }, { 77 /* unknown */, 0 },
    };
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        h2_site *site = site_open();
        unsigned left = h2_of(site)->abuse.frames.left;
        int32_t id = kinds[i].type == NGHTTP2_PRIORITY ? 1 : 0;
        send_frames(site, kinds[i].type, kinds[i].len, id, (int)left);
        assert_false(site->pair.conn.is_finished);
        send_frames(site, kinds[i].type, kinds[i].len, id, 1);
        if (!site->pair.conn.is_finished)
            fail_msg("frames of type %d are not limited", kinds[i].type);
        assert_true(h2_of(site)->abuse.is_flood);
        site_close(site);
    }
}

static void empty_data_frames_end_the_connection(void **state)
{
    (void)state;
    h2_site *site = site_open();
    int32_t id =
        h2_pair_request_with(&site->pair, "PUT", "/hold", NULL, 0, LW_STR("x"), true /* no end */);
    (void)h2_pair_send(&site->pair);
    send_frames(site, NGHTTP2_DATA, 0, id, LW_H2_FRAMES_BURST + 1);
    assert_true(site->pair.conn.is_finished);
    assert_true(h2_of(site)->abuse.is_flood);
    site_close(site);
}

static void continuation_frames_end_the_connection(void **state)
{
    (void)state;
    h2_site *site = site_open();
    lw_buf frame;
    lw_buf_init(&frame, FRAME_MAX);
    append_frame(&frame, sizeof(request) - 1, NGHTTP2_HEADERS, NGHTTP2_FLAG_END_STREAM, 1);
    lw_buf_append(&frame, request, sizeof(request) - 1);
    feed(site, &frame);
    send_frames(site, NGHTTP2_CONTINUATION, 0, 1, LW_H2_FRAMES_BURST + 1);
    assert_true(site->pair.conn.is_finished);
    site_close(site);
}

static void a_client_may_update_its_windows_as_it_reads(void **state)
{
    (void)state;
    h2_site *site = site_open();
    for (int i = 0; i < 4; i++) {
        unsigned left = h2_of(site)->abuse.frames.left;
        send_frames(site, NGHTTP2_WINDOW_UPDATE, 4, 0, (int)left);
        assert_false(site->pair.conn.is_finished);
        for (unsigned replies = 0; replies < 100; replies++) {
            (void)h2_pair_request(&site->pair, "GET", "/echo", NULL);
            h2_pair_run(&site->pair);
        }
        assert_in_range(h2_of(site)->abuse.frames.left, 100, LW_H2_FRAMES_BURST);
    }
    site_close(site);
}

static void requests_without_credentials_end_the_connection(void **state)
{
    (void)state;
    h2_site *site = site_open();
    for (int i = 0; i < LW_H2_UNAUTHORIZED_BURST; i++) {
        (void)h2_pair_request(&site->pair, "GET", "/deny", NULL);
        h2_pair_run(&site->pair);
    }
    assert_false(site->pair.conn.is_finished);
    (void)h2_pair_request(&site->pair, "GET", "/deny", NULL);
    h2_pair_run(&site->pair);
    assert_told_to_calm_down(site);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_block_of_references_ends_the_connection),
        TEST(decoding_stops_at_twice_the_limit),
        TEST(trailers_of_references_end_the_connection),
        TEST(oversized_heads_are_refused_a_few_times_and_then_end_the_connection),
        TEST(oversized_heads_are_forgiven_with_time),
        TEST(frames_without_content_end_the_connection),
        TEST(empty_data_frames_end_the_connection),
        TEST(continuation_frames_end_the_connection),
        TEST(requests_without_credentials_end_the_connection),
        TEST(a_client_may_update_its_windows_as_it_reads),
    };
    return cmocka_run_group_tests_name("h2_abuse", tests, NULL, NULL);
}
