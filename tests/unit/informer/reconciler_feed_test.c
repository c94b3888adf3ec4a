/* SPDX-License-Identifier: Apache-2.0 */
/* reconciler_feed_test.c -- which keys an event adds. */
#include "informer/reconciler_feed.h"

#include <stdio.h>

#include "unit/failing_alloc.h"
#include "unit/informer/house.h"

typedef struct fixture {
    lw_workqueue *queue;
    lw_reconciler_feed feed;
    lw_logger logger;
    char log[256];
    house h;
} fixture;

static void note(lw_log_level level, const char *component, const char *line, void *arg)
{
    fixture *f = arg;
    (void)snprintf(f->log, sizeof(f->log), "%s %s: %s", lw_log_level_name(level), component, line);
}

static int setup(void **state)
{
    static fixture f;
    f = (fixture){ 0 };
    const lw_workqueue_options options = { .size = sizeof(lw_workqueue_options), .max_keys = 3 };
    assert_int_equal(lw_workqueue_new(&f.queue, &options, NULL), LW_OK);
    f.logger = (lw_logger){ LW_LOG_DEBUG, note, &f };
    f.feed = (lw_reconciler_feed){ .queue = f.queue, .logger = &f.logger, .component = "webs" };
    house_open(&f.h);
    *state = &f;
    return 0;
}

/* An informer whose type is known. */
static lw_informer *informer_of(fixture *f, const char *resource)
{
    lw_informer *informer = NULL;
    assert_int_equal(lw_factory_informer(f->h.factory, resource, &informer, NULL), LW_OK);
    house_run_until_idle(&f->h);
    return informer;
}

static int teardown(void **state)
{
    fixture *f = *state;
    house_close(&f->h);
    lw_workqueue_free(f->queue);
    return 0;
}

/* |owner| (may be NULL) is a |kind| of |group| that controls it. */
static lw_object *make_owned(const char *ns, const char *name, const char *group, const char *kind,
                             const char *owner)
{
    char json[4096];
    (void)snprintf(json, sizeof(json),
                   "{\"metadata\":{\"namespace\":\"%s\",\"name\":\"%s\",\"ownerReferences\":[{"
                   "\"apiVersion\":\"%s/v1\",\"kind\":\"%s\",\"name\":\"%s\",\"controller\":%s}"
                   "]}}",
                   ns, name, group, kind, owner ? owner : "none", owner ? "true" : "false");
    lw_object *obj = NULL;
    assert_int_equal(lw_object_from_json(&obj, json, strlen(json), NULL), LW_OK);
    return obj;
}

static lw_object *make(const char *ns, const char *name, const char *owner)
{
    return make_owned(ns, name, "example.com", "Web", owner);
}

/* Passes to the feed that |old| (NULL: none) became |obj|; releases both. */
static void tell_take(fixture *f, lw_event_type type, lw_object *obj, lw_object *old)
{
    const lw_event event = {
        .type = type, .cause = LW_CAUSE_WATCH, .object = obj, .old_object = old
    };
    lw_reconciler_feed_on_event(&event, &f->feed);
    lw_object_unref(obj);
    lw_object_unref(old);
}

static void take(fixture *f, const char *key)
{
    const char *got = lw_workqueue_get(f->queue, 0);
    if (!key) {
        assert_null(got);
        return;
    }
    assert_non_null(got);
    assert_string_equal(got, key);
    lw_workqueue_done(f->queue, got);
}

static void every_event_adds_its_objects_key(void **state)
{
    fixture *f = *state;
    tell_take(f, LW_EVENT_ADD, make("n", "a", NULL), NULL);
    tell_take(f, LW_EVENT_UPDATE, make("n", "b", NULL), make("n", "b", NULL));
    tell_take(f, LW_EVENT_DELETE, make("", "c", NULL), NULL);
    tell_take(f, LW_EVENT_DELETE, make("n", "a", NULL), NULL);
    take(f, "n/a");
    take(f, "n/b");
    take(f, "c");
    take(f, NULL);
}

static void or_the_key_of_its_owner(void **state)
{
    fixture *f = *state;
    f->feed.owners = informer_of(f, "webs");
    tell_take(f, LW_EVENT_ADD, make("n", "a", "w1"), NULL);
    tell_take(f, LW_EVENT_ADD, make("n", "b", NULL), NULL);
    take(f, "n/w1");
    take(f, NULL);
    tell_take(f, LW_EVENT_ADD, make_owned("n", "a", "example.com", "Region", "w1"), NULL);
    tell_take(f, LW_EVENT_ADD, make_owned("n", "a", "other.io", "Web", "w1"), NULL);
    take(f, NULL);
}

