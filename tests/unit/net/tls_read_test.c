/* SPDX-License-Identifier: Apache-2.0 */
/* tls_read_test.c -- whether a certificate is still the one that is wanted. */
#include "net/tls/tls_read.h"

#include "base/clock.h"
#include "base/str.h"
#include "net/tls/tls_make.h"
#include "unit/test.h"

enum {
    PEM_MAX = 64 * 1024,
    DAY = 24 * 3600,
};

/* A CA, and a certificate it has signed for "localhost" and 127.0.0.1, good for ten days. */
typedef struct world {
    lw_buf ca_cert, ca_key, cert, key;
    lw_tls_ca *ca;
    int64_t now_s;
} world;

static void world_begin(world *w)
{
    static const char *const hosts[] = { "localhost", "127.0.0.1", "::1", NULL };
    const lw_tls_subject ca = { .common_name = "ca", .is_ca = true, .days = 100 };
    const lw_tls_subject leaf = { .common_name = "leaf", .hosts = hosts, .days = 10 };
    lw_str none = { NULL, 0 };
    lw_error err = LW_ERROR_INIT;
    lw_buf_init(&w->ca_cert, PEM_MAX);
    lw_buf_init(&w->ca_key, PEM_MAX);
    lw_buf_init(&w->cert, PEM_MAX);
    lw_buf_init(&w->key, PEM_MAX);
    w->ca = NULL;
    w->now_s = lw_clock_wall(lw_clock_system()) / LW_NS_PER_S;
    assert_int_equal(lw_tls_make(&ca, none, none, &w->ca_cert, &w->ca_key, &err), LW_OK);
    assert_int_equal(lw_tls_make(&leaf, lw_buf_view(&w->ca_cert), lw_buf_view(&w->ca_key), &w->cert,
                                 &w->key, &err),
                     LW_OK);
    assert_int_equal(lw_tls_ca_read(&w->ca, lw_buf_view(&w->ca_cert), lw_buf_view(&w->ca_key),
                                    &err),
                     LW_OK);
}

static void world_end(world *w)
{
    lw_tls_ca_free(w->ca);
    lw_buf_done(&w->ca_cert);
    lw_buf_done(&w->ca_key);
    lw_buf_done(&w->cert);
    lw_buf_done(&w->key);
}

static lw_tls_wish wish_of(const world *w)
{
    return (lw_tls_wish){
        .cert = lw_buf_view(&w->cert),
        .key = lw_buf_view(&w->key),
        .ca = w->ca,
        .from_s = w->now_s,
        .until_s = w->now_s + DAY,
    };
}

static void accepts_what_fits(void **state)
{
    (void)state;
    static const char *const hosts[] = { "localhost", "127.0.0.1", "::1", NULL };
    world w;
    lw_error err = LW_ERROR_INIT;
    world_begin(&w);
    lw_tls_wish wish = wish_of(&w);
    wish.hosts = hosts;
    if (lw_tls_check(&wish, &err) < 0)
        fail_msg("%s", err.message);
    world_end(&w);
}

static void sees_the_time(void **state)
{
    (void)state;
    world w;
    lw_error err = LW_ERROR_INIT;
    world_begin(&w);
    lw_tls_wish wish = wish_of(&w);
    wish.until_s = w.now_s + 11 * DAY;
    assert_int_equal(lw_tls_check(&wish, &err), LW_ERR_EXPIRED);
    wish = wish_of(&w);
    wish.from_s = w.now_s - 30 * DAY;
    assert_int_equal(lw_tls_check(&wish, &err), LW_ERR_EXPIRED);
    world_end(&w);
}

static void sees_a_host_that_is_not_in_it(void **state)
{
    (void)state;
    static const char *const hosts[] = { "localhost", "10.0.0.1", NULL };
    world w;
    lw_error err = LW_ERROR_INIT;
    world_begin(&w);
    lw_tls_wish wish = wish_of(&w);
    wish.hosts = hosts;
    assert_int_equal(lw_tls_check(&wish, &err), LW_ERR_NOT_FOUND);
    assert_non_null(strstr(err.message, "10.0.0.1"));
    world_end(&w);
}

static void sees_a_foreign_key_and_a_foreign_ca(void **state)
{
    (void)state;
    world w, other;
    lw_error err = LW_ERROR_INIT;
    world_begin(&w);
    world_begin(&other);
    lw_tls_wish wish = wish_of(&w);
    wish.key = lw_buf_view(&other.key);
    assert_int_equal(lw_tls_check(&wish, &err), LW_ERR_INVALID);
    wish = wish_of(&w);
    wish.ca = other.ca;
    assert_int_equal(lw_tls_check(&wish, &err), LW_ERR_INVALID);
    world_end(&w);
    world_end(&other);
}

static void what_is_no_certificate_is_invalid(void **state)
{
    (void)state;
    world w;
    lw_error err = LW_ERROR_INIT;
    world_begin(&w);
    lw_tls_wish wish = wish_of(&w);
    wish.cert = LW_STR("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
    assert_int_equal(lw_tls_check(&wish, &err), LW_ERR_INVALID);
    wish.cert = lw_str_make(NULL, 0);
    assert_int_equal(lw_tls_check(&wish, &err), LW_ERR_INVALID);
    wish = wish_of(&w);
    wish.key = LW_STR("no key");
    assert_int_equal(lw_tls_check(&wish, &err), LW_ERR_INVALID);
    world_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(accepts_what_fits),
        TEST(sees_the_time),
        TEST(sees_a_host_that_is_not_in_it),
        TEST(sees_a_foreign_key_and_a_foreign_ca),
        TEST(what_is_no_certificate_is_invalid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
