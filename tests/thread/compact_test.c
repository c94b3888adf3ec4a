/* SPDX-License-Identifier: Apache-2.0 */
/* compact_test.c -- packed objects are read and freed by several threads while one packs more. */
#include "object/compact/compact.h"

#include <stdatomic.h>
#include <stdio.h>

#include "base/str.h"
#include "base/sync.h"
#include "informer/index/indexer.h"
#include "thread/crew.h"
#include "unit/object/make.h"

enum {
    OBJECTS = 96,
    SETS = 8,
    ROUNDS = 60,
};

typedef struct shared {
    lw_indexer *indexer;
    lw_compact *compact;
    atomic_int faults;
    atomic_bool is_over;
} shared;

static lw_object *make_pod(int number, int version)
{
    char json[1024];
    (void)snprintf(json, sizeof(json),
                   "{\"metadata\":{\"name\":\"set%d-%03d\",\"namespace\":\"n\",\"resourceVersion\":"
                   "\"%d\",\"labels\":{\"set\":\"s%d\"}},\"spec\":{\"nodeName\":\"node-%d\","
                   "\"version\":%d,\"text\":\"%s\",\"path\":\"/var/run/secrets/kubernetes.io/"
                   "serviceaccount\",\"policy\":\"IfNotPresent\",\"schedulerName\":"
                   "\"default-scheduler\",\"dnsPolicy\":\"ClusterFirst\",\"restart\":\"Always\"}}",
                   number % SETS, number, version, number % SETS, number, version,
                   number % 2 ? "line\\nline" : "terminationMessagePath");
    return object_of(json);
}

static void check(shared *s, bool is_good)
{
    if (!is_good)
        atomic_fetch_add(&s->faults, 1);
}

static void read_all(void *arg)
{
    shared *s = arg;
    const lw_lister *lister = lw_indexer_lister(s->indexer);
    do {
        lw_object_list *list = lw_lister_list(lister, NULL, NULL);
        for (size_t i = 0; i < lw_object_list_count(list); i++) {
            const lw_object *obj = lw_object_list_at(list, i);
            int number = 0, set = 0;
            check(s, sscanf(lw_object_name(obj), "set%d-%d", &set, &number) == 2);
            char node[32], label[32];
            (void)snprintf(node, sizeof(node), "node-%d", number);
            (void)snprintf(label, sizeof(label), "s%d", set);
            check(s, strcmp(lw_object_string(obj, "/spec/nodeName", ""), node) == 0);
            check(s, strcmp(lw_object_label(obj, "set"), label) == 0);
            check(s, lw_object_int(obj, "/spec/version", -1) == (int)lw_object_revision(obj));
            check(s, lw_object_json(obj).len > 0);
        }
        lw_object_list_free(list);
    } while (!atomic_load(&s->is_over));
}

/* Replaces objects with whole ones and packs them again. */
static void write_and_pack(void *arg)
{
    shared *s = arg;
    for (int round = 1; round <= ROUNDS; round++) {
        for (int i = round % 3; i < OBJECTS; i += 3) {
            lw_object *obj = make_pod(i, round), *old = NULL;
            check(s, lw_indexer_put(s->indexer, obj, &old) == LW_OK);
            lw_object_unref(obj);
            lw_object_unref(old);
        }
        size_t place = 0;
        while (lw_indexer_pack(s->indexer, s->compact, &place))
            ;
    }
    atomic_store(&s->is_over, true);
}

static void run(bool keeps_open)
{
    const lw_compact_options options = { .keeps_open = keeps_open };
    shared s = { .indexer = NULL };
    lw_thread writer;
    assert_int_equal(lw_indexer_new(&s.indexer), LW_OK);
    assert_int_equal(lw_compact_new(&s.compact, &options), LW_OK);
    assert_int_equal(lw_thread_start(&writer, "writer", write_and_pack, &s, NULL), LW_OK);
    crew_run(read_all, &s);
    lw_thread_join(&writer);
    assert_int_equal(atomic_load(&s.faults), 0);
    assert_int_equal(lw_indexer_count(s.indexer), OBJECTS);
    assert_true(lw_indexer_check(s.indexer));
    const lw_object *obj = lw_indexer_borrow(s.indexer, lw_key_make("n", "set1-001"));
    assert_true(lw_compact_is_packed(obj));
    lw_compact_close(s.compact);
    lw_indexer_free(s.indexer);
}

static void readers_see_whole_objects_while_they_are_packed(void **state)
{
    (void)state;
    run(false);
}

static void readers_share_bodies_that_are_kept(void **state)
{
    (void)state;
    run(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(readers_see_whole_objects_while_they_are_packed),
        TEST(readers_share_bodies_that_are_kept),
    };
    return cmocka_run_group_tests_name("compact", tests, NULL, NULL);
}
