/* SPDX-License-Identifier: Apache-2.0 */
/* messages_test.c -- etcd's messages, to bytes and back, within bounds. */
#include <stdlib.h>

#include "base/str.h"
#include "etcd/messages.h"
#include "etcd/watch.h"
#include "unit/failing_alloc.h"
#include "unit/test.h"

static void a_message_that_is_sent_is_read(void **state)
{
    LwEtcd__PutRequest put = LW_ETCD__PUT_REQUEST__INIT;
    lw_etcd_frame *frame = NULL;
    lw_arena arena;
    ProtobufCMessage *read = NULL;
    (void)state;
    put.key = lw_etcd_bytes_of(LW_STR("key"));
    put.value = lw_etcd_bytes_of(LW_STR("value"));
    put.lease = 5;
    assert_int_equal(lw_etcd_frame_new(&frame, &put.base), LW_OK);
    lw_bytes bytes = lw_etcd_frame_bytes(frame);
    assert_memory_equal(bytes.ptr, "\0\0\0\0\x0e\x0a\x03key\x12\x05value\x18\x05", bytes.len);
    lw_arena_init(&arena, 0);
    assert_int_equal(lw_etcd_decode(&read, &lw_etcd__put_request__descriptor,
                                    lw_str_make(bytes.ptr + 5, bytes.len - 5), &arena),
                     LW_OK);
    const LwEtcd__PutRequest *got = (const void *)read;
    assert_str_equal(lw_etcd_view_of(got->key), "key");
    assert_str_equal(lw_etcd_view_of(got->value), "value");
    assert_int_equal(got->lease, 5);
    lw_etcd_frame_free(frame);
    lw_bytes_release(bytes);
    lw_arena_done(&arena);
}

static void a_request_above_the_bound_is_refused(void **state)
{
    LwEtcd__PutRequest put = LW_ETCD__PUT_REQUEST__INIT;
    lw_etcd_frame *frame = NULL;
    char *value = malloc(LW_ETCD_REQUEST_MAX);
    (void)state;
    assert_non_null(value);
    memset(value, 'v', LW_ETCD_REQUEST_MAX);
    put.value = lw_etcd_bytes_of(lw_str_make(value, LW_ETCD_REQUEST_MAX));
    assert_int_equal(lw_etcd_frame_new(&frame, &put.base), LW_ERR_LIMIT);
    free(value);
}

/* Two bytes on the wire are an empty key: sixty times as much in memory. */
static void a_message_does_not_swell_beyond_its_share(void **state)
{
    enum {
        KEYS = 1 << 20
    };
    char *bytes = malloc(2 * KEYS);
    failing_alloc alloc;
    lw_arena arena;
    ProtobufCMessage *read = NULL;
    (void)state;
    assert_non_null(bytes);
    for (size_t i = 0; i < KEYS; i++)
        memcpy(bytes + 2 * i, "\x12\x00", 2);
    failing_alloc_begin(&alloc, SIZE_MAX);
    lw_arena_init(&arena, 0);
    assert_int_equal(lw_etcd_decode(&read, &lw_etcd__range_response__descriptor,
                                    lw_str_make(bytes, 2 * KEYS), &arena),
                     LW_ERR_LIMIT);
    assert_true(arena.taken <= 4096 + (size_t)2 * KEYS * LW_ETCD_DECODED_FACTOR);
    lw_arena_done(&arena);
    assert_int_equal(alloc.live, 0);
    failing_alloc_end();
    free(bytes);
}

static void what_is_no_message_is_told_apart_from_no_memory(void **state)
{
    failing_alloc alloc;
    lw_arena arena;
    ProtobufCMessage *read = NULL;
    (void)state;
    lw_arena_init(&arena, 0);
    assert_int_equal(lw_etcd_decode(&read, &lw_etcd__range_response__descriptor, LW_STR("\x0a\x05"),
                                    &arena),
                     LW_ERR_INTERNAL);
    lw_arena_done(&arena);
    failing_alloc_begin(&alloc, 0);
    assert_int_equal(lw_etcd_decode(&read, &lw_etcd__range_response__descriptor, LW_STR(""),
                                    &arena),
                     LW_ERR_NOMEM);
    lw_arena_done(&arena);
    failing_alloc_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_message_that_is_sent_is_read),
        TEST(a_request_above_the_bound_is_refused),
        TEST(a_message_does_not_swell_beyond_its_share),
        TEST(what_is_no_message_is_told_apart_from_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
