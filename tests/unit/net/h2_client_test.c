/* SPDX-License-Identifier: Apache-2.0 */
/* h2_client_test.c -- our side of HTTP/2 against nghttp2's server: calls and what becomes of them.
 */
#include "net/h2_client.h"

#include "unit/net/h2_client_world.h"

static void a_call_is_answered(void **state)
{
    (void)state;
    world w;
    answer a = { .call = NULL };
    world_open(&w);
    world_dial(&w);
    answer_ask(&a, &w, "/echo", "hello");
    world_until(&w, &a.closes, 1);
    assert_int_equal(a.err.code, LW_OK);
    assert_false(a.is_unseen);
    assert_int_equal(a.status, 200);
    assert_str_equal(lw_buf_view(&a.headers), "content-type: application/grpc\n");
    assert_str_equal(lw_buf_view(&a.body), "hello");
    assert_str_equal(lw_buf_view(&a.trailers), "grpc-status: 0\n");
    assert_int_equal(w.ups, 1);
    answer_done(&a);
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_call_is_answered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
