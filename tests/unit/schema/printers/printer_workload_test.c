/* SPDX-License-Identifier: Apache-2.0 */
/* printer_workload_test.c -- the rows of what keeps pods running. */
#include "schema/printers/printers.h"

#include "unit/schema/cells.h"

#define META "'metadata':{'name':'w','creationTimestamp':'2026-11-15T11:00:00Z'}"
#define TEMPLATE                                                                                   \
    "'template':{'spec':{'containers':[{'name':'a','image':'i:1'},{'name':'b','image':'j'}]}}"

static void a_deployment_shows_ready_of_wanted(void **state)
{
    (void)state;
    assert_cells(lw_kind_deployments,
                 "{" META ",'spec':{'replicas':3," TEMPLATE ",'selector':{'matchLabels':{'b':'2',"
                 "'a':'1'},'matchExpressions':[{'key':'c','operator':'In','values':['x','y']}]}},"
                 "'status':{'readyReplicas':2,'updatedReplicas':1,'availableReplicas':2}}",
                 "['w','2/3',1,2,'60m','a,b','i:1,j','a=1,b=2,c in (x,y)']");
}

static void a_deployment_that_says_nothing_wants_one(void **state)
{
    (void)state;
    assert_cells(lw_kind_deployments, "{'metadata':{'name':'w'}}",
                 "['w','0/1',0,0,'<unknown>','','','<none>']");
}

static void a_bad_selector_is_an_error_in_its_cell_alone(void **state)
{
    (void)state;
    assert_cells(lw_kind_deployments, "{" META ",'spec':{'selector':{'matchLabels':{'a':'!'}}}}",
                 "['w','0/1',0,0,'60m','','','<error>']");
}

static void replica_sets_and_controllers_show_their_numbers(void **state)
{
    (void)state;
    assert_cells(lw_kind_replicasets,
                 "{" META ",'spec':{'replicas':0," TEMPLATE
                 ",'selector':{'matchLabels':{'a':'1'}}},"
                 "'status':{'replicas':4,'readyReplicas':3}}",
                 "['w',0,4,3,'60m','a,b','i:1,j','a=1']");
    assert_cells(lw_kind_replicationcontrollers,
                 "{" META ",'spec':{" TEMPLATE
                 ",'selector':{'b':'2','a':'1'}},'status':{'replicas':"
                 "1}}",
                 "['w',1,1,0,'60m','a,b','i:1,j','a=1,b=2']");
}

static void a_stateful_set_shows_ready_of_wanted(void **state)
{
    (void)state;
    assert_cells(lw_kind_statefulsets,
                 "{" META ",'spec':{'replicas':2," TEMPLATE "},'status':{'readyReplicas':1}}",
                 "['w','1/2','60m','a,b','i:1,j']");
}

static void a_daemon_set_shows_its_nodes(void **state)
{
    (void)state;
    assert_cells(lw_kind_daemonsets,
                 "{" META
                 ",'spec':{'selector':{},'template':{'spec':{'nodeSelector':{'os':'linux'},"
                 "'containers':[]}}},'status':{'desiredNumberScheduled':5,'currentNumberScheduled':"
                 "4,'numberReady':3,'updatedNumberScheduled':2,'numberAvailable':1}}",
                 "['w',5,4,3,2,1,'os=linux','60m','','','<none>']");
}

static void a_revision_names_its_controller(void **state)
{
    (void)state;
    assert_cells(lw_kind_controllerrevisions,
                 "{'metadata':{'name':'w','ownerReferences':[{'kind':'X','name':'x'},{'apiVersion':"
                 "'apps/v1','kind':'StatefulSet','name':'Web','controller':true}]},'revision':7}",
                 "['w','statefulset.apps/Web',7,'<unknown>']");
    assert_cells(lw_kind_controllerrevisions,
                 "{'metadata':{'name':'w','ownerReferences':[{'apiVersion':'v1','kind':'Pod',"
                 "'name':'p','controller':true}]}}",
                 "['w','pod/p',0,'<unknown>']");
    assert_cells(lw_kind_controllerrevisions, "{'metadata':{'name':'w'}}",
                 "['w','<none>',0,'<unknown>']");
}

static void a_job_shows_how_far_it_is(void **state)
{
    (void)state;
    assert_cells(lw_kind_jobs,
                 "{" META ",'spec':{'completions':5," TEMPLATE "},'status':{'succeeded':2,"
                 "'startTime':'2026-11-15T11:50:00Z'}}",
                 "['w','Running','2/5','10m','60m','a,b','i:1,j','<none>']");
    assert_cells(lw_kind_jobs,
                 "{" META ",'spec':{'parallelism':3},'status':{'startTime':'2026-11-15T11:50:00Z',"
                 "'completionTime':'2026-11-15T11:50:07Z'}}",
                 "['w','Running','0/1 of 3','7s','60m','','','<none>']");
    assert_cells(lw_kind_jobs, "{" META "}", "['w','Running','0/1','','60m','','','<none>']");
}

