/* SPDX-License-Identifier: Apache-2.0 */
/* pod_tracker_test.c -- Pods of owners, counted as they change. */
#include "control/workload/pod_tracker.h"

#include "unit/control/objects.h"

#define READY                                                                                      \
    "'phase':'Running','conditions':[{'type':'Ready','status':'True','lastTransitionTime':"        \
    "'1970-01-01T00:01:40Z'}]"

typedef struct world {
    lw_pod_tracker *tracker;
    lw_object *owner;
} world;

static int set_up(void **state)
{
    static world w;
    w.owner = object_of("{'apiVersion':'apps/v1','kind':'ReplicaSet','metadata':{'name':'web',"
                        "'namespace':'default','uid':'web-uid'},'spec':{'selector':{'matchLabels':"
                        "{'app':'web'}},'template':{'metadata':{'labels':{'app':'web','tier':'a'}}}"
                        "}}");
    assert_int_equal(lw_pod_tracker_new(&w.tracker, "ReplicaSet", NULL), LW_OK);
    *state = &w;
    return 0;
}

static int tear_down(void **state)
{
    world *w = *state;
    lw_pod_tracker_free(w->tracker);
    lw_object_unref(w->owner);
    return 0;
}

/* Makes a Pod controlled by |kind| "web" (NULL: no controller), with |labels| and |status|. */
static lw_object *owned_pod(const char *name, const char *kind, const char *labels,
                            const char *status)
{
    char owner[256] = "";
    if (kind)
        (void)snprintf(owner, sizeof(owner),
                       ",'ownerReferences':[{'kind':'%s','name':'web','uid':'web-uid',"
                       "'controller':true}]",
                       kind);
    return object_of("{'apiVersion':'v1','kind':'Pod','metadata':{'name':'%s','namespace':"
                     "'default','uid':'uid-%s','labels':{%s}%s},'status':{%s}}",
                     name, name, labels, owner, status);
}

static void saw(const world *w, const lw_event *event)
{
    lw_owner owner;
    lw_pod_tracker_saw(w->tracker, event, lw_owner_of(event->object, &owner) ? &owner : NULL);
}

/* Takes |pod|. */
static void saw_take(world *w, lw_event_type type, lw_object *pod)
{
    const lw_event event = { .type = type, .object = pod };
    saw(w, &event);
    assert_true(lw_pod_tracker_check(w->tracker));
    lw_object_unref(pod);
}

static void set_pod(world *w, const char *name, const char *labels, const char *status)
{
    saw_take(w, LW_EVENT_ADD, owned_pod(name, "ReplicaSet", labels, status));
}

static lw_tally count(world *w)
{
    lw_tally t;
    assert_int_equal(lw_pod_tracker_count(w->tracker, w->owner, 0, 0, &t, NULL), LW_OK);
    assert_true(lw_pod_tracker_check(w->tracker));
    return t;
}

static void each_pod_counts_for_what_it_is(void **state)
{
    world *w = *state;
    set_pod(w, "ready", "'app':'web','tier':'a'", READY);
    set_pod(w, "pending", "'app':'web'", "'phase':'Pending'");
    set_pod(w, "restarted", "'app':'web'",
            "'phase':'Running','containerStatuses':[{'restartCount':3}]");
    set_pod(w, "done", "'app':'web'", "'phase':'Succeeded'");
    set_pod(w, "failed", "'app':'web'",
            "'phase':'Failed','containerStatuses':[{'state':{'terminated':{'finishedAt':"
            "'1970-01-01T00:00:07Z'}}}]");
    set_pod(w, "stray", "'app':'other'", READY);
    const lw_tally t = count(w);
    assert_int_equal(t.active, 3);
    assert_int_equal(t.labelled, 1);
    assert_int_equal(t.ready, 1);
    assert_int_equal(t.available, 1);
    assert_int_equal(t.restarts, 3);
    assert_int_equal(t.succeeded, 1);
    assert_int_equal(t.failed, 1);
    assert_int_equal(t.last_failure_ns, 7 * LW_NS_PER_S);
    assert_int_equal(t.strays, 1);
}

static void a_change_counts_instead_of_what_was_before(void **state)
{
    world *w = *state;
    set_pod(w, "a", "'app':'web'", "'phase':'Pending'");
    assert_int_equal(count(w).ready, 0);
    set_pod(w, "a", "'app':'web'", "'phase':'Running'");
    set_pod(w, "a", "'app':'web'", READY);
    assert_int_equal(count(w).ready, 1);
    assert_int_equal(count(w).active, 1);
    set_pod(w, "a", "'app':'web'", "'phase':'Failed'");
    assert_int_equal(count(w).active, 0);
    assert_int_equal(count(w).failed, 1);
}

static void who_goes_or_changes_its_owner_counts_no_more(void **state)
{
    world *w = *state;
    set_pod(w, "a", "'app':'web'", READY);
    set_pod(w, "b", "'app':'web'", READY);
    set_pod(w, "c", "'app':'web'", READY);
    assert_int_equal(count(w).ready, 3);
    saw_take(w, LW_EVENT_DELETE, owned_pod("a", "ReplicaSet", "'app':'web'", READY));
    saw_take(w, LW_EVENT_UPDATE, owned_pod("b", NULL, "'app':'web'", READY));
    assert_int_equal(count(w).ready, 1);
    saw_take(w, LW_EVENT_DELETE, owned_pod("c", "ReplicaSet", "'app':'web'", READY));
    assert_int_equal(count(w).active, 0);
}

