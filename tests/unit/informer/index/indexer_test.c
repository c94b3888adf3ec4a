/* SPDX-License-Identifier: Apache-2.0 */
/* indexer_test.c -- the cache: objects by key and by index. */
#include "informer/index/indexer.h"

#include <stdio.h>

#include "base/random.h"
#include "base/str.h"
#include "support/script_source.h"
#include "unit/failing_alloc.h"
#include "unit/object/make.h"
#include "unit/test.h"

/* An object with labels; the index by_colour reads "colours", words with '.' between them. */
static lw_object *painted(const char *ns, const char *name, const char *colours, unsigned rv)
{
    char json[256];
    (void)snprintf(json, sizeof(json),
                   "{\"metadata\":{\"namespace\":\"%s\",\"name\":\"%s\",\"resourceVersion\":\"%u\","
                   "\"labels\":{\"colours\":\"%s\"}}}",
                   ns, name, rv, colours);
    return object_of(json);
}

static void by_colour(const lw_object *obj, void (*add)(void *to, lw_str value), void *to,
                      void *arg)
{
    lw_str rest = lw_str_of(lw_object_label(obj, "colours"));
    unsigned *calls = arg;
    if (calls)
        ++*calls;
    while (rest.len > 0) {
        lw_str colour;
        (void)lw_str_cut(rest, '.', &colour, &rest);
        char copy[32]; /* a value lives for the call of |add| only */
        assert_true(colour.len < sizeof(copy));
        memcpy(copy, colour.ptr, colour.len);
        add(to, lw_str_make(copy, colour.len));
        memset(copy, '#', sizeof(copy));
    }
}

static lw_indexer *indexer_new(void)
{
    lw_indexer *indexer = NULL;
    assert_int_equal(lw_indexer_new(&indexer), LW_OK);
    return indexer;
}

static void put(lw_indexer *indexer, const char *ns, const char *name, const char *colours,
                unsigned rv)
{
    lw_object *obj = painted(ns, name, colours, rv), *old = NULL;
    assert_int_equal(lw_indexer_put(indexer, obj, &old), LW_OK);
    lw_object_unref(old);
    lw_object_unref(obj);
    assert_true(lw_indexer_check(indexer));
}

static void drop(lw_indexer *indexer, const char *ns, const char *name)
{
    lw_object *old = NULL;
    lw_indexer_remove(indexer, lw_key_make(ns, name), &old);
    lw_object_unref(old);
    assert_true(lw_indexer_check(indexer));
}

/* The names under |value|, sorted, with a blank between them. */
static const char *names_in(const lw_indexer *indexer, const char *index, const char *value)
{
    static char text[256];
    lw_object_list *list = NULL;
    text[0] = '\0';
    assert_int_equal(lw_indexer_by_index(indexer, index, lw_str_of(value), &list, NULL), LW_OK);
    lw_object_list_sort(list);
    for (size_t i = 0; i < lw_object_list_count(list); i++) {
        size_t len = strlen(text);
        (void)snprintf(text + len, sizeof(text) - len, "%s%s", len ? " " : "",
                       lw_object_name(lw_object_list_at(list, i)));
    }
    lw_object_list_free(list);
    return text;
}

static void finds_what_was_put_and_hands_back_what_was_there(void **state)
{
    (void)state;
    lw_indexer *indexer = indexer_new();
    lw_object *first = painted("n", "a", "", 1), *second = painted("n", "a", "", 2), *old = first;
    assert_null(lw_indexer_get_ref(indexer, lw_key_make("n", "a")));
    assert_int_equal(lw_indexer_put(indexer, first, &old), LW_OK);
    assert_null(old);
    assert_int_equal(lw_indexer_put(indexer, second, &old), LW_OK);
    assert_ptr_equal(old, first);
    lw_object_unref(old);
    lw_object *got = lw_indexer_get_ref(indexer, lw_key_make("n", "a"));
    assert_ptr_equal(got, second);
    assert_ptr_equal(lw_indexer_borrow(indexer, lw_key_make("n", "a")), second);
    lw_object_unref(got);
    assert_int_equal(lw_indexer_count(indexer), 1);
    lw_indexer_remove(indexer, lw_key_make("n", "b"), &old);
    assert_null(old);
    lw_indexer_remove(indexer, lw_key_make("n", "a"), &old);
    assert_ptr_equal(old, second);
    lw_object_unref(old);
    assert_int_equal(lw_indexer_count(indexer), 0);
    lw_object_unref(first);
    lw_object_unref(second);
    lw_indexer_free(indexer);
}

