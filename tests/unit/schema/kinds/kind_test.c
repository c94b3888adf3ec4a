/* SPDX-License-Identifier: Apache-2.0 */
/* kind_test.c -- fields that can be selected by, verbs, and the object of a bookmark. */
#include "schema/kinds/kind.h"

#include "base/str.h"
#include "object/object.h"
#include "schema/kinds/kinds.h"
#include "unit/object/make.h"
#include "unit/test.h"

static bool matches(const lw_kind *kind, const char *selector, const char *json)
{
    lw_field_selector *fields = NULL;
    lw_object *obj = object_of(json);
    assert_int_equal(lw_field_selector_parse(&fields, lw_str_of(selector), NULL), LW_OK);
    bool is_match = lw_kind_fields_match(fields, obj, kind);
    lw_field_selector_free(fields);
    lw_object_unref(obj);
    return is_match;
}

static void verbs_have_the_names_of_discovery(void **state)
{
    (void)state;
    assert_str_equal(lw_verb_name(LW_VERB_CREATE), "create");
    assert_str_equal(lw_verb_name(LW_VERB_DELETE_COLLECTION), "deletecollection");
    assert_str_equal(lw_verb_name(LW_VERB_WATCH), "watch");
    for (unsigned bit = 1; bit < LW_VERB_WATCH; bit <<= 1)
        assert_true(lw_str_compare(lw_verb_name(bit), lw_verb_name(bit << 1)) < 0);
}

static void every_kind_can_be_selected_by_name_and_namespace(void **state)
{
    (void)state;
    size_t count;
    const lw_kind *const *kinds = lw_kinds_builtin(&count);
    const char *obj = "{\"metadata\":{\"name\":\"a\",\"namespace\":\"n\"}}";
    for (size_t i = 0; i < count; i++) {
        assert_true(matches(kinds[i], "metadata.name=a", obj));
        assert_false(matches(kinds[i], "metadata.name!=a", obj));
        assert_false(matches(kinds[i], "metadata.namespace=m", obj));
        if (kinds[i]->is_namespaced)
            assert_true(matches(kinds[i], "metadata.name=a,metadata.namespace=n", obj));
    }
}

static void kinds_of_the_cluster_with_fields_of_their_own_have_no_namespace(void **state)
{
    (void)state;
    lw_field_label field;
    assert_false(lw_kind_find_field(&lw_kind_nodes, LW_STR("metadata.namespace"), &field));
    assert_false(lw_kind_find_field(&lw_kind_namespaces, LW_STR("metadata.namespace"), &field));
    assert_true(
        lw_kind_find_field(&lw_kind_persistentvolumes, LW_STR("metadata.namespace"), &field));
}

static void unknown_fields_are_not_found_and_match_nothing(void **state)
{
    (void)state;
    lw_field_label field;
    assert_false(lw_kind_find_field(&lw_kind_configmaps, LW_STR("spec.nodeName"), &field));
    assert_false(lw_kind_find_field(&lw_kind_pods, LW_STR("spec"), &field));
    assert_false(lw_kind_find_field(&lw_kind_pods, LW_STR(""), &field));
    assert_false(
        matches(&lw_kind_configmaps, "spec.nodeName=x", "{\"spec\":{\"nodeName\":\"x\"}}"));
    assert_false(matches(&lw_kind_configmaps, "spec.nodeName!=x", "{}"));
}

static void no_selector_matches_everything(void **state)
{
    (void)state;
    lw_object *obj = object_of("{}");
    assert_true(lw_kind_fields_match(NULL, obj, &lw_kind_pods));
    lw_object_unref(obj);
}

static void pods_are_selected_by_node_under_both_names(void **state)
{
    (void)state;
    const char *pod = "{\"spec\":{\"nodeName\":\"n\\u0031\"}}";
    assert_true(matches(&lw_kind_pods, "spec.nodeName=n1", pod));
    assert_true(matches(&lw_kind_pods, "spec.host=n1", pod));
    assert_false(matches(&lw_kind_pods, "spec.host=n2", pod));
    assert_true(matches(&lw_kind_pods, "spec.nodeName=", "{}"));
    assert_true(matches(&lw_kind_pods, "spec.nodeName!=", pod));
}

static void absent_fields_count_as_what_they_mean(void **state)
{
    (void)state;
    assert_true(matches(&lw_kind_pods, "spec.hostNetwork=false", "{}"));
    assert_true(
        matches(&lw_kind_pods, "spec.hostNetwork=true", "{\"spec\":{\"hostNetwork\":true}}"));
    assert_true(matches(&lw_kind_nodes, "spec.unschedulable=false", "{\"spec\":{}}"));
    assert_true(matches(&lw_kind_nodes, "spec.unschedulable!=false",
                        "{\"spec\":{\"unschedulable\":true}}"));
    assert_true(matches(&lw_kind_jobs, "status.successful=0", "{\"status\":null}"));
    assert_true(matches(&lw_kind_jobs, "status.successful=3", "{\"status\":{\"succeeded\":3}}"));
    assert_true(matches(&lw_kind_replicationcontrollers, "status.replicas=0", "{}"));
}