static void an_owner_without_a_namespace_has_a_key_without_one(void **state)
{
    fixture *f = *state;
    f->feed.owners = informer_of(f, "regions");
    tell_take(f, LW_EVENT_ADD, make_owned("n", "a", "example.com", "Region", "eu"), NULL);
    tell_take(f, LW_EVENT_ADD, make_owned("", "b", "example.com", "Region", "us"), NULL);
    take(f, "eu");
    take(f, "us");
    take(f, NULL);
}

static void nothing_is_added_while_it_is_not_known_what_owners_are(void **state)
{
    fixture *f = *state;
    f->feed.owners = informer_of(f, "unheard-of");
    tell_take(f, LW_EVENT_ADD, make("n", "a", "w1"), NULL);
    take(f, NULL);
}

static void an_object_that_changes_hands_concerns_both_owners(void **state)
{
    fixture *f = *state;
    f->feed.owners = informer_of(f, "webs");
    tell_take(f, LW_EVENT_UPDATE, make("n", "a", "w2"), make("n", "a", "w1"));
    take(f, "n/w2");
    take(f, "n/w1");
    tell_take(f, LW_EVENT_UPDATE, make("n", "a", NULL), make("n", "a", "w1"));
    take(f, "n/w1");
    take(f, NULL);
}

static void add_two(const lw_event *event, lw_workqueue *queue, void *arg)
{
    assert_string_equal(arg, "mine");
    assert_int_equal(event->type, LW_EVENT_ADD);
    (void)lw_workqueue_add(queue, "x/1");
    (void)lw_workqueue_add(queue, "x/2");
}

static void or_whatever_a_map_adds(void **state)
{
    fixture *f = *state;
    char arg[] = "mine";
    f->feed.map = add_two;
    f->feed.map_arg = arg;
    tell_take(f, LW_EVENT_ADD, make("n", "a", NULL), NULL);
    take(f, "x/1");
    take(f, "x/2");
    take(f, NULL);
}

static void names_of_any_length_go_through(void **state)
{
    fixture *f = *state;
    char name[1501];
    memset(name, 'x', 1500);
    name[1500] = '\0';
    tell_take(f, LW_EVENT_ADD, make("n", name, NULL), NULL);
    char key[1600];
    (void)snprintf(key, sizeof(key), "n/%s", name);
    take(f, key);
}

static void a_key_that_cannot_be_added_is_told(void **state)
{
    fixture *f = *state;
    for (int i = 0; i < 3; i++) {
        char name[8];
        (void)snprintf(name, sizeof(name), "%d", i);
        tell_take(f, LW_EVENT_ADD, make("n", name, NULL), NULL);
    }
    assert_string_equal(f->log, "");
    tell_take(f, LW_EVENT_ADD, make("n", "z", NULL), NULL);
    assert_non_null(strstr(f->log, "error webs: cannot enqueue n/z"));
    lw_object *obj = make("n", "q", NULL);
    failing_alloc a;
    failing_alloc_begin(&a, 0);
    tell_take(f, LW_EVENT_ADD, lw_object_ref(obj), NULL);
    failing_alloc_end();
    lw_object_unref(obj);
    assert_non_null(strstr(f->log, "cannot enqueue n/q"));
    /* After the end nothing is expected. */
    f->log[0] = '\0';
    lw_workqueue_shut_down(f->queue);
    tell_take(f, LW_EVENT_ADD, make("n", "a", NULL), NULL);
    assert_string_equal(f->log, "");
}

static lw_status never_called(lw_key key, lw_reconcile_result *result, void *arg, lw_error *err)
{
    (void)key;
    (void)result;
    (void)arg;
    return lw_error_set(err, LW_ERR_INTERNAL, "not expected");
}

static void map_nothing(const lw_event *event, lw_workqueue *queue, void *arg)
{
    (void)event;
    (void)queue;
    (void)arg;
}

/* Whether the feed takes the update from |before| to |now|, which are members of the metadata. */
static bool takes(fixture *f, unsigned changes, const char *before, const char *now)
{
    char json[256];
    lw_object *objects[2];
    const char *const members[] = { before, now };
    for (int i = 0; i < 2; i++) {
        int len = snprintf(json, sizeof(json), "{\"metadata\":{\"name\":\"x\"%s}}", members[i]);
        assert_int_equal(lw_object_from_json(&objects[i], json, (size_t)len, NULL), LW_OK);
    }
    f->feed.changes = changes;
    tell_take(f, LW_EVENT_UPDATE, objects[1], objects[0]);
    const char *key = lw_workqueue_get(f->queue, 0);
    if (key)
        lw_workqueue_done(f->queue, key);
    return key != NULL;
}

