/* SPDX-License-Identifier: Apache-2.0 */
/* packing_test.c -- when the objects of a cache are packed. */
#include "informer/index/packing.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/sync.h"
#include "unit/object/make.h"
#include "unit/test.h"

static lw_object *make_pod(int number)
{
    char json[1024];
    (void)snprintf(json, sizeof(json),
                   "{\"metadata\":{\"name\":\"web-%05d\",\"namespace\":\"n\",\"resourceVersion\":"
                   "\"%d\"},\"spec\":{\"nodeName\":\"node-%d\",\"path\":\"/var/run/secrets/"
                   "kubernetes.io/serviceaccount\",\"policy\":\"IfNotPresent\",\"schedulerName\":"
                   "\"default-scheduler\",\"dnsPolicy\":\"ClusterFirst\",\"restart\":\"Always\","
                   "\"terminationMessagePath\":\"/dev/termination-log\"}}",
                   number, number + 1, number);
    return object_of(json);
}

static void fill(lw_indexer *indexer, int count)
{
    for (int i = 0; i < count; i++) {
        lw_object *obj = make_pod(i), *old = NULL;
        assert_int_equal(lw_indexer_put(indexer, obj, &old), LW_OK);
        lw_object_unref(obj);
    }
}

static int count_packed(const lw_indexer *indexer)
{
    lw_object_list *list = lw_lister_list(lw_indexer_lister(indexer), NULL, NULL);
    int packed = 0;
    for (size_t i = 0; i < lw_object_list_count(list); i++)
        packed += lw_compact_is_packed(lw_object_list_at(list, i));
    lw_object_list_free(list);
    return packed;
}

static void changed_objects_are_packed_after_a_rest(void **state)
{
    lw_packing packing;
    lw_indexer *indexer = NULL;
    int64_t now = 5 * LW_NS_PER_S, due = now + LW_PACKING_REST_S * LW_NS_PER_S;
    (void)state;
    assert_int_equal(lw_indexer_new(&indexer), LW_OK);
    lw_packing_init(&packing, LW_COMPACT_ON);
    lw_packing_turn(&packing, indexer, 0, now);
    assert_true(lw_packing_deadline_ns(&packing) == LW_NEVER_NS);

    fill(indexer, 100);
    lw_packing_turn(&packing, indexer, 100, now);
    assert_true(lw_packing_deadline_ns(&packing) == due);
    lw_packing_turn(&packing, indexer, 100, due - 1);
    assert_int_equal(count_packed(indexer), 0);

    lw_packing_turn(&packing, indexer, 100, due);
    assert_int_equal(count_packed(indexer), 64); /* a few in each turn */
    assert_int_equal(lw_packing_deadline_ns(&packing), 0);
    lw_packing_turn(&packing, indexer, 100, due);
    assert_int_equal(count_packed(indexer), 100);
    assert_true(lw_packing_deadline_ns(&packing) == LW_NEVER_NS); /* nothing wakes it any more */
    lw_packing_turn(&packing, indexer, 100, due + LW_NS_PER_S);
    assert_true(lw_packing_deadline_ns(&packing) == LW_NEVER_NS);

    assert_true(lw_indexer_check(indexer));
    lw_packing_done(&packing);
    lw_indexer_free(indexer);
}

/* Packs |obj| as the object of a list with |count| before it. */
static bool is_packed_in(lw_compact_mode mode, size_t count)
{
    lw_packing packing;
    lw_object *obj = make_pod(1);
    lw_packing_init(&packing, mode);
    lw_object *kept = lw_packing_pack(&packing, obj, count);
    bool is_packed = lw_compact_is_packed(kept);
    lw_object_unref(kept);
    lw_object_unref(obj);
    lw_packing_done(&packing);
    return is_packed;
}

static void the_mode_and_the_number_of_objects_decide(void **state)
{
    (void)state;
    assert_true(is_packed_in(LW_COMPACT_ON, 0));
    assert_true(is_packed_in(LW_COMPACT_AUTO, LW_PACKING_AUTO_OBJECTS));
    assert_false(is_packed_in(LW_COMPACT_AUTO, LW_PACKING_AUTO_OBJECTS - 1));
    assert_false(is_packed_in(LW_COMPACT_OFF, LW_PACKING_AUTO_OBJECTS));
}

static void the_mode_is_read(void **state)
{
    lw_compact_mode mode;
    lw_error err = LW_ERROR_INIT;
    (void)state;
    assert_int_equal(lw_compact_mode_read("on", LW_COMPACT_OFF, &mode, &err), LW_OK);
    assert_int_equal(mode, LW_COMPACT_ON);
    assert_int_equal(lw_compact_mode_read(NULL, LW_COMPACT_OFF, &mode, &err), LW_OK);
    assert_int_equal(mode, LW_COMPACT_OFF);
    assert_int_equal(lw_compact_mode_read("yes", LW_COMPACT_OFF, &mode, &err), LW_ERR_INVALID);
    assert_non_null(strstr(err.message, "\"auto\", \"on\" or \"off\""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(changed_objects_are_packed_after_a_rest),
        TEST(the_mode_and_the_number_of_objects_decide),
        TEST(the_mode_is_read),
    };
    return cmocka_run_group_tests_name("packing", tests, NULL, NULL);
}