/* client-go: TestMultiIndexKeys. */
static void an_object_may_have_several_values(void **state)
{
    (void)state;
    lw_indexer *indexer = indexer_new();
    assert_int_equal(lw_indexer_add_index(indexer, "colour", by_colour, NULL, NULL), LW_OK);
    put(indexer, "n", "a", "red.green", 1);
    put(indexer, "n", "b", "green.blue", 2);
    put(indexer, "n", "c", "", 3);
    put(indexer, "n", "d", "red.red.red", 4); /* the same value counts once */
    assert_string_equal(names_in(indexer, "colour", "red"), "a d");
    assert_string_equal(names_in(indexer, "colour", "green"), "a b");
    assert_string_equal(names_in(indexer, "colour", "blue"), "b");
    assert_string_equal(names_in(indexer, "colour", "white"), "");
    put(indexer, "n", "a", "blue.red", 5);
    assert_string_equal(names_in(indexer, "colour", "red"), "a d");
    assert_string_equal(names_in(indexer, "colour", "green"), "b");
    assert_string_equal(names_in(indexer, "colour", "blue"), "a b");
    put(indexer, "n", "a", "", 6);
    assert_string_equal(names_in(indexer, "colour", "red"), "d");
    drop(indexer, "n", "b");
    assert_string_equal(names_in(indexer, "colour", "blue"), "");
    assert_string_equal(names_in(indexer, "namespace", "n"), "a c d");
    lw_indexer_free(indexer);
}

/* client-go: TestIndexer. */
static void an_index_may_come_before_the_objects_or_after(void **state)
{
    (void)state;
    unsigned calls = 0;
    lw_indexer *indexer = indexer_new();
    put(indexer, "n", "a", "red", 1);
    put(indexer, "m", "b", "red.blue", 2);
    assert_int_equal(lw_indexer_add_index(indexer, "colour", by_colour, &calls, NULL), LW_OK);
    assert_int_equal(calls, 2);
    assert_true(lw_indexer_check(indexer));
    assert_string_equal(names_in(indexer, "colour", "red"), "b a");
    put(indexer, "n", "c", "red", 3);
    assert_string_equal(names_in(indexer, "colour", "red"), "b a c");
    assert_string_equal(names_in(indexer, "namespace", "n"), "a c");
    lw_indexer_free(indexer);
}

static void an_index_of_that_name_or_of_no_name_is_an_error(void **state)
{
    (void)state;
    lw_indexer *indexer = indexer_new();
    lw_object_list *list = NULL;
    lw_error err = LW_ERROR_INIT;
    assert_int_equal(lw_indexer_add_index(indexer, "namespace", by_colour, NULL, &err),
                     LW_ERR_EXISTS);
    assert_string_equal(err.message, "index \"namespace\" already exists");
    assert_int_equal(lw_indexer_by_index(indexer, "colour", LW_STR("red"), &list, &err),
                     LW_ERR_NOT_FOUND);
    assert_string_equal(err.message, "index \"colour\" not found");
    assert_null(list);
    lw_indexer_free(indexer);
}

/* client-go: TestThreadSafeStoreDeleteRemovesEmptySetsFromIndex (#84959). */
static void values_nobody_has_any_more_cost_nothing(void **state)
{
    (void)state;
    failing_alloc f;
    failing_alloc_begin(&f, SIZE_MAX);
    lw_indexer *indexer = indexer_new();
    assert_int_equal(lw_indexer_add_index(indexer, "colour", by_colour, NULL, NULL), LW_OK);
    put(indexer, "n", "a", "none", 1);
    size_t blocks = f.live, bytes = lw_indexer_bytes(indexer);
    for (unsigned i = 2; i < 500; i++) {
        char colours[32];
        (void)snprintf(colours, sizeof(colours), "x%u.y%u", i, i);
        put(indexer, "n", "a", colours, i);
        put(indexer, "n", "b", colours, i);
        drop(indexer, "n", "b");
    }
    put(indexer, "n", "a", "none", 1);
    assert_int_equal(f.live, blocks);
    assert_int_equal(lw_indexer_bytes(indexer), bytes);
    lw_indexer_free(indexer);
    failing_alloc_end();
    assert_int_equal(f.live, 0);
}

/* Notes changes: "+a" new, "-a" gone, "~a" changed, "=a" unchanged. */
static void note_change(lw_object *old, const lw_object *obj, void *arg)
{
    char *text = arg;
    size_t len = strlen(text);
    char mark = !old ? '+' : !obj ? '-' : old == obj ? '=' : '~';
    (void)snprintf(text + len, 128 - len, "%s%c%s", len ? " " : "", mark,
                   lw_object_name(obj ? obj : old));
}