static void updates_are_selected_by_what_they_change(void **state)
{
    fixture *f = *state;
    static const char generation[] = ",\"generation\":2", labels[] = ",\"labels\":{\"a\":\"b\"}",
                      annotations[] = ",\"annotations\":{\"a\":\"b\"}";
    assert_true(takes(f, 0, "", ""));
    assert_true(takes(f, LW_CHANGE_OF_GENERATION, "", generation));
    assert_false(takes(f, LW_CHANGE_OF_GENERATION, generation, generation));
    assert_false(takes(f, LW_CHANGE_OF_GENERATION, "", labels));
    assert_true(takes(f, LW_CHANGE_OF_LABELS, "", labels));
    assert_true(takes(f, LW_CHANGE_OF_LABELS, ",\"labels\":{\"a\":\"c\"}", labels));
    assert_false(takes(f, LW_CHANGE_OF_LABELS, labels, labels));
    assert_false(takes(f, LW_CHANGE_OF_LABELS, "", annotations));
    assert_true(takes(f, LW_CHANGE_OF_ANNOTATIONS, "", annotations));
    assert_false(takes(f, LW_CHANGE_OF_ANNOTATIONS, annotations, annotations));
    assert_true(takes(f, LW_CHANGE_OF_GENERATION | LW_CHANGE_OF_LABELS, "", labels));
}

static void adds_deletes_and_new_objects_of_the_same_name_are_always_selected(void **state)
{
    fixture *f = *state;
    f->feed.changes = LW_CHANGE_OF_GENERATION;
    tell_take(f, LW_EVENT_ADD, make("n", "a", NULL), NULL);
    tell_take(f, LW_EVENT_DELETE, make("n", "b", NULL), NULL);
    lw_object *obj = make("n", "c", NULL);
    const lw_event again = {
        .type = LW_EVENT_UPDATE, .object = obj, .old_object = obj, .is_uid_changed = true
    };
    lw_reconciler_feed_on_event(&again, &f->feed);
    lw_object_unref(obj);
    assert_int_equal(lw_workqueue_count(f->queue), 3);
}

static bool is_in_a(const lw_event *event, void *arg)
{
    (void)arg;
    return strcmp(lw_object_namespace(event->object), "a") == 0;
}

static void a_filter_of_the_program_selects_events(void **state)
{
    fixture *f = *state;
    f->feed.filter = is_in_a;
    tell_take(f, LW_EVENT_ADD, make("a", "x", NULL), NULL);
    tell_take(f, LW_EVENT_ADD, make("b", "x", NULL), NULL);
    assert_int_equal(lw_workqueue_count(f->queue), 1);
}

static void contradictory_options_of_a_watch_are_rejected(void **state)
{
    fixture *f = *state;
    lw_reconciler *reconciler = NULL;
    lw_reconciler_options options = LW_RECONCILER_OPTIONS_INIT;
    lw_reconciler_watch_options watch = LW_RECONCILER_WATCH_OPTIONS_INIT;
    options.reconcile = never_called;
    assert_int_equal(lw_reconciler_new(&reconciler, &options, NULL), LW_OK);
    watch.changes = 8;
    assert_int_equal(lw_reconciler_watch_with(reconciler, f->h.pods, &watch, NULL), LW_ERR_INVALID);
    watch.changes = 0;
    watch.owners = f->h.pods;
    watch.map = map_nothing;
    assert_int_equal(lw_reconciler_watch_with(reconciler, f->h.pods, &watch, NULL), LW_ERR_INVALID);
    lw_reconciler_free(reconciler);
}

#define TEST_WITH_FEED(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_WITH_FEED(every_event_adds_its_objects_key),
        TEST_WITH_FEED(or_the_key_of_its_owner),
        TEST_WITH_FEED(an_owner_without_a_namespace_has_a_key_without_one),
        TEST_WITH_FEED(nothing_is_added_while_it_is_not_known_what_owners_are),
        TEST_WITH_FEED(an_object_that_changes_hands_concerns_both_owners),
        TEST_WITH_FEED(or_whatever_a_map_adds),
        TEST_WITH_FEED(names_of_any_length_go_through),
        TEST_WITH_FEED(a_key_that_cannot_be_added_is_told),
        TEST_WITH_FEED(updates_are_selected_by_what_they_change),
        TEST_WITH_FEED(adds_deletes_and_new_objects_of_the_same_name_are_always_selected),
        TEST_WITH_FEED(a_filter_of_the_program_selects_events),
        TEST_WITH_FEED(contradictory_options_of_a_watch_are_rejected),
    };
    return cmocka_run_group_tests_name("reconciler_feed", tests, NULL, NULL);
}
