/* SPDX-License-Identifier: Apache-2.0 */
/* shared_store_test.c -- the API on a store that others write to: what is newest is asked for, what
 * is refused is certain. */
#include "support/shared_store.h"
#include "unit/api/sent.h"

#define ITEM       DEFAULT "configmaps/a"
#define COLLECTION DEFAULT "configmaps"

static int shared_setup(void **state)
{
    api_world *world = calloc(1, sizeof(*world));
    lw_store *store = NULL;
    lw_error err = LW_ERROR_INIT;
    if (!world || shared_store_new(&store, &err) < 0 || api_world_open_on(world, store, &err) < 0 ||
        lw_api_seed(world->api, &err) < 0) {
        print_error("no world: %s\n", err.message);
        return -1;
    }
    *state = world;
    return 0;
}

#define SHARED_TEST(function)                                                                      \
    cmocka_unit_test_setup_teardown(function, shared_setup, world_teardown)

/* Another server puts the ConfigMap a with |data|. */
static uint64_t others_put(api_world *world, const char *data)
{
    api_world other = { .store = shared_store_inner(world->store) };
    uint64_t revision = api_world_put_config(&other, "default", "a", NULL, data);
    assert_true(revision > 0);
    return revision;
}

static void others_delete(api_world *world)
{
    api_world other = { .store = shared_store_inner(world->store) };
    assert_true(api_world_delete(&other, "configmaps/default/a") > 0);
}

/* The request waits for the store; when that has answered, it is answered with |status|. */
static void assert_answered_when_asked(api_world *world, fake_http *http, int status,
                                       const char *part)
{
    assert_non_null(http);
    api_world_turns(world, 3);
    assert_false(http->is_ended);
    assert_int_equal(http->status, 0);
    assert_int_equal(shared_store_questions(world->store), 1);
    shared_store_answer(world->store);
    await(world, http);
    assert_int_equal(http->status, status);
    assert_body_has(http, part);
    fake_http_free(http);
}

static void a_get_shows_what_others_wrote_before_it(void **state)
{
    api_world *world = *state;
    others_put(world, "old");
    shared_store_hold(world->store);
    others_put(world, "new");
    assert_answered_when_asked(world, api_world_get(world, ITEM, NULL), 200, "\"k\":\"new\"");
}

static void revision_0_is_answered_with_what_there_is(void **state)
{
    api_world *world = *state;
    others_put(world, "old");
    shared_store_hold(world->store);
    others_put(world, "new");
    fake_http *http = ask(world, ITEM "?resourceVersion=0", 200);
    assert_body_has(http, "\"k\":\"old\"");
    fake_http_free(http);
    http = ask(world, COLLECTION "?resourceVersion=0", 200);
    assert_body_has(http, "\"k\":\"old\"");
    fake_http_free(http);
    assert_int_equal(shared_store_questions(world->store), 0);
}

static void a_list_shows_what_others_wrote_before_it(void **state)
{
    api_world *world = *state;
    shared_store_hold(world->store);
    others_put(world, "new");
    assert_answered_when_asked(world, api_world_get(world, COLLECTION, NULL), 200, "\"k\":\"new\"");
}

static void a_watch_begins_with_what_others_wrote_before_it(void **state)
{
    api_world *world = *state;
    shared_store_hold(world->store);
    others_put(world, "new");
    fake_http *http = api_world_get(world, COLLECTION "?watch=1", NULL);
    api_world_turns(world, 3);
    assert_int_equal(http->status, 0);
    shared_store_answer(world->store);
    int64_t deadline = patience_end();
    while (http->body.len == 0)
        turn_until(world, deadline);
    assert_int_equal(http->status, 200);
    assert_body_has(http, "\"k\":\"new\"");
    fake_http_free(http);
}

static void a_client_may_go_before_the_store_answers(void **state)
{
    api_world *world = *state;
    fake_http *http = api_world_get(world, ITEM, NULL);
    api_world_turns(world, 1);
    assert_true(lw_ref_count(&http->stream.refs) > 1); /* the call waits for the store */
    fake_http_close(http);
    shared_store_answer(world->store);
    api_world_turns(world, 3);
    assert_int_equal(lw_ref_count(&http->stream.refs), 1);
    assert_int_equal(http->status, 0);
    fake_http_free(http);
}

static void a_store_that_does_not_answer_is_503(void **state)
{
    api_world *world = *state;
    const lw_status failures[] = { LW_ERR_UNAVAILABLE, LW_ERR_TIMEOUT };
    for (size_t i = 0; i < 2; i++) {
        fake_http *http = api_world_get(world, ITEM, NULL);
        shared_store_answer_with(world->store, failures[i]);
        await(world, http);
        assert_int_equal(http->status, 503);
        assert_header(http, "retry-after", "1");
        assert_body_has(http, "nobody answers");
        fake_http_free(http);
    }
}