static void another_pod_of_the_same_name_takes_its_place(void **state)
{
    world *w = *state;
    lw_object *old = owned_pod("a", "ReplicaSet", "'app':'web'", READY);
    lw_object *fresh = object_of("{'metadata':{'name':'a','namespace':'default','uid':'new'}}");
    const lw_event came = { .type = LW_EVENT_ADD, .object = old };
    const lw_event event = {
        .type = LW_EVENT_UPDATE, .object = fresh, .old_object = old, .is_uid_changed = true
    };
    saw(w, &came);
    assert_int_equal(count(w).active, 1);
    saw(w, &event);
    assert_int_equal(count(w).active, 0);
    lw_object_unref(old);
    lw_object_unref(fresh);
}

static void pods_of_other_kinds_are_not_kept(void **state)
{
    world *w = *state;
    saw_take(w, LW_EVENT_ADD, owned_pod("a", "Job", "'app':'web'", READY));
    assert_int_equal(count(w).active, 0);
}

static void another_selector_lets_all_be_read_again(void **state)
{
    world *w = *state;
    set_pod(w, "a", "'app':'web','tier':'a'", READY);
    set_pod(w, "b", "'app':'web','tier':'b'", READY);
    assert_int_equal(count(w).active, 2);
    lw_object_unref(w->owner);
    w->owner = object_of("{'apiVersion':'apps/v1','kind':'ReplicaSet','metadata':{'name':'web',"
                         "'namespace':'default','uid':'web-uid'},'spec':{'selector':{'matchLabels':"
                         "{'tier':'b'}},'template':{'metadata':{'labels':{'tier':'b'}}}}}");
    const lw_tally t = count(w);
    assert_int_equal(t.active, 1);
    assert_int_equal(t.strays, 1);
    assert_int_equal(t.labelled, 1);
}

static void time_makes_pods_available(void **state)
{
    world *w = *state;
    lw_tally t;
    set_pod(w, "a", "'app':'web'", READY); /* since 100 s */
    assert_int_equal(lw_pod_tracker_count(w->tracker, w->owner, 10, 105 * LW_NS_PER_S, &t, NULL),
                     LW_OK);
    assert_int_equal(t.available, 0);
    assert_int_equal(t.left_ns, 5 * LW_NS_PER_S);
    assert_int_equal(lw_pod_tracker_count(w->tracker, w->owner, 10, 110 * LW_NS_PER_S, &t, NULL),
                     LW_OK);
    assert_int_equal(t.available, 1);
    assert_int_equal(t.left_ns, INT64_MAX);
}

static void parts_are_listed(void **state)
{
    world *w = *state;
    static const struct {
        lw_pod_tracker_part part;
        size_t count;
    } cases[] = { { LW_POD_TRACKER_CLAIMED, 3 },
                  { LW_POD_TRACKER_ACTIVE, 2 },
                  { LW_POD_TRACKER_STRAYS, 1 } };
    set_pod(w, "a", "'app':'web'", READY);
    set_pod(w, "b", "'app':'web'", "'phase':'Pending'");
    set_pod(w, "c", "'app':'web'", "'phase':'Succeeded'");
    set_pod(w, "d", "'app':'other'", READY);
    (void)count(w);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        lw_pod_list list;
        assert_int_equal(lw_pod_tracker_list(w->tracker, w->owner, cases[i].part, &list, NULL),
                         LW_OK);
        assert_int_equal(list.count, cases[i].count);
        lw_pod_list_done(&list);
    }
}

static void orphans_are_looked_for_when_there_may_be_others(void **state)
{
    world *w = *state;
    uint64_t moment;
    set_pod(w, "a", "'app':'web'", READY);
    assert_true(lw_pod_tracker_must_look(w->tracker, w->owner, &moment));
    (void)count(w);
    lw_pod_tracker_looked(w->tracker, w->owner, moment);
    assert_false(lw_pod_tracker_must_look(w->tracker, w->owner, &moment));
    set_pod(w, "b", "'app':'web'", READY);
    assert_false(lw_pod_tracker_must_look(w->tracker, w->owner, &moment));
    saw_take(w, LW_EVENT_ADD, owned_pod("c", NULL, "'app':'web'", READY));
    assert_true(lw_pod_tracker_must_look(w->tracker, w->owner, &moment));
}

static void a_thousand_pods_in_any_order_are_summed_right(void **state)
{
    world *w = *state;
    static const char *const states[] = { READY, "'phase':'Pending'", "'phase':'Failed'" };
    for (unsigned i = 0; i < 3000; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "p%u", i * 7919 % 1000);
        if (i % 5 == 4)
            saw_take(w, LW_EVENT_DELETE, owned_pod(name, "ReplicaSet", "'app':'web'", states[0]));
        else
            set_pod(w, name, i % 11 ? "'app':'web'" : "'app':'other'", states[i % 3]);
        if (i % 97 == 0)
            (void)count(w);
    }
    const lw_tally t = count(w);
    assert_int_equal(t.active + t.failed + t.strays, 800);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(each_pod_counts_for_what_it_is),
        CASE(a_change_counts_instead_of_what_was_before),
        CASE(who_goes_or_changes_its_owner_counts_no_more),
        CASE(another_pod_of_the_same_name_takes_its_place),
        CASE(pods_of_other_kinds_are_not_kept),
        CASE(another_selector_lets_all_be_read_again),
        CASE(time_makes_pods_available),
        CASE(parts_are_listed),
        CASE(orphans_are_looked_for_when_there_may_be_others),
        CASE(a_thousand_pods_in_any_order_are_summed_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
