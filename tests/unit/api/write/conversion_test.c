/* SPDX-License-Identifier: Apache-2.0 */
/* conversion_test.c -- two versions of one kind show the same stored objects. */
#include "unit/api/sent.h"

#define CORE_EVENTS DEFAULT "events"
#define NEW_EVENTS  "/apis/events.k8s.io/v1/namespaces/default/events"
#define HPA_V1      "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers"
#define HPA_V2      "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers"
#define TABLE       "application/json;as=Table;v=v1;g=meta.k8s.io"
#define PROTOBUF    "application/vnd.kubernetes.protobuf"

/* In the tests, ' stands for " in bodies and expected texts. */
static const char *quoted(const char *text)
{
    static char rooms[4][4096];
    static size_t next;
    char *room = rooms[next++ % 4];
    size_t len = strlen(text);
    assert_true(len < sizeof(rooms[0]));
    for (size_t i = 0; i <= len; i++)
        room[i] = text[i] == '\'' ? '"' : text[i];
    return room;
}

static void assert_shows(api_world *world, const char *target, const char *accept, const char *part)
{
    fake_http *http = ask_as(world, target, accept, 200);
    assert_body_has(http, quoted(part));
    fake_http_free(http);
}

static void assert_lacks(api_world *world, const char *target, const char *part)
{
    fake_http *http = ask(world, target, 200);
    const char *text = quoted(part);
    assert_null(memmem(http->body.data, http->body.len, text, strlen(text)));
    fake_http_free(http);
}

static void make_events(api_world *world)
{
    do_send(world, "POST", CORE_EVENTS,
            quoted(
                "{'metadata':{'name':'old'},'involvedObject':{'kind':'Node','name':'n','namespace':"
                "'default'},'reason':'R','message':'core','source':{'component':'kubelet'},"
                "'count':5,'type':'Warning'}"),
            201);
    do_send(world, "POST", NEW_EVENTS,
            quoted("{'metadata':{'name':'new'},'eventTime':'2026-11-15T01:49:00.000000Z',"
                   "'regarding':{'kind':'Pod','name':'web','namespace':'default'},'note':'newer',"
                   "'reportingController':'example.com/c','reportingInstance':'i','action':'A',"
                   "'deprecatedCount':3,'series':{'count':2,'lastObservedTime':"
                   "'2026-11-15T01:49:01.000000Z'}}"),
            201);
}

static void event_is_shown_in_both_groups(void **state)
{
    make_events(*state);
    assert_shows(*state, NEW_EVENTS "/old", NULL,
                 "'regarding':{'kind':'Node','name':'n','namespace':'default'},'reason':'R',"
                 "'note':'core','deprecatedSource':{'component':'kubelet'},'deprecatedCount':5,"
                 "'type':'Warning','deprecatedFirstTimestamp':null,'deprecatedLastTimestamp':null,"
                 "'eventTime':null}");
    assert_shows(
        *state, CORE_EVENTS "/new", NULL,
        "'eventTime':'2026-11-15T01:49:00.000000Z','involvedObject':{'kind':'Pod','name':"
        "'web','namespace':'default'},'message':'newer','reportingComponent':"
        "'example.com/c','reportingInstance':'i','action':'A','count':3,'series':{'count':2,"
        "'lastObservedTime':'2026-11-15T01:49:01.000000Z'}");
}

static void managed_fields_keep_the_version_they_were_written_in(void **state)
{
    make_events(*state);
    assert_shows(*state, NEW_EVENTS "/old", NULL, "'operation':'Update','apiVersion':'v1'");
    assert_shows(*state, CORE_EVENTS "/new", NULL, "'apiVersion':'events.k8s.io/v1'");
    assert_shows(*state, CORE_EVENTS "/new", NULL, "'f:regarding':{}");
}

static void events_of_both_groups_are_listed_in_both(void **state)
{
    make_events(*state);
    assert_shows(*state, CORE_EVENTS, NULL, "'message':'newer'");
    assert_shows(*state, NEW_EVENTS, NULL, "{'kind':'EventList','apiVersion':'events.k8s.io/v1'");
    assert_shows(*state, NEW_EVENTS, NULL, "'note':'core'");
    assert_lacks(*state, NEW_EVENTS, "'kind':'Event'");
    assert_shows(*state, NEW_EVENTS, TABLE, "'Warning','R','node/n'");
}

