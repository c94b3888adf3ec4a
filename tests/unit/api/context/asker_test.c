/* SPDX-License-Identifier: Apache-2.0 */
/* asker_test.c -- requests that wait for answers of other servers. */
#include "api/context/asker.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/str.h"
#include "support/fake_http.h"
#include "unit/test.h"

typedef struct world {
    lw_manual_clock *clock;
    lw_loop *loop;
    fake_http *http;
    lw_http_stream *stream;
    int resumed;
    int freed; /* questions */
} world;

static world the_world;

static void question_free(lw_question *question)
{
    the_world.freed++;
    lw_free(question);
}

static lw_question *question_new(const char *key)
{
    lw_question *question = lw_alloc_zero(1, sizeof(*question));
    assert_non_null(question);
    lw_question_init(question, 7, lw_str_of(key), question_free);
    return question;
}

static int begin(void **state)
{
    static const fake_http_request request = { .method = "GET", .target = "/" };
    world *w = &the_world;
    *w = (world){ .resumed = 0 };
    assert_int_equal(lw_manual_clock_new(&w->clock, LW_NS_PER_S), LW_OK);
    assert_int_equal(lw_loop_new(&w->loop, lw_manual_clock_as_clock(w->clock), NULL), LW_OK);
    w->http = fake_http_new(w->loop, &request);
    assert_non_null(w->http);
    w->stream = &w->http->stream;
    *state = w;
    return 0;
}

static int end(void **state)
{
    world *w = *state;
    fake_http_free(w->http);
    lw_loop_free(w->loop);
    lw_manual_clock_free(w->clock);
    return 0;
}

static void resume(lw_http_stream *stream, void *arg)
{
    world *w = arg;
    assert_ptr_equal(stream, w->stream);
    w->resumed++;
}

static void turn(world *w)
{
    assert_int_equal(lw_loop_turn(w->loop, 0, NULL), LW_OK);
}

static void goes_on_when_all_questions_are_answered(void **state)
{
    world *w = *state;
    lw_question *a = question_new("a"), *b = question_new("b");
    assert_int_equal(lw_asker_ask(w->stream, a), LW_OK);
    assert_int_equal(lw_asker_ask(w->stream, b), LW_OK);
    lw_asker_wait(w->stream, resume, w);
    assert_true(lw_asker_is_waiting(w->stream));
    lw_question_answered(b);
    turn(w);
    assert_int_equal(w->resumed, 0);
    lw_question_answered(a);
    assert_int_equal(w->resumed, 0); /* on the loop, not from inside */
    turn(w);
    assert_int_equal(w->resumed, 1);
    assert_false(lw_asker_is_waiting(w->stream));
    assert_ptr_equal(lw_asker_find(w->stream, 7, LW_STR("a")), a);
    assert_null(lw_asker_find(w->stream, 8, LW_STR("a")));
    lw_question_unref(a);
    lw_question_unref(b);
    assert_int_equal(w->freed, 0); /* the request keeps its answers */
    lw_asker_forget(w->stream);
    assert_int_equal(w->freed, 2);
}

static void a_question_that_is_answered_is_not_waited_for(void **state)
{
    world *w = *state;
    lw_question *a = question_new("a");
    lw_question_answered(a);
    assert_int_equal(lw_asker_ask(w->stream, a), LW_OK);
    lw_question_unref(a);
    assert_false(lw_asker_is_waiting(w->stream));
    lw_asker_wait(w->stream, resume, w);
    assert_int_equal(w->resumed, 1);
}

static void a_client_that_disconnects_is_not_resumed(void **state)
{
    world *w = *state;
    lw_question *a = question_new("a"), *b = question_new("b");
    assert_int_equal(lw_asker_ask(w->stream, a), LW_OK);
    assert_int_equal(lw_asker_ask(w->stream, b), LW_OK);
    lw_asker_wait(w->stream, resume, w);
    lw_question_answered(a); /* posted, but not run */
    assert_true(lw_question_is_awaited(b));
    fake_http_close(w->http);
    assert_false(lw_question_is_awaited(b));
    lw_question_answered(b);
    turn(w);
    assert_int_equal(w->resumed, 0);
    lw_question_unref(a);
    lw_question_unref(b);
    fake_http_free(w->http);
    w->http = NULL;
    assert_int_equal(w->freed, 2);
}

static void goes_on_without_answers_when_the_time_is_over(void **state)
{
    world *w = *state;
    lw_question *a = question_new("a");
    turn(w);
    assert_int_equal(lw_asker_ask(w->stream, a), LW_OK);
    lw_asker_wait(w->stream, resume, w);
    lw_manual_clock_advance(w->clock, LW_ASKER_WAIT_S * LW_NS_PER_S - 1);
    turn(w);
    assert_int_equal(w->resumed, 0);
    lw_manual_clock_advance(w->clock, 1);
    turn(w);
    assert_int_equal(w->resumed, 1);
    assert_false(lw_asker_is_waiting(w->stream));
    assert_ptr_equal(lw_asker_find(w->stream, 7, LW_STR("a")), a);
    assert_false(lw_question_is_answered(a));
    lw_question_answered(a); /* too late */
    turn(w);
    assert_int_equal(w->resumed, 1);
    lw_question_unref(a);
}

static void what_is_forgotten_is_not_resumed(void **state)
{
    world *w = *state;
    lw_question *a = question_new("a");
    assert_int_equal(lw_asker_ask(w->stream, a), LW_OK);
    lw_asker_wait(w->stream, resume, w);
    lw_question_answered(a);
    lw_asker_forget(w->stream);
    turn(w);
    assert_int_equal(w->resumed, 0);
    assert_null(lw_asker_find(w->stream, 7, LW_STR("a")));
    lw_question_unref(a);
    assert_int_equal(w->freed, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(goes_on_when_all_questions_are_answered, begin, end),
        cmocka_unit_test_setup_teardown(a_question_that_is_answered_is_not_waited_for, begin, end),
        cmocka_unit_test_setup_teardown(a_client_that_disconnects_is_not_resumed, begin, end),
        cmocka_unit_test_setup_teardown(goes_on_without_answers_when_the_time_is_over, begin, end),
        cmocka_unit_test_setup_teardown(what_is_forgotten_is_not_resumed, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