/* A node may request tokens without an audience only: the one that is added must not be taken for
 * its own. */
static void a_token_request_is_decided_again_as_it_was_sent(void **state)
{
    static const lw_audiences newer = { { LW_STR_INIT("newer") }, 1 };
    api_world *world = *state;
    api_world other = { .store = shared_store_inner(world->store) };
    assert_true(api_world_put(&other, "serviceaccounts/default/robot",
                              "{\"apiVersion\":\"v1\",\"kind\":\"ServiceAccount\",\"metadata\":{"
                              "\"name\":\"robot\",\"namespace\":\"default\",\"uid\":\"u\"}}") > 0);
    fake_http *http =
        send_off(world, "POST", DEFAULT "serviceaccounts/robot/token", "application/json", "{}");
    api_world_turns(world, 3);
    assert_int_equal(shared_store_questions(world->store), 1);
    world->api->issuer.audiences = &newer;
    shared_store_answer(world->store);
    await(world, http);
    assert_int_equal(http->status, 201);
    assert_body_has(http, "\"audiences\":[\"newer\"]");
    fake_http_free(http);
}

static void existing_is_said_when_it_is_certain(void **state)
{
    api_world *world = *state;
    others_put(world, "old");
    shared_store_hold(world->store);
    others_delete(world);
    assert_answered_when_asked(world,
                               send_off(world, "POST", COLLECTION, NULL,
                                        "{\"metadata\":{\"name\":\"a\"}}"),
                               201, "\"name\":\"a\"");
}

static void what_exists_is_still_refused(void **state)
{
    api_world *world = *state;
    others_put(world, "old");
    assert_answered_when_asked(world,
                               send_off(world, "POST", COLLECTION, NULL,
                                        "{\"metadata\":{\"name\":\"a\"}}"),
                               409, "AlreadyExists");
}

static void not_found_is_said_when_it_is_certain(void **state)
{
    api_world *world = *state;
    shared_store_hold(world->store);
    others_put(world, "new");
    assert_answered_when_asked(world, send_off(world, "DELETE", ITEM, NULL, ""), 200, "Success");
}

static void a_conflict_is_said_when_it_is_certain(void **state)
{
    api_world *world = *state;
    others_put(world, "old");
    shared_store_hold(world->store);
    char body[160];
    (void)snprintf(body, sizeof(body),
                   "{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"%llu\"},\"data\":{\"k\":"
                   "\"mine\"}}",
                   (unsigned long long)others_put(world, "new"));
    assert_answered_when_asked(world, send_off(world, "PUT", ITEM, NULL, body), 200,
                               "\"k\":\"mine\"");
}

static void a_change_without_a_revision_meets_the_newest(void **state)
{
    api_world *world = *state;
    others_put(world, "old");
    shared_store_hold(world->store);
    others_put(world, "new");
    /* The store refuses the change of what is old, and it is made again on what is new. */
    fake_http *http = send_off(world, "PATCH", ITEM, MERGE_PATCH, "{\"data\":{\"l\":\"mine\"}}");
    await(world, http);
    assert_int_equal(http->status, 200);
    assert_body_has(http, "\"k\":\"new\"");
    assert_body_has(http, "\"l\":\"mine\"");
    fake_http_free(http);
}

static void an_unknown_outcome_is_504(void **state)
{
    api_world *world = *state;
    shared_store_fail(world->store, LW_ERR_TIMEOUT);
    assert_sent_has(world, "POST", COLLECTION, "{\"metadata\":{\"name\":\"a\"}}", 504,
                    "\"reason\":\"Timeout\"");
}

static void a_store_that_is_away_is_503(void **state)
{
    api_world *world = *state;
    shared_store_fail(world->store, LW_ERR_UNAVAILABLE);
    fake_http *http = send(world, "POST", COLLECTION, "{\"metadata\":{\"name\":\"a\"}}", 503);
    assert_header(http, "retry-after", "1");
    fake_http_free(http);
}

/* What a status write leaves as it is, it asks the store about: answers the question. */
static void answer_question(api_world *world)
{
    int64_t deadline = patience_end();
    while (shared_store_questions(world->store) == 0)
        turn_until(world, deadline);
    shared_store_answer(world->store);
}

