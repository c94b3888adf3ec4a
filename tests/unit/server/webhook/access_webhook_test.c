/* SPDX-License-Identifier: Apache-2.0 */
/* access_webhook_test.c -- the webhook authorizer with a webhook that the test answers for. */
#include "server/webhook/access_webhook.h"

#include "api/context/asker.h"
#include "base/clock.h"
#include "support/fake_http.h"
#include "support/fake_webhook.h"
#include "unit/test.h"

#define ANSWER(status)                                                                             \
    "{\"apiVersion\":\"authorization.k8s.io/v1\",\"kind\":\"SubjectAccessReview\","                \
    "\"status\":" status "}"

static const lw_str groups[] = { LW_STR_INIT("team") };
static const lw_user ann = { .name = LW_STR_INIT("ann"), .groups = groups, .group_count = 1 };

typedef struct world {
    lw_manual_clock *clock;
    lw_loop *loop;
    lw_webhook_caller *caller;
    fake_webhook *fake;
    lw_authz *authz;
    fake_http *http[2];
    lw_buf reason, error;
    bool was_freed;
} world;

static world the_world;

static void open_world(world *w, lw_authz_decision on_error, int64_t ttl_s)
{
    static const fake_http_request request = { .method = "GET", .target = "/" };
    *w = (world){ .was_freed = false };
    assert_int_equal(lw_manual_clock_new(&w->clock, LW_NS_PER_S), LW_OK);
    const lw_clock *clock = lw_manual_clock_as_clock(w->clock);
    assert_int_equal(lw_loop_new(&w->loop, clock, NULL), LW_OK);
    assert_int_equal(lw_webhook_caller_new(&w->caller, clock, NULL), LW_OK);
    w->fake = fake_webhook_new();
    w->fake->was_freed = &w->was_freed;
    lw_authz_step step = { .mode = LW_AUTHZ_MODE_WEBHOOK, .name = LW_STR("hook") };
    const lw_access_webhook_options options = { .name = LW_STR("hook"),
                                                .caller = w->caller,
                                                .transport = &w->fake->base,
                                                .timeout_ns = LW_NS_PER_S,
                                                .allowed_ttl_ns = ttl_s * LW_NS_PER_S,
                                                .denied_ttl_ns = ttl_s * LW_NS_PER_S,
                                                .on_error = on_error,
                                                .clock = clock };
    assert_int_equal(lw_access_webhook_new(&step.hook, &options), LW_OK);
    assert_int_equal(lw_authz_new_chain(&w->authz, &step, 1, true, NULL), LW_OK);
    lw_authz_hook_unref(step.hook);
    for (size_t i = 0; i < 2; i++)
        w->http[i] = fake_http_new(w->loop, &request);
    lw_buf_init(&w->reason, 4096);
    lw_buf_init(&w->error, 4096);
}

static void close_world(world *w)
{
    for (size_t i = 0; i < 2; i++)
        fake_http_free(w->http[i]);
    lw_webhook_caller_stop(w->caller);
    lw_authz_free(w->authz);
    lw_webhook_caller_free(w->caller);
    lw_loop_free(w->loop);
    lw_manual_clock_free(w->clock);
    lw_buf_done(&w->reason);
    lw_buf_done(&w->error);
    assert_true(w->was_freed);
}

static void turn(world *w)
{
    assert_int_equal(lw_loop_turn(lw_webhook_caller_loop(w->caller), 0, NULL), LW_OK);
    assert_int_equal(lw_loop_turn(w->loop, 0, NULL), LW_OK);
}

/* Asks for the request |of|. */
static lw_authz_decision ask(world *w, size_t of, const char *resource)
{
    const lw_authz_attributes attributes = { .user = &ann,
                                             .verb = LW_STR("list"),
                                             .is_resource = true,
                                             .version = LW_STR("v1"),
                                             .resource = lw_str_of(resource),
                                             .stream = &w->http[of]->stream };
    lw_buf_reset(&w->reason);
    lw_buf_reset(&w->error);
    lw_authz_decision decision = lw_authz_explain(w->authz, &attributes, &w->reason, &w->error);
    turn(w);
    return decision;
}

