/* SPDX-License-Identifier: Apache-2.0 */
/* printer_pod_test.c -- the row of a pod in every state kubectl has a word for. */
#include "schema/printers/printers.h"

#include <stdio.h>

#include "unit/schema/cells.h"

#define SPEC_ONE        "'spec':{'containers':[{'name':'a','image':'i'}]}"
#define SPEC_TWO        "'spec':{'containers':[{'name':'a'},{'name':'b'}]}"
#define RUNNING         "{'name':'a','ready':true,'restartCount':0,'state':{'running':{}}}"
#define CONDITION_READY "'conditions':[{'type':'Ready','status':'True'}]"

/* Compares what comes before the wide columns: name, ready, status, restarts, age. */
static void assert_pod(const char *spec, const char *status, const char *metadata,
                       const char *expected)
{
    char json[8192], cells[1024];
    (void)snprintf(json, sizeof(json), "{'metadata':{'name':'p'%s},%s,'status':{%s}}", metadata,
                   spec, status);
    (void)snprintf(cells, sizeof(cells), "['p',%s,'<unknown>','<none>','<none>','<none>','<none>']",
                   expected);
    assert_cells(lw_kind_pods, json, cells);
}

#define DELETED ",'deletionTimestamp':'2026-11-15T11:59:00Z'"

static void a_new_pod_is_pending(void **state)
{
    (void)state;
    assert_pod(SPEC_ONE, "'phase':'Pending'", "", "'0/1','Pending','0'");
}

static void a_gated_pod_says_so(void **state)
{
    (void)state;
    assert_pod(SPEC_ONE,
               "'phase':'Pending','conditions':[{'type':'PodScheduled','status':'False',"
               "'reason':'SchedulingGated'}]",
               "", "'0/1','SchedulingGated','0'");
}

static void a_pod_with_a_reason_shows_it(void **state)
{
    (void)state;
    assert_pod(SPEC_ONE, "'phase':'Failed','reason':'Evicted'", "", "'0/1','Evicted','0'");
}

static void a_running_pod_counts_its_ready_containers(void **state)
{
    (void)state;
    assert_pod(SPEC_TWO,
               "'phase':'Running','containerStatuses':[" RUNNING
               ",{'name':'b','ready':false,'restartCount':0,'state':{'running':{}}}]",
               "", "'1/2','Running','0'");
}

static void a_waiting_container_gives_its_reason(void **state)
{
    (void)state;
    assert_pod(SPEC_ONE,
               "'phase':'Pending','containerStatuses':[{'name':'a','ready':false,'restartCount':0,"
               "'state':{'waiting':{'reason':'ContainerCreating'}}}]",
               "", "'0/1','ContainerCreating','0'");
}

static void a_crashing_pod_shows_when_it_restarted_last(void **state)
{
    (void)state;
    assert_pod(SPEC_ONE,
               "'phase':'Running','containerStatuses':[{'name':'a','ready':false,'restartCount':7,"
               "'lastState':{'terminated':{'finishedAt':'2026-11-15T11:55:00Z'}},"
               "'state':{'waiting':{'reason':'CrashLoopBackOff'}}}]",
               "", "'0/1','CrashLoopBackOff','7 (5m ago)'");
}

static void the_latest_restart_counts(void **state)
{
    (void)state;
    assert_pod(SPEC_TWO,
               "'phase':'Running','containerStatuses':[{'name':'a','ready':true,'restartCount':1,"
               "'lastState':{'terminated':{'finishedAt':'2026-11-15T11:59:30Z'}},"
               "'state':{'running':{}}},{'name':'b','ready':true,'restartCount':2,"
               "'lastState':{'terminated':{'finishedAt':'2026-11-15T11:00:00Z'}},"
               "'state':{'running':{}}}]",
               "", "'2/2','Running','3 (30s ago)'");
}

static void a_container_that_ended_says_how(void **state)
{
    (void)state;
    static const char form[] = "'phase':'Failed','containerStatuses':[{'name':'a',"
                               "'restartCount':0,'state':{'terminated':{%s}}}]";
    char status[512];
    (void)snprintf(status, sizeof(status), form, "'exitCode':1,'reason':'Error'");
    assert_pod(SPEC_ONE, status, "", "'0/1','Error','0'");
    (void)snprintf(status, sizeof(status), form, "'exitCode':137,'reason':'OOMKilled'");
    assert_pod(SPEC_ONE, status, "", "'0/1','OOMKilled','0'");
    (void)snprintf(status, sizeof(status), form, "'exitCode':3");
    assert_pod(SPEC_ONE, status, "", "'0/1','ExitCode:3','0'");
    (void)snprintf(status, sizeof(status), form, "'exitCode':137,'signal':9");
    assert_pod(SPEC_ONE, status, "", "'0/1','Signal:9','0'");
}