static void events_are_converted_for_protobuf(void **state)
{
    make_events(*state);
    assert_shows(*state, NEW_EVENTS, PROTOBUF, "events.k8s.io/v1");
    /* Field 10, note; in the core group the message is field 4. */
    assert_shows(*state, NEW_EVENTS, PROTOBUF,
                 "R\x04"
                 "core");
    assert_shows(*state, NEW_EVENTS "/old", PROTOBUF,
                 "R\x04"
                 "core");
    assert_shows(*state, CORE_EVENTS "/new", PROTOBUF, "\"\x05newer");
}

static void field_selectors_have_the_names_of_the_version(void **state)
{
    make_events(*state);
    assert_shows(*state, NEW_EVENTS "?fieldSelector=regarding.name%3Dn", NULL, "'note':'core'");
    assert_lacks(*state, NEW_EVENTS "?fieldSelector=regarding.name%3Dn", "newer");
    assert_shows(*state, NEW_EVENTS "?fieldSelector=reportingController%3Dexample.com/c", NULL,
                 "'note':'newer'");
    assert_shows(*state, CORE_EVENTS "?fieldSelector=involvedObject.name%3Dweb", NULL,
                 "'message':'newer'");
    fake_http_free(ask(*state, NEW_EVENTS "?fieldSelector=involvedObject.name%3Dn", 400));
}

static void watch_shows_events_of_the_other_group(void **state)
{
    api_world *world = *state;
    fake_http *watch = ask(world, NEW_EVENTS "?watch=1&resourceVersion=4", 200);
    make_events(world);
    api_world_turns(world, 2);
    assert_body_has(watch, quoted("{'type':'ADDED','object':{'kind':'Event','apiVersion':"
                                  "'events.k8s.io/v1','metadata':{'name':'old'"));
    assert_body_has(watch, quoted("'note':'core'"));
    fake_http_free(watch);
}

static void event_is_changed_in_the_other_group(void **state)
{
    make_events(*state);
    assert_sent_has_as(*state, "PATCH", NEW_EVENTS "/old", MERGE_PATCH, quoted("{'note':'seen'}"),
                       200, quoted("'note':'seen'"));
    assert_shows(*state, CORE_EVENTS "/old", NULL,
                 "'message':'seen','source':{'component':'kubelet'}");
    do_send_as(*state, "PATCH", NEW_EVENTS "/old?fieldManager=m", "application/apply-patch+yaml",
               quoted("{'apiVersion':'events.k8s.io/v1','kind':'Event','metadata':{'name':'old'},"
                      "'action':'B'}"),
               200);
    assert_shows(*state, CORE_EVENTS "/old", NULL, "'action':'B'");
    do_send(*state, "DELETE", NEW_EVENTS "/old", "", 200);
    fake_http_free(ask(*state, CORE_EVENTS "/old", 404));
    do_send(*state, "DELETE", NEW_EVENTS, "", 200);
    fake_http_free(ask(*state, CORE_EVENTS "/new", 404));
}

static void manager_has_what_it_changed_in_the_other_group(void **state)
{
    make_events(*state);
    do_send_as(*state, "PATCH", NEW_EVENTS "/old?fieldManager=m", MERGE_PATCH,
               quoted("{'note':'seen'}"), 200);
    assert_shows(*state, CORE_EVENTS "/old", NULL,
                 "{'manager':'m','operation':'Update','apiVersion':'events.k8s.io/v1','time':"
                 "'2026-11-15T01:49:24Z','fieldsType':'FieldsV1','fieldsV1':{'f:note':{}}}");
}

#define TARGET "'scaleTargetRef':{'kind':'Deployment','name':'web','apiVersion':'apps/v1'}"

