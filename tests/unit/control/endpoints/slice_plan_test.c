/* SPDX-License-Identifier: Apache-2.0 */
/* slice_plan_test.c -- the backends of a service, and its slices. */
#include "control/endpoints/slice_plan.h"

#include "unit/control/objects.h"

#define NUMBERED "{'name':'http','port':80,'targetPort':8080}"
#define NAMED    "{'name':'http','port':80,'targetPort':'web'}"

/* A service, its pods, and the existing slices. */
typedef struct scene {
    lw_object *service;
    lw_object_list *pods;
    lw_object_list *slices;
    lw_backends backends;
    lw_slice_plan plan;
} scene;

static void open_scene(scene *s, const char *ports, const char *spec)
{
    *s = (scene){ .service = NULL };
    s->service = object_of("{'apiVersion':'v1','kind':'Service','metadata':{'name':'web',"
                           "'namespace':'default','uid':'s1'},'spec':{'selector':{'app':'web'},"
                           "'ports':[%s]%s}}",
                           ports, spec);
    assert_int_equal(lw_object_list_new(&s->pods, 0), LW_OK);
    assert_int_equal(lw_object_list_new(&s->slices, 0), LW_OK);
}

static void add_pod(scene *s, int number, bool is_ready, const char *more)
{
    char name[16], rest[512];
    (void)snprintf(name, sizeof(name), "p%d", number);
    (void)snprintf(rest, sizeof(rest),
                   "'nodeName':'n','containers':[{'ports':[{'name':'web','containerPort':%d}]}]},"
                   "'status':{'podIP':'10.0.%d.%d','conditions':[{'type':'Ready','status':'%s'}]",
                   number < 1000 ? 8080 : 9090, number / 256, number % 256,
                   is_ready ? "True" : "False");
    lw_object *pod = pod_of(name, more, rest);
    assert_int_equal(lw_object_list_append(s->pods, pod), LW_OK);
    lw_object_unref(pod);
}

static void plan(scene *s)
{
    lw_object_list *pods = NULL; /* is taken; ours stay for the next time */
    assert_int_equal(lw_object_list_new(&pods, 0), LW_OK);
    for (size_t i = 0; i < lw_object_list_count(s->pods); i++)
        assert_int_equal(lw_object_list_append(pods, lw_object_list_at(s->pods, i)), LW_OK);
    assert_int_equal(lw_backends_read(&s->backends, s->service, pods), LW_OK);
    assert_int_equal(lw_slice_plan_make(&s->plan, s->service, &s->backends, s->slices), LW_OK);
}

/* Does what is planned to the slices. */
static void carry_out(scene *s)
{
    lw_object_list *next = NULL;
    assert_int_equal(lw_object_list_new(&next, 0), LW_OK);
    for (size_t i = 0; i < s->plan.count; i++) {
        const lw_slice *slice = &s->plan.slices[i];
        lw_document *doc = NULL;
        lw_object *obj = NULL;
        if (slice->action == LW_SLICE_DELETE)
            continue;
        if (slice->action == LW_SLICE_KEEP) {
            assert_int_equal(lw_object_list_append(next, slice->there), LW_OK);
            continue;
        }
        assert_int_equal(lw_document_new(&doc, NULL), LW_OK);
        lw_slice_write(slice, s->service, &s->backends, doc);
        assert_int_equal(lw_document_to_object(doc, &obj, NULL), LW_OK);
        assert_int_equal(lw_object_list_append(next, obj), LW_OK);
        lw_object_unref(obj);
        lw_document_free(doc);
    }
    lw_slice_plan_done(&s->plan);
    lw_backends_done(&s->backends);
    lw_object_list_free(s->slices);
    s->slices = next;
}

static void close_scene(scene *s)
{
    lw_slice_plan_done(&s->plan);
    lw_backends_done(&s->backends);
    lw_object_list_free(s->slices);
    lw_object_list_free(s->pods);
    lw_object_unref(s->service);
}

static size_t count_of(const scene *s, lw_slice_action action)
{
    size_t count = 0;
    for (size_t i = 0; i < s->plan.count; i++)
        count += s->plan.slices[i].action == action ? 1 : 0;
    return count;
}

static void a_slice_has_at_most_a_hundred(void **state)
{
    scene s;
    (void)state;
    open_scene(&s, NUMBERED, "");
    for (int i = 0; i < 250; i++)
        add_pod(&s, i, true, "");
    plan(&s);
    assert_int_equal(s.plan.count, 3);
    assert_int_equal(count_of(&s, LW_SLICE_CREATE), 3);
    assert_int_equal(s.plan.slices[0].count, 100);
    assert_int_equal(s.plan.slices[2].count, 50);
    carry_out(&s);
    assert_string_not_equal(lw_object_name(lw_object_list_at(s.slices, 0)),
                            lw_object_name(lw_object_list_at(s.slices, 1)));
    plan(&s);
    assert_int_equal(count_of(&s, LW_SLICE_KEEP), 3); /* nothing to do */
    close_scene(&s);
}