/* client-go: TestReplaceEvents: deletions first, then the list in its order. */
static void replacing_everything_tells_what_has_changed(void **state)
{
    (void)state;
    char text[128] = "";
    lw_indexer *indexer = indexer_new();
    assert_int_equal(lw_indexer_add_index(indexer, "colour", by_colour, NULL, NULL), LW_OK);
    put(indexer, "n", "a", "red", 1);
    put(indexer, "n", "b", "red", 2);
    put(indexer, "n", "c", "red", 3);
    lw_object *fresh = painted("n", "d", "blue", 9), *changed = painted("n", "c", "blue", 8);
    lw_object *kept = lw_indexer_get_ref(indexer, lw_key_make("n", "a"));
    const lw_object *objects[] = { fresh, changed, kept };
    assert_int_equal(lw_indexer_replace(indexer, objects, 3, note_change, text), LW_OK);
    assert_string_equal(text, "-b +d ~c =a");
    assert_true(lw_indexer_check(indexer));
    assert_string_equal(names_in(indexer, "colour", "red"), "a");
    assert_string_equal(names_in(indexer, "colour", "blue"), "c d");
    text[0] = '\0';
    assert_int_equal(lw_indexer_replace(indexer, NULL, 0, note_change, text), LW_OK);
    assert_string_equal(text, "-d -c -a");
    assert_int_equal(lw_indexer_count(indexer), 0);
    lw_object_unref(fresh);
    lw_object_unref(changed);
    lw_object_unref(kept);
    lw_indexer_free(indexer);
}

/* client-go: TestThreadSafeStoreRV. */
static void collect(lw_indexer *indexer, lw_replacement *list, lw_object *obj, lw_object *kept)
{
    assert_int_equal(lw_indexer_collect(indexer, list, obj, kept), LW_OK);
    lw_object_unref(obj);
    lw_object_unref(kept);
}

static void a_list_is_indexed_by_the_form_in_which_its_objects_came(void **state)
{
    (void)state;
    lw_indexer *indexer = indexer_new();
    lw_replacement *list = NULL;
    unsigned calls = 0;
    assert_int_equal(lw_indexer_add_index(indexer, "colour", by_colour, &calls, NULL), LW_OK);
    put(indexer, "n", "before", "red", 1);
    assert_int_equal(lw_replacement_new(&list), LW_OK);
    calls = 0;
    collect(indexer, list, painted("n", "a", "red.blue", 2), painted("n", "a", "unread", 2));
    collect(indexer, list, painted("n", "b", "red", 3), painted("n", "b", "unread", 3));
    collect(indexer, list, painted("n", "gone", "red", 4), painted("n", "gone", "unread", 4));
    collect(indexer, list, painted("n", "b", "blue", 5), painted("n", "b", "unread", 5));
    lw_replacement_remove(list, lw_key_make("n", "gone"));
    lw_replacement_finish(list);
    assert_int_equal(lw_indexer_replace_with(indexer, list, NULL, NULL), LW_OK);
    assert_true(lw_indexer_check(indexer));
    assert_string_equal(names_in(indexer, "colour", "red"), "a");
    assert_string_equal(names_in(indexer, "colour", "blue"), "a b");
    assert_string_equal(names_in(indexer, "colour", "unread"), "");
    assert_int_equal(calls, 4);
    lw_object *got = lw_indexer_get_ref(indexer, lw_key_make("n", "b"));
    assert_string_equal(lw_object_label(got, "colours"), "unread");
    lw_object_unref(got);
    put(indexer, "n", "c", "blue", 6); /* the list stays as it was */
    assert_int_equal(lw_replacement_count(list), 2);
    assert_string_equal(lw_object_name(lw_replacement_at(list, 1)), "b");
    lw_replacement_free(list);
    lw_indexer_free(indexer);
}

static void an_index_that_comes_during_a_list_has_its_objects(void **state)
{
    (void)state;
    lw_indexer *indexer = indexer_new();
    lw_replacement *list = NULL;
    assert_int_equal(lw_replacement_new(&list), LW_OK);
    collect(indexer, list, painted("n", "a", "red", 2), painted("n", "a", "red", 2));
    assert_int_equal(lw_indexer_add_index(indexer, "colour", by_colour, NULL, NULL), LW_OK);
    collect(indexer, list, painted("n", "b", "red", 3), painted("n", "b", "red", 3));
    lw_replacement_finish(list);
    assert_int_equal(lw_indexer_replace_with(indexer, list, NULL, NULL), LW_OK);
    assert_true(lw_indexer_check(indexer));
    assert_string_equal(names_in(indexer, "colour", "red"), "a b");
    lw_replacement_free(list);
    lw_indexer_free(indexer);
}

