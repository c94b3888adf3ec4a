/* SPDX-License-Identifier: Apache-2.0 */
/* delta_fifo_test.c -- the queue of changes: its order, one delta at a time and by key. */
#include "informer/delta_fifo.h"

#include <stdio.h>

#include "base/random.h"
#include "support/script_source.h"
#include "unit/failing_alloc.h"
#include "unit/test.h"

static lw_delta_fifo *fifo_new(bool is_by_key)
{
    lw_delta_fifo *fifo = NULL;
    const lw_delta_fifo_options options = { .is_by_key = is_by_key };
    assert_int_equal(lw_delta_fifo_new(&fifo, &options), LW_OK);
    return fifo;
}

/* Queues the changes in |text|: "+a@1" add, "~a@2" update, "-a@3" delete. */
static void push(lw_delta_fifo *fifo, const char *text)
{
    char name[32];
    unsigned rv = 0;
    lw_status st = LW_ERR_INVALID;
    assert_int_equal(sscanf(text + 1, "%31[^@]@%u", name, &rv), 2);
    lw_object *obj = script_object(name, rv, 0);
    switch (text[0]) {
    case '+': st = lw_delta_fifo_add(fifo, obj); break;
    case '~': st = lw_delta_fifo_update(fifo, obj); break;
    case '-': st = lw_delta_fifo_delete(fifo, obj); break;
    default: break;
    }
    lw_object_unref(obj);
    assert_int_equal(st, LW_OK);
}

static void push_replacement(lw_delta_fifo *fifo, const char *key, const char *rv)
{
    lw_replacement *replacement = NULL;
    lw_object *obj = script_object(key, 1, 0);
    assert_int_equal(lw_replacement_new(&replacement), LW_OK);
    assert_int_equal(lw_replacement_put(replacement, obj), LW_OK);
    lw_object_unref(obj);
    assert_int_equal(lw_delta_fifo_replace_take(fifo, replacement, rv), LW_OK);
}

/* What one pop gives, as push spells it; "=1@rv" for a state of one object, "*", ".@rv"; "" when
 * the queue is empty. */
static const char *pop(lw_delta_fifo *fifo)
{
    static const char marks[] = { 0, '+', '~', '-', '=', '*', '.' };
    static char text[512];
    lw_dlist deltas;
    text[0] = '\0';
    bool is_there = lw_delta_fifo_pop(fifo, &deltas);
    assert_int_equal(is_there, !lw_dlist_is_empty(&deltas));
    LW_DLIST_FOR_EACH_SAFE(lw_delta, delta, &deltas, arrival)
    {
        size_t len = strlen(text);
        const char *rv = delta->object ? lw_object_resource_version(delta->object) : delta->rv;
        (void)snprintf(text + len, sizeof(text) - len, "%s%c%s", len ? " " : "", marks[delta->type],
                       delta->object ? lw_object_name(delta->object) : "");
        len = strlen(text);
        if (delta->replacement)
            len += (size_t)snprintf(text + len, sizeof(text) - len, "%zu",
                                    lw_replacement_count(delta->replacement));
        if (rv)
            (void)snprintf(text + len, sizeof(text) - len, "@%s", rv);
        lw_delta_free(delta);
    }
    return text;
}

/* client-go: TestRealFIFO_detectLineJumpers. */
static void leaves_in_the_order_of_arrival(void **state)
{
    (void)state;
    lw_delta_fifo *fifo = fifo_new(false);
    push(fifo, "+a@1");
    push(fifo, "+b@2");
    push(fifo, "~a@3");
    push(fifo, "-b@4");
    push(fifo, "-b@5"); /* nothing is merged */
    assert_int_equal(lw_delta_fifo_count(fifo), 5);
    assert_string_equal(pop(fifo), "+a@1");
    assert_string_equal(pop(fifo), "+b@2");
    push(fifo, "~b@6");
    assert_string_equal(pop(fifo), "~a@3");
    assert_string_equal(pop(fifo), "-b@4");
    assert_string_equal(pop(fifo), "-b@5");
    assert_string_equal(pop(fifo), "~b@6");
    assert_string_equal(pop(fifo), "");
    assert_int_equal(lw_delta_fifo_count(fifo), 0);
    lw_delta_fifo_free(fifo);
}