static void assert_text(const lw_buf *text, const char *wanted)
{
    if (!lw_str_equal(lw_buf_view(text), lw_str_of(wanted)))
        fail_msg("\"%.*s\" is not \"%s\"", LW_STR_ARG(lw_buf_view(text)), wanted);
}

static void an_answer_decides_and_is_cached_until_it_expires(void **state)
{
    world *w = &the_world;
    (void)state;
    open_world(w, LW_AUTHZ_NO_OPINION, 10);
    assert_int_equal(ask(w, 0, "pods"), LW_AUTHZ_PENDING);
    assert_true(lw_asker_is_waiting(&w->http[0]->stream));
    assert_true(
        lw_str_equal(w->fake->calls[0]->body,
                     LW_STR("{\"kind\":\"SubjectAccessReview\",\"apiVersion\":"
                            "\"authorization.k8s.io/v1\",\"metadata\":{},\"spec\":{"
                            "\"resourceAttributes\":{\"verb\":\"list\",\"version\":\"v1\","
                            "\"resource\":\"pods\"},\"user\":\"ann\",\"groups\":[\"team\"]},"
                            "\"status\":{\"allowed\":false}}")));
    fake_webhook_answer(w->fake, 200, ANSWER("{\"allowed\":true,\"reason\":\"fine\"}"));
    turn(w);
    assert_false(lw_asker_is_waiting(&w->http[0]->stream));
    assert_int_equal(ask(w, 0, "pods"), LW_AUTHZ_ALLOW);
    assert_text(&w->reason, "fine");
    assert_int_equal(ask(w, 1, "pods"), LW_AUTHZ_ALLOW);
    lw_manual_clock_advance(w->clock, 10 * LW_NS_PER_S);
    assert_int_equal(ask(w, 0, "pods"), LW_AUTHZ_ALLOW); /* it keeps the answer it has got, */
    assert_int_equal(ask(w, 1, "pods"), LW_AUTHZ_ALLOW); /* also from the cache */
    lw_asker_forget(&w->http[0]->stream);
    assert_int_equal(ask(w, 0, "pods"), LW_AUTHZ_PENDING);
    assert_int_equal(w->fake->sent, 2);
    close_world(w);
}

static void equal_requests_share_one_call(void **state)
{
    world *w = &the_world;
    (void)state;
    open_world(w, LW_AUTHZ_NO_OPINION, 0);
    assert_int_equal(ask(w, 0, "pods"), LW_AUTHZ_PENDING);
    assert_int_equal(ask(w, 1, "pods"), LW_AUTHZ_PENDING);
    assert_int_equal(w->fake->sent, 1);
    fake_webhook_answer(w->fake, 200, ANSWER("{\"denied\":true,\"reason\":\"no\"}"));
    turn(w);
    assert_int_equal(ask(w, 0, "pods"), LW_AUTHZ_DENY);
    assert_text(&w->reason, "no");
    assert_int_equal(ask(w, 1, "pods"), LW_AUTHZ_DENY);
    assert_int_equal(w->fake->sent, 1); /* although nothing is cached */
    close_world(w);
}

static void no_opinion_has_the_name_in_its_reason(void **state)
{
    world *w = &the_world;
    (void)state;
    open_world(w, LW_AUTHZ_NO_OPINION, 10);
    assert_int_equal(ask(w, 0, "pods"), LW_AUTHZ_PENDING);
    fake_webhook_answer(w->fake, 201, "{\"status\":{\"reason\":\"who knows\"}}");
    turn(w);
    assert_int_equal(ask(w, 0, "pods"), LW_AUTHZ_NO_OPINION);
    assert_text(&w->reason, "hook: who knows");
    assert_text(&w->error, "");
    close_world(w);
}