static void autoscaler_of_v1_is_stored_as_v2(void **state)
{
    assert_sent_has(*state, "POST", HPA_V1,
                    quoted("{'metadata':{'name':'a'},'spec':{" TARGET ",'maxReplicas':3,"
                           "'targetCPUUtilizationPercentage':60}}"),
                    201,
                    quoted("'minReplicas':1,'maxReplicas':3,'targetCPUUtilizationPercentage':60},"
                           "'status':{'currentReplicas':0,'desiredReplicas':0}}"));
    assert_shows(*state, HPA_V2 "/a", NULL, "'apiVersion':'autoscaling/v2','metadata':{'name':'a'");
    assert_shows(*state, HPA_V2 "/a", NULL,
                 "'metrics':[{'type':'Resource','resource':{'name':'cpu','target':{"
                 "'averageUtilization':60,'type':'Utilization'}}}]}");
}

static void autoscaler_of_v1_has_a_default_metric(void **state)
{
    assert_sent_has(*state, "POST", HPA_V1,
                    quoted("{'metadata':{'name':'a'},'spec':{" TARGET ",'maxReplicas':3}}"), 201,
                    quoted("'targetCPUUtilizationPercentage':80"));
}

static void annotations_have_what_v1_cannot_express(void **state)
{
    do_send(*state, "POST", HPA_V2,
            quoted("{'metadata':{'name':'a'},'spec':{" TARGET ",'maxReplicas':3,'metrics':[{'type':"
                   "'Pods','pods':{'metric':{'name':'qps'},'target':{'type':'AverageValue',"
                   "'averageValue':'10'}}},{'type':'Resource','resource':{'name':'cpu','target':{"
                   "'type':'Utilization','averageUtilization':50}}}],'behavior':{'scaleDown':{"
                   "'stabilizationWindowSeconds':60}}}}"),
            201);
    assert_shows(*state, HPA_V1 "/a", NULL,
                 "'autoscaling.alpha.kubernetes.io/metrics':'[{\\'type\\':\\'Pods\\',\\'pods\\':{"
                 "\\'metricName\\':\\'qps\\',\\'targetAverageValue\\':\\'10\\'}}]'");
    assert_shows(*state, HPA_V1 "/a", NULL,
                 "'autoscaling.alpha.kubernetes.io/behavior':'{\\'ScaleUp\\':null,\\'ScaleDown\\':{"
                 "\\'StabilizationWindowSeconds\\':60,\\'SelectPolicy\\':null,\\'Policies\\':null,"
                 "\\'Tolerance\\':null}}'");
    assert_lacks(*state, HPA_V2 "/a", "'autoscaling.alpha");
}

static void what_v1_cannot_express_survives_its_writes(void **state)
{
    annotations_have_what_v1_cannot_express(state);
    do_send_as(*state, "PATCH", HPA_V1 "/a", MERGE_PATCH,
               quoted("{'spec':{'targetCPUUtilizationPercentage':70}}"), 200);
    assert_shows(*state, HPA_V2 "/a", NULL,
                 "'metrics':[{'type':'Pods','pods':{'metric':{'name':'qps'},'target':{"
                 "'averageValue':'10','type':'AverageValue'}}},{'type':'Resource','resource':{"
                 "'name':'cpu','target':{'averageUtilization':70,'type':'Utilization'}}}],"
                 "'behavior':{'scaleDown':{'stabilizationWindowSeconds':60}}");
    assert_lacks(*state, HPA_V2 "/a", "'autoscaling.alpha");
}

static void what_v1_cannot_express_survives_its_deletes(void **state)
{
    annotations_have_what_v1_cannot_express(state);
    do_send_as(*state, "PATCH", HPA_V2 "/a", MERGE_PATCH,
               quoted("{'metadata':{'finalizers':['ex.io/f']}}"), 200);
    assert_sent_has(*state, "DELETE", HPA_V1 "/a", "", 200,
                    quoted("'targetCPUUtilizationPercentage':50"));
    assert_shows(*state, HPA_V2 "/a", NULL, "'deletionTimestamp'");
    assert_shows(*state, HPA_V2 "/a", NULL, "'pods':{'metric':{'name':'qps'}");
    do_send_as(*state, "PATCH", HPA_V1 "/a", MERGE_PATCH,
               quoted("{'metadata':{'finalizers':null}}"), 200);
    fake_http_free(ask(*state, HPA_V2 "/a", 404));
}