static void by_key_all_deltas_of_the_oldest_key_leave_together(void **state)
{
    (void)state;
    lw_delta_fifo *fifo = fifo_new(true);
    push(fifo, "+a@1");
    push(fifo, "+b@2");
    push(fifo, "~a@3");
    push(fifo, "+c@4");
    push(fifo, "~a@5");
    assert_string_equal(pop(fifo), "+a@1 ~a@3 ~a@5");
    assert_int_equal(lw_delta_fifo_count(fifo), 2);
    push(fifo, "-a@6"); /* the key waits at the end now */
    push(fifo, "-b@7");
    assert_string_equal(pop(fifo), "+b@2 -b@7");
    assert_string_equal(pop(fifo), "+c@4");
    assert_string_equal(pop(fifo), "-a@6");
    assert_string_equal(pop(fifo), "");
    lw_delta_fifo_free(fifo);
}

/* As client-go's DeltaFIFO: of two the older is kept. */
static void by_key_two_deletions_in_a_row_are_one(void **state)
{
    (void)state;
    lw_delta_fifo *fifo = fifo_new(true);
    push(fifo, "+a@1");
    push(fifo, "-a@2");
    push(fifo, "-a@3");
    push(fifo, "+a@4");
    push(fifo, "-a@5");
    assert_string_equal(pop(fifo), "+a@1 -a@2 +a@4 -a@5");
    lw_delta_fifo_free(fifo);
}

/* client-go: TestRealFIFO_replaceWithDeleteDeltaIn (#83810). */
static void a_deletion_before_a_replace_is_not_merged_with_one_after_it(void **state)
{
    (void)state;
    lw_delta_fifo *fifo = fifo_new(true);
    push(fifo, "-a@1");
    push_replacement(fifo, "a", "5");
    push(fifo, "-a@6");
    assert_string_equal(pop(fifo), "-a@1");
    assert_string_equal(pop(fifo), "=1@5");
    assert_string_equal(pop(fifo), "-a@6");
    lw_delta_fifo_free(fifo);
}

/* client-go: TestRealFIFO_ReplaceAtomic, TestRealFIFO_ResyncAtomic. */
static void by_key_nothing_overtakes_what_concerns_all_keys(void **state)
{
    (void)state;
    lw_delta_fifo *fifo = fifo_new(true);
    push(fifo, "+a@1");
    push(fifo, "+b@2");
    push(fifo, "~a@3");
    push_replacement(fifo, "a", "9");
    push(fifo, "~a@10");
    assert_int_equal(lw_delta_fifo_resync(fifo), LW_OK);
    push(fifo, "~a@11");
    push(fifo, "~a@12");
    assert_int_equal(lw_delta_fifo_bookmark(fifo, "13"), LW_OK);
    push(fifo, "~a@14");
    assert_string_equal(pop(fifo), "+a@1 ~a@3");
    assert_string_equal(pop(fifo), "+b@2");
    assert_string_equal(pop(fifo), "=1@9");
    assert_string_equal(pop(fifo), "~a@10");
    assert_string_equal(pop(fifo), "*");
    assert_string_equal(pop(fifo), "~a@11 ~a@12");
    assert_string_equal(pop(fifo), ".@13");
    assert_string_equal(pop(fifo), "~a@14");
    assert_string_equal(pop(fifo), "");
    lw_delta_fifo_free(fifo);
}

static void bookmarks_and_resyncs_do_not_pile_up(void **state)
{
    (void)state;
    lw_delta_fifo *fifo = fifo_new(false);
    assert_int_equal(lw_delta_fifo_bookmark(fifo, "1"), LW_OK);
    assert_int_equal(lw_delta_fifo_bookmark(fifo, "2"), LW_OK);
    assert_int_equal(lw_delta_fifo_resync(fifo), LW_OK);
    assert_int_equal(lw_delta_fifo_resync(fifo), LW_OK);
    assert_int_equal(lw_delta_fifo_bookmark(fifo, "3"), LW_OK);
    assert_int_equal(lw_delta_fifo_count(fifo), 3);
    assert_string_equal(pop(fifo), ".@2");
    assert_string_equal(pop(fifo), "*");
    assert_string_equal(pop(fifo), ".@3");
    lw_delta_fifo_free(fifo);
}

/* client-go: TestRealFIFO_HasSynced; here the flag rises after the first state is applied, never
 * before (its DeltaFIFO raised it too early). */