static void assert_job_status(const char *metadata, const char *conditions, const char *status)
{
    char json[1024], cells[256];
    (void)snprintf(json, sizeof(json), "{'metadata':{'name':'w'%s},'status':{'conditions':[%s]}}",
                   metadata, conditions);
    (void)snprintf(cells, sizeof(cells), "['w','%s','0/1','','<unknown>','','','<none>']", status);
    assert_cells(lw_kind_jobs, json, cells);
}

static void a_job_tells_its_state_in_a_word(void **state)
{
    (void)state;
#define CONDITION(type) "{'type':'" type "','status':'True'}"
    static const char deleted[] = ",'deletionTimestamp':'2026-11-15T11:59:00Z'";
    assert_job_status("", CONDITION("SuccessCriteriaMet"), "SuccessCriteriaMet");
    assert_job_status("", CONDITION("SuccessCriteriaMet") "," CONDITION("FailureTarget"),
                      "FailureTarget");
    assert_job_status("", CONDITION("FailureTarget") "," CONDITION("Suspended"), "Suspended");
    assert_job_status(deleted, CONDITION("Suspended"), "Terminating");
    assert_job_status(deleted, CONDITION("Failed"), "Failed");
    assert_job_status(deleted, CONDITION("Failed") "," CONDITION("Complete"), "Complete");
    assert_job_status("", "{'type':'Complete','status':'False'}", "Running");
}

static void a_cron_job_shows_its_schedule(void **state)
{
    (void)state;
    assert_cells(lw_kind_cronjobs,
                 "{" META ",'spec':{'schedule':'* * * * *','timeZone':'Etc/UTC','suspend':false,"
                 "'jobTemplate':{'spec':{" TEMPLATE "}}},'status':{'active':[{},{}],"
                 "'lastScheduleTime':'2026-11-15T11:59:55Z'}}",
                 "['w','* * * * *','Etc/UTC','False',2,'5s','60m','a,b','i:1,j','<none>']");
    assert_cells(lw_kind_cronjobs, "{" META ",'spec':{'suspend':true}}",
                 "['w','','<none>','True',0,'<none>','60m','','','<none>']");
    assert_cells(lw_kind_cronjobs, "{" META "}",
                 "['w','','<none>','<unset>',0,'<none>','60m','','','<none>']");
}

static void an_autoscaler_shows_what_it_measures(void **state)
{
    (void)state;
    assert_cells(
        lw_kind_horizontalpodautoscalers,
        "{" META ",'spec':{'scaleTargetRef':{'kind':'Deployment','name':'web'},'minReplicas':2,"
        "'maxReplicas':9,'metrics':[{'type':'Resource','resource':{'name':'cpu','target':{"
        "'averageUtilization':50}}},{'type':'Pods','pods':{'target':{'averageValue':'10'}}},"
        "{'type':'Nope'}]},'status':{'currentReplicas':3,'currentMetrics':[{'resource':{'current':{"
        "'averageUtilization':10}}}]}}",
        "['w','Deployment/web','cpu: 10%/50%, <unknown>/10 + 1 more...','2',9,3,'60m']");
    assert_cells(lw_kind_horizontalpodautoscalers,
                 "{" META ",'spec':{'maxReplicas':1,'metrics':[{'type':'External','external':{"
                 "'target':{'averageValue':'5'}}},{'type':'Object','object':{'target':{'value':"
                 "'7'}}}]},'status':{'currentMetrics':[{'external':{'current':{'averageValue':'4'"
                 "}}},{'object':{'current':{'value':'6'}}}]}}",
                 "['w','/','4/5 (avg), 6/7','<unset>',1,0,'60m']");
    assert_cells(lw_kind_horizontalpodautoscalers,
                 "{" META ",'spec':{'metrics':[{'type':'Resource','resource':{'name':'memory'}},"
                 "{'type':'Nope'}]}}",
                 "['w','/','memory: <unknown>/<auto>, <unknown type>','<unset>',0,0,'60m']");
    assert_cells(lw_kind_horizontalpodautoscalers, "{" META "}",
                 "['w','/','<none>','<unset>',0,0,'60m']");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_deployment_shows_ready_of_wanted),
        TEST(a_deployment_that_says_nothing_wants_one),
        TEST(a_bad_selector_is_an_error_in_its_cell_alone),
        TEST(replica_sets_and_controllers_show_their_numbers),
        TEST(a_stateful_set_shows_ready_of_wanted),
        TEST(a_daemon_set_shows_its_nodes),
        TEST(a_revision_names_its_controller),
        TEST(a_job_shows_how_far_it_is),
        TEST(a_job_tells_its_state_in_a_word),
        TEST(a_cron_job_shows_its_schedule),
        TEST(an_autoscaler_shows_what_it_measures),
    };
    return cmocka_run_group_tests_name("column_workload", tests, NULL, NULL);
}
