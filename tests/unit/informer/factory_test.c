/* SPDX-License-Identifier: Apache-2.0 */
/* factory_test.c -- informers together: how they are made, shared, run and ended. */
#include <listwatch/factory.h>

#include <stdio.h>

#include "support/fake_provider.h"
#include "unit/test.h"

typedef struct notebook {
    size_t adds, updates, deletes;
} notebook;

static void take_note(const lw_event *event, void *arg)
{
    notebook *book = arg;
    book->adds += event->type == LW_EVENT_ADD;
    book->updates += event->type == LW_EVENT_UPDATE;
    book->deletes += event->type == LW_EVENT_DELETE;
}

static void syncs_without_any_thread(void **state)
{
    (void)state;
    lw_error err = LW_ERROR_INIT;
    lw_factory *factory = NULL;
    lw_informer *pods = NULL;
    notebook book = { 0 };
    fake_provider *fake = fake_provider_new();
    for (int i = 0; i < 10; i++) {
        char key[32];
        snprintf(key, sizeof(key), "default/p%d", i);
        assert_true(fake_provider_put(fake, "pods", key, "web", NULL) > 0);
    }
    const lw_factory_options options = { .provider = fake_provider_as_provider(fake) };
    assert_int_equal(lw_factory_new(&factory, &options, &err), LW_OK);
    assert_int_equal(lw_factory_informer(factory, "pods", &pods, &err), LW_OK);
    const lw_handler handler = { .on_event = take_note, .arg = &book };
    assert_int_equal(lw_informer_add_handler(pods, &handler, NULL, &err), LW_OK);
    assert_int_equal(lw_factory_wait_for_sync(factory, 10, &err), LW_OK);
    assert_int_equal(book.adds, 10);
    assert_int_equal(lw_lister_count(lw_informer_lister(pods)), 10);
    uint64_t revision = fake_provider_put(fake, "pods", "default/p3", "db", NULL);
    assert_int_equal(lw_informer_wait_for_revision(pods, revision, 10, &err), LW_OK);
    assert_int_equal(book.updates, 1);
    lw_factory_free(factory);
    assert_true(fake_provider_look(fake).is_freed);
    assert_int_equal(fake_provider_look(fake).open_calls, 0);
    fake_provider_free(fake);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(syncs_without_any_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