static void has_synced_when_the_first_replace_is_applied(void **state)
{
    (void)state;
    lw_delta_fifo *fifo = fifo_new(false);
    assert_false(lw_delta_fifo_has_synced(fifo));
    push(fifo, "+a@1");
    push_replacement(fifo, "a", "5");
    push(fifo, "~a@6");
    assert_string_equal(pop(fifo), "+a@1");
    lw_delta_fifo_processed(fifo);
    assert_false(lw_delta_fifo_has_synced(fifo));
    assert_string_equal(pop(fifo), "=1@5");
    assert_false(lw_delta_fifo_has_synced(fifo));
    lw_delta_fifo_processed(fifo);
    assert_true(lw_delta_fifo_has_synced(fifo));
    push_replacement(fifo, "a", "8");
    assert_true(lw_delta_fifo_has_synced(fifo));
    lw_delta_fifo_free(fifo);
}

static void a_full_queue_refuses_and_stays_as_it_was(void **state)
{
    (void)state;
    lw_delta_fifo *fifo = NULL;
    lw_replacement *replacement = NULL;
    const lw_delta_fifo_options options = { .max_deltas = 2 };
    lw_object *obj = script_object("c", 3, 0);
    assert_int_equal(lw_delta_fifo_new(&fifo, &options), LW_OK);
    push(fifo, "+a@1");
    push(fifo, "+b@2");
    assert_int_equal(lw_delta_fifo_add(fifo, obj), LW_ERR_LIMIT);
    assert_int_equal(lw_delta_fifo_bookmark(fifo, "4"), LW_ERR_LIMIT);
    assert_int_equal(lw_delta_fifo_resync(fifo), LW_ERR_LIMIT);
    assert_int_equal(lw_replacement_new(&replacement), LW_OK);
    assert_int_equal(lw_delta_fifo_replace_take(fifo, replacement, "5"), LW_ERR_LIMIT);
    assert_string_equal(pop(fifo), "+a@1");
    assert_int_equal(lw_delta_fifo_add(fifo, obj), LW_OK);
    assert_string_equal(pop(fifo), "+b@2");
    assert_string_equal(pop(fifo), "+c@3");
    lw_object_unref(obj);
    lw_delta_fifo_free(fifo);
}

static void the_key_outlives_the_object_it_came_with(void **state)
{
    (void)state;
    lw_delta_fifo *fifo = fifo_new(false);
    push(fifo, "+a@1");
    push(fifo, "~a@2");
    assert_string_equal(pop(fifo), "+a@1"); /* whose bytes were the map's key */
    push(fifo, "~a@3");
    push(fifo, "+b@4");
    assert_string_equal(pop(fifo), "~a@2");
    assert_string_equal(pop(fifo), "~a@3");
    assert_string_equal(pop(fifo), "+b@4");
    lw_delta_fifo_free(fifo);
}

static void freeing_a_full_queue_frees_what_is_in_it(void **state)
{
    (void)state;
    failing_alloc f;
    failing_alloc_begin(&f, SIZE_MAX);
    lw_delta_fifo *fifo = fifo_new(true);
    push(fifo, "+a@1");
    push(fifo, "~a@2");
    push_replacement(fifo, "b", "3");
    push(fifo, "~a@4");
    assert_int_equal(lw_delta_fifo_bookmark(fifo, "5"), LW_OK);
    lw_delta_fifo_free(fifo);
    lw_delta_fifo_free(NULL);
    failing_alloc_end();
    assert_int_equal(f.live, 0);
}

/* In both modes of the queue, the deltas of a key are returned in the order of arrival. */
static void each_key_keeps_its_order_whatever_happens(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        unsigned last_rv[8] = { 0 }, rv = 0, popped = 0, pushed = 0;
        lw_random random;
        lw_random_init(&random, seed);
        lw_delta_fifo *fifo = fifo_new(seed % 2 == 0);
        for (int i = 0; i < 300; i++) {
            char text[32];
            if (lw_random_below(&random, 3) != 0) {
                (void)snprintf(text, sizeof(text), "~%u@%u", (unsigned)lw_random_below(&random, 8),
                               ++rv);
                push(fifo, text);
                pushed++;
            } else if (lw_random_below(&random, 8) == 0) {
                assert_int_equal(lw_delta_fifo_resync(fifo), LW_OK);
            }
            if (i < 290 && lw_random_below(&random, 3) != 0)
                continue;
            lw_dlist deltas;
            while (lw_delta_fifo_pop(fifo, &deltas)) {
                LW_DLIST_FOR_EACH_SAFE(lw_delta, delta, &deltas, arrival)
                {
                    if (delta->object) {
                        unsigned key = (unsigned)(lw_object_name(delta->object)[0] - '0');
                        unsigned its = (unsigned)lw_object_revision(delta->object);
                        assert_true(its > last_rv[key]);
                        last_rv[key] = its;
                        popped++;
                    }
                    lw_delta_free(delta);
                }
                if (i < 290)
                    break;
            }
        }
        assert_int_equal(popped, pushed);
        lw_delta_fifo_free(fifo);
    }
}

