/* SPDX-License-Identifier: Apache-2.0 */
/* work_estimate_test.c -- what requests are, and how many seats they take. */
#include "server/flowcontrol/work_estimate.h"

#include <stdio.h>

#include "base/clock.h"
#include "base/str.h"
#include "server/flowcontrol/watch_count.h"
#include "unit/test.h"

static lw_request_info info_of(const char *method, const char *target, lw_str *query)
{
    lw_request_info info;
    lw_str path;
    (void)lw_str_cut(lw_str_of(target), '?', &path, query);
    const lw_http_request request = { .method = lw_http_method_of(lw_str_of(method)),
                                      .method_text = lw_str_of(method),
                                      .path = path,
                                      .query = *query };
    lw_request_info_read(&info, &request);
    return info;
}

static lw_flow_work work_of(const char *method, const char *target, size_t objects, size_t bytes,
                            size_t watches, uint32_t max_seats)
{
    lw_str query;
    lw_flow_work work;
    lw_request_info info = info_of(method, target, &query);
    const lw_work_facts facts = {
        .is_known = true, .objects = objects, .object_bytes = bytes, .watches = watches
    };
    lw_work_estimate(&work, lw_work_class_of(&info, query), &info, query, &facts, max_seats);
    return work;
}

static void assert_info(const char *method, const char *target, const char *wanted)
{
    char got[512];
    lw_str query;
    lw_request_info info = info_of(method, target, &query);
    (void)snprintf(got, sizeof(got), "%.*s %.*s %.*s/%.*s ns=%.*s name=%.*s%s",
                   LW_STR_ARG(info.verb), LW_STR_ARG(info.group), LW_STR_ARG(info.resource),
                   LW_STR_ARG(info.subresource), LW_STR_ARG(info.ns), LW_STR_ARG(info.name),
                   info.is_resource ? "" : " (path)");
    assert_string_equal(got, wanted);
}

static void requests_are_read_from_method_path_and_query(void **state)
{
    (void)state;
    assert_info("GET", "/api/v1/pods", "list  pods/ ns= name=");
    assert_info("HEAD", "/api/v1/namespaces/n/pods/p", "get  pods/ ns=n name=p");
    assert_info("GET", "/api/v1/namespaces/n/pods?watch=true", "watch  pods/ ns=n name=");
    assert_info("GET", "/api/v1/namespaces/n/pods?watch=0", "list  pods/ ns=n name=");
    assert_info("GET", "/api/v1/watch/namespaces/n/pods/p", "watch  pods/ ns=n name=p");
    assert_info("GET", "/api/v1/pods?fieldSelector=metadata.name%3Dx&watch=1",
                "watch  pods/ ns= name=x");
    assert_info("POST", "/apis/apps/v1/namespaces/n/deployments",
                "create apps deployments/ ns=n name=");
    assert_info("PUT", "/apis/apps/v1/namespaces/n/deployments/d/scale",
                "update apps deployments/scale ns=n name=d");
    assert_info("PATCH", "/api/v1/nodes/a/status", "patch  nodes/status ns= name=a");
    assert_info("DELETE", "/api/v1/nodes/a", "delete  nodes/ ns= name=a");
    assert_info("DELETE", "/api/v1/nodes", "deletecollection  nodes/ ns= name=");
    assert_info("GET", "/api/v1/namespaces/n", "get  namespaces/ ns=n name=n");
    assert_info("PUT", "/api/v1/namespaces/n/finalize", "update  namespaces/finalize ns=n name=n");
    assert_info("GET", "/api/v1", "get  / ns= name= (path)");
    assert_info("GET", "/apis/apps/v1", "get  / ns= name= (path)");
    assert_info("POST", "/version", "post  / ns= name= (path)");
    assert_info("GET", "/", "get  / ns= name= (path)");
}

static void a_list_takes_a_seat_for_every_100_kb(void **state)
{
    (void)state;
    assert_int_equal(work_of("GET", "/api/v1/pods", 0, 0, 0, 0).initial_seats, 1);
    assert_int_equal(work_of("GET", "/api/v1/pods", 10, 10000, 0, 0).initial_seats, 1);
    assert_int_equal(work_of("GET", "/api/v1/pods", 250, 250000, 0, 0).initial_seats, 3);
    assert_int_equal(work_of("GET", "/api/v1/pods", 90000, 90000000, 0, 0).initial_seats, 10);
    assert_int_equal(work_of("GET", "/api/v1/pods", 90000, 90000000, 0, 4).initial_seats, 4);
}

static void a_limit_or_a_name_makes_a_list_cheaper(void **state)
{
    (void)state;
    assert_int_equal(work_of("GET", "/api/v1/pods?limit=150", 1000, 1000000, 0, 0).initial_seats,
                     2);
    assert_int_equal(work_of("GET", "/api/v1/pods?fieldSelector=metadata.name%3Dx", 1000, 1000000,
                             0, 0)
                         .initial_seats,
                     1);
}

