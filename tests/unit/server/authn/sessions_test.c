/* SPDX-License-Identifier: Apache-2.0 */
/* sessions_test.c -- how long links and sessions are valid, and which cookies count. */
#include "server/authn/sessions.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "server/authn/authn.h"
#include "unit/test.h"

static const lw_peer browser = { .is_tls = true, .address = LW_STR_INIT("127.0.0.1:4711") };

typedef struct world {
    lw_manual_clock *clock;
    lw_sessions *sessions;
    char cookie[LW_SESSION_COOKIE_SIZE];
} world;

static void world_begin(world *w)
{
    assert_int_equal(lw_manual_clock_new(&w->clock, 0), LW_OK);
    assert_int_equal(lw_sessions_new(&w->sessions, lw_manual_clock_as_clock(w->clock), NULL),
                     LW_OK);
    lw_sessions_set_port(w->sessions, 6443);
}

static void world_end(world *w)
{
    lw_sessions_free(w->sessions);
    lw_manual_clock_free(w->clock);
}

static lw_status sign_in(world *w, int after_s)
{
    char secret[LW_SESSION_SECRET_SIZE];
    assert_int_equal(lw_sessions_make_link(w->sessions, lw_authn_admin(), secret, NULL), LW_OK);
    assert_int_equal(strlen(secret), LW_SESSION_SECRET_SIZE - 1);
    lw_manual_clock_advance(w->clock, after_s * LW_NS_PER_S);
    return lw_sessions_begin(w->sessions, lw_str_of(secret), w->cookie);
}

/* A request with the session's cookie, in the second of two headers as HTTP/2 clients send them. */
static bool is_signed_in(world *w)
{
    const lw_user *user = NULL;
    const lw_http_header headers[] = {
        { LW_STR("cookie"), LW_STR("theme=dark") },
        { LW_STR("cookie"), lw_str_make(w->cookie, strcspn(w->cookie, ";")) },
    };
    const lw_http_request request = { .headers = headers, .header_count = 2, .peer = &browser };
    bool is_found = lw_sessions_find(w->sessions, &request, &user) == LW_OK;
    assert_int_equal(is_found, user == lw_authn_admin());
    return is_found;
}

static void a_link_expires(void **state)
{
    (void)state;
    world w;
    world_begin(&w);
    assert_int_equal(sign_in(&w, LW_SESSION_LINK_S - 1), LW_OK);
    assert_true(is_signed_in(&w));
    assert_int_equal(sign_in(&w, LW_SESSION_LINK_S), LW_ERR_UNAUTHORIZED);
    world_end(&w);
}

static void a_session_expires(void **state)
{
    (void)state;
    world w;
    world_begin(&w);
    assert_int_equal(sign_in(&w, 0), LW_OK);
    lw_manual_clock_advance(w.clock, (LW_SESSION_S - 1) * LW_NS_PER_S);
    assert_true(is_signed_in(&w)); /* use does not prolong it */
    lw_manual_clock_advance(w.clock, LW_NS_PER_S);
    assert_false(is_signed_in(&w));
    world_end(&w);
}

static void an_empty_ticket_has_no_secret(void **state)
{
    (void)state;
    world w;
    char zeros[LW_SESSION_SECRET_SIZE] = "";
    world_begin(&w);
    assert_int_equal(lw_sessions_begin(w.sessions, lw_str_make(zeros, sizeof(zeros) - 1), w.cookie),
                     LW_ERR_UNAUTHORIZED);
    assert_int_equal(lw_sessions_begin(w.sessions, LW_STR(""), w.cookie), LW_ERR_UNAUTHORIZED);
    world_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_link_expires),
        TEST(a_session_expires),
        TEST(an_empty_ticket_has_no_secret),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
