/* SPDX-License-Identifier: Apache-2.0 */
/* saving_test.c -- copies are saved and objects are packed while others write. */
#include "base/sync.h"
#include "unit/cache/saving_rig.h"

enum {
    OBJECTS = 40,
    RESTING = 5, /* more objects, which are not written again: every copy has them */
    WRITES = 300,
};

/* What the threads do, at least once, until the writer has ended. */
typedef struct crew {
    scene *s;
    atomic_bool is_over;
} crew;

static void save_again(void *arg)
{
    crew *c = arg;
    do
        save(c->s);
    while (!atomic_load(&c->is_over));
}

static void pack_again(void *arg)
{
    crew *c = arg;
    do
        lw_cache_packing_sweep(c->s->things);
    while (!atomic_load(&c->is_over));
}

static void copies_that_are_saved_while_others_write_are_right(void **state)
{
    scene *s = *state;
    crew c = { .s = s };
    lw_thread saver, packer;
    fill(s, OBJECTS + RESTING, 1);
    assert_int_equal(lw_thread_start(&saver, "saver", save_again, &c, NULL), LW_OK);
    assert_int_equal(lw_thread_start(&packer, "packer", pack_again, &c, NULL), LW_OK);
    for (unsigned i = 0; i < WRITES; i++) {
        if (i % 11 == 0)
            commit(s, LW_STORE_DELETE, i % OBJECTS, 0);
        else
            put(s, i % OBJECTS, i);
    }
    atomic_store(&c.is_over, true);
    lw_thread_join(&saver);
    lw_thread_join(&packer);
    compact(s);
    restart(s);
    assert_true(s->things->saving.copied >= RESTING);
    assert_same_without(s);
    assert_int_equal(s->warnings, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCENE_TEST(copies_that_are_saved_while_others_write_are_right),
    };
    return cmocka_run_group_tests_name("saving", tests, NULL, NULL);
}