static void a_watch_costs_what_it_lists_first(void **state)
{
    (void)state;
    assert_int_equal(work_of("GET", "/api/v1/pods?watch=1", 500, 500000, 0, 0).initial_seats, 5);
    assert_int_equal(
        work_of("GET", "/api/v1/pods?watch=1&resourceVersion=0", 500, 500000, 0, 0).initial_seats,
        5);
    assert_int_equal(
        work_of("GET", "/api/v1/pods?watch=1&resourceVersion=7", 500, 500000, 0, 0).initial_seats,
        1);
    assert_int_equal(work_of("GET", "/api/v1/pods?watch=1&resourceVersion=7&sendInitialEvents=true",
                             500, 500000, 0, 0)
                         .initial_seats,
                     5);
}

static void a_change_takes_seats_for_its_watches_afterwards(void **state)
{
    (void)state;
    lw_flow_work work = work_of("POST", "/api/v1/namespaces/n/pods", 1, 1, 9, 0);
    assert_int_equal(work.final_seats, 0);
    work = work_of("PATCH", "/api/v1/namespaces/n/pods/p", 1, 1, 25, 0);
    assert_int_equal(work.initial_seats, 1);
    assert_int_equal(work.final_seats, 3);
    assert_int_equal(work.additional_ns, 5 * LW_NS_PER_MS);
    work = work_of("PUT", "/api/v1/namespaces/n/pods/p", 1, 1, 400, 0);
    assert_int_equal(work.final_seats, 10);
    assert_int_equal(work.additional_ns, 20 * LW_NS_PER_MS);
    work = work_of("DELETE", "/api/v1/namespaces/n/pods/p", 1, 1, 400, 2);
    assert_int_equal(work.final_seats, 2);
    assert_int_equal(work.additional_ns, 100 * LW_NS_PER_MS);
    work = work_of("POST", "/api/v1/namespaces/n/serviceaccounts/s/token", 1, 1, 400, 0);
    assert_int_equal(work.final_seats, 0);
    work = work_of("GET", "/api/v1/namespaces/n/pods/p", 1, 1, 400, 0);
    assert_int_equal(work.final_seats, 0);
}

static lw_watch_count *add_watch(lw_watch_counts *counts, const char *target)
{
    lw_str query;
    lw_request_info info = info_of("GET", target, &query);
    return lw_watch_counts_add(counts, &info, query);
}

static size_t watches_of(lw_watch_counts *counts, const char *target)
{
    lw_str query;
    lw_request_info info = info_of("PUT", target, &query);
    return lw_watch_counts_of(counts, &info);
}

static void watches_of_the_resource_its_namespace_and_the_object_see_a_change(void **state)
{
    (void)state;
    lw_watch_counts counts;
    lw_watch_counts_init(&counts);
    lw_watch_count *all = add_watch(&counts, "/api/v1/pods?watch=1");
    lw_watch_count *ns = add_watch(&counts, "/api/v1/namespaces/n/pods?watch=1");
    lw_watch_count *one =
        add_watch(&counts, "/api/v1/namespaces/n/pods?watch=1&fieldSelector=metadata.name%3Dp");
    lw_watch_count *other = add_watch(&counts, "/api/v1/namespaces/m/pods?watch=1");
    assert_ptr_equal(add_watch(&counts, "/api/v1/pods?watch=1"), all);
    assert_int_equal(watches_of(&counts, "/api/v1/namespaces/n/pods/p"), 4);
    assert_int_equal(watches_of(&counts, "/api/v1/namespaces/n/pods/q"), 3);
    assert_int_equal(watches_of(&counts, "/api/v1/namespaces/x/pods/p"), 2);
    assert_int_equal(watches_of(&counts, "/api/v1/namespaces/n/secrets/p"), 0);
    lw_watch_counts_remove(all);
    lw_watch_counts_remove(all);
    lw_watch_counts_remove(ns);
    lw_watch_counts_remove(one);
    lw_watch_counts_remove(other);
    assert_int_equal(watches_of(&counts, "/api/v1/namespaces/n/pods/p"), 0);
    lw_watch_counts_done(&counts);
}

static void a_watch_of_the_pods_of_one_node_is_not_counted(void **state)
{
    (void)state;
    lw_watch_counts counts;
    lw_watch_counts_init(&counts);
    assert_null(add_watch(&counts, "/api/v1/pods?watch=1&fieldSelector=spec.nodeName%3Dnode-1"));
    assert_int_equal(watches_of(&counts, "/api/v1/namespaces/n/pods/p"), 0);
    lw_watch_counts_done(&counts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(requests_are_read_from_method_path_and_query),
        TEST(a_list_takes_a_seat_for_every_100_kb),
        TEST(a_limit_or_a_name_makes_a_list_cheaper),
        TEST(a_watch_costs_what_it_lists_first),
        TEST(a_change_takes_seats_for_its_watches_afterwards),
        TEST(watches_of_the_resource_its_namespace_and_the_object_see_a_change),
        TEST(a_watch_of_the_pods_of_one_node_is_not_counted),
    };
    return cmocka_run_group_tests_name("work_estimate", tests, NULL, NULL);
}
