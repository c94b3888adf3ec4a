/* SPDX-License-Identifier: Apache-2.0 */
/* printer_cluster_test.c -- the rows of nodes, events, namespaces, access and other things of the
 * cluster. */
#include "schema/printers/printers.h"

#include "unit/schema/cells.h"

#define META "'metadata':{'name':'c','creationTimestamp':'2026-11-15T11:59:00Z'}"

static void assert_node(const char *labels, const char *spec, const char *conditions,
                        const char *cells)
{
    char json[2048], expected[512];
    (void)snprintf(json, sizeof(json),
                   "{'metadata':{'name':'n','labels':{%s}},'spec':{%s},'status':{'conditions':[%s]}"
                   "}",
                   labels, spec, conditions);
    (void)snprintf(expected, sizeof(expected),
                   "['n',%s,'<unknown>','','<none>','<none>','<unknown>','<unknown>','<unknown>']",
                   cells);
    assert_cells(lw_kind_nodes, json, expected);
}

static void a_node_is_ready_or_not(void **state)
{
    (void)state;
    assert_node("", "", "{'type':'Ready','status':'True'}", "'Ready','<none>'");
    assert_node("", "", "{'type':'Ready','status':'False'}", "'NotReady','<none>'");
    assert_node("", "", "{'type':'Ready','status':'Unknown'}", "'NotReady','<none>'");
    assert_node("", "", "{'type':'DiskPressure','status':'True'}", "'Unknown','<none>'");
    assert_node("", "'unschedulable':true", "{'type':'Ready','status':'True'}",
                "'Ready,SchedulingDisabled','<none>'");
    assert_node("", "'unschedulable':true", "", "'Unknown,SchedulingDisabled','<none>'");
}

static void the_roles_of_a_node_are_its_labels(void **state)
{
    (void)state;
    assert_node("'node-role.kubernetes.io/worker':'','node-role.kubernetes.io/control-plane':''",
                "", "", "'Unknown','control-plane,worker'");
    assert_node("'node-role.kubernetes.io/a':'','node-role.kubernetes.io/c':'',"
                "'kubernetes.io/role':'b'",
                "", "", "'Unknown','a,b,c'");
    assert_node("'node-role.kubernetes.io/a':'','kubernetes.io/role':'a'", "", "", "'Unknown','a'");
    assert_node("'node-role.kubernetes.io/a':'','kubernetes.io/role':'z'", "", "",
                "'Unknown','a,z'");
    assert_node("'node-role.kubernetes.io/':'','kubernetes.io/role':''", "", "",
                "'Unknown','<none>'");
}

static void wide_columns_tell_about_the_machine(void **state)
{
    (void)state;
    assert_cells(
        lw_kind_nodes,
        "{" META ",'status':{'addresses':[{'type':'Hostname','address':'h'},{'type':"
        "'InternalIP','address':'10.0.0.1'},{'type':'InternalIP','address':'10.0.0.2'},"
        "{'type':'ExternalIP','address':'1.1.1.1'}],'nodeInfo':{'kubeletVersion':'v1.36.0',"
        "'osImage':'Debian','kernelVersion':'6.1','containerRuntimeVersion':'x://1'}}}",
        "['c','Unknown','<none>','60s','v1.36.0','10.0.0.1','1.1.1.1','Debian','6.1',"
        "'x://1']");
}

static void an_event_tells_who_what_and_when(void **state)
{
    (void)state;
    assert_cells(lw_kind_events,
                 "{" META ",'involvedObject':{'kind':'Pod','name':'Web','fieldPath':'spec.x'},"
                 "'type':'Warning','reason':'BackOff','message':' again\\n','source':{'component':"
                 "'kubelet','host':'n1'},'firstTimestamp':'2026-11-15T11:00:00Z','lastTimestamp':"
                 "'2026-11-15T11:59:50Z','count':12}",
                 "['10s','Warning','BackOff','pod/Web','spec.x','kubelet, n1','again','60m',12,"
                 "'c']");
}

static void a_single_event_is_as_old_as_its_time(void **state)
{
    (void)state;
    assert_cells(lw_kind_events,
                 "{" META ",'involvedObject':{'kind':'Node'},'firstTimestamp':null,"
                 "'eventTime':'2026-11-15T11:58:00.000000Z','reportingComponent':'ctl',"
                 "'reportingInstance':'i'}",
                 "['2m','','','node','','ctl, i','','2m',1,'c']");
    assert_cells(lw_kind_events, "{" META ",'reportingComponent':'ctl'}",
                 "['<unknown>','','','','','ctl','','<unknown>',1,'c']");
}

static void a_series_knows_when_it_was_seen_last(void **state)
{
    (void)state;
    assert_cells(lw_kind_events,
                 "{" META ",'eventTime':'2026-11-15T11:00:00.000000Z','count':3,'series':{'count':"
                 "40,'lastObservedTime':'2026-11-15T11:59:59.000000Z'}}",
                 "['1s','','','','','','','60m',40,'c']");
}