/* Another server stores a definition, whose status this one cannot write. */
static void define_without_status(api_world *world)
{
    api_world other = { .store = shared_store_inner(world->store) };
    shared_store_fail(world->store, LW_ERR_UNAVAILABLE);
    assert_true(
        api_world_put(&other, "apiextensions.k8s.io/customresourcedefinitions/gadgets.example.com",
                      "{\"kind\":\"CustomResourceDefinition\",\"apiVersion\":"
                      "\"apiextensions.k8s.io/v1\",\"metadata\":{\"name\":\"gadgets.example.com\","
                      "\"uid\":\"u\"},\"spec\":{\"group\":\"example.com\",\"scope\":\"Cluster\","
                      "\"names\":{\"plural\":\"gadgets\",\"singular\":\"gadget\",\"kind\":"
                      "\"Gadget\",\"listKind\":\"GadgetList\"},\"versions\":[{\"name\":\"v1\","
                      "\"served\":true,\"storage\":true,\"schema\":{\"openAPIV3Schema\":{"
                      "\"type\":\"object\"}}}]}}") > 0);
    await_status(world, "/apis/example.com/v1/gadgets?resourceVersion=0", 200);
    api_world_turns(world, 10); /* the write of its status has failed */
}

static void a_definition_of_another_server_is_established_when_the_store_is_back(void **state)
{
    api_world *world = *state;
    define_without_status(world);
    fake_http_free(ask(world, "/apis/example.com/v1", 404));
    shared_store_fail(world->store, LW_OK);
    api_world_pass(world, 2 * LW_NS_PER_S); /* the first delay and its jitter */
    await_status(world, "/apis/example.com/v1", 200);
    answer_question(world); /* the sync of the stored status finds nothing to write */
}

/* The teardown waits for whatever is under way, and would hang. */
static void a_server_stops_while_a_write_waits_to_be_retried(void **state)
{
    define_without_status(*state);
}

static void events_are_stored_for_an_hour(void **state)
{
    api_world *world = *state;
    do_send(world, "POST", DEFAULT "events",
            "{\"metadata\":{\"name\":\"a\"},\"involvedObject\":{\"namespace\":\"default\"}}", 201);
    assert_int_equal(shared_store_last_ttl(world->store), 3600);
    do_send(world, "POST", COLLECTION, "{\"metadata\":{\"name\":\"a\"}}", 201);
    assert_int_equal(shared_store_last_ttl(world->store), 0);
}

#define PAST COLLECTION "?resourceVersionMatch=Exact&resourceVersion="

/* Asks for the list at |revision|, of which the cache has moved on. */
static fake_http *ask_past(api_world *world, uint64_t revision)
{
    char target[160];
    (void)snprintf(target, sizeof(target), PAST "%llu", (unsigned long long)revision);
    fake_http *http = api_world_get(world, target, NULL);
    assert_non_null(http);
    return http;
}

static void a_list_of_the_past_does_not_keep_the_loop(void **state)
{
    api_world *world = *state;
    uint64_t revision = others_put(world, "old");
    others_put(world, "new");
    fake_http *http = ask_past(world, revision);
    assert_int_equal(http->status, 0);
    await(world, http);
    assert_int_equal(http->status, 200);
    assert_body_has(http, "\"k\":\"old\"");
    fake_http_free(http);
}

static void who_lists_the_past_may_go_meanwhile(void **state)
{
    api_world *world = *state;
    uint64_t revision = others_put(world, "old");
    others_put(world, "new");
    fake_http *http = ask_past(world, revision);
    fake_http_close(http);
    fake_http_free(http);
}

static void too_many_lists_of_the_past_are_429(void **state)
{
    api_world *world = *state;
    enum {
        COUNT = 64 + 2 + 1, /* that wait, that are read, and one more */
    };
    fake_http *all[COUNT];
    uint64_t revision = others_put(world, "old");
    others_put(world, "new");
    shared_store_block_reads(world->store, true);
    size_t refused = 0;
    for (size_t i = 0; i < COUNT; i++) {
        all[i] = ask_past(world, revision);
        refused += all[i]->status == 429;
    }
    assert_true(refused > 0);
    shared_store_block_reads(world->store, false);
    for (size_t i = 0; i < COUNT; i++) {
        await(world, all[i]);
        fake_http_free(all[i]);
    }
}

/* The store has forgotten changes that the cache has not been told, and cannot be read. */
static void lose_the_past(api_world *world)
{
    lw_store *inner = shared_store_inner(world->store);
    shared_store_hold(world->store);
    others_put(world, "missed");
    uint64_t last = others_put(world, "new");
    assert_int_equal(lw_store_compact(inner, last, NULL), LW_OK);
    shared_store_fail_reads(world->store, LW_ERR_UNAVAILABLE);
    shared_store_cut(world->store);
    shared_store_let_through(world->store);
}

