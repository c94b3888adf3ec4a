/* SPDX-License-Identifier: Apache-2.0 */
/* printer_service_test.c -- the rows of services, endpoints, ingresses and policies. */
#include "schema/printers/printers.h"

#include "unit/schema/cells.h"

#define META "'metadata':{'name':'s','creationTimestamp':'2026-11-15T11:59:00Z'}"

static void a_service_shows_its_address_and_ports(void **state)
{
    (void)state;
    assert_cells(lw_kind_services,
                 "{" META ",'spec':{'type':'ClusterIP','clusterIP':'x','clusterIPs':['10.0.0.1'],"
                 "'ports':[{'port':80,'protocol':'TCP'},{'port':53,'protocol':'UDP'}],'selector':{"
                 "'b':'2','a':'1'}}}",
                 "['s','ClusterIP','10.0.0.1','<none>','80/TCP,53/UDP','60s','a=1,b=2']");
    assert_cells(lw_kind_services,
                 "{" META ",'spec':{'type':'NodePort','clusterIP':'None','ports':[{'port':80,"
                 "'nodePort':30080}],'externalIPs':['1.2.3.4','5.6.7.8']}}",
                 "['s','NodePort','None','1.2.3.4,5.6.7.8','80:30080/TCP','60s','<none>']");
    assert_cells(lw_kind_services, "{" META "}",
                 "['s','ClusterIP','<none>','<none>','<none>','60s','<none>']");
}

static void a_load_balancer_is_pending_until_it_has_an_address(void **state)
{
    (void)state;
    assert_cells(lw_kind_services, "{" META ",'spec':{'type':'LoadBalancer'}}",
                 "['s','LoadBalancer','<none>','<pending>','<none>','60s','<none>']");
    assert_cells(lw_kind_services,
                 "{" META ",'spec':{'type':'LoadBalancer','externalIPs':['9.9.9.9']},'status':{"
                 "'loadBalancer':{'ingress':[{'hostname':'lb.example.com'},{'ip':'1.1.1.1'},"
                 "{'ip':'1.1.1.1','hostname':'x'},{}]}}}",
                 "['s','LoadBalancer','<none>','1.1.1.1,lb.example.com,9.9.9.9','<none>','60s',"
                 "'<none>']");
}

static void an_external_name_is_shown_as_it_is(void **state)
{
    (void)state;
    assert_cells(lw_kind_services,
                 "{" META ",'spec':{'type':'ExternalName','externalName':'db.example.com'}}",
                 "['s','ExternalName','<none>','db.example.com','<none>','60s','<none>']");
}

static void endpoints_show_the_first_addresses(void **state)
{
    (void)state;
    assert_cells(lw_kind_endpoints,
                 "{" META ",'subsets':[{'addresses':[{'ip':'10.0.0.1'},{'ip':'fd00::1'}],'ports':["
                 "{'port':80},{'port':81}]}]}",
                 "['s','10.0.0.1:80,[fd00::1]:80,10.0.0.1:81 + 1 more...','60s']");
    assert_cells(lw_kind_endpoints,
                 "{" META ",'subsets':[{'addresses':[{'ip':'fd00::1'},{'ip':'10.0.0.2'}]}]}",
                 "['s','fd00::1,10.0.0.2','60s']");
    assert_cells(lw_kind_endpoints, "{" META ",'subsets':[{'ports':[{'port':1}]}]}",
                 "['s','','60s']");
    assert_cells(lw_kind_endpoints, "{" META "}", "['s','<none>','60s']");
}

static void more_ports_than_are_shown_are_counted(void **state)
{
    (void)state;
    assert_cells(lw_kind_endpoints,
                 "{" META ",'subsets':[{'addresses':[{'ip':'a'},{'ip':'b'}],'ports':[{'port':1},"
                 "{'port':2},{'port':3}]},{'addresses':[{'ip':'c'}]}]}",
                 "['s','a:1,b:1,a:2 + 4 more...','60s']");
}

static void a_slice_shows_the_first_ports_and_addresses(void **state)
{
    (void)state;
    assert_cells(lw_kind_endpointslices,
                 "{" META
                 ",'addressType':'IPv4','ports':[{'port':80},{'name':'dns'},{},{'port':9}],"
                 "'endpoints':[{'addresses':['a','b']},{'addresses':['c','d','e']}]}",
                 "['s','IPv4','80,dns,* + 1 more...','a,b,c + 2 more...','60s']");
    assert_cells(lw_kind_endpointslices, "{" META ",'ports':[],'endpoints':null}",
                 "['s','','<unset>','<unset>','60s']");
}

static void an_ingress_shows_its_hosts(void **state)
{
    (void)state;
    assert_cells(lw_kind_ingresses,
                 "{" META ",'spec':{'ingressClassName':'nginx','tls':[{}],'rules':[{'host':'a'},{},"
                 "{'host':'b'},{'host':'c'},{'host':'d'}]},'status':{'loadBalancer':{'ingress':["
                 "{'ip':'1.1.1.1'}]}}}",
                 "['s','nginx','a,b,c + 2 more...','1.1.1.1','80, 443','60s']");
    assert_cells(lw_kind_ingresses, "{" META ",'spec':{'rules':[{}]}}",
                 "['s','<none>','*','','80','60s']");
}

static void an_ingress_class_shows_its_parameters(void **state)
{
    (void)state;
    assert_cells(lw_kind_ingressclasses,
                 "{" META ",'spec':{'controller':'x/y','parameters':{'kind':'P','apiGroup':'g.io',"
                 "'name':'n'}}}",
                 "['s','x/y','P.g.io/n','60s']");
    assert_cells(lw_kind_ingressclasses,
                 "{" META ",'spec':{'parameters':{'kind':'ConfigMap','name':'n'}}}",
                 "['s','','ConfigMap/n','60s']");
    assert_cells(lw_kind_ingressclasses, "{" META "}", "['s','','<none>','60s']");
}

static void a_policy_shows_its_pods(void **state)
{
    (void)state;
    assert_cells(lw_kind_networkpolicies,
                 "{" META ",'spec':{'podSelector':{'matchLabels':{"
                 "'a':'b'}}}}",
                 "['s','a=b','60s']");
    assert_cells(lw_kind_networkpolicies, "{" META ",'spec':{'podSelector':{}}}",
                 "['s','<none>','60s']");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_service_shows_its_address_and_ports),
        TEST(a_load_balancer_is_pending_until_it_has_an_address),
        TEST(an_external_name_is_shown_as_it_is),
        TEST(endpoints_show_the_first_addresses),
        TEST(more_ports_than_are_shown_are_counted),
        TEST(a_slice_shows_the_first_ports_and_addresses),
        TEST(an_ingress_shows_its_hosts),
        TEST(an_ingress_class_shows_its_parameters),
        TEST(a_policy_shows_its_pods),
    };
    return cmocka_run_group_tests_name("column_service", tests, NULL, NULL);
}