static void namespaces_and_their_settings_show_what_they_hold(void **state)
{
    (void)state;
    assert_cells(lw_kind_namespaces, "{" META ",'status':{'phase':'Active'}}",
                 "['c','Active','60s']");
    assert_cells(lw_kind_configmaps,
                 "{" META ",'data':{'a':'1','b':'2'},'binaryData':{'c':'eA=='}}", "['c',3,'60s']");
    assert_cells(lw_kind_configmaps, "{" META "}", "['c',0,'60s']");
    assert_cells(lw_kind_secrets, "{" META ",'type':'x/y','data':{'a':''}}", "['c','x/y',1,'60s']");
    assert_cells(lw_kind_secrets, "{" META "}", "['c','Opaque',0,'60s']");
    assert_cells(lw_kind_serviceaccounts, "{" META "}", "['c','60s']");
    assert_cells(lw_kind_limitranges, "{" META "}", "['c','2026-11-15T11:59:00Z']");
    assert_cells(lw_kind_limitranges, "{'metadata':{'name':'c'}}", "['c','0001-01-01T00:00:00Z']");
}

static void a_quota_shows_used_and_allowed(void **state)
{
    (void)state;
    assert_cells(lw_kind_resourcequotas,
                 "{" META ",'status':{'hard':{'pods':'10','limits.cpu':'4','cpu':'2','limits':'1'},"
                 "'used':{'pods':'3','limits.cpu':'1','memory':'1Gi'}}}",
                 "['c','cpu: 0/2, limits: 0/1, pods: 3/10','limits.cpu: 1/4','60s']");
    assert_cells(lw_kind_resourcequotas, "{" META "}", "['c','','','60s']");
}

static void bindings_show_who_gets_which_role(void **state)
{
    (void)state;
    static const char binding[] =
        "{" META
        ",'roleRef':{'kind':'ClusterRole','name':'view'},'subjects':[{'kind':'User','name':"
        "'u'},{'kind':'Group','name':'g'},{'kind':'ServiceAccount','namespace':'n','name':'s'},"
        "{'kind':'User','name':'v'}]}";
    assert_cells(lw_kind_rolebindings, binding, "['c','ClusterRole/view','60s','u, v','g','n/s']");
    assert_cells(lw_kind_clusterrolebindings, binding,
                 "['c','ClusterRole/view','60s','u, v','g','n/s']");
    assert_cells(lw_kind_clusterroles, "{" META "}", "['c','2026-11-15T11:59:00Z']");
}

static void small_kinds_show_their_one_thing(void **state)
{
    (void)state;
    assert_cells(lw_kind_leases, "{" META ",'spec':{'holderIdentity':'me'}}", "['c','me','60s']");
    assert_cells(lw_kind_poddisruptionbudgets,
                 "{" META ",'spec':{'minAvailable':0},'status':{'disruptionsAllowed':2}}",
                 "['c','0','N/A',2,'60s']");
    assert_cells(lw_kind_poddisruptionbudgets, "{" META ",'spec':{'maxUnavailable':'25%'}}",
                 "['c','N/A','25%',0,'60s']");
    assert_cells(lw_kind_priorityclasses,
                 "{" META ",'value':-5,'globalDefault':true,'preemptionPolicy':'Never'}",
                 "['c',-5,true,'60s','Never']");
    assert_cells(lw_kind_runtimeclasses, "{" META ",'handler':'runc'}", "['c','runc','60s']");
}

static void webhooks_and_flow_control(void **state)
{
    (void)state;
    assert_cells(lw_kind_validatingwebhookconfigurations, "{" META ",'webhooks':[{},{}]}",
                 "['c',2,'60s']");
    assert_cells(lw_kind_flowschemas,
                 "{" META ",'spec':{'priorityLevelConfiguration':{"
                 "'name':'p'},'matchingPrecedence':5},'status':{'conditions':[{'type':"
                 "'Dangling','status':'False'}]}}",
                 "['c','p',5,'<none>','60s','False']");
    assert_cells(lw_kind_flowschemas, "{" META "}", "['c','',0,'<none>','60s','?']");
    assert_cells(lw_kind_prioritylevelconfigurations,
                 "{" META ",'spec':{'type':'Limited','limited':{"
                 "'nominalConcurrencyShares':3}}}",
                 "['c','Limited','3','<none>','<none>','<none>','60s']");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_node_is_ready_or_not),
        TEST(the_roles_of_a_node_are_its_labels),
        TEST(wide_columns_tell_about_the_machine),
        TEST(an_event_tells_who_what_and_when),
        TEST(a_single_event_is_as_old_as_its_time),
        TEST(a_series_knows_when_it_was_seen_last),
        TEST(namespaces_and_their_settings_show_what_they_hold),
        TEST(a_quota_shows_used_and_allowed),
        TEST(bindings_show_who_gets_which_role),
        TEST(small_kinds_show_their_one_thing),
        TEST(webhooks_and_flow_control),
    };
    return cmocka_run_group_tests_name("column_cluster", tests, NULL, NULL);
}