static void the_first_container_that_is_not_well_gives_the_reason(void **state)
{
    (void)state;
    assert_pod(SPEC_TWO,
               "'phase':'Running','containerStatuses':[{'name':'a','restartCount':0,'state':{"
               "'waiting':{'reason':'ImagePullBackOff'}}},{'name':'b','restartCount':0,'state':{"
               "'terminated':{'exitCode':1,'reason':'Error'}}}]",
               "", "'0/2','ImagePullBackOff','0'");
    assert_pod(SPEC_TWO,
               "'phase':'Running','containerStatuses':[{'name':'a','restartCount':0,'state':{"
               "'terminated':{'exitCode':1,'reason':'Error'}}},{'name':'b','restartCount':0,"
               "'state':{'waiting':{'reason':'ImagePullBackOff'}}}]",
               "", "'0/2','Error','0'");
}

static void a_pod_that_is_done_is_completed(void **state)
{
    (void)state;
    assert_pod(SPEC_ONE,
               "'phase':'Succeeded','containerStatuses':[{'name':'a','restartCount':0,'state':{"
               "'terminated':{'exitCode':0,'reason':'Completed'}}}]",
               "", "'0/1','Completed','0'");
}

static void a_pod_of_which_one_container_is_done_still_runs(void **state)
{
    (void)state;
    static const char statuses[] =
        "'containerStatuses':[{'name':'a','restartCount':0,'state':{"
        "'terminated':{'exitCode':0,'reason':'Completed'}}}," RUNNING "]";
    char status[1024];
    (void)snprintf(status, sizeof(status), "'phase':'Running'," CONDITION_READY ",%s", statuses);
    assert_pod(SPEC_TWO, status, "", "'1/2','Running','0'");
    (void)snprintf(status, sizeof(status), "'phase':'Running',%s", statuses);
    assert_pod(SPEC_TWO, status, "", "'1/2','NotReady','0'");
}

static void a_deleted_pod_is_terminating_until_it_is_over(void **state)
{
    (void)state;
    assert_pod(SPEC_ONE, "'phase':'Running','containerStatuses':[" RUNNING "]", DELETED,
               "'1/1','Terminating','0'");
    assert_pod(SPEC_ONE, "'phase':'Failed'", DELETED, "'0/1','Failed','0'");
    assert_pod(SPEC_ONE, "'phase':'Running','reason':'NodeLost'", DELETED, "'0/1','Unknown','0'");
}

#define SPEC_INIT                                                                                  \
    "'spec':{'initContainers':[{'name':'i'},{'name':'j'}],'containers':[{'name':'a'}]}"

static void an_initializing_pod_counts_the_steps(void **state)
{
    (void)state;
    assert_pod(SPEC_INIT,
               "'phase':'Pending','initContainerStatuses':[{'name':'i','restartCount':0,'state':{"
               "'running':{}}}]",
               "", "'0/1','Init:0/2','0'");
    assert_pod(SPEC_INIT,
               "'phase':'Pending','initContainerStatuses':[{'name':'i','restartCount':0,'state':{"
               "'terminated':{'exitCode':0}}},{'name':'j','restartCount':0,'state':{'waiting':{"
               "'reason':'PodInitializing'}}}]",
               "", "'0/1','Init:1/2','0'");
}

static void a_failing_init_container_gives_the_reason(void **state)
{
    (void)state;
    static const char form[] = "'phase':'Pending','initContainerStatuses':[{'name':'i',"
                               "'restartCount':2,'state':{%s}}]";
    char status[512];
    (void)snprintf(status, sizeof(status), form, "'terminated':{'exitCode':1,'reason':'Error'}");
    assert_pod(SPEC_INIT, status, "", "'0/1','Init:Error','2'");
    (void)snprintf(status, sizeof(status), form, "'terminated':{'exitCode':5}");
    assert_pod(SPEC_INIT, status, "", "'0/1','Init:ExitCode:5','2'");
    (void)snprintf(status, sizeof(status), form, "'terminated':{'exitCode':137,'signal':9}");
    assert_pod(SPEC_INIT, status, "", "'0/1','Init:Signal:9','2'");
    (void)snprintf(status, sizeof(status), form, "'waiting':{'reason':'CrashLoopBackOff'}");
    assert_pod(SPEC_INIT, status, "", "'0/1','Init:CrashLoopBackOff','2'");
}

static void restarts_of_init_containers_are_forgotten_once_they_are_done(void **state)
{
    (void)state;
    assert_pod(SPEC_INIT,
               "'phase':'Running','initContainerStatuses':[{'name':'i','restartCount':4,"
               "'lastState':{'terminated':{'finishedAt':'2026-11-15T11:00:00Z'}},'state':{"
               "'terminated':{'exitCode':0}}},{'name':'j','restartCount':0,'state':{'terminated':{"
               "'exitCode':0}}}],'containerStatuses':[" RUNNING "]",
               "", "'1/1','Running','0'");
}