static void the_revision_is_the_last_that_was_said(void **state)
{
    (void)state;
    lw_indexer *indexer = indexer_new();
    assert_int_equal(lw_indexer_revision(indexer), 0);
    lw_indexer_set_revision(indexer, "12");
    assert_int_equal(lw_indexer_revision(indexer), 12);
    lw_indexer_set_revision(indexer, "");
    lw_indexer_set_revision(indexer, NULL);
    assert_int_equal(lw_indexer_revision(indexer), 12);
    lw_indexer_set_revision(indexer, "9");
    assert_int_equal(lw_indexer_revision(indexer), 9);
    lw_indexer_set_revision(indexer, "18446744073709551615");
    assert_true(lw_indexer_revision(indexer) == UINT64_MAX);
    lw_indexer_set_revision(indexer, "not-a-number");
    assert_int_equal(lw_indexer_revision(indexer), 0);
    lw_indexer_free(indexer);
}

static void bytes_are_those_of_the_objects_and_a_little_more(void **state)
{
    (void)state;
    lw_indexer *indexer = indexer_new();
    size_t empty = lw_indexer_bytes(indexer), objects = 0;
    for (unsigned i = 0; i < 1000; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "o%u", i);
        put(indexer, "n", name, "red", i);
        objects += lw_object_memory(lw_indexer_borrow(indexer, lw_key_make("n", name)));
    }
    size_t full = lw_indexer_bytes(indexer) - empty;
    assert_true(full > objects);
    assert_true(full < objects + 1000 * 110); /* places, items and one membership each */
    assert_int_equal(lw_indexer_replace(indexer, NULL, 0, NULL, NULL), LW_OK);
    assert_int_equal(lw_indexer_bytes(indexer), empty);
    lw_indexer_free(indexer);
}

/* Random changes against a plain array. */
enum {
    NAMES = 30,
};

static void assert_agrees(const lw_indexer *indexer, char model[NAMES][16])
{
    static const char *const colours[] = { "red", "green", "blue" };
    size_t count = 0;
    for (unsigned i = 0; i < NAMES; i++) {
        char name[8];
        (void)snprintf(name, sizeof(name), "%u", i);
        const lw_object *obj = lw_indexer_borrow(indexer, lw_key_make("n", name));
        assert_int_equal(obj != NULL, model[i][0] != '\0');
        if (obj)
            assert_string_equal(lw_object_label(obj, "colours"), model[i] + 1);
        count += obj != NULL;
    }
    assert_int_equal(lw_indexer_count(indexer), count);
    for (size_t c = 0; c < 3; c++) {
        lw_object_list *list = NULL;
        size_t expected = 0;
        for (unsigned i = 0; i < NAMES; i++)
            expected += model[i][0] != '\0' && strstr(model[i], colours[c]) != NULL;
        assert_int_equal(lw_indexer_by_index(indexer, "colour", lw_str_of(colours[c]), &list, NULL),
                         LW_OK);
        assert_int_equal(lw_object_list_count(list), expected);
        lw_object_list_free(list);
    }
}

static void random_changes_leave_it_as_a_plain_array_would_be(void **state)
{
    (void)state;
    static const char *const paints[] = { "",          "red",      "green.red",     "blue",
                                          "red.green", "blue.red", "red.green.blue" };
    for (uint64_t seed = 0; seed < 30; seed++) {
        char model[NAMES][16] = { "" };
        lw_random random;
        lw_random_init(&random, seed);
        lw_indexer *indexer = indexer_new();
        assert_int_equal(lw_indexer_add_index(indexer, "colour", by_colour, NULL, NULL), LW_OK);
        for (unsigned i = 0; i < 300; i++) {
            unsigned at = (unsigned)lw_random_below(&random, NAMES);
            char name[8];
            (void)snprintf(name, sizeof(name), "%u", at);
            if (lw_random_below(&random, 3) == 0) {
                drop(indexer, "n", name);
                model[at][0] = '\0';
            } else {
                const char *paint = paints[lw_random_below(&random, 7)];
                put(indexer, "n", name, paint, i);
                (void)snprintf(model[at], sizeof(model[at]), "!%s", paint);
            }
        }
        assert_agrees(indexer, model);
        lw_indexer_free(indexer);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(finds_what_was_put_and_hands_back_what_was_there),
        TEST(an_object_may_have_several_values),
        TEST(an_index_may_come_before_the_objects_or_after),
        TEST(an_index_of_that_name_or_of_no_name_is_an_error),
        TEST(values_nobody_has_any_more_cost_nothing),
        TEST(replacing_everything_tells_what_has_changed),
        TEST(a_list_is_indexed_by_the_form_in_which_its_objects_came),
        TEST(an_index_that_comes_during_a_list_has_its_objects),
        TEST(the_revision_is_the_last_that_was_said),
        TEST(bytes_are_those_of_the_objects_and_a_little_more),
        TEST(random_changes_leave_it_as_a_plain_array_would_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
