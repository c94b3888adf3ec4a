/* SPDX-License-Identifier: Apache-2.0 */
/* request_metrics_test.c -- what is counted of requests, and how the loops' counts add up. */
#include "api/context/request_metrics.h"

#include <stdio.h>

#include "base/clock.h"
#include "base/str.h"
#include "unit/test.h"

static const lw_kind pods = { .version = LW_STR_INIT("v1"), .plural = LW_STR_INIT("pods") };
static const lw_request_way get = { .verb = LW_REQUEST_GET, .scope = LW_REQUEST_SCOPE_RESOURCE };

static uint64_t count_of(const lw_request_series *series, int code)
{
    for (size_t i = 0; i < LW_REQUEST_CODES; i++) {
        if (atomic_load(&series->codes[i].code) == code && lw_counter_read(&series->codes[i].count))
            return lw_counter_read(&series->codes[i].count);
    }
    return 0;
}

static void a_way_of_a_resource_has_one_series(void **state)
{
    (void)state;
    lw_request_metrics m;
    lw_request_metrics_init(&m);
    lw_request_series *series = lw_request_metrics_series(&m, &pods, get);
    lw_request_way other = get;
    other.is_dry_run = true;
    assert_non_null(series);
    assert_ptr_equal(lw_request_metrics_series(&m, &pods, get), series);
    assert_ptr_not_equal(lw_request_metrics_series(&m, &pods, other), series);
    assert_ptr_not_equal(lw_request_metrics_series(&m, NULL, get), series);
    /* Another entry of the same names is the same resource: custom kinds come and go. */
    const lw_kind again = pods;
    assert_ptr_equal(lw_request_metrics_series(&m, &again, get), series);
    lw_request_metrics_done(&m);
}

static void a_request_is_counted_by_code_time_and_size(void **state)
{
    (void)state;
    lw_request_metrics m;
    lw_request_metrics_init(&m);
    lw_request_series *series = lw_request_metrics_series(&m, &pods, get);
    lw_request_series_count(series, 200, 30 * LW_NS_PER_MS, 10 * LW_NS_PER_MS, 5000);
    lw_request_series_count(series, 404, 1, 0, 10);
    assert_int_equal(count_of(series, 200), 1);
    assert_int_equal(count_of(series, 404), 1);
    assert_int_equal(lw_counter_read(&series->durations.counts[2]), 1);      /* up to 50 ms */
    assert_int_equal(lw_counter_read(&series->durations.counts[0]), 1);      /* up to 5 ms */
    assert_int_equal(lw_counter_read(&series->sli_durations.sum), 20000001); /* not queued */
    assert_int_equal(lw_counter_read(&series->sizes.counts[1]), 1);
    lw_request_series_count(NULL, 200, 1, 0, 1); /* nowhere to count it */
    lw_request_metrics_done(&m);
}

static void codes_beyond_the_table_are_counted_together(void **state)
{
    (void)state;
    lw_request_metrics m, sum;
    lw_request_metrics_init(&m);
    lw_request_metrics_init(&sum);
    lw_request_series *series = lw_request_metrics_series(&m, &pods, get);
    for (int code = 200; code < 200 + 2 * LW_REQUEST_CODES; code++)
        lw_request_series_count(series, code, 1, 0, 1);
    assert_int_equal(count_of(series, 0), LW_REQUEST_CODES + 1);
    assert_int_equal(lw_request_metrics_merge(&sum, &m), LW_OK);
    assert_int_equal(lw_request_metrics_merge(&sum, &m), LW_OK);
    series = lw_request_metrics_series(&sum, &pods, get);
    assert_int_equal(count_of(series, 0), 2 * (LW_REQUEST_CODES + 1));
    assert_int_equal(count_of(series, 200), 2);
    lw_request_metrics_done(&sum);
    lw_request_metrics_done(&m);
}

static void loops_are_added_up(void **state)
{
    (void)state;
    lw_request_metrics one, two, sum;
    lw_request_metrics_init(&one);
    lw_request_metrics_init(&two);
    lw_request_metrics_init(&sum);
    lw_counter_add(&one.in_flight[1], 2);
    lw_counter_add(&two.in_flight[1], 1);
    lw_request_series_count(lw_request_metrics_series(&one, &pods, get), 200, 1, 0, 1);
    lw_request_series_count(lw_request_metrics_series(&two, &pods, get), 200, 1, 0, 1);
    lw_resource_metrics *resource = lw_request_metrics_resource(&two, &pods);
    lw_counter_add(&resource->watch_events, 7);
    lw_histogram_add(&resource->store[LW_STORE_REQUEST_UPDATE].durations, lw_duration_bounds, 1);
    assert_int_equal(lw_request_metrics_merge(&sum, &one), LW_OK);
    assert_int_equal(lw_request_metrics_merge(&sum, &two), LW_OK);
    assert_int_equal(lw_counter_read(&sum.in_flight[1]), 3);
    assert_int_equal(count_of(lw_request_metrics_series(&sum, &pods, get), 200), 2);
    resource = lw_request_metrics_resource(&sum, &pods);
    assert_int_equal(lw_counter_read(&resource->watch_events), 7);
    assert_int_equal(lw_histogram_count(&resource->store[LW_STORE_REQUEST_UPDATE].durations), 1);
    lw_request_metrics_done(&sum);
    lw_request_metrics_done(&two);
    lw_request_metrics_done(&one);
}

/* Definitions may come and go forever; what they cost here ends. */
static void the_number_of_resources_is_limited(void **state)
{
    (void)state;
    lw_request_metrics m;
    char name[32];
    size_t count = 0;
    lw_request_metrics_init(&m);
    for (int i = 0; i < 2 * LW_REQUEST_RESOURCES_MAX; i++) {
        (void)snprintf(name, sizeof(name), "things%d", i);
        const lw_kind kind = { .group = LW_STR("example.com"),
                               .version = LW_STR("v1"),
                               .plural = lw_str_of(name) };
        lw_request_series_count(lw_request_metrics_series(&m, &kind, get), 200, 1, 0, 1);
    }
    for (const lw_resource_metrics *r = atomic_load(&m.resources); r; r = r->next)
        count++;
    assert_int_equal(count, LW_REQUEST_RESOURCES_MAX + 1);
    assert_int_equal(count_of(lw_request_metrics_series(&m, NULL, get), 200),
                     LW_REQUEST_RESOURCES_MAX);
    lw_request_metrics_done(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_way_of_a_resource_has_one_series),
        TEST(a_request_is_counted_by_code_time_and_size),
        TEST(codes_beyond_the_table_are_counted_together),
        TEST(loops_are_added_up),
        TEST(the_number_of_resources_is_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