/* client-go: TestRealFIFO_HasSynced, its histories and two more.  '+' an add, '0' an empty state,
 * '1' one of an object, '2' one that has it twice; 'p' pops, 'd' is done with what was popped.
 * Better than client-go: a change that comes before any list is no sync. */
static void each_history_is_in_sync_once_its_first_list_is_applied(void **state)
{
    (void)state;
    static const struct {
        const char *history;
        bool is_synced;
    } cases[] = { { "", false },    { "+", false },  { "+pd", false },  { "0", false },
                  { "0p", false },  { "0pd", true }, { "1", false },    { "1p", false },
                  { "1pd", true },  { "2pd", true }, { "+1pd", false }, { "+1pdpd", true },
                  { "10pd", true }, { "1+pd", true } };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        lw_delta_fifo *fifo = fifo_new(false);
        for (const char *step = cases[i].history; *step; step++) {
            lw_replacement *twice = NULL;
            switch (*step) {
            case '+': push(fifo, "+a@1"); break;
            case '1': push_replacement(fifo, "a", "5"); break;
            case 'p': (void)pop(fifo); break;
            case 'd': lw_delta_fifo_processed(fifo); break;
            default:
                assert_int_equal(lw_replacement_new(&twice), LW_OK);
                for (char n = '0'; n < *step; n++) {
                    lw_object *obj = script_object("a", 1, 0);
                    assert_int_equal(lw_replacement_put(twice, obj), LW_OK);
                    lw_object_unref(obj);
                }
                assert_int_equal(lw_delta_fifo_replace_take(fifo, twice, "5"), LW_OK);
            }
        }
        if (lw_delta_fifo_has_synced(fifo) != cases[i].is_synced)
            fail_msg("\"%s\"", cases[i].history);
        lw_delta_fifo_free(fifo);
    }
}

/* client-go: TestRealFIFO_ReplaceAtomic, TestRealFIFO_ResyncAtomic. */
static void lists_resyncs_and_bookmarks_keep_their_place(void **state)
{
    (void)state;
    lw_delta_fifo *fifo = fifo_new(false);
    push(fifo, "+a@1");
    push_replacement(fifo, "a", "9");
    push(fifo, "~a@10");
    assert_int_equal(lw_delta_fifo_resync(fifo), LW_OK);
    push(fifo, "~b@11");
    assert_int_equal(lw_delta_fifo_bookmark(fifo, "12"), LW_OK);
    push_replacement(fifo, "b", "13");
    static const char *const expected[] = { "+a@1",  "=1@9", "~a@10", "*",
                                            "~b@11", ".@12", "=1@13", "" };
    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
        assert_string_equal(pop(fifo), expected[i]);
    lw_delta_fifo_free(fifo);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(leaves_in_the_order_of_arrival),
        TEST(by_key_all_deltas_of_the_oldest_key_leave_together),
        TEST(by_key_two_deletions_in_a_row_are_one),
        TEST(a_deletion_before_a_replace_is_not_merged_with_one_after_it),
        TEST(by_key_nothing_overtakes_what_concerns_all_keys),
        TEST(bookmarks_and_resyncs_do_not_pile_up),
        TEST(has_synced_when_the_first_replace_is_applied),
        TEST(a_full_queue_refuses_and_stays_as_it_was),
        TEST(the_key_outlives_the_object_it_came_with),
        TEST(freeing_a_full_queue_frees_what_is_in_it),
        TEST(each_key_keeps_its_order_whatever_happens),
        TEST(each_history_is_in_sync_once_its_first_list_is_applied),
        TEST(lists_resyncs_and_bookmarks_keep_their_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
