/* SPDX-License-Identifier: Apache-2.0 */
/* write_test.c -- the engine of writes when the store will not, or others are faster. */
#include "api/context/port.h"
#include "api/write/write.h"
#include "unit/api/sent.h"

#define CONFIGMAPS DEFAULT "configmaps"
#define BODY       "{\"metadata\":{\"name\":\"a\"}}"

/* A store in front of another that refuses, or changes the object first. */
typedef struct moody_store {
    lw_store base;
    lw_store *real;
    api_world *world;
    lw_status refuses;   /* by submit; LW_OK: does not */
    lw_status answers;   /* by done; LW_OK: hands on */
    const char *message; /* with |answers| */
    int races;           /* times that somebody else is faster */
    int changes;
} moody_store;

static lw_status moody_submit(lw_store *store, lw_store_txn *txn)
{
    moody_store *moody = (moody_store *)(void *)store;
    if (moody->refuses < 0)
        return moody->refuses;
    if (moody->answers < 0) {
        txn->st = moody->answers;
        (void)snprintf(txn->err.message, sizeof(txn->err.message), "%s", moody->message);
        txn->done(txn);
        return LW_OK;
    }
    if (moody->races > 0) {
        char data[16];
        moody->races--;
        (void)snprintf(data, sizeof(data), "%d", moody->changes++);
        assert_true(api_world_put_config(moody->world, "default", "a", NULL, data) > 0);
    }
    return lw_store_submit(moody->real, txn);
}

static const lw_store_ops moody_ops = { .submit = moody_submit };

static void moody_begin(moody_store *moody, api_world *world)
{
    *moody = (moody_store){ .base = { &moody_ops }, .real = world->store, .world = world };
    world->api->store = &moody->base;
}

static void full_queue_asks_to_come_again(void **state)
{
    api_world *world = *state;
    moody_store moody;
    moody_begin(&moody, world);
    moody.refuses = LW_ERR_TOO_MANY;
    fake_http *http = send(world, "POST", CONFIGMAPS, BODY, 429);
    assert_header(http, "retry-after", "1");
    assert_body_has(http, "\"message\":\"Too many requests, please try again later.\"");
    fake_http_free(http);
}

static void full_disk_is_told(void **state)
{
    api_world *world = *state;
    moody_store moody;
    moody_begin(&moody, world);
    moody.answers = LW_ERR_IO;
    moody.message = "write data.mdb: No space left on device";
    assert_sent(
        world, "POST", CONFIGMAPS, BODY, 500,
        FAILURE("Internal error occurred: write data.mdb: No space left on device",
                "\"reason\":\"InternalError\",\"details\":{\"causes\":[{\"message\":\"write "
                "data.mdb: No space left on device\"}]},\"code\":500"));
    moody.answers = LW_OK;
    do_send(world, "POST", CONFIGMAPS, BODY, 201);
}

static void too_large_is_told(void **state)
{
    api_world *world = *state;
    moody_store moody;
    moody_begin(&moody, world);
    moody.refuses = LW_ERR_LIMIT;
    do_send(world, "POST", CONFIGMAPS, BODY, 413);
    moody.refuses = LW_ERR_STOPPED;
    do_send(world, "POST", CONFIGMAPS, BODY, 503);
    moody.refuses = LW_OK;
    moody.answers = LW_ERR_NOMEM;
    moody.message = "";
    do_send(world, "POST", CONFIGMAPS, BODY, 500);
}

static void others_being_faster_makes_a_patch_try_again(void **state)
{
    api_world *world = *state;
    moody_store moody;
    do_send(world, "POST", CONFIGMAPS, BODY, 201);
    moody_begin(&moody, world);
    moody.races = 5;
    assert_sent_has_as(world, "PATCH", CONFIGMAPS "/a", MERGE_PATCH, "{\"data\":{\"mine\":\"1\"}}",
                       200, "\"data\":{\"k\":\"4\",\"mine\":\"1\"}}");
}

static void others_being_faster_for_ever_has_an_end(void **state)
{
    api_world *world = *state;
    moody_store moody;
    do_send(world, "POST", CONFIGMAPS, BODY, 201);
    moody_begin(&moody, world);
    moody.races = 1000000;
    assert_sent_has_as(world, "PATCH", CONFIGMAPS "/a", MERGE_PATCH, "{\"data\":{\"mine\":\"1\"}}",
                       500, "\"reason\":\"ServerTimeout\"");
}

static void others_being_faster_is_a_conflict_for_who_named_a_revision(void **state)
{
    api_world *world = *state;
    moody_store moody;
    do_send(world, "POST", CONFIGMAPS, BODY, 201);
    moody_begin(&moody, world);
    moody.races = 1;
    assert_sent_has(
        world, "PUT", CONFIGMAPS "/a",
        "{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"5\"},\"data\":{\"k\":\"x\"}}", 409,
        "the object has been modified");
}

static void object_made_meanwhile_exists(void **state)
{
    api_world *world = *state;
    moody_store moody;
    moody_begin(&moody, world);
    moody.races = 1;
    do_send(world, "POST", CONFIGMAPS, BODY, 409);
}

/* A decision that is somebody else's every time, until it has found a name. */
static lw_write_decision decide_by_trying(lw_write *write)
{
    static const char *const names[] = { "a", "b" };
    if (write->current) {
        write->key.name = lw_str_of(names[write->tries % 2]);
        return LW_WRITE_AGAIN;
    }
    return lw_write_fail(write, LW_ERR_IO);
}

static void note_done(lw_write *write)
{
    (void)write;
}

static void decision_may_change_its_mind_about_the_name(void **state)
{
    api_world *world = *state;
    do_send(world, "POST", CONFIGMAPS, BODY, 201);
    lw_write write = { .port = lw_loop_data(world->loop),
                       .kind = lw_registry_find(world->registry, lw_str_of(""), lw_str_of("v1"),
                                                lw_str_of("configmaps")),
                       .key = lw_key_make("default", "a"),
                       .decide = decide_by_trying,
                       .done = note_done };
    lw_write_start(&write);
    assert_int_equal(write.outcome, LW_WRITE_REFUSE);
    assert_int_equal(write.tries, 2);
    assert_str_equal(write.key.name, "b");
    lw_write_release(&write);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SEEDED_TEST(full_queue_asks_to_come_again),
        SEEDED_TEST(full_disk_is_told),
        SEEDED_TEST(too_large_is_told),
        SEEDED_TEST(others_being_faster_makes_a_patch_try_again),
        SEEDED_TEST(others_being_faster_for_ever_has_an_end),
        SEEDED_TEST(others_being_faster_is_a_conflict_for_who_named_a_revision),
        SEEDED_TEST(object_made_meanwhile_exists),
        SEEDED_TEST(decision_may_change_its_mind_about_the_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