static void one_pod_changes_one_slice(void **state)
{
    scene s;
    (void)state;
    open_scene(&s, NUMBERED, "");
    for (int i = 0; i < 250; i++)
        add_pod(&s, i, true, "");
    plan(&s);
    carry_out(&s);
    add_pod(&s, 300, false, "");
    plan(&s);
    assert_int_equal(count_of(&s, LW_SLICE_UPDATE), 1);
    assert_int_equal(count_of(&s, LW_SLICE_KEEP), 2);
    close_scene(&s);
}

static void the_last_slice_stays_empty(void **state)
{
    scene s;
    (void)state;
    open_scene(&s, NUMBERED, "");
    plan(&s);
    assert_int_equal(count_of(&s, LW_SLICE_CREATE), 1);
    carry_out(&s);
    plan(&s);
    assert_int_equal(count_of(&s, LW_SLICE_KEEP), 1);
    carry_out(&s);
    add_pod(&s, 1, true, "");
    plan(&s);
    carry_out(&s);
    lw_object_list_free(s.pods);
    assert_int_equal(lw_object_list_new(&s.pods, 0), LW_OK);
    plan(&s);
    assert_int_equal(s.plan.count - count_of(&s, LW_SLICE_DELETE), 1);
    carry_out(&s);
    plan(&s);
    assert_int_equal(s.plan.count, 1);
    assert_int_equal(count_of(&s, LW_SLICE_KEEP), 1);
    close_scene(&s);
}

static void an_empty_slice_takes_the_first_pods_whatever_their_ports(void **state)
{
    scene s;
    (void)state;
    open_scene(&s, NAMED, ""); /* which number the port has, only Pods can tell */
    plan(&s);
    carry_out(&s);
    add_pod(&s, 1, true, "");
    plan(&s);
    assert_int_equal(s.plan.count, 1);
    assert_int_equal(count_of(&s, LW_SLICE_UPDATE), 1);
    close_scene(&s);
}

static void pods_that_disagree_about_a_port_are_in_different_slices(void **state)
{
    scene s;
    (void)state;
    open_scene(&s, NAMED, "");
    add_pod(&s, 1, true, "");
    add_pod(&s, 2, true, "");
    add_pod(&s, 1001, true, ""); /* whose port "web" is another */
    plan(&s);
    assert_int_equal(s.backends.set_count, 2);
    assert_int_equal(s.plan.count, 2);
    assert_int_equal(s.backends.sets[s.plan.slices[0].set].ports[0].number, 8080);
    assert_int_equal(s.plan.slices[0].count, 2);
    assert_int_equal(s.backends.sets[s.plan.slices[1].set].ports[0].number, 9090);
    close_scene(&s);
}

static void readiness_is_told_as_it_is(void **state)
{
    scene s;
    (void)state;
    open_scene(&s, NUMBERED, "");
    add_pod(&s, 1, true, "");
    add_pod(&s, 2, false, "");
    add_pod(&s, 3, true, "'deletionTimestamp':'2026-01-01T00:00:00Z'");
    plan(&s);
    assert_true(lw_backend_is_ready(&s.backends, &s.backends.items[0]));
    assert_false(lw_backend_is_ready(&s.backends, &s.backends.items[1]));
    assert_false(lw_backend_is_ready(&s.backends, &s.backends.items[2]));
    assert_true(s.backends.items[2].is_serving && s.backends.items[2].is_terminating);
    close_scene(&s);
    open_scene(&s, NUMBERED, ",'publishNotReadyAddresses':true");
    add_pod(&s, 2, false, "");
    plan(&s);
    assert_true(lw_backend_is_ready(&s.backends, &s.backends.items[0]));
    close_scene(&s);
}

static void services_without_a_selector_are_left_alone(void **state)
{
    (void)state;
    lw_object *none = object_of("{'kind':'Service','spec':{}}");
    lw_object *empty = object_of("{'kind':'Service','spec':{'selector':{}}}");
    lw_object *outside = object_of("{'kind':'Service','spec':{'selector':{'a':'b'},'type':"
                                   "'ExternalName'}}");
    lw_object *one = object_of("{'kind':'Service','spec':{'selector':{'a':'b'}}}");
    assert_false(lw_service_has_backends(none));
    assert_false(lw_service_has_backends(empty));
    assert_false(lw_service_has_backends(outside));
    assert_true(lw_service_has_backends(one));
    lw_object_unref(one);
    lw_object_unref(outside);
    lw_object_unref(empty);
    lw_object_unref(none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_slice_has_at_most_a_hundred),
        TEST(one_pod_changes_one_slice),
        TEST(the_last_slice_stays_empty),
        TEST(an_empty_slice_takes_the_first_pods_whatever_their_ports),
        TEST(pods_that_disagree_about_a_port_are_in_different_slices),
        TEST(readiness_is_told_as_it_is),
        TEST(services_without_a_selector_are_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