#define SPEC_SIDECAR                                                                               \
    "'spec':{'initContainers':[{'name':'i','restartPolicy':'Always'}],'containers':[{'name':'a'}]" \
    "}"

static void sidecars_count_as_containers(void **state)
{
    (void)state;
    assert_pod(SPEC_SIDECAR,
               "'phase':'Running','initContainerStatuses':[{'name':'i','restartCount':3,'started':"
               "true,'ready':true,'lastState':{'terminated':{'finishedAt':'2026-11-15T11:00:00Z'}},"
               "'state':{'running':{}}}],'containerStatuses':[" RUNNING "]",
               "", "'2/2','Running','3 (60m ago)'");
}

static void an_initialized_pod_shows_its_containers_even_if_an_init_container_restarts(void **state)
{
    (void)state;
    assert_pod(SPEC_SIDECAR,
               "'phase':'Running','conditions':[{'type':'Initialized','status':'True'}],"
               "'initContainerStatuses':[{'name':'i','restartCount':1,'started':false,'state':{"
               "'waiting':{'reason':'CrashLoopBackOff'}}}],'containerStatuses':[{'name':'a',"
               "'restartCount':0,'state':{'waiting':{'reason':'ErrImagePull'}}}]",
               "", "'0/2','ErrImagePull','1'");
}

static void wide_columns_tell_where_the_pod_is(void **state)
{
    (void)state;
    assert_cells(
        lw_kind_pods,
        "{'metadata':{'name':'p','creationTimestamp':'2026-11-15T11:58:00Z'},'spec':{"
        "'nodeName':'n1','containers':[{'name':'a'}],'readinessGates':[{'conditionType':"
        "'x/y'},{'conditionType':'x/z'}]},'status':{'phase':'Running','podIP':'10.0.0.9',"
        "'podIPs':[{'ip':'10.0.0.8'}],'nominatedNodeName':'n2','conditions':[{'type':'x/y',"
        "'status':'True'},{'type':'x/z','status':'False'}]}}",
        "['p','0/1','Running','0','2m','10.0.0.8','n1','n2','1/2']");
    assert_cells(lw_kind_pods, "{'metadata':{'name':'p'},'status':{'podIP':'10.0.0.9'}}",
                 "['p','0/0','','0','<unknown>','10.0.0.9','<none>','<none>','<none>']");
}

static void nonsense_in_the_place_of_a_pod_still_gives_a_row(void **state)
{
    (void)state;
    assert_cells(
        lw_kind_pods,
        "{'metadata':{'name':'p','creationTimestamp':7},'spec':[],'status':{'phase':{},"
        "'conditions':'x','containerStatuses':[1,null,'x',{'state':[],'restartCount':'y'}],"
        "'initContainerStatuses':{}}}",
        "['p','0/0','','0','<unknown>','<none>','<none>','<none>','<none>']");
}

static void a_pod_template_shows_its_containers(void **state)
{
    (void)state;
    assert_cells(lw_kind_podtemplates,
                 "{'metadata':{'name':'t'},'template':{'metadata':{'labels':{'b':'2','a':'1'}},"
                 "'spec':{'containers':[{'name':'x','image':'i:1'},{'name':'y','image':'j:2'}]}}}",
                 "['t','x,y','i:1,j:2','a=1,b=2']");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_new_pod_is_pending),
        TEST(a_gated_pod_says_so),
        TEST(a_pod_with_a_reason_shows_it),
        TEST(a_running_pod_counts_its_ready_containers),
        TEST(a_waiting_container_gives_its_reason),
        TEST(a_crashing_pod_shows_when_it_restarted_last),
        TEST(the_latest_restart_counts),
        TEST(a_container_that_ended_says_how),
        TEST(the_first_container_that_is_not_well_gives_the_reason),
        TEST(a_pod_that_is_done_is_completed),
        TEST(a_pod_of_which_one_container_is_done_still_runs),
        TEST(a_deleted_pod_is_terminating_until_it_is_over),
        TEST(an_initializing_pod_counts_the_steps),
        TEST(a_failing_init_container_gives_the_reason),
        TEST(restarts_of_init_containers_are_forgotten_once_they_are_done),
        TEST(sidecars_count_as_containers),
        TEST(an_initialized_pod_shows_its_containers_even_if_an_init_container_restarts),
        TEST(wide_columns_tell_where_the_pod_is),
        TEST(nonsense_in_the_place_of_a_pod_still_gives_a_row),
        TEST(a_pod_template_shows_its_containers),
    };
    return cmocka_run_group_tests_name("column_pod", tests, NULL, NULL);
}