static void annotation_that_cannot_be_decoded_is_ignored(void **state)
{
    static const char *const bad[] = { "{",
                                       "5",
                                       "[5]",
                                       "{\\'a\\':{}}",
                                       "[{\\'type\\':5}]",
                                       "[{\\'type\\':\\'Pods\\',\\'pods\\':7}]",
                                       "[[]]",
                                       "" };
    char body[2048], target[256];
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        (void)snprintf(body, sizeof(body),
                       "{'metadata':{'name':'a%zu','annotations':{"
                       "'autoscaling.alpha.kubernetes.io/metrics':'%s',"
                       "'autoscaling.alpha.kubernetes.io/behavior':'%s',"
                       "'autoscaling.alpha.kubernetes.io/current-metrics':'%s',"
                       "'autoscaling.alpha.kubernetes.io/conditions':'%s'}},'spec':{" TARGET
                       ",'maxReplicas':3,'targetCPUUtilizationPercentage':60}}",
                       i, bad[i], bad[i], bad[i], bad[i]);
        do_send(*state, "POST", HPA_V1, quoted(body), 201);
        (void)snprintf(target, sizeof(target), HPA_V2 "/a%zu", i);
        assert_shows(*state, target, PROTOBUF, "autoscaling/v2");
        assert_lacks(*state, target, "'autoscaling.alpha");
    }
}

static void status_of_an_autoscaler_is_converted(void **state)
{
    do_send(*state, "POST", HPA_V2,
            quoted("{'metadata':{'name':'a'},'spec':{" TARGET ",'maxReplicas':3}}"), 201);
    do_send_as(*state, "PATCH", HPA_V2 "/a/status", MERGE_PATCH,
               quoted("{'status':{'desiredReplicas':2,'currentMetrics':[{'type':'Resource',"
                      "'resource':{'name':'cpu','current':{'averageUtilization':33,'averageValue':"
                      "'5m'}}}],'conditions':[{'type':'AbleToScale','status':'True'}]}}"),
               200);
    assert_shows(*state, HPA_V1 "/a", NULL, "'currentCPUUtilizationPercentage':33");
    assert_shows(
        *state, HPA_V1 "/a", NULL,
        "current-metrics':'[{\\'type\\':\\'Resource\\',\\'resource\\':{\\'name\\':\\'cpu\\',"
        "\\'currentAverageUtilization\\':33,\\'currentAverageValue\\':\\'5m\\'}}]'");
    assert_shows(*state, HPA_V1 "/a", NULL, "conditions':'[{\\'type\\':\\'AbleToScale\\'");
    do_send_as(*state, "PATCH", HPA_V1 "/a/status", MERGE_PATCH,
               quoted("{'status':{'desiredReplicas':3}}"), 200);
    assert_shows(*state, HPA_V2 "/a", NULL, "'desiredReplicas':3");
    assert_shows(*state, HPA_V2 "/a", NULL,
                 "'current':{'averageUtilization':33,'averageValue':'5m'}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SEEDED_TEST(event_is_shown_in_both_groups),
        SEEDED_TEST(managed_fields_keep_the_version_they_were_written_in),
        SEEDED_TEST(events_of_both_groups_are_listed_in_both),
        SEEDED_TEST(events_are_converted_for_protobuf),
        SEEDED_TEST(field_selectors_have_the_names_of_the_version),
        SEEDED_TEST(watch_shows_events_of_the_other_group),
        SEEDED_TEST(event_is_changed_in_the_other_group),
        SEEDED_TEST(manager_has_what_it_changed_in_the_other_group),
        SEEDED_TEST(autoscaler_of_v1_is_stored_as_v2),
        SEEDED_TEST(autoscaler_of_v1_has_a_default_metric),
        SEEDED_TEST(annotations_have_what_v1_cannot_express),
        SEEDED_TEST(what_v1_cannot_express_survives_its_writes),
        SEEDED_TEST(what_v1_cannot_express_survives_its_deletes),
        SEEDED_TEST(annotation_that_cannot_be_decoded_is_ignored),
        SEEDED_TEST(status_of_an_autoscaler_is_converted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
