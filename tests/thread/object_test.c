/* SPDX-License-Identifier: Apache-2.0 */
/* object_test.c -- one object read by many threads at once. */
#include <listwatch/object.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "base/str.h"
#include "object/object.h"
#include "thread/crew.h"
#include "unit/failing_alloc.h"
#include "unit/object/make.h"

enum {
    ROUNDS = 4000,
    FIELDS = 16,
};

typedef struct shared {
    lw_object *obj;
    _Atomic(const char *) first[FIELDS]; /* where a field was first found */
    atomic_int faults;
} shared;

static lw_object *many_fields(void)
{
    char json[2048] = "{\"metadata\":{\"name\":\"a\",\"annotations\":{\"x\":\"y\"}},\"spec\":{";
    size_t len = strlen(json);
    for (int i = 0; i < FIELDS; i++)
        len += (size_t)snprintf(json + len, sizeof(json) - len, "%s\"f%d\":\"v\\u0061l%d\"",
                                i ? "," : "", i, i);
    (void)snprintf(json + len, sizeof(json) - len, "}}");
    return object_of(json);
}

/* All threads must get the same string for the same field. */
static void check_field(shared *s, const lw_object *obj, int field)
{
    char pointer[32], expected[32];
    (void)snprintf(pointer, sizeof(pointer), "/spec/f%d", field);
    (void)snprintf(expected, sizeof(expected), "val%d", field);
    const char *text = lw_object_string(obj, pointer, "<none>");
    const char *first = NULL;
    bool is_first = atomic_compare_exchange_strong(&s->first[field], &first, text);
    if (strcmp(text, expected) != 0 || (!is_first && first != text))
        atomic_fetch_add(&s->faults, 1);
}

static void read_fields(void *arg)
{
    shared *s = arg;
    for (int i = 0; i < ROUNDS; i++) {
        lw_object *mine = lw_object_ref(s->obj);
        check_field(s, mine, i % FIELDS);
        const char *annotation = lw_object_annotation(mine, "x");
        if (!annotation || strcmp(annotation, "y") != 0)
            atomic_fetch_add(&s->faults, 1);
        lw_object_unref(mine);
    }
}

static void threads_share_one_string_a_field(void **state)
{
    (void)state;
    shared s = { .obj = many_fields() };
    size_t before = lw_object_memory(s.obj);
    crew_run(read_fields, &s);
    assert_int_equal(atomic_load(&s.faults), 0);

    /* As much memory as one thread takes that reads each of them once. */
    lw_object *alone = many_fields();
    shared one = { .obj = alone };
    for (int i = 0; i < FIELDS; i++)
        check_field(&one, alone, i);
    (void)lw_object_annotation(alone, "x");
    assert_true(lw_object_memory(s.obj) > before);
    assert_int_equal(lw_object_memory(s.obj), lw_object_memory(alone));
    lw_object_unref(alone);
    lw_object_unref(s.obj);
}

enum {
    RACES = 200,
    LONG = 40000, /* bytes of a string, so that decoding it takes long enough to be raced */
};

typedef struct race {
    lw_object *objects[RACES];
    pthread_barrier_t start;
} race;

static void race_for_each(void *arg)
{
    race *r = arg;
    for (int i = 0; i < RACES; i++) {
        (void)pthread_barrier_wait(&r->start);
        (void)lw_object_string(r->objects[i], "/a", "");
    }
}

static void the_loser_of_a_race_leaves_nothing(void **state)
{
    (void)state;
    static char json[LONG + 16] = "{\"a\":\"";
    static race r;
    size_t len = strlen(json);
    while (len < LONG)
        json[len++] = 'x';
    memcpy(json + len, "\"}", 3);
    assert_int_equal(pthread_barrier_init(&r.start, NULL, CREW_SIZE), 0);
    for (int i = 0; i < RACES; i++)
        r.objects[i] = object_of(json);
    crew_run(race_for_each, &r);

    size_t most = 0;
    lw_object *alone = object_of(json);
    (void)lw_object_string(alone, "/a", "");
    for (int i = 0; i < RACES; i++) {
        size_t block = lw_object_memory(r.objects[i]);
        most = block > most ? block : most;
        lw_object_unref(r.objects[i]);
    }
    assert_int_equal(most, lw_object_memory(alone));
    lw_object_unref(alone);
    (void)pthread_barrier_destroy(&r.start);
}

/* Reads a string, which hangs on the object, and lets go of one reference. */
static void read_and_let_go(void *arg)
{
    lw_object *obj = arg;
    (void)lw_object_string(obj, "/spec/f3", "");
    lw_object_unref(obj);
}

static void the_last_thread_frees_the_object(void **state)
{
    (void)state;
    failing_alloc counted;
    failing_alloc_begin(&counted, SIZE_MAX);
    for (int round = 0; round < 100; round++) {
        lw_object *obj = many_fields();
        for (int i = 1; i < CREW_SIZE; i++)
            (void)lw_object_ref(obj);
        crew_run(read_and_let_go, obj);
    }
    failing_alloc_end();
    assert_int_equal(counted.live, 0);
}

typedef struct form_race {
    lw_object *obj;
    lw_form_budget *budget;
    _Atomic(const char *) first;
    atomic_int faults;
} form_race;

/* Keeps a form, reads a string beside it, and looks for what is kept. */
static void keep_and_look(void *arg)
{
    form_race *shared_form = arg;
    lw_str kept, found;
    const char *first = NULL;
    if (lw_object__keep_form(shared_form->obj, LW_STR("fr"), LW_STR("ame"), shared_form->budget,
                             &kept) < 0) {
        atomic_fetch_add(&shared_form->faults, 1);
        return;
    }
    bool is_first = atomic_compare_exchange_strong(&shared_form->first, &first, kept.ptr);
    (void)lw_object_string(shared_form->obj, "/spec/f3", "");
    bool is_same = lw_object__kept_form(shared_form->obj, &found) && found.ptr == kept.ptr &&
                   lw_str_equal(found, lw_str_of("frame"));
    if ((!is_first && first != kept.ptr) || !is_same)
        atomic_fetch_add(&shared_form->faults, 1);
}

static void threads_share_one_kept_form(void **state)
{
    (void)state;
    lw_form_budget *budget = NULL;
    lw_form_stats stats;
    assert_int_equal(lw_form_budget_new(&budget, 1000), LW_OK);
    for (int round = 0; round < 100; round++) {
        form_race shared_form = { .obj = many_fields(), .budget = budget };
        crew_run(keep_and_look, &shared_form);
        assert_int_equal(atomic_load(&shared_form.faults), 0);
        lw_form_budget_read(budget, &stats);
        assert_int_equal(stats.forms, 1);
        lw_object_unref(shared_form.obj);
    }
    lw_form_budget_read(budget, &stats);
    assert_int_equal(stats.bytes, 0);
    lw_form_budget_unref(budget);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(threads_share_one_string_a_field),
        TEST(the_loser_of_a_race_leaves_nothing),
        TEST(the_last_thread_frees_the_object),
        TEST(threads_share_one_kept_form),
    };
    return cmocka_run_group_tests_name("object threads", tests, NULL, NULL);
}
