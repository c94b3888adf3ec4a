/* SPDX-License-Identifier: Apache-2.0 */
/* store_health_test.c -- whether a store answers is known without waiting for it. */
#include "server/core/store_health.h"

#include "base/clock.h"
#include "unit/test.h"

static const int64_t LATE_NS = LW_STORE_HEALTH_PATIENCE_S * LW_NS_PER_S + 1;

/* A store that keeps the question until the test has an answer. */
typedef struct silent_store {
    lw_store base;
    lw_store_confirmation *question; /* under way */
    unsigned asked;
    lw_status takes; /* what becomes of the next question */
} silent_store;

static lw_status confirm(lw_store *store, lw_store_confirmation *question)
{
    silent_store *silent = (silent_store *)store;
    silent->asked++;
    if (silent->takes < 0)
        return silent->takes;
    assert_null(silent->question);
    silent->question = question;
    return LW_OK;
}

static const lw_store_ops silent_ops = { .confirm = confirm };

static void answer(silent_store *silent, lw_status st)
{
    lw_store_confirmation *question = silent->question;
    silent->question = NULL;
    question->st = st;
    question->done(question);
}

typedef struct scene {
    silent_store store;
    lw_store_health health;
} scene;

static int begin(void **state)
{
    static scene the_scene;
    the_scene = (scene){ .store = { .base = { .ops = &silent_ops } } };
    lw_store_health_init(&the_scene.health, &the_scene.store.base);
    *state = &the_scene;
    return 0;
}

static int end(void **state)
{
    scene *s = *state;
    lw_store_health_done(&s->health);
    return 0;
}

static void a_store_that_was_just_opened_is_good(void **state)
{
    scene *s = *state;
    assert_true(lw_store_health_is_good(&s->health, 0));
    assert_int_equal(s->store.asked, 1);
}

static void there_is_one_question_at_a_time(void **state)
{
    scene *s = *state;
    lw_store_health_is_good(&s->health, 0);
    lw_store_health_is_good(&s->health, 1);
    assert_int_equal(s->store.asked, 1);
    answer(&s->store, LW_OK);
    lw_store_health_is_good(&s->health, 2);
    assert_int_equal(s->store.asked, 2);
}

static void a_failure_is_told_by_the_next_look(void **state)
{
    scene *s = *state;
    lw_store_health_is_good(&s->health, 0);
    answer(&s->store, LW_ERR_UNAVAILABLE);
    assert_false(lw_store_health_is_good(&s->health, 1));
    answer(&s->store, LW_OK);
    assert_true(lw_store_health_is_good(&s->health, 2));
}

static void an_answer_that_takes_too_long_is_bad_until_it_comes(void **state)
{
    scene *s = *state;
    lw_store_health_is_good(&s->health, 0);
    assert_true(lw_store_health_is_good(&s->health, LATE_NS - 1));
    assert_false(lw_store_health_is_good(&s->health, LATE_NS));
    answer(&s->store, LW_OK);
    assert_true(lw_store_health_is_good(&s->health, LATE_NS + 1));
}

static void a_store_that_takes_no_question_is_bad(void **state)
{
    scene *s = *state;
    s->store.takes = LW_ERR_TOO_MANY;
    assert_false(lw_store_health_is_good(&s->health, 0));
    s->store.takes = LW_OK;
    assert_false(lw_store_health_is_good(&s->health, 1)); /* asked again, not answered yet */
    answer(&s->store, LW_OK);
    assert_true(lw_store_health_is_good(&s->health, 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_store_that_was_just_opened_is_good, begin, end),
        cmocka_unit_test_setup_teardown(there_is_one_question_at_a_time, begin, end),
        cmocka_unit_test_setup_teardown(a_failure_is_told_by_the_next_look, begin, end),
        cmocka_unit_test_setup_teardown(an_answer_that_takes_too_long_is_bad_until_it_comes, begin,
                                        end),
        cmocka_unit_test_setup_teardown(a_store_that_takes_no_question_is_bad, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