/* Asks for |target| until the answer has |status|. */
static fake_http *ask_until(api_world *world, const char *target, int status)
{
    int64_t deadline = patience_end();
    for (;;) {
        fake_http *http = api_world_get(world, target, NULL);
        if (http->status == status)
            return http;
        fake_http_free(http);
        turn_until(world, deadline);
    }
}

static void what_is_lost_is_not_shown_and_comes_back_by_itself(void **state)
{
    api_world *world = *state;
    others_put(world, "old");
    fake_http *watch = api_world_get(world, COLLECTION "?watch=1&resourceVersion=0", NULL);
    lose_the_past(world);
    fake_http *http = ask_until(world, ITEM "?resourceVersion=0", 503);
    assert_header(http, "retry-after", "1");
    fake_http_free(http);
    await(world, watch);
    assert_body_has(watch, "\"code\":410");
    fake_http_free(watch);
    shared_store_fail_reads(world->store, LW_OK);
    http = ask_until(world, ITEM "?resourceVersion=0", 200);
    assert_body_has(http, "\"k\":\"new\"");
    fake_http_free(http);
}

static void a_write_waits_for_no_load(void **state)
{
    api_world *world = *state;
    others_put(world, "old");
    lose_the_past(world);
    fake_http_free(ask_until(world, ITEM "?resourceVersion=0", 503));
    fake_http *http = send_off(world, "POST", COLLECTION, NULL, "{\"metadata\":{\"name\":\"b\"}}");
    api_world_turns(world, 3);
    shared_store_answer(world->store);
    await(world, http);
    assert_int_equal(http->status, 503);
    assert_header(http, "retry-after", "1");
    fake_http_free(http);
}

/* Another server puts the service account robot with |uid|. */
static void others_put_account(api_world *world, const char *uid)
{
    char json[256];
    api_world other = { .store = shared_store_inner(world->store) };
    (void)snprintf(json, sizeof(json),
                   "{\"apiVersion\":\"v1\",\"kind\":\"ServiceAccount\",\"metadata\":{\"name\":"
                   "\"robot\",\"namespace\":\"default\",\"uid\":\"%s\"}}",
                   uid);
    assert_true(api_world_put(&other, "serviceaccounts/default/robot", json) > 0);
}

static void a_token_is_for_the_account_as_others_made_it(void **state)
{
    api_world *world = *state;
    static const char target[] = DEFAULT "serviceaccounts/robot/token";
    static const char body[] = "{\"spec\":{\"expirationSeconds\":700,\"audiences\":[\"x\"]}}";
    shared_store_hold(world->store);
    others_put_account(world, "u1");
    assert_answered_when_asked(world, send_off(world, "POST", target, NULL, body), 201,
                               "account=default/robot/u1 lifetime=700 for=x\"");
    shared_store_hold(world->store);
    others_put_account(world, "u2");
    assert_answered_when_asked(world, send_off(world, "POST", target, NULL, body), 201,
                               "\"token\":\"account=default/robot/u2 lifetime=700 for=x\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SHARED_TEST(a_get_shows_what_others_wrote_before_it),
        SHARED_TEST(revision_0_is_answered_with_what_there_is),
        SHARED_TEST(a_list_shows_what_others_wrote_before_it),
        SHARED_TEST(a_watch_begins_with_what_others_wrote_before_it),
        SHARED_TEST(a_client_may_go_before_the_store_answers),
        SHARED_TEST(a_store_that_does_not_answer_is_503),
        SHARED_TEST(a_token_request_is_decided_again_as_it_was_sent),
        SHARED_TEST(existing_is_said_when_it_is_certain),
        SHARED_TEST(what_exists_is_still_refused),
        SHARED_TEST(not_found_is_said_when_it_is_certain),
        SHARED_TEST(a_conflict_is_said_when_it_is_certain),
        SHARED_TEST(a_change_without_a_revision_meets_the_newest),
        SHARED_TEST(an_unknown_outcome_is_504),
        SHARED_TEST(a_store_that_is_away_is_503),
        SHARED_TEST(a_definition_of_another_server_is_established_when_the_store_is_back),
        SHARED_TEST(a_server_stops_while_a_write_waits_to_be_retried),
        SHARED_TEST(events_are_stored_for_an_hour),
        SHARED_TEST(a_list_of_the_past_does_not_keep_the_loop),
        SHARED_TEST(who_lists_the_past_may_go_meanwhile),
        SHARED_TEST(too_many_lists_of_the_past_are_429),
        SHARED_TEST(what_is_lost_is_not_shown_and_comes_back_by_itself),
        SHARED_TEST(a_write_waits_for_no_load),
        SHARED_TEST(a_token_is_for_the_account_as_others_made_it),
    };
    return cmocka_run_group_tests_name("api/shared", tests, NULL, NULL);
}
