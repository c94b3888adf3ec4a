/* SPDX-License-Identifier: Apache-2.0 */
/* forms_ahead_test.c -- the objects of a long list are encoded by several threads. */
#include "api/media/forms_ahead.h"

#include <stdio.h>
#include <stdlib.h>

#include "api/media/object_form.h"
#include "base/str.h"
#include "object/compact/compact.h"
#include "object/object.h"
#include "unit/test.h"

enum {
    COUNT = 3000,
    THREADS = 3,
    SIZE_MAX_JSON = 1024,
};

typedef struct long_list {
    lw_form_budget *budget;
    lw_forms_ahead *ahead;
    lw_object *objects[COUNT];
    unsigned refs; /* of all objects, before anything was started */
} long_list;

static unsigned count_refs(const long_list *list)
{
    unsigned refs = 0;
    for (size_t i = 0; i < COUNT; i++)
        refs += (unsigned)atomic_load(&list->objects[i]->refs.count);
    return refs;
}

static lw_object *object_new(int number, const char *kind)
{
    char json[SIZE_MAX_JSON];
    lw_object *obj = NULL;
    int len = snprintf(json, sizeof(json),
                       "{\"apiVersion\":\"v1\",\"kind\":\"%s\",\"metadata\":{\"name\":\"c-%d\","
                       "\"namespace\":\"default\",\"resourceVersion\":\"%d\"},\"data\":{\"key\":\""
                       "%0400d\"}}",
                       kind, number, number + 1, number);
    assert_int_equal(lw_object_from_json(&obj, json, (size_t)len, NULL), LW_OK);
    return obj;
}

/* Makes a list of packed objects, of which one in ten has no encoding. */
static long_list *list_new(uint64_t budget)
{
    long_list *list = calloc(1, sizeof(*list));
    const lw_compact_options options = { .keeps_open = false };
    lw_compact *compact = NULL;
    assert_non_null(list);
    assert_int_equal(lw_form_budget_new(&list->budget, budget), LW_OK);
    assert_int_equal(lw_forms_ahead_new(&list->ahead, THREADS), LW_OK);
    assert_int_equal(lw_compact_new(&compact, &options), LW_OK);
    for (int i = 0; i < COUNT; i++) {
        lw_object *obj = object_new(i, i % 10 == 0 ? "Unknown" : "ConfigMap");
        list->objects[i] = lw_compact_pack(compact, obj);
        lw_object_unref(obj);
    }
    lw_compact_close(compact);
    list->refs = count_refs(list);
    return list;
}

static lw_forms_run *start(long_list *list, size_t count)
{
    return lw_forms_ahead_start(list->ahead, list->objects, count, list->budget);
}

/* Ends the threads, which do what was started and not stopped. */
static void finish(long_list *list)
{
    lw_forms_ahead_free(list->ahead);
    list->ahead = NULL;
}

static size_t count_encoded(const long_list *list)
{
    size_t count = 0;
    for (size_t i = 0; i < COUNT; i++) {
        lw_object_form form;
        count += lw_object_form_find(list->objects[i], &form);
    }
    return count;
}

static void list_free(long_list *list)
{
    finish(list);
    assert_int_equal(count_refs(list), list->refs);
    for (size_t i = 0; i < COUNT; i++)
        lw_object_unref(list->objects[i]);
    lw_form_budget_unref(list->budget);
    free(list);
}

static void all_that_have_an_encoding_are_encoded(void **state)
{
    long_list *list = list_new(1 << 30);
    (void)state;
    lw_forms_run *run = start(list, COUNT);
    assert_non_null(run);
    finish(list);
    assert_int_equal(count_encoded(list), COUNT - COUNT / 10);
    lw_forms_run_stop(run);
    list_free(list);
}

static void the_list_meets_the_others(void **state)
{
    long_list *list = list_new(1 << 30);
    lw_form_stats stats;
    (void)state;
    lw_forms_run *run = start(list, COUNT);
    assert_non_null(run);
    for (size_t i = 0; i < COUNT; i++) {
        lw_object_form form;
        lw_status st =
            lw_object_form_offer(list->objects[i], LW_WATCH_ADDED, list->budget, NULL, &form);
        assert_int_equal(st == LW_OK, i % 10 != 0);
    }
    lw_forms_run_stop(run);
    finish(list);
    lw_form_budget_read(list->budget, &stats);
    assert_int_equal(stats.forms, COUNT - COUNT / 10);
    list_free(list);
}

static void a_full_budget_ends_the_run(void **state)
{
    long_list *list = list_new(100 * SIZE_MAX_JSON);
    lw_form_stats stats;
    (void)state;
    lw_forms_run *run = start(list, COUNT);
    assert_non_null(run);
    finish(list);
    lw_form_budget_read(list->budget, &stats);
    assert_true(count_encoded(list) > 50 && count_encoded(list) < 400);
    assert_true(stats.refused >= 1 && stats.refused <= THREADS);
    lw_forms_run_stop(run);
    list_free(list);
}

/* The objects of many runs that are stopped at once are released. */
static void stopped_runs_end(void **state)
{
    long_list *list = list_new(1 << 30);
    (void)state;
    for (int i = 0; i < 200; i++)
        lw_forms_run_stop(start(list, COUNT));
    list_free(list);
}

static void a_short_list_is_left_alone(void **state)
{
    long_list *list = list_new(1 << 30);
    (void)state;
    assert_null(start(list, LW_FORMS_AHEAD_MIN - 1));
    lw_forms_run_stop(NULL);
    finish(list);
    assert_int_equal(count_encoded(list), 0);
    list_free(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(all_that_have_an_encoding_are_encoded),
        TEST(the_list_meets_the_others),
        TEST(a_full_budget_ends_the_run),
        TEST(stopped_runs_end),
        TEST(a_short_list_is_left_alone),
    };
    return cmocka_run_group_tests_name("forms ahead", tests, NULL, NULL);
}