static void transient_failures_are_tried_again(void **state)
{
    world *w = &the_world;
    (void)state;
    open_world(w, LW_AUTHZ_DENY, 10);
    assert_int_equal(ask(w, 0, "pods"), LW_AUTHZ_PENDING);
    for (unsigned tries = 1; tries <= LW_WEBHOOK_TRIES_MAX; tries++) {
        assert_int_equal(w->fake->sent, tries);
        fake_webhook_answer(w->fake, 500, "broken");
        lw_manual_clock_advance(w->clock, 4 * LW_NS_PER_S);
        turn(w);
    }
    assert_int_equal(w->fake->sent, LW_WEBHOOK_TRIES_MAX);
    assert_int_equal(ask(w, 0, "pods"), LW_AUTHZ_DENY);
    assert_text(&w->error, "an error on the server (\"broken\") has prevented the request from "
                           "succeeding (HTTP status 500)");
    assert_int_equal(ask(w, 1, "pods"), LW_AUTHZ_PENDING); /* errors are not cached */
    close_world(w);
}

static void nobody_tries_again_for_a_client_that_is_gone(void **state)
{
    world *w = &the_world;
    (void)state;
    open_world(w, LW_AUTHZ_DENY, 10);
    assert_int_equal(ask(w, 0, "pods"), LW_AUTHZ_PENDING);
    fake_http_close(w->http[0]);
    fake_webhook_answer(w->fake, 500, "broken");
    lw_manual_clock_advance(w->clock, 4 * LW_NS_PER_S);
    turn(w);
    assert_int_equal(w->fake->sent, 1);
    close_world(w);
}

static void a_chain_without_the_webhook_lets_its_call_finish(void **state)
{
    world *w = &the_world;
    const lw_authz_step other = { .mode = LW_AUTHZ_MODE_ALWAYS_ALLOW, .name = LW_STR("all") };
    (void)state;
    open_world(w, LW_AUTHZ_DENY, 10);
    assert_int_equal(ask(w, 0, "pods"), LW_AUTHZ_PENDING);
    assert_int_equal(lw_authz_change(w->authz, &other, 1, NULL), LW_OK);
    assert_false(w->was_freed);
    fake_webhook_answer(w->fake, 200, ANSWER("{\"denied\":true}"));
    assert_true(w->was_freed);
    turn(w);
    assert_int_equal(ask(w, 0, "pods"), LW_AUTHZ_ALLOW);
    close_world(w);
}

static void rbac_cannot_be_added_by_a_change(void **state)
{
    world *w = &the_world;
    lw_error err = LW_ERROR_INIT;
    const lw_authz_step other = { .mode = LW_AUTHZ_MODE_RBAC, .name = LW_STR("rbac") };
    (void)state;
    open_world(w, LW_AUTHZ_DENY, 10);
    assert_int_equal(lw_authz_change(w->authz, &other, 1, &err), LW_ERR_INVALID);
    assert_non_null(strstr(err.message, "restart"));
    close_world(w);
}

static void calls_end_when_the_server_stops(void **state)
{
    world *w = &the_world;
    (void)state;
    open_world(w, LW_AUTHZ_DENY, 10);
    assert_int_equal(ask(w, 0, "pods"), LW_AUTHZ_PENDING);
    lw_webhook_caller_stop(w->caller);
    assert_int_equal(lw_loop_turn(w->loop, 0, NULL), LW_OK);
    assert_false(lw_asker_is_waiting(&w->http[0]->stream));
    close_world(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_decides_and_is_cached_until_it_expires),
        cmocka_unit_test(equal_requests_share_one_call),
        cmocka_unit_test(no_opinion_has_the_name_in_its_reason),
        cmocka_unit_test(transient_failures_are_tried_again),
        cmocka_unit_test(nobody_tries_again_for_a_client_that_is_gone),
        cmocka_unit_test(a_chain_without_the_webhook_lets_its_call_finish),
        cmocka_unit_test(rbac_cannot_be_added_by_a_change),
        cmocka_unit_test(calls_end_when_the_server_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
