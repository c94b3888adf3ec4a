/* SPDX-License-Identifier: Apache-2.0 */
/* object_spare_test.c -- the block of an object that was not kept is used again, and no other. */
#include "object/object_spare.h"

#include <listwatch/list_reader.h>
#include <listwatch/sys/alloc.h>

#include "unit/failing_alloc.h"
#include "unit/object/make.h"

enum {
    SIZE = 1000,
};

/* An object of |size| bytes, as far as its releases go. */
static lw_object *make(lw_object_spare *spare, size_t size)
{
    lw_object *obj = lw_object__spare_alloc(spare, size);
    assert_non_null(obj);
    memset(obj, 0, size);
    lw_ref_init(&obj->refs);
    return obj;
}

static void a_released_block_is_used_again(void **state)
{
    lw_object_spare spare = { 0 };
    lw_object *first = make(&spare, SIZE);
    (void)state;
    lw_object__spare_unref(&spare, first);
    lw_object *second = make(&spare, SIZE - 10);
    assert_ptr_equal(second, first);
    lw_object__spare_unref(&spare, second);
    lw_object__spare_done(&spare);
}

static void an_object_with_another_reference_stays(void **state)
{
    lw_object_spare spare = { 0 };
    lw_object *first = make(&spare, SIZE);
    lw_object *kept = lw_object_ref(first);
    (void)state;
    lw_object__spare_unref(&spare, first);
    lw_object *second = make(&spare, SIZE);
    assert_ptr_not_equal(second, kept);
    assert_int_equal(lw_ref_count(&kept->refs), 1);
    lw_object_unref(kept);
    lw_object__spare_unref(&spare, second);
    lw_object__spare_done(&spare);
}

static void a_much_larger_block_is_not_used(void **state)
{
    lw_object_spare spare = { 0 };
    (void)state;
    lw_object__spare_unref(&spare, make(&spare, SIZE));
    lw_object *small = make(&spare, SIZE / 2);
    assert_true(spare.size < SIZE);
    lw_object__spare_unref(&spare, small);
    lw_object__spare_done(&spare);
}

static void a_larger_object_gets_a_larger_block(void **state)
{
    lw_object_spare spare = { 0 };
    (void)state;
    lw_object__spare_unref(&spare, make(&spare, SIZE));
    lw_object__spare_unref(&spare, make(&spare, 2 * SIZE));
    assert_true(spare.size >= 2 * SIZE);
    lw_object__spare_done(&spare);
}

static void an_object_of_somebody_else_is_only_released(void **state)
{
    lw_object_spare spare = { 0 };
    lw_object *other = object_of("{\"metadata\":{\"name\":\"a\"}}");
    (void)state;
    lw_object__spare_unref(&spare, other);
    assert_null(spare.block);
    lw_object__spare_done(&spare);
}

static const char list[] = "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{},\"items\":["
                           "{\"metadata\":{\"name\":\"a\\u0061\"},\"spec\":{\"x\":\"\\u0061\"}},"
                           "{\"metadata\":{\"name\":\"b\"},\"spec\":{\"x\":\"b\"}},"
                           "{\"metadata\":{\"name\":\"c\"},\"spec\":{\"x\":\"\\u0063\"}}]}";

/* What a callback has seen of the objects of |list|. */
typedef struct seen {
    const lw_object *at[3];
    lw_object *kept; /* the second one */
    size_t count;
} seen;

static lw_status look(const lw_object *obj, void *arg, lw_error *err)
{
    static const char *const values[] = { "a", "b", "c" };
    seen *s = arg;
    (void)err;
    assert_string_equal(lw_object_string(obj, "/spec/x", ""), values[s->count]);
    if (s->count == 1)
        s->kept = lw_object_ref(obj);
    s->at[s->count++] = obj;
    return LW_OK;
}

/* Without memory a string is not decoded. */
static lw_status keep_second(const lw_object *obj, void *arg, lw_error *err)
{
    seen *s = arg;
    (void)err;
    (void)lw_object_string(obj, "/spec/x", "");
    if (s->count++ == 1)
        s->kept = lw_object_ref(obj);
    return LW_OK;
}

static lw_status read_all(lw_object_fn on_object, seen *s)
{
    const lw_list_reader_options options = { .on_object = on_object, .arg = s };
    lw_list_reader *reader = NULL;
    lw_status st = lw_list_reader_new(&reader, &options, NULL);
    if (st == LW_OK)
        st = lw_list_reader_feed(reader, list, sizeof(list) - 1, NULL);
    if (st == LW_OK)
        st = lw_list_reader_finish(reader, NULL);
    lw_list_reader_free(reader);
    return st;
}

/* Strings that were decoded for one object are not those of the next one in its block. */
static void the_objects_of_a_list_share_a_block_until_one_is_kept(void **state)
{
    seen s = { .count = 0 };
    (void)state;
    assert_int_equal(read_all(look, &s), LW_OK);
    assert_int_equal(s.count, 3);
    assert_ptr_equal(s.at[1], s.at[0]);
    assert_ptr_not_equal(s.at[2], s.at[1]);
    assert_string_equal(lw_object_name(s.kept), "b");
    lw_object_unref(s.kept);
}

static void without_memory_nothing_is_lost_or_leaks(void **state)
{
    failing_alloc memory = { 0 };
    lw_status st = LW_ERR_NOMEM;
    (void)state;
    for (size_t allowed = 0; st != LW_OK && allowed < 100; allowed++) {
        seen s = { .count = 0 };
        failing_alloc_begin(&memory, allowed);
        st = read_all(keep_second, &s);
        lw_object_unref(s.kept);
        failing_alloc_end();
        assert_int_equal(memory.live, 0);
        assert_true(st == LW_OK || st == LW_ERR_NOMEM);
    }
    assert_int_equal(st, LW_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_released_block_is_used_again),
        TEST(an_object_with_another_reference_stays),
        TEST(a_much_larger_block_is_not_used),
        TEST(a_larger_object_gets_a_larger_block),
        TEST(an_object_of_somebody_else_is_only_released),
        TEST(the_objects_of_a_list_share_a_block_until_one_is_kept),
        TEST(without_memory_nothing_is_lost_or_leaks),
    };
    return cmocka_run_group_tests_name("object_spare", tests, NULL, NULL);
}