static void the_first_pod_ip_counts(void **state)
{
    (void)state;
    assert_true(matches(&lw_kind_pods, "status.podIP=10.0.0.1",
                        "{\"status\":{\"podIP\":\"x\",\"podIPs\":[{\"ip\":\"10.0.0.1\"}]}}"));
    assert_true(
        matches(&lw_kind_pods, "status.podIP=10.0.0.2", "{\"status\":{\"podIP\":\"10.0.0.2\"}}"));
}

static void the_source_of_an_event_is_its_component_or_who_reports_it(void **state)
{
    (void)state;
    assert_true(matches(&lw_kind_events, "source=kubelet",
                        "{\"source\":{\"component\":\"kubelet\"},\"reportingComponent\":\"x\"}"));
    assert_true(matches(&lw_kind_events, "source=x",
                        "{\"source\":{\"component\":\"\"},\"reportingComponent\":\"x\"}"));
    assert_true(matches(&lw_kind_events, "involvedObject.uid=u,reason=r,type=Warning",
                        "{\"involvedObject\":{\"uid\":\"u\"},\"reason\":\"r\","
                        "\"type\":\"Warning\"}"));
}

static void containers_where_a_text_should_be_count_as_empty(void **state)
{
    (void)state;
    assert_true(matches(&lw_kind_secrets, "type=", "{\"type\":{}}"));
    assert_true(matches(&lw_kind_secrets, "type=", "{\"type\":[1]}"));
    assert_true(matches(&lw_kind_secrets, "type=", "{\"type\":null}"));
    assert_false(matches(&lw_kind_secrets, "type=x", "{\"type\":{}}"));
}

static void the_empty_object_is_what_a_bookmark_carries(void **state)
{
    (void)state;
    lw_buf out;
    lw_buf_init(&out, 4096);
    lw_kind_write_empty(&lw_kind_configmaps, 97, LW_STR(""), &out);
    assert_str_equal(lw_buf_view(&out), "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\","
                                        "\"metadata\":{\"resourceVersion\":\"97\"}}");
    lw_buf_reset(&out);
    lw_kind_write_empty(&lw_kind_deployments, 1, LW_STR("{\"k8s.io/initial-events-end\":\"true\"}"),
                        &out);
    assert_str_equal(
        lw_buf_view(&out),
        "{\"kind\":\"Deployment\",\"apiVersion\":\"apps/v1\",\"metadata\":{"
        "\"resourceVersion\":\"1\",\"annotations\":{\"k8s.io/initial-events-end\":"
        "\"true\"}},\"spec\":{\"selector\":null,\"template\":{\"metadata\":{},\"spec\":"
        "{\"containers\":null}},\"strategy\":{}},\"status\":{}}");
    lw_buf_done(&out);
}

static void the_empty_object_of_every_kind_is_an_object_of_that_kind(void **state)
{
    (void)state;
    size_t count;
    const lw_kind *const *kinds = lw_kinds_builtin(&count);
    for (size_t i = 0; i < count; i++) {
        lw_buf out;
        lw_object *obj = NULL;
        lw_error err = LW_ERROR_INIT;
        lw_buf_init(&out, 4096);
        lw_kind_write_empty(kinds[i], 12, LW_STR(""), &out);
        assert_int_equal(out.st, LW_OK);
        if (lw_object_from_json(&obj, out.data, out.len, &err) < 0)
            fail_msg("%.*s: %s", LW_STR_ARG(lw_buf_view(&out)), err.message);
        assert_str_equal(kinds[i]->kind, lw_object_kind(obj));
        assert_int_equal(lw_object_revision(obj), 12);
        lw_object_unref(obj);
        lw_buf_done(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(verbs_have_the_names_of_discovery),
        TEST(every_kind_can_be_selected_by_name_and_namespace),
        TEST(kinds_of_the_cluster_with_fields_of_their_own_have_no_namespace),
        TEST(unknown_fields_are_not_found_and_match_nothing),
        TEST(no_selector_matches_everything),
        TEST(pods_are_selected_by_node_under_both_names),
        TEST(absent_fields_count_as_what_they_mean),
        TEST(the_first_pod_ip_counts),
        TEST(the_source_of_an_event_is_its_component_or_who_reports_it),
        TEST(containers_where_a_text_should_be_count_as_empty),
        TEST(the_empty_object_is_what_a_bookmark_carries),
        TEST(the_empty_object_of_every_kind_is_an_object_of_that_kind),
    };
    return cmocka_run_group_tests_name("kind", tests, NULL, NULL);
}
